"""One file a change kind: its triggers (edits to questions) and its settling logic (bundle to drafts or no finding).

A kind's file is loaded when it is first asked for: a change without edits pays for none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

from review_agent.vocabulary import ChangeKind

if TYPE_CHECKING:
    from review_agent.kinds.base import Kind

__all__ = ["KINDS"]

_CLASSES = {
    ChangeKind.API_CONTRACT: "ApiContract",
    ChangeKind.AUTH: "Auth",
    ChangeKind.CACHE_KEY: "CacheKey",
    ChangeKind.CONCURRENCY_RETRY: "ConcurrencyRetry",
    ChangeKind.CONFIG_DEFAULT: "ConfigDefault",
    ChangeKind.ERROR_HANDLING: "ErrorHandling",
    ChangeKind.INCOMPLETE_CHANGE: "IncompleteChange",
    ChangeKind.INPUT: "Input",
    ChangeKind.PERSISTENCE: "Persistence",
    ChangeKind.RESOURCE_RELEASE: "ResourceRelease",
    ChangeKind.SERIALIZATION: "Serialization",
    ChangeKind.TEST_REMOVAL: "TestRemoval",
}


class _Kinds(Mapping[ChangeKind, "Kind"]):
    """Kinds by name, each loaded from the file of its name at the first look."""

    def __init__(self) -> None:
        self._loaded: dict[ChangeKind, Kind] = {}

    def __getitem__(self, kind: ChangeKind) -> Kind:
        if kind not in self._loaded:
            module = import_module(f"{__name__}.{ChangeKind(kind).value}") if kind in _CLASSES else None
            if module is None:
                raise KeyError(kind)
            self._loaded[kind] = cast("Kind", getattr(module, _CLASSES[kind])())
        return self._loaded[kind]

    def __iter__(self) -> Iterator[ChangeKind]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


KINDS: Mapping[ChangeKind, Kind] = _Kinds()

"""What resolving a name knows of a commit: paths, and outlines on demand. Who implements the view does the reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from review_agent.syntax.model import Assign, Call, Import, NameUse, Outline, Return, Symbol

__all__ = ["TEXT_LIMIT", "Index", "Kind", "Target", "Value", "World", "value_kind"]

# Source text in an outline is cut here: see ``model``.
TEXT_LIMIT = 200

Kind = Literal["module", "class", "instance", "super", "function", "variable", "external", "outside", "unknown"]


class World(Protocol):
    """One commit of one repository, read only. A folder is named without a slash at its end; the root is ""."""

    def has(self, path: str) -> bool:
        """Whether a file of that path exists (or is taken to exist, because a question is about it)."""
        ...

    def is_folder(self, folder: str) -> bool: ...

    def files(self, folder: str) -> Sequence[str]:
        """Paths of the files directly in a folder, ascending."""
        ...

    def folders(self, folder: str) -> Sequence[str]:
        """Names of the folders directly in a folder, ascending."""
        ...

    def ending(self, tail: str) -> Sequence[str]:
        """Paths that are ``tail`` or end in ``/tail``, ascending."""
        ...

    def index(self, path: str) -> Index | None:
        """The facts of a file by place; null where it is missing, not a supported language, or did not parse."""
        ...

    def uses(self, path: str, name: str) -> Sequence[NameUse]:
        """Occurrences of one identifier in a file, in order; empty where the file has no outline."""
        ...

    def text(self, path: str) -> str | None:
        """The file's text; null where it is missing or not text."""
        ...


@dataclass(frozen=True)
class Target:
    """What hits are resolved against: ``name`` in ``scope`` (a class or type, "" for module level) of ``path``."""

    path: str
    scope: str
    name: str

    @property
    def qualname(self) -> str:
        return f"{self.scope}.{self.name}" if self.scope else self.name


@dataclass(frozen=True)
class Value:
    """What a name or expression can be. ``path`` and ``qualname`` place it (of an instance: its class).

    ``kind``: module (``qualname`` ""; a folder without ``__init__.py`` has a path ending in "/"), class, instance,
    super (bound to a class, looks only above it), function, variable, external (a module of, or something in, other
    code), outside (an instance of a type of other code), unknown. ``sure`` is false where something else may be meant.
    ``why`` says in words what makes it so. ``receiver`` is what a method was taken from. ``element`` is what iterating
    or indexing gives, where that is known.
    """

    kind: Kind
    path: str = ""
    qualname: str = ""
    why: str = ""
    sure: bool = True
    receiver: Value | None = None
    element: Value | None = None


@dataclass
class Index:
    """An outline's facts by where they stand: (scope, name); ``calls`` by the name called."""

    outline: Outline
    symbols: dict[tuple[str, str], list[Symbol]] = field(default_factory=dict)
    by_qualname: dict[str, list[Symbol]] = field(default_factory=dict)
    imports: dict[tuple[str, str], list[Import]] = field(default_factory=dict)
    assigns: dict[tuple[str, str], list[Assign]] = field(default_factory=dict)
    contexts: dict[tuple[str, str], list[Call]] = field(default_factory=dict)
    returns: dict[str, list[Return]] = field(default_factory=dict)
    calls: dict[str, list[Call]] = field(default_factory=dict)

    @classmethod
    def of(cls, outline: Outline) -> Index:
        """Index one outline; lists keep source order."""
        made = cls(outline)
        for symbol in outline.symbols:
            made.symbols.setdefault((symbol.scope, symbol.name), []).append(symbol)
            made.by_qualname.setdefault(symbol.qualname, []).append(symbol)
        for item in outline.imports:
            made.imports.setdefault((item.scope, item.alias), []).append(item)
        for assign in outline.assigns:
            for target in assign.targets:
                made.assigns.setdefault((assign.scope, target), []).append(assign)
        for call in outline.calls:
            made.calls.setdefault(call.name, []).append(call)
            for target in call.targets if call.result == "context" else ():
                made.contexts.setdefault((call.scope, target), []).append(call)
        for one in outline.returns:
            made.returns.setdefault(one.scope, []).append(one)
        return made

    def types(self, qualname: str) -> list[Symbol]:
        """The classes, structs, interfaces and named types of that qualified name."""
        return [one for one in self.by_qualname.get(qualname, ()) if one.kind in _TYPES]


_TYPES = ("class", "interface", "struct", "type")


def value_kind(symbol: Symbol) -> Kind:
    """What kind of value a definition makes."""
    if symbol.kind in _TYPES:
        return "class"
    return "function" if symbol.kind in ("function", "method") else "variable"

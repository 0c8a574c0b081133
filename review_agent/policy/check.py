"""A control plane's files against their records: every problem, with file, line, key path and a suggestion."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from review_agent.policy.document import MAX_BYTES, TOO_LARGE, Document, Path, Problem, parse
from review_agent.policy.faults import LANGUAGES, SLOTS, faults, list_faults, near
from review_agent.policy.folder import Folder
from review_agent.policy.model import (
    Budgets,
    CatalogEntry,
    ChangeKinds,
    Jobs,
    MaskPattern,
    Policy,
    Queue,
    ReasonCode,
    SensitivePath,
    SkipGlobs,
    Steering,
)
from review_agent.policy.model_engine import EnginePolicy, Price, Prompts
from review_agent.resources import shipped
from review_agent.vocabulary import digest

__all__ = ["FILES", "LANGUAGES", "SLOTS", "check", "check_file"]

FILES: dict[str, TypeAdapter[Any]] = {
    "change-kinds.yml": TypeAdapter(ChangeKinds),
    "budgets.yml": TypeAdapter(Budgets),
    "skips.yml": TypeAdapter(SkipGlobs),
    "sensitive-paths.yml": TypeAdapter(tuple[SensitivePath, ...]),
    "reason-codes.yml": TypeAdapter(tuple[ReasonCode, ...]),
    "validation-catalog.yml": TypeAdapter(tuple[CatalogEntry, ...]),
    "jobs.yml": TypeAdapter(Jobs),
    "queue.yml": TypeAdapter(Queue),
    "engine.yml": TypeAdapter(EnginePolicy),
    "prices.yml": TypeAdapter(tuple[Price, ...]),
    "masking.yml": TypeAdapter(tuple[MaskPattern, ...]),
    "steering.yml": TypeAdapter(Steering),
}

_TEXTS = ("policy.md", "prompt-system.md", "prompt-compile.md", "prompt-synthesize.md", "prompt-refute.md")


def check(folder: Folder) -> tuple[Policy | None, list[Problem]]:
    """The policy, or None with every problem found, in the order of files and lines."""
    problems = list(folder.problems)
    values: dict[str, Any] = {}
    for name in FILES:
        values[name], found = check_file(name, folder.files[name])
        problems.extend(found)
    texts = {name: _text(name, folder.files[name], problems) for name in _TEXTS}
    if problems:
        return None, problems
    hashes = {name: hashlib.sha256(raw).hexdigest() for name, raw in folder.files.items()}
    return Policy(
        source=folder.source,
        hash=digest(hashes),
        text=texts["policy.md"],
        change_kinds=values["change-kinds.yml"],
        budgets=values["budgets.yml"],
        skips=values["skips.yml"],
        sensitive_paths=values["sensitive-paths.yml"],
        reason_codes=values["reason-codes.yml"],
        catalog=values["validation-catalog.yml"],
        jobs=values["jobs.yml"],
        queue=values["queue.yml"],
        engine=values["engine.yml"],
        prices=values["prices.yml"],
        prompts=Prompts(
            system=texts["prompt-system.md"],
            compile=texts["prompt-compile.md"],
            synthesize=texts["prompt-synthesize.md"],
            refute=texts["prompt-refute.md"],
        ),
        masking=values["masking.yml"],
        steering=values["steering.yml"],
    ), []


def check_file(name: str, raw: bytes) -> tuple[Any, list[Problem]]:
    """One file of ``FILES`` as its record, or None with every problem found in it, by line."""
    value, problems = _checked(name, raw)
    return value, list(problems)


@lru_cache(maxsize=32)  # one process loads the same bytes again and again, and reading YAML is slow; records are frozen
def _checked(name: str, raw: bytes) -> tuple[Any, tuple[Problem, ...]]:
    document = parse(name, raw)
    value = _value(document, vetted=_is_shipped(name, raw))
    # What a person wrote wrong comes before what they left out: the one often is the other, misspelt.
    return value, tuple(sorted(document.problems, key=lambda problem: (not problem.key, problem.line)))


def _is_shipped(name: str, raw: bytes) -> bool:
    """Whether the file is the product's own, word for word: what it means was checked before it was shipped."""
    own = shipped("policy") / name
    return own.is_file() and own.read_bytes() == raw


def _text(name: str, raw: bytes, problems: list[Problem]) -> str:
    if len(raw) > MAX_BYTES:  # what is read of such a file ends anywhere
        problems.append(Problem(name, 0, "", TOO_LARGE))
        return ""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        problems.append(Problem(name, 0, "", f"not UTF-8: {error.reason} at byte {error.start}"))
        return ""


def _value(document: Document, *, vetted: bool) -> Any:
    """The document as its record; problems of shape are added to it, and those of meaning where it is not vetted."""
    if document.problems:
        return None
    try:
        value = FILES[document.file].validate_json(json.dumps(document.data), strict=True)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            _blame(document, details)
        value = None
    if vetted and value is not None:
        return value
    for path, message, suggestion in faults(value) if value is not None else list_faults(_sound_items(document)):
        document.blame(path, message, suggestion)
    return value


def _sound_items(document: Document) -> Iterator[tuple[int, Any]]:
    """The items of a list that have their shape, with their place in it, where others have not."""
    if not isinstance(document.data, list) or _is_record(_root(document.file)):
        return
    one = TypeAdapter(_step(_root(document.file), 0))
    for index, item in enumerate(document.data):
        with suppress(ValidationError):
            yield index, one.validate_json(json.dumps(item), strict=True)


def _blame(document: Document, details: ErrorDetails) -> None:
    """One of pydantic's errors as a problem; suggestions come from the names that would have been right there."""
    path: Path = tuple(part for part in details["loc"] if part != "[key]")
    wrong = path[-1] if "[key]" in details["loc"] or details["type"] == "extra_forbidden" else details["input"]
    if details["type"] == "extra_forbidden":
        document.blame(path, "unknown key", near(wrong, _names_beside(document, path)))
    elif details["type"] == "missing":
        document.blame(path[:-1], f"the key {path[-1]} is missing")
    elif details["type"] in ("enum", "literal_error"):
        allowed = (details.get("ctx") or {}).get("expected", "")
        meant = near(wrong, [word.strip(" '") for word in allowed.replace(" or ", ",").split(",")])
        document.blame(path, f"unknown value {wrong!r}", meant or f"one of {allowed}")
    else:
        document.blame(path, details["msg"][:1].lower() + details["msg"][1:])


def _names_beside(document: Document, path: Path) -> list[str]:
    """Names that the record at a path's parent knows, by walking the types along the path."""
    kind: Any = _root(document.file)
    for part in path[:-1]:
        kind = _step(kind, part)
    return [_alias(kind, name) for name in kind.model_fields] if _is_record(kind) else []


def _root(file: str) -> Any:
    return FILES[file]._type  # the adapter keeps the type it was made for


def _step(kind: Any, part: str | int) -> Any:
    if _is_record(kind):
        found = [field.annotation for name, field in kind.model_fields.items() if part in (name, _alias(kind, name))]
        return found[0] if found else None
    arguments = getattr(kind, "__args__", (None,))
    return arguments[0] if isinstance(part, int) else arguments[-1]


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _alias(kind: type[BaseModel], name: str) -> str:
    return kind.model_fields[name].alias or name

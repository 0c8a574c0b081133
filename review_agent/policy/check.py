"""A control plane's files against their records: every problem, with file, line, key path and a suggestion."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import string
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Any, cast

import pathspec
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from review_agent.policy.document import Document, Path, Problem, parse
from review_agent.policy.folder import Folder
from review_agent.policy.model import (
    Budgets,
    CatalogEntry,
    ChangeKinds,
    Jobs,
    MaskPattern,
    Policy,
    ReasonCode,
    SensitivePath,
    SkipGlobs,
    Steering,
    Trigger,
)
from review_agent.policy.regexes import fault
from review_agent.policy.rules import RULES
from review_agent.vocabulary import ChangeKind, EffectOp, digest

__all__ = ["FILES", "LANGUAGES", "SLOTS", "check", "check_file"]

SLOTS = frozenset(
    {"subject", "to", "function", "path", "line", "support_path", "support_line", "head", "before", "after"}
)
LANGUAGES = ("python", "go", "java", "javascript", "typescript", "tsx", "yaml", "toml", "json", "ini", "env")
TRIGGER_SLOTS = frozenset({"subject", "before", "after", "function", "scope", "path", "line"})
FILES: dict[str, TypeAdapter[Any]] = {
    "change-kinds.yml": TypeAdapter(ChangeKinds),
    "budgets.yml": TypeAdapter(Budgets),
    "skips.yml": TypeAdapter(SkipGlobs),
    "sensitive-paths.yml": TypeAdapter(tuple[SensitivePath, ...]),
    "reason-codes.yml": TypeAdapter(tuple[ReasonCode, ...]),
    "validation-catalog.yml": TypeAdapter(tuple[CatalogEntry, ...]),
    "jobs.yml": TypeAdapter(Jobs),
    "masking.yml": TypeAdapter(tuple[MaskPattern, ...]),
    "steering.yml": TypeAdapter(Steering),
}


def check(folder: Folder) -> tuple[Policy | None, list[Problem]]:
    """The policy, or None with every problem found, in the order of files and lines."""
    problems = list(folder.problems)
    values: dict[str, Any] = {}
    for name in FILES:
        values[name], found = check_file(name, folder.files[name])
        problems.extend(found)
    text = _text(folder.files["policy.md"], problems)
    if problems:
        return None, problems
    hashes = {name: hashlib.sha256(raw).hexdigest() for name, raw in folder.files.items()}
    return Policy(
        source=folder.source,
        hash=digest(hashes),
        text=text,
        change_kinds=values["change-kinds.yml"],
        budgets=values["budgets.yml"],
        skips=values["skips.yml"],
        sensitive_paths=values["sensitive-paths.yml"],
        reason_codes=values["reason-codes.yml"],
        catalog=values["validation-catalog.yml"],
        jobs=values["jobs.yml"],
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
    value = _value(document)
    # What a person wrote wrong comes before what they left out: the one often is the other, misspelt.
    return value, tuple(sorted(document.problems, key=lambda problem: (not problem.key, problem.line)))


def _text(raw: bytes, problems: list[Problem]) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        problems.append(Problem("policy.md", 0, "", f"not UTF-8: {error.reason} at byte {error.start}"))
        return ""


def _value(document: Document) -> Any:
    """The document as its record; problems of shape and meaning are added to it."""
    if document.problems:
        return None
    try:
        value = FILES[document.file].validate_json(json.dumps(document.data), strict=True)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            _blame(document, details)
        return None
    for path, message, suggestion in _faults(value):
        document.blame(path, message, suggestion)
    return value


def _blame(document: Document, details: ErrorDetails) -> None:
    """One of pydantic's errors as a problem; suggestions come from the names that would have been right there."""
    path: Path = tuple(part for part in details["loc"] if part != "[key]")
    wrong = path[-1] if "[key]" in details["loc"] or details["type"] == "extra_forbidden" else details["input"]
    if details["type"] == "extra_forbidden":
        document.blame(path, "unknown key", _near(wrong, _names_beside(document, path)))
    elif details["type"] == "missing":
        document.blame(path[:-1], f"the key {path[-1]} is missing")
    elif details["type"] in ("enum", "literal_error"):
        allowed = (details.get("ctx") or {}).get("expected", "")
        near = _near(wrong, [word.strip(" '") for word in allowed.replace(" or ", ",").split(",")])
        document.blame(path, f"unknown value {wrong!r}", near or f"one of {allowed}")
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


def _near(wrong: object, right: Iterable[str]) -> str:
    near = difflib.get_close_matches(str(wrong), list(right), n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else ""


Fault = tuple[Path, str, str]


def _faults(value: Any) -> Iterator[Fault]:
    """What a record's types cannot say."""
    if isinstance(value, ChangeKinds):
        yield from _kind_faults(value)
    elif isinstance(value, SkipGlobs):
        for rule, globs in value.globs.items():
            for index, glob in enumerate(globs):
                yield from _glob_fault(("globs", rule.value, index), glob)
    elif isinstance(value, Steering):
        yield from _steering_faults(value)
    elif isinstance(value, tuple):
        yield from _list_faults(value)


def _steering_faults(value: Steering) -> Iterator[Fault]:
    for index, file in enumerate(value.files):
        yield from _glob_fault(("files", index, "glob"), file.glob)
    for index, one in enumerate(value.texts):
        if one.id in [before.id for before in value.texts[:index]]:
            yield ("texts", index, "id"), f"{one.id} stands twice", ""
        said = fault(one.pattern)
        if said:
            yield ("texts", index, "pattern"), said, ""


def _kind_faults(value: ChangeKinds) -> Iterator[Fault]:
    yield from _missing(("kinds",), ChangeKind, value.kinds)
    yield from _missing(("words", "effects"), EffectOp, value.words.effects)
    for op, stems in value.words.effects.items():
        if not stems:
            yield ("words", "effects", op.value), "no word states this effect", ""
    for kind, rule in value.kinds.items():
        if not rule.severities:
            yield ("kinds", kind.value, "severities"), "no severity is allowed, so no card could pass", ""
    for index, trigger in enumerate(value.triggers):
        yield from _trigger_faults(("triggers", index), trigger, [one.name for one in value.triggers[:index]])


def _trigger_faults(path: Path, trigger: Trigger, before: list[str]) -> Iterator[Fault]:
    if trigger.name in before:
        yield (*path, "name"), f"{trigger.name} stands twice", ""
    for key, listed in (("ops", trigger.ops), ("refutedIf", trigger.refuted_if)):
        if not listed:
            yield (*path, key), "the list is empty", ""
    for index, glob in enumerate(trigger.paths):
        yield from _glob_fault((*path, "paths", index), glob)
    for index, language in enumerate(trigger.languages):
        if language not in LANGUAGES:
            yield (*path, "languages", index), f"unknown language {language!r}", _near(language, LANGUAGES)
    said = fault(trigger.subject) if trigger.subject else ""
    if said:
        yield (*path, "subject"), said, ""
    yield from _asked_faults(path, trigger)


def _asked_faults(path: Path, trigger: Trigger) -> Iterator[Fault]:
    """What is wrong with the words of the question, and with its plan."""
    texts = {"change": trigger.change, "precondition": trigger.precondition, "consequence": trigger.consequence}
    for key, template in texts.items():
        yield from _template_faults((*path, key), template, TRIGGER_SLOTS)
    for index, template in enumerate(trigger.refuted_if):
        yield from _template_faults((*path, "refutedIf", index), template, TRIGGER_SLOTS)
    for index, query in enumerate(trigger.plan):
        for key, template in (("name", query.name), ("path", query.path)):
            yield from _template_faults((*path, "plan", index, key), template, TRIGGER_SLOTS)
        if query.scope:
            yield from _template_faults((*path, "plan", index, "scope"), query.scope, TRIGGER_SLOTS)


def _missing(path: Path, words: type[StrEnum], have: Iterable[object]) -> Iterator[Fault]:
    for word in words:
        if word not in have:
            yield path, f"the key {word.value} is missing", ""


def _list_faults(value: tuple[Any, ...]) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, item in enumerate(value):
        if isinstance(item, SensitivePath):
            yield from _glob_fault((index, "glob"), item.glob)
            continue
        name, key = (item.code, "code") if isinstance(item, ReasonCode) else (item.id, "id")
        if name in seen:
            yield (index, key), f"{name} stands twice", ""
        seen.add(name)
        if isinstance(item, MaskPattern):
            said = fault(item.pattern)
            if said:
                yield (index, "pattern"), said, ""
        elif isinstance(item, CatalogEntry):
            yield from _entry_faults(index, item)


def _entry_faults(index: int, entry: CatalogEntry) -> Iterator[Fault]:
    for place, rule in enumerate(entry.rules):
        if rule not in RULES:
            yield (index, "rules", place), f"unknown rule {rule!r}", _near(rule, RULES)
        elif RULES[rule] not in entry.kinds:
            yield (index, "kinds"), f"the rule {rule} is of the kind {RULES[rule].value}, which is not among them", ""
    if not entry.kinds and not entry.rules:
        yield (index,), "the entry names neither a rule nor a kind, so it applies to nothing", ""
    for key, template in (("procedure", entry.procedure), ("signal", entry.signal)):
        yield from _template_faults((index, key), template)
    yield from _command_faults(index, entry)


def _command_faults(index: int, entry: CatalogEntry) -> Iterator[Fault]:
    """A job starts a program of the caller's own by its name, never a file that stands in the reviewed tree."""
    for place, template in enumerate(entry.argv):
        yield from _template_faults((index, "argv", place), template)
    if entry.argv and not re.fullmatch(r"[\w.+-]+", entry.argv[0], re.ASCII):
        yield (index, "argv", 0), f"{entry.argv[0]!r} is not the bare name of a program", "name one that PATH has"
    for code in sorted({*entry.pass_codes} & {*entry.fail_codes}):
        yield (index, "failCodes"), f"exit code {code} cannot mean pass and fail at once", ""
    if entry.argv and entry.kind == "manual-check":
        yield (index, "argv"), "a manual-check has no command", "make it a test or a static-query"


def _template_faults(path: Path, template: str, known: frozenset[str] = SLOTS) -> Iterator[Fault]:
    if not template.strip():
        yield path, "empty", ""
    try:
        slots = [part[1:] for part in string.Formatter().parse(template) if part[1] is not None]
    except ValueError as error:
        yield path, f"not a template: {error}", "write a brace as {{ or }}"
        return
    for slot, spec, conversion in slots:
        if slot not in known:
            yield path, f"unknown slot {{{slot}}}", _near(slot, known)
        if spec or conversion:
            yield path, f"the slot {slot} has a format; a slot is its name alone", f"write {{{slot}}}"


def _glob_fault(path: Path, glob: str) -> Iterator[Fault]:
    try:
        spec = pathspec.GitIgnoreSpec.from_lines([glob])
    except ValueError as error:
        yield path, f"not a gitignore pattern: {cast(object, error)}", ""
        return
    if all(one.include is None for one in spec.patterns):
        yield path, f"the pattern {glob!r} fits no path", "write a glob as in a .gitignore"

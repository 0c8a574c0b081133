"""Edits by which a file starts to rely on something: a name taken from a module, a value that may be absent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from review_agent.syntax.code import code_lines
from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.model import Access, Import, Outline
from review_agent.syntax.python_names import STANDARD_MODULES
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

MOST_A_HUNK = 20
MAY_MISS = frozenset({"dict_get", "re_match", "map_index", "type_assertion", "pointer"})
# First elements of the import paths in Go's standard library (go list std).
GO_STANDARD = frozenset(
    """archive arena bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag
    fmt go hash html image index io iter log maps math mime net os path plugin reflect regexp runtime slices sort
    strconv strings structs sync syscall testing text time unicode unique unsafe weak C""".split()  # noqa: SIM905
)
# Modules that Node.js brings along, without `node:`.
NODE_STANDARD = frozenset(
    """assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain
    events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream
    string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads
    zlib bun""".split()  # noqa: SIM905
)
SCRIPTS = ("javascript", "typescript", "tsx")
IMPORTING = re.compile(r"\s*(?:from|import)\b")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """reference_added and nilable_dereferenced."""
    counts: Counter[int] = Counter()
    for sighting in sorted(_references(frame), key=lambda one: (one.spot.hunk, one.spot.start, one.subject)):
        counts[sighting.spot.hunk] += 1
        if counts[sighting.spot.hunk] <= MOST_A_HUNK:
            yield sighting
    yield from _dereferences(frame, scopes)


def _references(frame: Frame) -> Iterator[Sighting]:
    known = {(one.module, one.level, one.name) for one in frame.old_outline.imports}
    code = _added_code(frame)
    for one in frame.new_outline.imports:
        if not _is_standard(frame.language, one):
            if one.name not in (None, "*", "") and (one.module, one.level, one.name) not in known:
                yield from _import(frame, one)
            yield from _attributes(frame, one, code)


def _is_standard(language: str, one: Import) -> bool:
    """Whether it comes from the language's own library: no evidence of a repository can settle a name in it."""
    if language == "go":
        return one.module.split("/")[0] in GO_STANDARD
    if language == "java":
        return one.module.startswith(("java.", "javax.", "jdk.", "sun."))
    if language in SCRIPTS:
        return one.module.startswith("node:") or one.module.split("/")[0] in NODE_STANDARD
    return one.level == 0 and one.module.split(".")[0] in STANDARD_MODULES


def _import(frame: Frame, one: Import) -> Iterator[Sighting]:
    lines = _import_lines(frame, one)
    spot = frame.spot(*((Side.NEW, (line, line)) for line in lines))
    if spot is not None and one.name is not None:
        facts = _facts("import", "." * one.level + one.module, one)
        yield Sighting(EDIT, spot, one.scope, one.name, None, frame.new_lines[spot.start - 1].strip(), facts)


def _import_lines(frame: Frame, one: Import) -> Iterator[int]:
    """The line of the import statement that has the name, then the statement's first line."""
    pattern = re.compile(whole_name(one.name or ""))
    for line in range(one.line, min(one.line + 60, len(frame.new_lines)) + 1):
        text = frame.new_lines[line - 1].split("#")[0]
        if pattern.search(text.rpartition(" import ")[2] if line == one.line else text):
            yield line
        if ")" in text or ("(" not in text and line == one.line and not text.rstrip().endswith("\\")):
            break


EDIT = EditOp.REFERENCE_ADDED


def _facts(form: str, module: str, one: Import) -> dict[str, FactValue]:
    return {"form": form, "module": module, "level": one.level, "binding": one.alias}


def _attributes(frame: Frame, one: Import, code: Mapping[int, str]) -> Iterator[Sighting]:
    """``module.name`` on added lines, where no line of the old side had it."""
    module = _module(frame.language, one)
    pattern = _attribute_pattern(one)
    added = [(line, name) for line, text in code.items() for name in dict.fromkeys(pattern.findall(text))]
    if module is None or not added or _is_shadowed(frame.new_outline, one):
        return
    seen = {match for line in frame.old_lines for match in pattern.findall(line)}
    for line, name in added:
        spot = frame.spot((Side.NEW, (line, line)))
        if spot is not None and name not in seen and (frame.language != "go" or name[0].isupper()):
            seen.add(name)
            shown, facts = frame.new_lines[line - 1].strip()[:200], _facts("attribute", module, one)
            yield Sighting(EDIT, spot, _scope(frame.new_outline, line), name, None, shown, facts)


def _added_code(frame: Frame) -> Mapping[int, str]:
    """The code of added lines by number, import statements left out."""
    code = code_lines(frame.new_lines, frame.language)
    imports = {other.line for other in frame.new_outline.imports}
    return {line: code[line - 1] for line in sorted(frame.new.keys() - imports) if not IMPORTING.match(code[line - 1])}


def _attribute_pattern(one: Import) -> re.Pattern[str]:
    whole = one.module if one.name is None and one.alias == one.module.split(".")[0] else one.alias
    return re.compile(rf"(?<![\w.]){re.escape(whole)}\.([A-Za-z_]\w*)")


def _module(language: str, one: Import) -> str | None:
    """The module that the local name stands for, null where the name need not be a module."""
    if one.alias in ("_", "."):
        return None
    if language == "go" or one.name is None:
        return "." * one.level + one.module
    return "." * one.level + one.name if one.level and not one.module and one.name != "*" else None


def _is_shadowed(outline: Outline, one: Import) -> bool:
    """Whether a variable or a parameter of the same name stands somewhere in the file."""
    assigned = any(one.alias in assign.targets for assign in outline.assigns)
    taken = any(param.name == one.alias for symbol in outline.symbols for param in symbol.params)
    return assigned or taken or any(symbol.receiver == one.alias for symbol in outline.symbols)


def _scope(outline: Outline, line: int) -> str:
    """The innermost symbol around a line."""
    around = [
        one
        for one in outline.symbols
        if one.start <= line <= one.end and one.kind not in ("constant", "variable", "field")
    ]
    return max(around, key=lambda one: one.start).qualname if around else ""


def _dereferences(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """New uses, unguarded, of a value that may be absent."""
    before = Counter((one.base, one.member) for one in frame.old_outline.accesses)
    for one in frame.new_outline.accesses:
        risky = one.guarded_by is None and one.origin in MAY_MISS
        spot = frame.spot((Side.NEW, (one.start, one.end))) if risky else None
        if spot is not None and not before[one.base, one.member]:
            before[one.base, one.member] += 1
            yield Sighting(
                EditOp.NILABLE_DEREFERENCED, spot, one.scope, one.base, None, _shown(frame, one), _access(scopes, one)
            )


def _shown(frame: Frame, one: Access) -> str:
    return " ".join(frame.text(Side.NEW, one.start, one.end).split())[:200]


def _access(scopes: Scopes, one: Access) -> Mapping[str, FactValue]:
    return {
        "member": one.member,
        "origin": one.origin,
        "producer": one.producer,
        "function": scopes.function(one.scope),
    }

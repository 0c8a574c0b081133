"""A rule of ``api_contract``: a module moved, and importers that still take it from its old place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import dirname, join, normpath, splitext

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    found,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.occurrences import content
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

_IMPORT = re.compile(r"^\s*(?:from|import|export)\b|\brequire\(|\bfrom ['\"]|\bimport\(")
_ROOTS = re.compile(r"^(?:src/main/java|src/test/java|src|lib|python)/")
_SUFFIXES = ("", ".js", ".ts", ".tsx", ".jsx", ".mjs", "/index.js", "/index.ts")


def _raise_moved(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    stem = _stem(text(edit, "oldPath"))
    if edit.language == "go" or not stem or _is_named_as_before(text(edit, "oldPath"), text(edit, "newName")):
        return None
    return seed(
        edit,
        "moved_module_importers_left",
        change=f"{code(edit.subject)} is now {code(text(edit, 'newName'))}",
        precondition="a file still imports it from its old place",
        consequence="that import fails",
        refuted_if=("every import of it was changed", "something stands in its old place"),
        plan=(ask(QueryKind.TEXT, stem), ask(QueryKind.PATH, f"/{edit.subject}")),
    )


def _is_named_as_before(old: str, new: str) -> bool:
    """Whether imports name a module by what the move left as it was: a folder's name, or another root's package."""
    if _bare(old) == _bare(new):
        return True
    if not old.endswith((".py", ".java")):
        return False
    one, other = (_ROOTS.sub("", path) for path in (old, new))
    return one == other or new.endswith(f"/{one}") or old.endswith(f"/{other}")


def _bare(path: str) -> str:
    """A path as imports give it: without its ending, of a package or an index that of its folder."""
    return splitext(path)[0].removesuffix("/__init__").removesuffix("/index")


def _stem(path: str) -> str:
    """What an import of a file names it by: its name, of a package or an index the folder's."""
    bare = splitext(path)[0]
    name = bare.rpartition("/")[2]
    return dirname(bare).rpartition("/")[2] if name in ("__init__", "index") else name


def _settle_moved(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    stopped = blocked(bundle, QueryKind.PATH)
    if stopped is not None:
        return stopped
    old = text(edit, "oldPath")
    kept = [one for one in found(bundle, UseFact, QueryKind.PATH) if one.ref.path == old]
    if kept:
        return unsettled(
            NoFindingCode.REFUTED, f"{code(old)} still stands in its place", refs=[one.ref for one in kept]
        )
    hits = [one for one in found(bundle, UseFact, QueryKind.TEXT) if not one.evidence.near_change]
    left = [one for one in hits if _imports(old, one)]
    if left:
        return (_card(question, min(left, key=lambda one: one.fact.in_test)),)
    where = searched(bundle, QueryKind.TEXT)
    return blocked(bundle, QueryKind.TEXT) or unsettled(
        NoFindingCode.NO_CANDIDATE, f"nothing imports {code(old)} any more; searched: {where}"
    )


def _imports(old: str, one: Found[UseFact]) -> bool:
    """Whether a line imports the file that stood at a path."""
    line, path = one.evidence.text, one.ref.path
    if not _IMPORT.search(line):
        return False
    if old.endswith(".py"):
        return path.endswith(".py") and _imports_python(old, path, line)
    if old.endswith(".java"):
        dotted = _ROOTS.sub("", splitext(old)[0]).replace("/", ".")
        return re.search(rf"\bimport (?:static )?{re.escape(dotted)}[.;]", line) is not None
    quoted = re.findall(r"""["'](\.{1,2}/[^"']*)["']""", line)
    bare = splitext(old)[0].removesuffix("/index")
    return any(splitext(normpath(join(dirname(path), one)))[0].removesuffix("/index") == bare for one in quoted)


def _imports_python(old: str, path: str, line: str) -> bool:
    module = _ROOTS.sub("", old.removesuffix(".py").removesuffix("/__init__")).replace("/", ".")
    package, _, name = module.rpartition(".")
    found_ = re.match(r"\s*from (\.*)([\w.]*) import (.*)", line)
    if found_ is None:
        plain = re.match(r"\s*import ([\w., ]+)", line)
        return plain is not None and module in [one.split(" as ")[0].strip() for one in plain[1].split(",")]
    dots, source, names = found_.groups()
    if dots:
        home = _ROOTS.sub("", dirname(path)).split("/")
        base = home[: len(home) - len(dots) + 1]
        source = ".".join(part for part in (*base, source) if part)
    taken = [one.split(" as ")[0].strip(" ()") for one in names.split(",")]
    return source == module or (source == package and bool(package) and name in taken)


def _card(question: Question, one: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    old, new = text(edit, "oldPath"), text(edit, "newName")
    # An import that stands deeper is one for a checker, a fallback or a call: the file itself loads.
    deeper = one.evidence.text[:1].isspace()
    return draft(
        question,
        claim=f"Renaming {code(old)} to {code(new)} strands {place(one.ref)}, which still imports it from its old "
        "place.",
        op=EffectOp.RENAMED,
        subject=old,
        to=new,
        severity=Severity.IMPORTANT if deeper else Severity.BLOCKING,
        support=[one.ref],
        impact="Whoever comes to that line, be it a type checker, finds no module."
        if deeper
        else "Whoever loads that file is stopped at the import, before anything in it runs.",
        counter=(f"A file left at {code(old)} would refute this; there is none at head.",),
    )


def _raise_replaced(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    """An importer that was changed tells what the module was called before."""
    before, after = content(edit.before or ""), content(edit.after or "")
    lines = texts(edit, "texts")
    if edit.language not in ("python", "java") or not lines or not all(_IMPORT.match(one) for one in lines[:1]):
        return None
    old = _module(lines[0], after, before)
    if not old or any(one.op is EditOp.MODULE_MOVED and _is_module(old, one) for one in edits):
        return None
    first = next(one for one in edits if one.op is edit.op and (one.before, one.after) == (edit.before, edit.after))
    if first.edit_id != edit.edit_id:
        return None
    folder = old.replace(".", "/")
    suffix = "java" if edit.language == "java" else "py"
    return seed(
        edit,
        "import_left_behind",
        change=f"{code(edit.path)} takes from {code(_module(lines[0], after, after))} what it took from {code(old)}",
        precondition=f"{code(old)} is gone and another file still imports it",
        consequence="that import fails",
        refuted_if=(f"{code(old)} still stands", "no other file imports it"),
        plan=(
            ask(QueryKind.TEXT, old),
            ask(QueryKind.PATH, f"{folder}.{suffix}"),
            ask(QueryKind.PATH, f"{folder}/__init__.py"),
            ask(QueryKind.PATH, f"**/{folder}.{suffix}"),
            ask(QueryKind.PATH, f"**/{_module(lines[0], after, after).replace('.', '/')}*"),
        ),
    )


def _is_module(name: str, moved: Edit) -> bool:
    """Whether the file that moved is the module of that name: then its move asks of its importers."""
    bare = _ROOTS.sub("", _bare(text(moved, "oldPath"))).replace("/", ".")
    return bare == name or bare.endswith(f".{name}")


def _module(line: str, after: str, name: str) -> str:
    """The module that an import line names, with one word of it put back."""
    found_ = re.match(r"\s*(?:from ([\w.]+) import|import (?:static )?([\w.]+);?)", line)
    module = (found_[1] or found_[2]) if found_ else ""
    parts = module.split(".")
    return ".".join(name if one == after else one for one in parts) if after in parts and len(parts) > 1 else ""


def _settle_replaced(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    old = question.plan[0].name
    stopped = blocked(bundle, QueryKind.PATH)
    if stopped is not None:
        return stopped
    kept = [one for query in question.plan[1:4] for one in found(bundle, UseFact, QueryKind.PATH, query.name)]
    moved = found(bundle, UseFact, QueryKind.PATH, question.plan[4].name)
    importing = re.compile(rf"^\s*(?:from {re.escape(old)} import|import (?:static )?{whole_name(old)})")
    hits = [one for one in found(bundle, UseFact, QueryKind.TEXT) if not one.evidence.near_change]
    left = [one for one in hits if importing.match(one.evidence.text)]
    if not (kept or left) and (stopped := blocked(bundle, QueryKind.TEXT)) is not None:
        return stopped
    if kept or not moved or not left:
        return unsettled(
            NoFindingCode.REFUTED if kept else NoFindingCode.NO_CANDIDATE,
            f"{code(old)} still stands" if kept else f"nothing else imports {code(old)}, or where it went is not here",
            refs=[one.ref for one in kept[:1]],
        )
    first = left[0]
    return (
        draft(
            question,
            claim=f"Changing the import of {code(old)} in {code(edit.path)} leaves {place(first.ref)} behind: it "
            "still imports "
            f"{code(old)}, which is now at {code(moved[0].ref.path)}.",
            op=EffectOp.CHANGED,
            subject=edit.before or "",
            to=edit.after,
            severity=Severity.BLOCKING,
            support=[first.ref],
            impact="Whoever loads that file is stopped at its first lines, before anything in it runs.",
            counter=(f"A module left at {code(old)} would refute this; no path of that name is there at head.",),
        ),
    )


RULES = (
    Rule("moved_module_importers_left", frozenset({EditOp.MODULE_MOVED}), _raise_moved, _settle_moved),
    Rule("import_left_behind", frozenset({EditOp.TEXT_REPLACED}), _raise_replaced, _settle_replaced),
)

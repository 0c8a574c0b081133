"""What shows that something can be reached from outside the repository: which query asks for it, what answers it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from posixpath import basename, dirname

from review_agent.kinds.base import Found, ask, code, every, place
from review_agent.kinds.prose import DOCS, is_past
from review_agent.syntax.languages import family_of
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import Bundle, DefinitionFact, Edit, PlanQuery, QueryKind, Side, SourceRef, UseFact

__all__ = ["Shown", "asks_what_shows", "shown"]

# What a claim says of the line that shows it, and the line.
Shown = tuple[str, SourceRef]

_MODULE = re.compile(r"^\s*module\s+(\S+)")
_MAJOR = re.compile(r"/v(\d+)$")
_BY_MANIFEST = {"go": ("module", "*go.mod"), "java": ("exports", "*module-info.java")}


def asks_what_shows(edit: Edit, qualname: str) -> tuple[PlanQuery, ...]:
    """The queries of a plan that look for the line which makes a name public, for the language of the change."""
    top, name = qualname.partition(".")[0], qualname.rpartition(".")[2]
    pages = ask(QueryKind.TEXT, name, path="*.md", scope="words")
    if family_of(edit.path) == "javascript":
        return (ask(QueryKind.TEXT, basename(edit.path), path="*package.json"), pages)
    if edit.language in _BY_MANIFEST:
        word, file = _BY_MANIFEST[edit.language]
        log = (ask(QueryKind.TEXT, name, path="*changes.xml", scope="words"),) if edit.language == "java" else ()
        return (ask(QueryKind.TEXT, word, path=file), pages, *log)
    return (
        ask(QueryKind.TEXT, top, path="*__init__.py", scope="words"),
        ask(QueryKind.TEXT, name, path="*.rst", scope="words"),
        pages,
    )


def shown(edit: Edit, bundle: Bundle, qualname: str, release: str) -> Shown | None:
    """The line outside the change that makes a name public, with what it does; null where none was found."""
    family = family_of(edit.path)
    if family == "javascript":
        return _of_entry(edit, bundle)
    return {"go": _of_module, "java": _of_class}.get(edit.language, _of_package)(edit, bundle, qualname, release)


def _outside(bundle: Bundle, name: str) -> list[Found[UseFact]]:
    found = every(bundle, UseFact, QueryKind.TEXT, name)
    return [one for one in found if not one.evidence.near_change and not one.fact.in_test]


def _nearest(path: str, hits: Iterable[Found[UseFact]]) -> Found[UseFact] | None:
    """The hit in the file that lies closest above a path."""
    above = [one for one in hits if f"{path}/".startswith(f"{dirname(one.ref.path)}/".lstrip("/"))]
    return max(above, key=lambda one: len(dirname(one.ref.path)), default=None)


def _of_entry(edit: Edit, bundle: Bundle) -> Shown | None:
    one = _nearest(edit.path, _outside(bundle, basename(edit.path)))
    if one is None or one.ref.path.rpartition("/")[0] not in ("", dirname(edit.path).partition("/")[0]):
        return None
    entry = re.search(r"\"(main|module|types|typings|import|require|default|browser|node|\.)\"\s*:", one.evidence.text)
    return (f"{place(one.ref)} hands {code(edit.path)} to whoever imports the package", one.ref) if entry else None


def _of_module(edit: Edit, bundle: Bundle, qualname: str, release: str) -> Shown | None:
    """The line of ``go.mod`` under which others import the package, if it can be imported in that release at all."""
    one = _nearest(edit.path, (hit for hit in _outside(bundle, "module") if _MODULE.match(hit.evidence.text)))
    said = _MODULE.match(one.evidence.text) if one is not None else None
    if one is None or said is None:
        return None
    major, suffix = int(re.findall(r"\d+", release)[0]), _MAJOR.search(said[1])
    if major >= 2 and (suffix is None or int(suffix[1]) != major):
        return None
    return f"{place(one.ref)} lets others import its package as part of {code(said[1])}", one.ref


def _of_class(edit: Edit, bundle: Bundle, qualname: str, release: str) -> Shown | None:
    """The header of the public class, unless a module declaration keeps its package to itself."""
    package = dirname(edit.path).rpartition("src/main/java/")[2].replace("/", ".")
    root = edit.path.rpartition("src/main/java/")[0]
    exports = [one for one in _outside(bundle, "exports") if one.ref.path.startswith(f"{root}src/main/java/")]
    told = next(
        (one for one in exports if re.search(rf"\bexports\s+{re.escape(package)}\s*;", one.evidence.text)), None
    )
    if told is not None:
        return f"{place(told.ref)} exports its package", told.ref
    owner = qualname.rpartition(".")[0]
    heads = [
        one
        for one in every(bundle, DefinitionFact, QueryKind.DEFINITION, owner.rpartition(".")[2])
        if one.ref.path == edit.path and one.ref.side is Side.NEW and not one.evidence.near_change
    ]
    public = [one for one in heads if "public" in one.fact.modifiers or "public " in one.evidence.text]
    return (f"{place(public[0].ref)} declares its class public", public[0].ref) if public and not exports else None


def _of_package(edit: Edit, bundle: Bundle, qualname: str, release: str) -> Shown | None:
    """The line of an ``__init__`` that hands the name on, else, of a module that is not private, that of a page."""
    top, name = qualname.partition(".")[0], qualname.rpartition(".")[2]
    package = edit.path.rpartition("/")[0]
    handing = [
        one
        for one in _outside(bundle, top)
        if basename(one.ref.path) == "__init__.py"
        and f"{package}/".startswith(f"{dirname(one.ref.path)}/")
        and not _private(one.ref.path)
        and _hands_on(one.evidence.text, top, edit.path)
    ]
    if handing:
        one = min(handing, key=lambda hit: (hit.ref.path.count("/"), hit.ref.start_line))
        return f"{place(one.ref)} hands {code(top)} on to whoever imports the package", one.ref
    pages = [] if _private(edit.path) else _pages(_outside(bundle, name), edit, qualname)
    return (f"{place(pages[0].ref)} documents it", pages[0].ref) if pages else None


def _hands_on(line: str, name: str, path: str) -> bool:
    """Whether a line of an ``__init__`` imports the name from this file or a package above it, or lists it."""
    said = line.strip()
    source = re.match(r"from\s+(\S+)\s+import\b", said)
    if source is not None and source[1].rpartition(".")[2] not in ("", *path.removesuffix(".py").split("/")):
        return False
    word = re.escape(name)
    return (
        re.search(rf"^from\s+\S+\s+import\b.*\b{word}\b|^\(?{word}(?:\s+as\s+{word})?,?\)?$|^[\"']{word}[\"'],?$", said)
        is not None
    )


def _private(path: str) -> bool:
    parts = path.removesuffix(".py").split("/")
    return any(part.startswith("_") and part != "__init__" for part in parts)


def _pages(hits: Sequence[Found[UseFact]], edit: Edit, qualname: str) -> list[Found[UseFact]]:
    """The lines of pages that name it as code of this module, and do not tell of the past."""
    owner, _, name = qualname.rpartition(".")
    module = edit.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    homes = {owner, owner.rpartition(".")[2], *(module.split(".", n)[-1] for n in range(3))} - {""}
    home = "|".join(sorted(map(re.escape, homes), key=len, reverse=True))
    named = re.compile(
        rf"(?:{home})\.{whole_name(name)}|auto(?:function|class|method|data)::\s+(?:[\w.]+\.)?{whole_name(name)}"
    )
    kept = [one for one in hits if DOCS.search(one.ref.path) and not is_past(one.ref.path, one.evidence.text)]
    return sorted(
        (one for one in kept if named.search(one.evidence.text)), key=lambda one: (one.ref.path, one.ref.start_line)
    )

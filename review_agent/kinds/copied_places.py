"""Whether code that stands at two places is a copy that somebody answers for, or none that could be shared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename, dirname, splitext

from review_agent.kinds.base import Unsettled, blocked_for, code, every, place, unsettled
from review_agent.kinds.like_places import read_at
from review_agent.kinds.remarks import remarks
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import Bundle, Edit, Evidence, NoFindingCode, QueryKind, SourceRef, UseFact

__all__ = ["decides", "kept_apart", "manifests"]

# Control flow, and names that are given what a call or an operation comes to: a list, a table and a declaration have
# neither, whatever they construct.
_FLOW = re.compile(
    r"^[}\s]*(?:(?:el(?:se )?)?if|for|foreach|while|switch|select|match|case|return(?!\s*[\[({]*;?$)|throw|raise|yield"
    r"|await|assert|go|defer|del|try|with|until|unless)\b|=>\s*\{$"
)
_GIVEN = re.compile(
    r"^(?:(?:const|let|var|val|final|auto)\s+)?[\w$.\[\]<>?:, *&{}]*[\w$\]}]\s*(?:[-+*/|&]|:)?=(?![=>])(?P<value>.+)$"
)
_COMES_TO = re.compile(r"[\w$)\]][(\[]|[-+*/%<>?|&]|\bawait\b|\bnot\b")
# What a class, a route table or a list of constants is made of.
_DECLARED = re.compile(
    r"^(?:export |declare |default |public |private |protected |internal |static |final |readonly )*(?:type|interface"
    r"|enum)\b|,$|^[\w$.]+\($|^\s*[A-Z][A-Z0-9_]*\s*(?::[^=]+)?="
)
_CONSTRUCTED = re.compile(r"(?:\bnew\s+)?(?<![\w$])(?:[\w$]+\.)*[A-Z]\w*(?:<[\w, ]*>)?\(")
_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")
_MARK = re.compile(
    r"(?i)\bduplicated?\s+(?:in|from|of|by)\b|\bduplicates the\b|\bin step with\b"
    r"|\b(?:code|deliberate|intentional)\w* duplicat"
    r"|\b(?:copied|ported|adapted|borrowed|vendored|lifted|taken) (?:verbatim |over |here )?(?:from|to|in)\b"
    r"|\bcop(?:y|ies) of (?!th(?:e|is) (?:licen[cs]e|software|program|gnu))\w|\bcopy(?:[- /]and[- /]|[- /])paste"
    r"|\b(?:keep|kept|stay|be|is|are)\b.{0,40}\bin sync\b|\bin sync with\b|\bmirrors? (?:the|of|what)\b"
    r"|\bsame (?:code|logic|function) (?:as|is|in|lives)\b|\bsame as in\b|\bkeep\b.*\b(?:aligned|consistent) with\b"
    r"|\b(?:change|update) (?:it |this |both )?(?:there|in both|both|too|as well)\b|\balso (?:change|update)\b"
)
# A name of several words is nobody's by chance.
_COMPOUND = re.compile(r"[a-z0-9][A-Z]|\w[-_]\w")
_MANIFESTS = {
    ".py": "pyproject.toml",
    ".go": "go.mod",
    ".java": "pom.xml",
    ".kt": "build.gradle.kts",
    ".rs": "Cargo.toml",
    ".rb": "*.gemspec",
    ".php": "composer.json",
    ".cs": "*.csproj",
}
_SCRIPT = re.compile(r"^\.(?:[cm]?[jt]sx?|vue|svelte)$")
# Folders of which each member is a package by itself.
_WORKSPACE = frozenset("packages crates plugins extensions".split())  # noqa: SIM905


def decides(line: str, path: str) -> bool:
    """Whether a line of code does something, and does not only say what there is."""
    if _FLOW.search(line):
        return True
    plain = _TEXT.sub("''", line)
    # A capital begins a type, but in Go, where it begins whatever is exported.
    plain = plain if path.endswith(".go") else _CONSTRUCTED.sub("(", plain)
    given = None if _DECLARED.search(line) else _GIVEN.match(plain)
    return given is not None and _COMES_TO.search(given["value"]) is not None


def manifests(path: str) -> tuple[str, ...]:
    """The glob of the files that make a folder a package, for code of a path; none where that is not known."""
    suffix = splitext(path)[1]
    name = "package.json" if _SCRIPT.match(suffix) else _MANIFESTS.get(suffix)
    return (name,) if name else ()


def kept_apart(edit: Edit, bundle: Bundle, copy: SourceRef) -> Unsettled | None:
    """Why a copy is no finding: somebody answers for it, or no code can be shared; null where neither is seen."""
    told = _acknowledged(edit, bundle, copy)
    if told is not None:
        return told
    packages = [_package(bundle, one) for one in (edit.path, copy.path)]
    if packages[0] != packages[1]:
        names = " and ".join(code(one or ".") for one in packages)
        return unsettled(NoFindingCode.REFUTED, f"{names} are packages of their own, published apart", refs=[copy])
    if read_at(bundle, copy.path, copy.start_line) is None:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"whether a remark says that it is a copy cannot be told: {place(copy)} was not read around",
            missing=(f"the lines around {place(copy)}",),
        )
    return None


def _acknowledged(edit: Edit, bundle: Bundle, copy: SourceRef) -> Unsettled | None:
    """That a remark at either place tells of a copy, or names the file or the package of the other."""
    here, there = (edit.path, edit.start_line), (copy.path, copy.start_line)
    for (path, line), (other, _) in ((here, there), (there, here)):
        names = sorted(_names(other) - _names(path))
        for one in _read(bundle, path, line):
            for number, said in remarks(one):
                named = next((name for name in names if re.search(whole_name(name), said)), "")
                if named or _MARK.search(said):
                    says = f"names {code(named)}" if named else "says of this code that it is a copy"
                    why = f"the remark in {code(path)} line {number} {says}"
                    return unsettled(NoFindingCode.REFUTED, why, refs=[one.ref])
    return None


def _read(bundle: Bundle, path: str, line: int) -> Iterator[Evidence]:
    """What was read around a line, and of the head of its file, where a remark is about all of it."""
    for one in bundle.evidence:
        near = one.ref.start_line == 1 or one.ref.start_line <= line <= one.ref.end_line
        if one.origin == "read" and one.ref.path == path and near:
            yield one


def _names(path: str) -> set[str]:
    """What a remark can only mean a file or its package by."""
    parts = [*path.split("/")[:-1], splitext(basename(path))[0]]
    return {basename(path), *(one for one in parts if _COMPOUND.search(one))}


def _package(bundle: Bundle, path: str) -> str:
    """The folder of the package that a file belongs to, "" for that of the whole repository."""
    folders = path.split("/")[:-1]
    inner = next((n for n, one in enumerate(folders[:-1]) if one in _WORKSPACE), None)
    by_place = "" if inner is None else "/".join(folders[: inner + 2])
    homes = {dirname(one.ref.path) for one in every(bundle, UseFact, QueryKind.PATH)}
    found = [one for one in homes if one and f"{path}/".startswith(f"{one}/")]
    return max([*found, *([by_place] if _is_cut(bundle, path) else [])], key=len, default="")


def _is_cut(bundle: Bundle, path: str) -> bool:
    """Whether not all packages were seen."""
    return any(blocked_for(bundle, QueryKind.PATH, one) is not None for one in manifests(path))

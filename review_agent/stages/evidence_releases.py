"""Whether something was released as it stood before a change, and whether people outside were to count on it.

A history query ``release:NAME`` names what a file declares on the old side, by its qualified name (``standing:NAME``
where the declaration itself stays as it is). The newest release is the highest version among the tags that lead to the
merge base, of those named like the newest of them; tags of previews are none. What is told hangs on the declaration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from posixpath import basename, dirname
from typing import NamedTuple

from review_agent.git import Git
from review_agent.stages.applications import run_not_imported
from review_agent.stages.evidence_gather import Answer, Found
from review_agent.stages.evidence_view import View
from review_agent.syntax.model import Symbol
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import HistoryFact, QueryStatus, Resolution, Side

__all__ = ["Releases"]

_TAG = re.compile(r"(?P<kind>.*?[-_/@])??v?(?P<version>\d+(?:\.\d+)+)")
_PROGRAM = re.compile(r"^package\s+main\b", re.MULTILINE)
_ASKED = re.compile(r"(release|standing):(.+)")
_CAUTION = re.compile(
    r"deprecat|experimental|unstable|subject to (?:change|removal)|(?:may|might|could|can) (?:be )?(?:change|removed)"
    r"|internal(?:ly)?\b.{0,20}\b(?:use|only|api|purposes)|not (?:a )?(?:part of the )?(?:public|intended)|do not use"
    r"|will be removed|@internal|@Beta|@VisibleForTesting|for testing|@hide|:meta private:|undocumented",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"\s*(?://|#|\*|/\*|@)")
_MANIFESTS = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|package\.json|pom\.xml|gradle\.properties|VERSION(?:\.txt)?"
    r"|__init__\.py|_?_?version_?_?\.(?:py|go))$"
)
_SAYS_VERSION = re.compile(
    r"""^\s*(?:<version>|["']?(?:__)?version(?:__)?["']?\s*[:=]\s*["']?)v?(\d+)\.\d+""", re.IGNORECASE | re.MULTILINE
)


class Release(NamedTuple):
    """A release: its tag, the commit it names, its version."""

    tag: str
    commit: str
    version: tuple[int, ...]


class Releases:
    """Answers the queries about releases of one run."""

    def __init__(self, git: Git, base: str, mask: Callable[[str], str], views: Mapping[Side, View]) -> None:
        self._git, self._base, self._mask, self._views = git, base, mask, views

    def answer(self, answer: Answer) -> None:
        """Answer in place; what was not released gives no fact, and a note that says so."""
        path = answer.query.path
        asked = _ASKED.fullmatch(answer.query.name)
        if asked is None or answer.query.side is not Side.OLD:
            answer.refuse(QueryStatus.FAILED, "a query about a release names what the old side declares")
            return
        declared, release = self._declared(path, asked[2]), self.newest
        if declared is None or release is None:
            answer.notes.append(
                f"`{path}` did not declare it" if release else "no tag of a release leads to the change"
            )
            return
        answer.searched, answer.files = f"`{path}` at the release `{release.tag}`", 1
        if not self._released(release, path, declared):
            answer.notes.append(f"`{release.tag}` does not declare it so")
            return
        answer.hits = 1
        withheld = self._withheld(path, declared) or self._remade(path, declared) or self._ahead(release)
        withheld = withheld or (path.endswith(".go") and self._unpromised(path, release)) or ""
        withheld = withheld or run_not_imported(self._views[Side.OLD], path)
        if not withheld and asked[1] == "release" and self._stands(path, declared):
            withheld = "the same declaration still stands"
        fact = HistoryFact(
            resolution=Resolution.RESOLVED,
            reason=f"the newest release before the change is {release.tag}",
            commit=release.commit,
            subject=release.tag,
            fixes=False,
            signs=(),
            tests=(),
            release=release.tag,
            declared=self._mask(_header(self._lines(path), declared)),
            withheld=self._mask(withheld),
        )
        answer.found.append(Found(path, declared.name_line, declared.header_end, (fact,)))

    @cached_property
    def newest(self) -> Release | None:
        """The release before the change; null where no tag of one leads to it."""
        told = [(found, tag, commit) for tag, commit in self._git.tags(self._base) if (found := _TAG.fullmatch(tag))]
        alike = [one for one in told if one[0]["kind"] == told[0][0]["kind"]]
        made = [Release(tag, commit, _numbers(found["version"])) for found, tag, commit in alike]
        return max(made, key=lambda one: one.version, default=None)

    def _declared(self, path: str, qualname: str) -> Symbol | None:
        """The declaration on the old side; of several with that name, the first that does not stand at head."""
        index = self._views[Side.OLD].index(path)
        found = list(index.by_qualname.get(qualname, ())) if index else []
        return next((one for one in found if not self._stands(path, one)), found[0] if found else None)

    def _stands(self, path: str, old: Symbol) -> bool:
        index = self._views[Side.NEW].index(path)
        now = index.by_qualname.get(old.qualname, ()) if index else ()
        return any((one.params, one.results, one.kind) == (old.params, old.results, old.kind) for one in now)

    def _owners(self, path: str, symbol: Symbol) -> Iterator[Symbol]:
        """The types around a declaration, inner first, as far as its own file has them."""
        index, name = self._views[Side.OLD].index(path), symbol.qualname.rpartition(".")[0]
        while index is not None and name:
            yield from index.types(name)[:1]
            name = name.rpartition(".")[0]

    def _released(self, release: Release, path: str, symbol: Symbol) -> bool:
        """Whether the file of the release holds the declaration, and those of the types around it, word for word."""
        data = self._git.show_file(release.commit, path)
        if data is None:
            return False
        text, lines = _squeezed(data.decode("utf-8", "replace")), self._lines(path)
        own = _squeezed(_header(lines, symbol)) in text
        return own and all(
            re.search(whole_name(one.name), data.decode("utf-8", "replace")) for one in self._owners(path, symbol)
        )

    def _withheld(self, path: str, symbol: Symbol) -> str:
        index, lines = self._views[Side.OLD].index(path), self._lines(path)
        around = [symbol, *self._owners(path, symbol)]
        if index is not None and index.outline.language == "go" and index.outline.package == "main":
            return "it stands in `package main`, which nothing imports"
        if index is not None and index.outline.language == "java":
            hidden = [one for one in around if not _is_public(lines, one, around)]
            if hidden:
                return f"`{hidden[0].name}` is not public"
        cautions = (line.strip() for one in around for line in _said_of(lines, one) if _CAUTION.search(line))
        return next((f"its documentation says: {line[:120]}" for line in cautions), "")

    def _remade(self, path: str, symbol: Symbol) -> str:
        """A type around it that is declared another way now: an alias may hand everything on."""
        index = self._views[Side.NEW].index(path)
        for owner in self._owners(path, symbol):
            now = index.types(owner.qualname) if index else []
            if not any(one.kind == owner.kind for one in now):
                return f"`{owner.name}` is declared another way at head, which may hand it on"
        return ""

    def _ahead(self, release: Release) -> str:
        """The file at head that says the next major version is on its way."""
        view = self._views[Side.NEW]
        for path in sorted(view.paths, key=lambda one: (one.count("/"), one)):
            if path.count("/") > 2 or not _MANIFESTS.search(path):
                continue
            said = _SAYS_VERSION.search(view.text(path) or "")
            if said and release.version[0] < int(said[1]) < 1000:
                return f"`{path}` says that version {said[1]} is on its way"
        return ""

    def _unpromised(self, path: str, release: Release) -> str:
        """Why a Go module's exported names are no promise: it is before version 1, or a program and no library."""
        if release.version[0] == 0:
            return f"`{release.tag}` is before version 1, where Go modules promise no one that a name stays"
        view = self._views[Side.OLD]
        folders = [dirname(path)]
        while folders[-1]:
            folders.append(dirname(folders[-1]))
        root = next((one for one in folders if f"{one}/go.mod".lstrip("/") in view.paths), "")
        inside = [one for one in view.paths if one.endswith(".go") and one.startswith(f"{root}/" if root else "")]
        if any(dirname(one) == root and not one.endswith("_test.go") and not self._is_program(one) for one in inside):
            return ""
        program = next((one for one in inside if basename(one) == "main.go" and self._is_program(one)), None)
        return f"its module has no package at its root and builds the program of `{program}`" if program else ""

    def _is_program(self, path: str) -> bool:
        return _PROGRAM.search(self._views[Side.OLD].text(path) or "") is not None

    def _lines(self, path: str) -> Sequence[str]:
        source = self._views[Side.OLD].source(path)
        return source.lines if source else ()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _header(lines: Sequence[str], symbol: Symbol) -> str:
    return " ".join(" ".join(lines[symbol.name_line - 1 : symbol.header_end]).split())[:300]


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _is_public(lines: Sequence[str], symbol: Symbol, around: Sequence[Symbol]) -> bool:
    """Whether Java shows it to other packages; what an interface lists is public without a word."""
    listed = symbol is around[0] and len(around) > 1 and around[1].kind == "interface"
    head = " ".join(lines[symbol.start - 1 : symbol.header_end])
    return listed or re.search(r"\b(?:public|protected)\b", head) is not None


def _said_of(lines: Sequence[str], symbol: Symbol) -> Iterator[str]:
    """The comment above a declaration, its decorators and its own lines; of a type only the first ones."""
    above = symbol.start - 1
    while above > 0 and _COMMENT.match(lines[above - 1]):
        above -= 1
    last = symbol.end if symbol.kind in ("function", "method") else min(symbol.end, symbol.header_end + 12)
    yield from lines[above:last]

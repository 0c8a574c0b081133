"""Discovery: every name of every plan is looked for at once, one ``git grep`` a side and kind of file."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import dirname

from pathspec import GitIgnoreSpec

from review_agent.counting import counted
from review_agent.errors import GitError
from review_agent.git import Git
from review_agent.policy.model import Policy
from review_agent.sources import Source
from review_agent.stages.skipping import FIRST_LINES, generated_mark
from review_agent.syntax.keys import config_language
from review_agent.syntax.languages import LANGUAGES, family_of, language_of, suffixes_of
from review_agent.vocabulary import Failure, LeftOut, PlanQuery, QueryKind, Side, SkipRule

__all__ = ["Ground", "Hits", "Search", "Skips", "ground_of", "words_of"]

# Rows of what one query left out; the rest is counted in its note.
_ROWS = 8

_WORD = re.compile(r"\w+", re.ASCII)
# Files that call code of a family and are not parsed: a hit in one leaves the answer open.
_KIN = {
    "java": (".kt", ".kts", ".scala", ".groovy", ".jsp"),
    "javascript": (".vue", ".svelte", ".astro"),
    "python": (".pyx", ".ipynb"),
}
_OWN = (SkipRule.GENERATED, SkipRule.EXCLUDED)
_RESOLVED = (QueryKind.CALLERS, QueryKind.TESTS, QueryKind.IMPLEMENTERS)

# Characters of the searched words that a failure tells.
_NAMES = 200
# Characters of a hit line that ranking looks at.
_RANKING_TEXT = 300

ByWord = dict[str, dict[str, dict[int, str]]]


@dataclass(frozen=True)
class Grepped:
    """One ground's hits by word. ``stopped``: the path at which git's output was cut; ``unread``: not in the clone;
    ``binary``: by word, the files that hold it where git shows no lines."""

    by_word: ByWord
    stopped: str = ""
    unread: tuple[str, ...] = ()
    binary: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Ground:
    """Where names are looked for: one side, some kinds of files, whole words or any text."""

    side: Side
    pathspecs: tuple[str, ...]
    fixed_word: bool = True

    def matches(self, path: str) -> bool:
        """Whether a path lies on this ground, for grounds of a language (others are git's to judge)."""
        return not self.pathspecs or any(path.endswith(one.lstrip("*")) for one in self.pathspecs)


@dataclass
class Hits:
    """Lines that hold a word, by path and number, their raw text for ranking only; what was left out, and why.

    ``skipped`` counts files under a skip rule, ``aside`` has the lines of those that a program wrote or that policy
    excludes: unlike vendored copies and lock files they are part of the product and use its names. ``cut`` counts
    lines over the cap; from the path ``stopped`` on, and in the files ``unread`` and ``binary``, there may be hits
    that nobody saw.
    """

    lines: dict[str, dict[int, str]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    skipped: int = 0
    aside: dict[str, dict[int, str]] = field(default_factory=dict)
    cut: int = 0
    stopped: str = ""
    unread: tuple[str, ...] = ()
    binary: tuple[str, ...] = ()
    failed: str = ""

    @property
    def count(self) -> int:
        return sum(len(lines) for lines in self.lines.values())


class Skips:
    """The policy's skip globs and generated marks, for files that discovery meets."""

    def __init__(self, policy: Policy) -> None:
        self._specs = [(rule.value, GitIgnoreSpec.from_lines(globs)) for rule, globs in policy.skips.globs.items()]
        self._marks = policy.skips.generated_marks
        self._known: dict[str, str] = {}

    def rule(self, path: str) -> str:
        """The name of the skip rule that a path falls under, "" for none."""
        if path not in self._known:
            self._known[path] = next((rule for rule, spec in self._specs if spec.match_file(path)), "")
        return self._known[path]

    def is_generated(self, source: Source) -> bool:
        """Whether a file says that a program wrote it, by the same rule as for changed files."""
        return generated_mark(source.opening(FIRST_LINES), self._marks) is not None


def ground_of(query: PlanQuery) -> Ground | None:
    """Where a query's words are searched; null for a query that searches no text."""
    if query.kind in _RESOLVED:
        suffixes = suffixes_of(family_of(query.path))
        kin = _KIN.get(family_of(query.path), ()) if query.kind is not QueryKind.IMPLEMENTERS else ()
        return Ground(query.side, tuple(f"*{one}" for one in (*suffixes, *kin))) if suffixes else None
    if query.kind is QueryKind.CONFIG:
        return Ground(query.side, ())
    if query.kind is QueryKind.PRODUCERS:
        return Ground(query.side, tuple(f"*{suffix}" for one in LANGUAGES.values() for suffix in one.suffixes))
    if query.kind is QueryKind.TEXT:
        return Ground(query.side, (query.path,) if query.path else (), fixed_word=query.scope == "words")
    return None


def words_of(query: PlanQuery) -> tuple[str, ...]:
    """What a query searches for."""
    if query.kind is QueryKind.CONFIG:
        # Files nest what code writes with dots: the last part is what stands on the key's own line.
        return tuple(dict.fromkeys((query.name, re.split(r"[.:]", query.name)[-1])))
    if query.kind is QueryKind.TEXT:
        return (query.name,)
    return (query.name.rpartition(".")[2],)


class Search:
    """Runs each ground's ``git grep`` once, with the words of all queries on it; ``failures`` are those that failed."""

    def __init__(self, git: Git, commits: Mapping[Side, str], policy: Policy, queries: Iterable[PlanQuery]) -> None:
        self._git, self._commits, self._policy = git, commits, policy
        self.skips = Skips(policy)
        self._words: dict[Ground, list[str]] = defaultdict(list)
        self._found: dict[Ground, Grepped | str] = {}
        self.failures: list[Failure] = []
        for query in queries:
            ground = ground_of(query)
            if ground is not None:
                self.expect(ground, words_of(query))

    def expect(self, ground: Ground, words: Iterable[str]) -> None:
        """Add words to a ground; what was searched there already is searched again with them."""
        fresh = [word for word in words if word and word not in self._words[ground]]
        if fresh:
            self._words[ground] += fresh
            self._found.pop(ground, None)

    def hits(self, ground: Ground, words: Sequence[str], home: str) -> Hits:
        """Hits of any of the words, without skipped files; under a cap the home file and its folder come first."""
        self.expect(ground, words)
        if ground not in self._found:
            self._found[ground] = self._grep(ground)
        found = self._found[ground]
        if isinstance(found, str):
            return Hits(failed=found)
        lines: dict[str, dict[int, str]] = defaultdict(dict)
        for word in words:
            for path, numbers in found.by_word.get(word, {}).items():
                lines[path].update(numbers)
        kept = self._kept(words, lines, home)
        kept.stopped = found.stopped
        kept.unread = tuple(path for path in found.unread if not self.skips.rule(path))
        binary = sorted({path for word in words for path in found.binary.get(word, ())})
        kept.binary = tuple(path for path in binary if not self.skips.rule(path))
        return kept

    def _kept(self, words: Sequence[str], lines: Mapping[str, dict[int, str]], home: str) -> Hits:
        kept, cap = Hits(), self._policy.budgets.grep_hits_per_name * len(words)
        skipped = {path: rule for path in sorted(lines) if (rule := self.skips.rule(path))}
        kept.left_out, kept.skipped = list(_rows(words[0], skipped)), len(skipped)
        kept.aside = {path: lines[path] for path, rule in skipped.items() if rule in _OWN}
        order = sorted(
            (path for path in lines if path not in skipped),
            key=lambda path: (path != home, dirname(path) != dirname(home), path),
        )
        for path in order:
            room = cap - kept.count
            numbers = sorted(lines[path])[: max(room, 0)]
            kept.cut += len(lines[path]) - len(numbers)
            if numbers:
                kept.lines[path] = {number: lines[path][number] for number in numbers}
        return kept

    def _grep(self, ground: Ground) -> Grepped | str:
        words = self._words[ground]
        commit = self._commits[ground.side]
        try:
            # No cap a file: all words share it, so one frequent word would hide the others without a trace. What
            # bounds the hits of a word is its own cap, in `_kept`.
            found = self._git.grep(
                commit, words, pathspecs=ground.pathspecs, fixed_word=ground.fixed_word, max_per_file=sys.maxsize
            )
        except GitError as error:
            names = ", ".join(f"`{word}`" for word in words)[:_NAMES]
            self.failures.append(Failure(what="search", name=names, path="", detail=error.message))
            return error.message
        by_word: ByWord = {word: defaultdict(dict) for word in words}
        whole = {word for word in words if _WORD.fullmatch(word)} if ground.fixed_word else set()
        other = [(word, _pattern(word, fixed_word=ground.fixed_word)) for word in words if word not in whole]
        for hit in found:
            for word in [
                *whole.intersection(_WORD.findall(hit.text)),
                *(one for one, shape in other if shape(hit.text)),
            ]:
                by_word[word][hit.path][hit.line] = hit.text[:_RANKING_TEXT]
        stopped = (found[-1].path if found else "the first file") if found.truncated else ""
        return Grepped(by_word, stopped, found.unread, self._binary(commit, found.binary, ground))

    def _binary(self, commit: str, paths: Sequence[str], ground: Ground) -> dict[str, tuple[str, ...]]:
        """Which of a ground's words each binary file holds that is text to its readers; of one too large, all."""
        held: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            data = self._git.show_file(commit, path, max_bytes=self._policy.budgets.blob_bytes)
            text = None if data is None else text_of(data, path)
            for word in self._words[ground]:
                if text is None or _pattern(word, fixed_word=ground.fixed_word)(text):
                    held[word].append(path)
        return {word: tuple(found) for word, found in held.items()}


def text_of(data: bytes, path: str) -> str:
    """What a compiler would read of bytes that git takes for binary: UTF-16, or code with a NUL in it; else nothing."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8", "replace") if language_of(path) or config_language(path) else ""


def _pattern(word: str, *, fixed_word: bool) -> Callable[[str], object]:
    """Whether a line holds the word: git says which lines matched, not which of the words did."""
    if not fixed_word:
        return lambda line: word in line
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.ASCII).search


def _rows(word: str, skipped: Mapping[str, str]) -> Iterator[LeftOut]:
    for path in list(skipped)[:_ROWS]:
        yield LeftOut(what=f"hits of `{word}` in {path}", why=skipped[path])
    if len(skipped) > _ROWS:
        yield LeftOut(what=f"hits of `{word}` in {counted(len(skipped) - _ROWS, 'more file')}", why="skipped by policy")

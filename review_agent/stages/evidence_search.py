"""Discovery: every name of every plan is looked for at once, one ``git grep`` a side and kind of file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import dirname

from review_agent import globs
from review_agent.counting import counted
from review_agent.errors import GitError
from review_agent.git import Git
from review_agent.policy.model import Policy
from review_agent.sources import Source
from review_agent.stages.evidence_grep import Grepped, Greps, Ground
from review_agent.stages.skipping import FIRST_LINES, generated_mark
from review_agent.syntax.languages import LANGUAGES, family_of, suffixes_of
from review_agent.vocabulary import Failure, LeftOut, PlanQuery, QueryKind, Side, SkipRule

__all__ = ["Ground", "Hits", "Search", "Skips", "ground_of", "words_of"]

# Rows of what one query left out; the rest is counted in its note.
_ROWS = 8

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
        self._specs = [(rule.value, globs.spec(those)) for rule, those in policy.skips.globs.items()]
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
    """Searches all words of all queries together, from the start on; ``failures`` are the searches that failed."""

    def __init__(self, git: Git, commits: Mapping[Side, str], policy: Policy, queries: Iterable[PlanQuery]) -> None:
        self._policy = policy
        self.skips = Skips(policy)
        self._words: dict[Ground, list[str]] = defaultdict(list)
        self._greps = Greps(git, commits, policy.budgets.blob_bytes)
        self._failed: dict[tuple[Ground, tuple[str, ...]], str] = {}
        self.failures: list[Failure] = []
        for query in queries:
            ground = ground_of(query)
            if ground is not None:
                self.expect(ground, words_of(query))
        self._greps.start(self._words)

    def expect(self, ground: Ground, words: Iterable[str]) -> None:
        """Add words to a ground; they are searched with the next look at it."""
        self._words[ground] += [word for word in words if word and word not in self._words[ground]]

    def hits(self, ground: Ground, words: Sequence[str], home: str) -> Hits:
        """Hits of any of the words, without skipped files; under a cap the home file and its folder come first."""
        self.expect(ground, words)
        found = self._searched(ground)
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

    def _searched(self, ground: Ground) -> Grepped | str:
        """All words of a ground, or how the search for them failed: that is told once, and not tried again."""
        words = tuple(self._words[ground])
        if (ground, words) not in self._failed:
            try:
                return self._greps.found(ground, words)
            except GitError as error:
                names = ", ".join(f"`{word}`" for word in words)[:_NAMES]
                self.failures.append(Failure(what="search", name=names, path="", detail=error.message))
                self._failed[ground, words] = error.message
        return self._failed[ground, words]

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


def _rows(word: str, skipped: Mapping[str, str]) -> Iterator[LeftOut]:
    for path in list(skipped)[:_ROWS]:
        yield LeftOut(what=f"hits of `{word}` in {path}", why=skipped[path])
    if len(skipped) > _ROWS:
        yield LeftOut(what=f"hits of `{word}` in {counted(len(skipped) - _ROWS, 'more file')}", why="skipped by policy")

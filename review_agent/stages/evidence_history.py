"""Where removed lines came from: the commits that wrote them, and whether those were fixes.

A query names old-side lines (``start-end``) of a path at the merge base. Blame gives the commits; the diff and tests of
each tell whether it was a fix (``history_signs``; its message alone never does). Its fact hangs on the lines
themselves, and, where a test that came with the fix still stands on both sides, on the line of that test which names
what the lines name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from review_agent.errors import GitError, ProcessError
from review_agent.git import BlameLine, Git
from review_agent.stages.evidence_budget import Allowance
from review_agent.stages.evidence_gather import Answer, Found
from review_agent.stages.evidence_releases import Releases
from review_agent.stages.evidence_view import View
from review_agent.stages.history_signs import CommitDiff, Weighed, commit_diff, is_code, names_in, weigh
from review_agent.vocabulary import Failure, HistoryFact, QueryStatus, Resolution, Side, Snapshot

__all__ = ["History"]

_LINES = re.compile(r"(\d+)-(\d+)")
_MOST_LINES, _MOST_COMMITS, _MOST_TESTS = 60, 4, 2


class _Past(NamedTuple):
    """A commit that removed lines came from; ``diff`` is null for a root commit, and one too large to be a fix."""

    diff: CommitDiff | None
    weighed: Weighed | None


class History:
    """Answers history queries of one run; a commit is looked at once."""

    def __init__(self, git: Git, snapshot: Snapshot, mask: Callable[[str], str], views: Mapping[Side, View]) -> None:
        self._git, self._base, self._mask, self._views = git, snapshot.merge_base, mask, views
        self._releases = Releases(git, self._base, mask, views)
        self._known: dict[str, _Past] = {}
        self.failures: list[Failure] = []

    def answer(self, answer: Answer, allowance: Allowance) -> None:
        """Answer a query in place. What git cannot say fails the query, with git's own words."""
        query, asked = answer.query, _LINES.fullmatch(answer.query.name)
        if ":" in query.name:
            self._of_release(answer)
            return
        if asked is None or query.side is not Side.OLD:
            answer.refuse(QueryStatus.FAILED, "a history query names old-side lines: start-end")
            return
        start, end = int(asked[1]), int(asked[2])
        answer.searched = f"blame of `{query.path}` lines {start} to {end} at the merge base"
        try:
            lines = self._git.blame(
                self._base, query.path, start, min(end, start + _MOST_LINES - 1), through_space=True
            )
            self._take(answer, lines, allowance)
        except GitError as error:
            answer.refuse(QueryStatus.FAILED, error.message)
            if isinstance(error.__cause__, ProcessError):  # git was given up; what git itself refuses is an answer
                self.failures.append(
                    Failure(what="search", name="history", path=query.path, detail=f"{query.name}: {error.message}")
                )
        if end >= start + _MOST_LINES:
            answer.cut = True
            answer.leave_out(f"lines {start + _MOST_LINES} to {end}", f"{_MOST_LINES} are blamed")

    def _of_release(self, answer: Answer) -> None:
        try:
            self._releases.answer(answer)
        except GitError as error:
            answer.refuse(QueryStatus.FAILED, error.message)

    def _take(self, answer: Answer, lines: Sequence[BlameLine], allowance: Allowance) -> None:
        commits = list(dict.fromkeys(line.commit for line in lines))
        answer.files, answer.hits = 1, len(lines)
        for commit in commits[:_MOST_COMMITS]:
            own = [line for line in lines if line.commit == commit]
            past, fact = self._past(commit), self._fact(own)
            answer.found += [Found(answer.query.path, start, end, (fact,)) for start, end in _runs(own)]
            if past.diff is not None and fact.fixes:
                answer.found += self._tests(past.diff, self._said(answer.query.path, own), fact, allowance)
        if len(commits) > _MOST_COMMITS:
            answer.cut = True
            answer.leave_out(f"{len(commits) - _MOST_COMMITS} more commits", f"{_MOST_COMMITS} are looked at")

    def _fact(self, own: Sequence[BlameLine]) -> HistoryFact:
        past, line = self._past(own[0].commit), own[0]
        weighed = past.weighed
        fixes = weighed is not None and weighed.fixes and not line.boundary
        told = f"score {weighed.score}" if weighed else "too large, without a test, or its test names none of it"
        reason = "history ends here: its origin may be older" if line.boundary else told
        return HistoryFact(
            resolution=Resolution.AMBIGUOUS if line.boundary else Resolution.RESOLVED,
            reason=reason,
            commit=line.commit,
            subject=self._mask(line.summary),
            fixes=fixes,
            signs=weighed.signs if weighed else (),
            tests=weighed.tests if weighed else (),
        )

    def _past(self, commit: str) -> _Past:
        if commit not in self._known:
            diff = commit_diff(self._git, commit)
            self._known[commit] = _Past(diff, weigh(diff) if diff is not None else None)
        return self._known[commit]

    def _said(self, path: str, own: Sequence[BlameLine]) -> frozenset[str]:
        source = self._views[Side.OLD].source(path)
        return names_in(source.lines[line.line - 1] for line in own) if source else frozenset()

    def _tests(
        self, diff: CommitDiff, names: frozenset[str], fact: HistoryFact, allowance: Allowance
    ) -> Iterator[Found]:
        """Lines of tests that came with a fix, stand on both sides, and name what the removed lines name."""
        for file in diff.tests[:_MOST_TESTS]:
            added = {
                line.text.strip()
                for hunk in file.hunks
                for line in hunk.lines
                if line.tag == "+" and is_code(line.text)
            }
            naming = {text for text in added if names & names_in([text])}
            after = self._lines(Side.NEW, file.path)
            standing = naming & {text.strip() for text in after}
            for number, text in enumerate(self._lines(Side.OLD, file.path), 1):
                if text.strip() in standing and allowance.take_candidate(file.path):
                    yield Found(file.path, number, number, (fact,), in_test=True)
                    break

    def _lines(self, side: Side, path: str) -> Sequence[str]:
        source = self._views[side].source(path)
        return source.lines if source else ()


def _runs(lines: Sequence[BlameLine]) -> Iterator[tuple[int, int]]:
    """Runs of lines that follow one another."""
    start = last = 0
    for number in sorted(line.line for line in lines):
        if start and number != last + 1:
            yield start, last
        start = start if start and number == last + 1 else number
        last = number
    if start:
        yield start, last

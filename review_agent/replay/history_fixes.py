"""Past fixes of a repository, and the commits that introduced what they fixed; commits that were never fixed, too.

A fix is weighed by its own diff and tests (``stages.history_signs``). Then history is asked:

- The product lines that it removed or changed come by blame at its parent, followed to where what was wrong with them
  began (``history_origin``), two thirds at least from *one* earlier commit: the introducing commit. ``one_origin``: at
  least four fifths of them.
- What the fix added stands by them: half of its new lines at least are in hunks that took lines away. Else it mended
  something else, and the lines tell nothing of it.
- That commit is not the first one, not beyond the edge of a shallow clone, and not huge (at most 400 lines of code in
  twelve files).
- The fix lasted: of the lines it added, at least six in ten still stand 60 commits later. ``stands``: so many have
  gone by, or the lines are all there and ten have.
- ``old_origin``: more than three years lie between. What was right when it was written may have become wrong by what
  others did since.

A mined case is the introducing commit; its defect lines are the blamed lines as they stood there.

A *clean* commit is as small as a fix, brought tests, its lines all but stand at the end, its files were touched by
five later commits or more, and no later commit that can be a fix, or says it is one, changed a line of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from review_agent.git import BlameLine, Git
from review_agent.replay.history_origin import Origins, Wrong, flat
from review_agent.replay.history_prose import prose_lines
from review_agent.replay.records import Place
from review_agent.stages.history_signs import SIGNS, CommitDiff, Weighed, commit_diff, is_code, said_fix, weigh
from review_agent.vocabulary import FileChange, Record, Side, digest

__all__ = ["ENOUGH", "LATER", "Clean", "Fix", "Progress", "Scan", "Step", "folded", "scan"]

ENOUGH = 6
"""The score from which a commit counts as a fix."""
LATER = 60
"""So many commits later the lines of a fix are looked for."""

_MORE = SIGNS["one_origin"] + SIGNS["stands"]
"""What history can add to a score: a commit that stays below with it is not traced, which takes most of the time."""
_SOON = 10
_MOST, _MOSTLY, _STANDING = 0.66, 0.8, 0.6
_HUGE_LINES, _HUGE_FILES = 400, 12
_MOST_RANGES = 12
_OLD = 3 * 365 * 86_400

_CLEAN_LINES, _CLEAN_STANDING, _TOUCHED = (3, 60), 0.9, 5

_Blamed = tuple[tuple[str, int], BlameLine, BlameLine | None]
"""A place that a fix changed, who last touched it, and where what was wrong came from."""
Progress = Callable[[int, int, str], None]


class Fix(Record):
    """A fix that was mined. ``kind`` is filled in later; ``unknown`` where its edits do not tell."""

    commit: str
    parent: str
    subject: str
    score: int
    signs: tuple[str, ...]
    tests: tuple[str, ...]
    introduced_by: str
    introduced_subject: str
    share: float
    places: tuple[Place, ...]
    fixed: tuple[Place, ...]
    kind: str = "unknown"


class Clean(Record):
    """A commit that later work went over and never mended."""

    commit: str
    subject: str
    size: int


class Step(Record):
    """What one commit tells by itself: the fix it is, the lines of others it changed, whether it could be clean."""

    commit: str
    weighed: bool = False
    fix: Fix | None = None
    blames: tuple[str, ...] = ()
    touches: tuple[str, ...] = ()
    clean: Clean | None = None


class Scan(Record):
    """What a scan found, newest first. ``more``: older commits are there that it did not look through."""

    until: str
    scanned: int
    weighed: int
    fixes: tuple[Fix, ...]
    clean: tuple[Clean, ...]
    more: bool = False


class _Scanning:
    """One scan: the commits newest first, and what is remembered of them."""

    def __init__(self, git: Git, commits: Sequence[str], enough: int) -> None:
        self.git, self.commits, self.enough = git, commits, enough
        self._origins = Origins(git)

    def step(self, number: int) -> Step:
        """What the commit of this number tells."""
        diff = commit_diff(self.git, self.commits[number])
        if diff is None or not diff.product:
            return Step(commit=self.commits[number])
        weighed = weigh(diff)
        hopeful = weighed is not None and weighed.score + _MORE >= self.enough
        blamed = list(self._blamed(diff, hopeful)) if weighed is not None or _may_fix(diff) else []
        return Step(
            commit=diff.commit,
            weighed=weighed is not None,
            fix=self._fix(number, diff, weighed, blamed) if weighed is not None and hopeful else None,
            blames=tuple(sorted({one.commit for _, *lines in blamed for one in lines if one is not None})),
            touches=tuple(file.path for file in diff.product),
            clean=self._clean(number, diff),
        )

    def _clean(self, number: int, diff: CommitDiff) -> Clean | None:
        if number < LATER or not diff.tests or not _CLEAN_LINES[0] <= diff.size <= _CLEAN_LINES[1]:
            return None
        held, added = self._held(self.commits[0], diff)
        if not added or held < _CLEAN_STANDING * added:
            return None
        return Clean(commit=diff.commit, subject=diff.subject, size=diff.size)

    def _fix(self, number: int, diff: CommitDiff, weighed: Weighed, blamed: Sequence[_Blamed]) -> Fix | None:
        """The fix that a weighed commit is, with its introducing commit; null where history does not bear it out."""
        counts = Counter(line.commit for _, _, line in blamed if line is not None)
        if not counts or not _in_place(diff):
            return None
        origin, lines = counts.most_common(1)[0]
        share = lines / len(blamed)
        own = [(place, line) for place, _, line in blamed if line is not None and line.commit == origin]
        standing = self._standing(number, diff)
        if share < _MOST or standing is None:
            return None
        old = self.git.committed(diff.commit) - self.git.committed(origin) > _OLD
        more = {"one_origin": share >= _MOSTLY, "stands": standing, "old_origin": old}
        whole = weighed.also(*(sign for sign, holds in more.items() if holds))
        if whole.score < self.enough:
            return None
        return Fix(
            commit=diff.commit,
            parent=diff.parent,
            subject=diff.subject,
            score=whole.score,
            signs=whole.signs,
            tests=whole.tests,
            introduced_by=origin,
            introduced_subject=own[0][1].summary,
            share=round(share, 2),
            places=tuple(_places([(line.original_path, line.original_line) for _, line in own], Side.NEW)),
            fixed=tuple(_places([place for place, _ in own], Side.OLD)),
        )

    def _blamed(self, diff: CommitDiff, traced: bool) -> Iterator[_Blamed]:
        """The product lines that a commit removed, each with where what was wrong with it came from, if asked."""
        for file in diff.product:
            data = self.git.show_file(diff.parent, file.old_path) or b""
            removed = _removed(file, prose_lines(file.old_path, data.decode("utf-8", "replace")))
            for start, end in _ranges(sorted(removed))[:_MOST_RANGES]:
                for line in self._origins.blame(diff.parent, file.old_path, start, end):
                    if line.line in removed:
                        origin = self._origins.of(line, removed[line.line]) if traced else None
                        yield (file.old_path, line.line), line, origin

    def _standing(self, number: int, diff: CommitDiff) -> bool | None:
        """Whether the fix lasted; false where it is too young to tell, null where it did not."""
        held, added = self._held(self.commits[max(0, number - LATER)], diff)
        if held < _STANDING * added:
            return None
        return number >= LATER or (number >= _SOON and held == added)

    def _held(self, later: str, diff: CommitDiff) -> tuple[int, int]:
        """How many of the product lines that a commit added stand at a later one, and of how many."""
        added = [(file.path, flat(line)) for file in diff.product for line in _added(file)]
        texts = {path: self._flat_lines(later, path) for path, _ in added}
        return sum(text in texts[path] for path, text in added), len(added)

    def _flat_lines(self, commit: str, path: str) -> set[str]:
        data = self.git.show_file(commit, path) or b""
        return {flat(line) for line in data.decode("utf-8", "replace").split("\n")}


def scan(
    git: Git,
    commits: Sequence[str],
    *,
    enough: int = ENOUGH,
    progress: Progress | None = None,
    kept: Callable[[str, Callable[[], Step]], Step] = lambda _key, make: make(),
) -> Scan:
    """Look through commits, newest first. ``kept`` may answer a step from memory. Raises GitError."""
    work = _Scanning(git, commits, enough)
    steps: list[Step] = []
    for number, commit in enumerate(commits):
        if progress:
            progress(number, len(commits), commit[:12])
        around = digest([commits[0], commits[max(0, number - LATER)], commit, number, enough])
        steps.append(kept(around, partial(work.step, number)))
    return folded(steps)


def folded(steps: Sequence[Step]) -> Scan:
    """The steps of commits, newest first, as a scan: a clean commit is one that no later step speaks against."""
    blamed: set[str] = set()
    touched: Counter[str] = Counter()
    clean: list[Clean] = []
    for step in steps:
        worn = any(touched[path] >= _TOUCHED for path in step.touches)
        if step.clean is not None and worn and step.commit not in blamed:
            clean.append(step.clean)
        blamed.update(step.blames)
        touched.update(step.touches)
    fixes = tuple(step.fix for step in steps if step.fix is not None)
    return Scan(
        until=steps[0].commit if steps else "",
        scanned=len(steps),
        weighed=sum(step.weighed for step in steps),
        fixes=fixes,
        clean=tuple(clean),
    )


def _may_fix(diff: CommitDiff) -> bool:
    """Whether a commit may be a fix all the same, without a test that counts: what it changed is not called clean."""
    return said_fix(diff) and len(diff.product) <= _HUGE_FILES and diff.size <= _HUGE_LINES


def _in_place(diff: CommitDiff) -> bool:
    """Whether half of what a commit added at least stands where it took something away."""
    beside = in_place = 0
    for hunk in (hunk for file in diff.product for hunk in file.hunks):
        tags = Counter(line.tag for line in hunk.lines if is_code(line.text))
        in_place += tags["+"] if tags["-"] else 0
        beside += 0 if tags["-"] else tags["+"]
    return in_place >= beside


def _removed(file: FileChange, prose: frozenset[int]) -> dict[int, Wrong]:
    """The lines of code that a fix took away, by number, each with what was wrong with it."""
    return {
        line.old: Wrong.of(line.text, hunk)
        for hunk in file.hunks
        for line in hunk.lines
        if line.tag == "-" and line.old and line.old not in prose and is_code(line.text)
    }


def _added(file: FileChange) -> list[str]:
    return [line.text for hunk in file.hunks for line in hunk.lines if line.tag == "+" and is_code(line.text)]


def _ranges(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of numbers that follow one another."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _places(lines: Sequence[tuple[str, int]], side: Side) -> Iterator[Place]:
    for path in sorted({path for path, _ in lines}):
        for start, end in _ranges(sorted({number for at, number in lines if at == path})):
            yield Place(path=path, side=side, start=start, end=end)

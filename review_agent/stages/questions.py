"""Turn a snapshot into questions: set files and hunks aside by named rules, compare the rest, ask what kinds ask."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from review_agent.errors import ReviewAgentError
from review_agent.policy.model import Policy
from review_agent.sources import Source, Sources
from review_agent.stages.asking import Asking
from review_agent.stages.cosmetic import Cosmetic
from review_agent.stages.moved import examined_moves, whole_edits
from review_agent.stages.skipping import FileSkips, no_file
from review_agent.stages.steering import steering_edits
from review_agent.syntax.edits import comparable, edits
from review_agent.syntax.keys import config_edits, config_language
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.model import Outline
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import (
    Edit,
    FailedFile,
    Failure,
    FileChange,
    Question,
    Side,
    Skipped,
    SkipRule,
    Snapshot,
)

__all__ = ["Compiled", "compile_questions"]

# How the parser says that it did not try.
TOO_LARGE = "larger than"


@dataclass(frozen=True)
class Compiled:
    """What a snapshot gives. ``questions`` are in rank order; ``line_facts_only`` are paths examined without a parse.

    Every file and hunk stands in ``skipped`` or ``failed``, or was examined. A skip without a hunk covers the file.
    """

    edits: tuple[Edit, ...]
    questions: tuple[Question, ...]
    skipped: tuple[Skipped, ...]
    failed: tuple[FailedFile, ...]
    line_facts_only: tuple[str, ...]
    failures: tuple[Failure, ...] = ()


def compile_questions(
    snapshot: Snapshot,
    *,
    old: Sources,
    new: Sources,
    parser: Parser,
    policy: Policy,
    exclude: Sequence[str] = (),
) -> Compiled:
    """The edits and questions of a change, and what was set aside; ``exclude`` are globs of files to leave out.

    Raises SnapshotError when git fails.
    """
    old.prefetch(file.old_path for file in snapshot.files if file.old_blob is not None)
    new.prefetch(file.path for file in snapshot.files if file.new_blob is not None)
    reading = _Reading(old, new, parser, policy, exclude)
    for file in snapshot.files:
        reading.take(file)
    reading.compare()
    reading.edits += whole_edits(snapshot.files, reading.skipped, reading.failed, new)
    reading.edits += steering_edits(snapshot.files, policy.steering, old, new)
    asking = Asking({Side.OLD: old, Side.NEW: new}, policy, reading.edits, reading.exported)
    asked, capped = asking.questions()
    return Compiled(
        edits=tuple(reading.edits),
        questions=asked,
        skipped=(*examined_moves(reading.skipped, asked), *capped),
        failed=tuple(reading.failed),
        line_facts_only=tuple(reading.by_lines),
        failures=tuple(asking.failures),
    )


@dataclass
class _Pair:
    """A changed file with both sides' sources; null where the file is absent."""

    change: FileChange
    language: str | None
    old: Source | None
    new: Source | None
    aside: frozenset[str] = frozenset()
    """Ids of the hunks that show what is no file: the link that a file takes the place of."""

    def sides(self) -> Iterator[Source]:
        yield from (source for source in (self.old, self.new) if source is not None)


@dataclass
class _Reading:
    """Files on their way to edits."""

    old: Sources
    new: Sources
    parser: Parser
    policy: Policy
    exclude: Sequence[str] = ()
    edits: list[Edit] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    failed: list[FailedFile] = field(default_factory=list)
    by_lines: list[str] = field(default_factory=list)
    exported: set[tuple[str, str]] = field(default_factory=set)
    pairs: list[_Pair] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._skips = FileSkips(self.policy, self.old, self.new, self.exclude)

    def take(self, change: FileChange) -> None:
        """Skip the file, fail it, or put it up for comparison."""
        skip = self._skips.of(change)
        if skip is not None:
            self.skipped.append(skip)
            return
        sides = ((self.old, change.old_path, change.old_blob), (self.new, change.path, change.new_blob))
        found: dict[Side, Source | None] = {}
        aside: list[Skipped] = []
        for sources, path, blob in sides:
            no = no_file(change, sources.side) if blob is not None else None
            found[sources.side] = sources.get(path) if blob is not None and no is None else None
            if no is not None:
                aside += _of_no_file(change, sources.side, *no)
            elif blob is not None and found[sources.side] is None:
                why = f"its text cannot be had: {sources.problem(path)}"
                self.failed.append(FailedFile(path=change.path, detail=why))
                return
        self.skipped += aside
        of_no_file = frozenset(one.hunk_id for one in aside if one.hunk_id)
        old, new = found[Side.OLD], found[Side.NEW]
        self.pairs.append(_Pair(change, language_of(change.path), old, new, of_no_file))

    def compare(self) -> None:
        """Edits of all files put up, one file after the other: outlines of large files take much memory."""
        for pair in self.pairs:
            try:
                if pair.language in PARSED:
                    self._parsed(pair)
                else:
                    self._unparsed(pair)
            except ReviewAgentError:  # git's or the machine's: no bug, and not about this one file
                raise
            except Exception as error:  # noqa: BLE001 - a bug met on one file costs that file, and the account says so
                said = f"it could not be compared, a bug of ours: {type(error).__name__}: {error}"
                self.failed.append(FailedFile(path=pair.change.path, detail=said))
            for source in pair.sides():
                source.forget()

    def _parsed(self, pair: _Pair) -> None:
        language = pair.language or ""
        old, new = (self.parser.outline(side.text, language) if side else None for side in (pair.old, pair.new))
        parsed = ((pair.old, old), (pair.new, new))
        broken = next((side for side, outline in parsed if side is not None and outline is None), None)
        if broken is not None:
            self._not_parsed(pair, self.parser.why(broken.text, language))
            return
        self._note_exported(pair, old, new)
        cosmetic = self._cosmetic(pair)
        late = next((side for side in pair.sides() if self.parser.gave_up(side.text, language)), None)
        if late is not None:
            self._not_parsed(pair, self.parser.why(late.text, language))
            return
        self.skipped += [_cosmetic_skip(pair.change.path, hunk_id) for hunk_id in cosmetic]
        if len(cosmetic) == len(pair.change.hunks):
            return
        has_errors = any(outline is not None and outline.errors for outline in (old, new))
        if has_errors or (old is not None and new is not None and not comparable(pair.change, old, new)):
            self.by_lines.append(pair.change.path)
        found = edits(
            pair.change,
            language=language,
            old=old,
            new=new,
            old_lines=pair.old.lines if pair.old else (),
            new_lines=pair.new.lines if pair.new else (),
        )
        self._keep(pair, found, cosmetic)

    def _keep(self, pair: _Pair, found: Iterable[Edit], cosmetic: Collection[str] = ()) -> None:
        self.edits += [edit for edit in found if edit.hunk_id not in pair.aside and edit.hunk_id not in cosmetic]

    def _not_parsed(self, pair: _Pair, why: str) -> None:
        """A text above the parser's size is compared by lines; one that ended the parser fails its file."""
        if why.startswith(TOO_LARGE):
            self._by_lines(pair)
        else:
            self.failed.append(FailedFile(path=pair.change.path, detail=f"it could not be parsed: {why}"))

    def _by_lines(self, pair: _Pair) -> None:
        self.by_lines.append(pair.change.path)
        found = edits(pair.change, language=pair.language or "text", old=None, new=None, old_lines=(), new_lines=())
        self._keep(pair, found)

    def _cosmetic(self, pair: _Pair) -> list[str]:
        """Ids of the hunks that change only layout and comments."""
        if pair.old is None or pair.new is None or pair.language is None:
            return []
        texts, language = {Side.OLD: pair.old.text, Side.NEW: pair.new.text}, pair.language
        cosmetic = Cosmetic(
            language, pair.old.lines, pair.new.lines, lambda side: self.parser.tokens(texts[side], language)
        )
        return [hunk.hunk_id for hunk in pair.change.hunks if cosmetic.holds(hunk)]

    def _note_exported(self, pair: _Pair, *outlines: Outline | None) -> None:
        for outline in outlines:
            if outline is not None:
                self.exported.update((pair.change.path, one.qualname) for one in outline.symbols if one.exported)

    def _unparsed(self, pair: _Pair) -> None:
        language = config_language(pair.change.path)
        if language is None:
            self._by_lines(pair)
            return
        old_lines = pair.old.lines if pair.old else ()
        new_lines = pair.new.lines if pair.new else ()
        self._keep(pair, config_edits(pair.change, language, old_lines, new_lines))


def _of_no_file(change: FileChange, side: Side, rule: SkipRule, why: str) -> list[Skipped]:
    """The hunks that show what stood or stands on a side where that is no file."""
    shown = [hunk for hunk in change.hunks if not (hunk.old_count if side is Side.NEW else hunk.new_count)]
    return [
        Skipped(kind="skipped", path=change.path, hunk_id=one.hunk_id, question_id=None, rule=rule, detail=why)
        for one in shown
    ]


def _cosmetic_skip(path: str, hunk_id: str) -> Skipped:
    rule = SkipRule.COSMETIC
    return Skipped(
        kind="skipped", path=path, hunk_id=hunk_id, question_id=None, rule=rule, detail="same tokens on both sides"
    )

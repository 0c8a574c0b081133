"""Turn a snapshot into questions: set files and hunks aside by named rules, compare the rest, ask what kinds ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from review_agent.kinds import KINDS
from review_agent.kinds.base import Seed
from review_agent.kinds.triggers import team_seeds
from review_agent.policy.model import Policy
from review_agent.sources import Source, Sources
from review_agent.stages.cosmetic import Cosmetic
from review_agent.stages.skipping import FileSkips, Ranks
from review_agent.syntax.edits import edits
from review_agent.syntax.keys import config_edits, config_language
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.model import Outline
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import (
    ChangeKind,
    Edit,
    FailedFile,
    FileChange,
    Question,
    Role,
    Side,
    Skipped,
    SkipRule,
    Snapshot,
    digest,
)

__all__ = ["Compiled", "compile_questions"]

# What being reachable from other files adds to a question's rank.
REACH = 10
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


def compile_questions(snapshot: Snapshot, *, old: Sources, new: Sources, parser: Parser, policy: Policy) -> Compiled:
    """The edits and questions of a change, and what was set aside. Raises SnapshotError when git fails."""
    old.prefetch(file.old_path for file in snapshot.files if file.old_blob is not None)
    new.prefetch(file.path for file in snapshot.files if file.new_blob is not None)
    reading = _Reading(old, new, parser, policy)
    for file in snapshot.files:
        reading.take(file)
    reading.compare()
    asked, capped = _Asking(old, new, policy, reading).questions()
    return Compiled(
        edits=tuple(reading.edits),
        questions=asked,
        skipped=(*reading.skipped, *capped),
        failed=tuple(reading.failed),
        line_facts_only=tuple(reading.by_lines),
    )


@dataclass
class _Pair:
    """A changed file with both sides' sources; null where the file is absent."""

    change: FileChange
    language: str | None
    old: Source | None
    new: Source | None
    outlines: tuple[Outline | None, Outline | None] = (None, None)

    def sides(self) -> Iterator[Source]:
        yield from (source for source in (self.old, self.new) if source is not None)


@dataclass
class _Reading:
    """Files on their way to edits."""

    old: Sources
    new: Sources
    parser: Parser
    policy: Policy
    edits: list[Edit] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    failed: list[FailedFile] = field(default_factory=list)
    by_lines: list[str] = field(default_factory=list)
    exported: set[tuple[str, str]] = field(default_factory=set)
    pairs: list[_Pair] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._skips = FileSkips(self.policy, self.old, self.new)

    def take(self, change: FileChange) -> None:
        """Skip the file, fail it, or put it up for comparison."""
        skip = self._skips.of(change)
        if skip is not None:
            self.skipped.append(skip)
            return
        old = self.old.get(change.old_path) if change.old_blob is not None else None
        new = self.new.get(change.path) if change.new_blob is not None else None
        if (old is None) != (change.old_blob is None) or (new is None) != (change.new_blob is None):
            sides = ((self.old, change.old_path, old), (self.new, change.path, new))
            why = next(sources.problem(path) for sources, path, source in sides if source is None)
            self.failed.append(FailedFile(path=change.path, detail=f"its text cannot be had: {why}"))
            return
        self.pairs.append(_Pair(change, language_of(change.path), old, new))

    def compare(self) -> None:
        """Edits of all files put up; files of one batch are parsed together."""
        parsed = [pair for pair in self.pairs if pair.language in PARSED]
        texts = [(source.text, pair.language or "") for pair in parsed for source in pair.sides()]
        outlines = dict(zip(texts, self.parser.outlines(texts), strict=True)) if texts else {}
        for pair in self.pairs:
            if pair.language in PARSED:
                self._parsed(pair, outlines)
            else:
                self._unparsed(pair)

    def _parsed(self, pair: _Pair, outlines: dict[tuple[str, str], Outline | None]) -> None:
        language = pair.language or ""
        broken = next((side for side in pair.sides() if outlines[side.text, language] is None), None)
        if broken is not None:
            self._not_parsed(pair, self.parser.why(broken.text, language))
            return
        pair.outlines = (
            outlines[pair.old.text, language] if pair.old else None,
            outlines[pair.new.text, language] if pair.new else None,
        )
        self._note_exported(pair)
        cosmetic = self._cosmetic(pair)
        self.skipped += [
            _skip(pair.change.path, hunk_id, SkipRule.COSMETIC, "same tokens on both sides") for hunk_id in cosmetic
        ]
        if len(cosmetic) == len(pair.change.hunks):
            return
        if any(outline is not None and outline.errors for outline in pair.outlines):
            self.by_lines.append(pair.change.path)
        try:
            found = edits(
                pair.change,
                language=language,
                old=pair.outlines[0],
                new=pair.outlines[1],
                old_lines=pair.old.lines if pair.old else (),
                new_lines=pair.new.lines if pair.new else (),
            )
        except Exception as error:  # noqa: BLE001 - a bug met on one file costs that file, and the account says so
            said = f"it could not be compared, a bug of ours: {type(error).__name__}: {error}"
            self.failed.append(FailedFile(path=pair.change.path, detail=said))
            return
        self.edits += [edit for edit in found if edit.hunk_id not in cosmetic]

    def _not_parsed(self, pair: _Pair, why: str) -> None:
        """A text above the parser's size is compared by lines; one that ended the parser fails its file."""
        if why.startswith(TOO_LARGE):
            self._by_lines(pair)
        else:
            self.failed.append(FailedFile(path=pair.change.path, detail=f"it could not be parsed: {why}"))

    def _by_lines(self, pair: _Pair) -> None:
        self.by_lines.append(pair.change.path)
        self.edits += edits(
            pair.change, language=pair.language or "text", old=None, new=None, old_lines=(), new_lines=()
        )

    def _cosmetic(self, pair: _Pair) -> list[str]:
        """Ids of the hunks that change only layout and comments."""
        if pair.old is None or pair.new is None or pair.language is None:
            return []
        texts, language = {Side.OLD: pair.old.text, Side.NEW: pair.new.text}, pair.language
        cosmetic = Cosmetic(
            language, pair.old.lines, pair.new.lines, lambda side: self.parser.tokens(texts[side], language)
        )
        return [hunk.hunk_id for hunk in pair.change.hunks if cosmetic.holds(hunk)]

    def _note_exported(self, pair: _Pair) -> None:
        for outline in pair.outlines:
            if outline is not None:
                self.exported.update((pair.change.path, one.qualname) for one in outline.symbols if one.exported)

    def _unparsed(self, pair: _Pair) -> None:
        language = config_language(pair.change.path)
        if language is None:
            self._by_lines(pair)
            return
        old_lines = pair.old.lines if pair.old else ()
        new_lines = pair.new.lines if pair.new else ()
        self.edits += config_edits(pair.change, language, old_lines, new_lines)


def _skip(path: str, hunk_id: str | None, rule: SkipRule, detail: str, question_id: str | None = None) -> Skipped:
    return Skipped(kind="skipped", path=path, hunk_id=hunk_id, question_id=question_id, rule=rule, detail=detail)


class _Asking:
    """Edits on their way to questions."""

    def __init__(self, old: Sources, new: Sources, policy: Policy, reading: _Reading) -> None:
        self._sources = {Side.OLD: old, Side.NEW: new}
        self._policy, self._reading = policy, reading
        self._ranks = Ranks(policy)

    def questions(self) -> tuple[tuple[Question, ...], tuple[Skipped, ...]]:
        """The questions asked, in rank order, and those beyond a cap."""
        found: dict[str, Question] = {}
        for kind, seed in self._seeds():
            question = self._question(kind, seed)
            found.setdefault(question.question_id, question)
        return self._within_caps(sorted(found.values(), key=_rank))

    def _seeds(self) -> Iterator[tuple[ChangeKind, Seed]]:
        enabled = self._policy.change_kinds.kinds
        for kind, rules in KINDS.items():
            if kind in enabled and enabled[kind].enabled:
                yield from ((kind, seed) for seed in rules.trigger(self._reading.edits))
        for kind, seed in team_seeds(self._policy.change_kinds.triggers, self._reading.edits):
            if enabled[kind].enabled:
                yield kind, seed

    def _question(self, kind: ChangeKind, seed: Seed) -> Question:
        first, settings = seed.edits[0], self._policy.change_kinds.kinds[kind]
        plan = [query for query in seed.plan if query.kind in settings.plan][: self._policy.budgets.queries]
        path = first.old_path if seed.anchor_side is Side.OLD else first.path
        identity = {
            "rule": seed.rule,
            "hunk": first.hunk_id,
            "edits": [edit.edit_id for edit in seed.edits],
            "plan": [query.wire() for query in plan],
        }
        return Question(
            question_id=f"q-{digest(identity)[:12]}",
            kind=kind,
            rule=seed.rule,
            hunk_id=first.hunk_id,
            path=first.path,
            change=seed.change,
            precondition=seed.precondition,
            consequence=seed.consequence,
            refuted_if=seed.refuted_if,
            anchor=self._sources[seed.anchor_side].ref(path, seed.anchor_start, seed.anchor_end, Role.DIFF),
            plan=tuple(plan),
            edits=seed.edits,
            risk=self._risk(seed, settings.risk),
        )

    def _risk(self, seed: Seed, of_kind: int) -> int:
        reach = REACH if self._is_reachable(seed.edits) else 0
        return max(0, of_kind + seed.risk + self._ranks.of(seed.edits[0].path) + reach)

    def _is_reachable(self, found: Iterable[Edit]) -> bool:
        """Whether an edit is about something that other files can name."""
        for edit in found:
            names = {edit.scope, str(edit.facts.get("function") or ""), str(edit.facts.get("owner") or "")}
            if edit.facts.get("exported") is True or any((edit.path, name) in self._reading.exported for name in names):
                return True
        return False

    def _within_caps(self, ranked: Sequence[Question]) -> tuple[tuple[Question, ...], tuple[Skipped, ...]]:
        budgets = self._policy.budgets
        asked: list[Question] = []
        beyond: list[Skipped] = []
        of_hunk: Counter[str] = Counter()
        for question in ranked:
            if of_hunk[question.hunk_id] >= budgets.questions_per_hunk:
                beyond.append(_capped(question, f"beyond {budgets.questions_per_hunk} a hunk"))
            elif len(asked) >= budgets.questions_per_run:
                beyond.append(_capped(question, f"beyond {budgets.questions_per_run} a run"))
            else:
                of_hunk[question.hunk_id] += 1
                asked.append(question)
        return tuple(asked), tuple(beyond)


def _rank(question: Question) -> tuple[int, str, int, str, str]:
    return -question.risk, question.path, question.anchor.start_line, question.rule, question.question_id


def _capped(question: Question, why: str) -> Skipped:
    detail = f"{question.rule}, risk {question.risk}: {why}"
    return _skip(question.path, question.hunk_id, SkipRule.QUESTION_CAP, detail, question.question_id)

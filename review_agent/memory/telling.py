"""What one ended run says of findings: those it has, those it suppressed, and what became of one it lacks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from review_agent.errors import RecordError
from review_agent.runlog import RunState, fold, read_events
from review_agent.stages.account import records, status
from review_agent.vocabulary import (
    COMPILED,
    FileChange,
    Hunk,
    NoFinding,
    NoFindingCode,
    Phase,
    Question,
    ReviewEvidenceCard,
    RunStatus,
    Side,
    Skipped,
    SkipRule,
    Suppressed,
    only_rules,
)

__all__ = ["Fate", "Run", "Told", "card_ids", "heads"]

_GONE = frozenset({NoFindingCode.REFUTED, NoFindingCode.NO_CANDIDATE})
_DETAIL = 300  # so much of what an engine says is repeated in a journal
_END_BYTES = 1_048_576  # no run's last event is longer
_UNTOUCHED = frozenset({SkipRule.COSMETIC, SkipRule.PURE_RENAME, SkipRule.MODE_ONLY})

Key = tuple[str, str, str, tuple[str, ...]]


@dataclass(frozen=True)
class Run:
    """A run log by its ends: when it began (UTC, ISO 8601) and what ``run_started`` says."""

    path: Path
    at: str
    started: Mapping[str, Any]

    @cached_property
    def ended(self) -> bool:
        """Whether the run has ended, as far as its last lines tell."""
        with self.path.open("rb") as file:
            file.seek(max(0, self.path.stat().st_size - _END_BYTES))
            lines = file.read().splitlines(keepends=True)
        # A server's own words may hold the same bytes: only the event's own type counts.
        return any(b'"type":"run_ended"' in line and _type(line) == "run_ended" for line in lines)


@dataclass(frozen=True)
class Fate:
    """What became of a finding that a run does not have: ``why`` it is gone, or the ``card`` that its question has now;
    neither where the run does not establish it."""

    why: str = ""
    card: ReviewEvidenceCard | None = None


def heads(runs_dir: Path) -> list[Run]:
    """All run logs that have a readable first line, oldest first."""
    found = [run for path in sorted(runs_dir.glob("*.jsonl")) if (run := _head(path)) is not None]
    return sorted(found, key=lambda run: (run.at, run.path.name))


def _head(path: Path) -> Run | None:
    try:
        with path.open("rb") as file:
            event = json.loads(file.readline())
        return Run(path, str(event["at"]), dict(event["data"])) if event["type"] == "run_started" else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _type(line: bytes) -> str:
    """The type of the event that a line is; empty for one that is torn or none."""
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        return str(json.loads(line)["type"]) if line.endswith(b"\n") else ""
    return ""


def card_ids(path: Path) -> dict[str, str]:
    """Card id to fingerprint of what a run log calls cards, read without a fold: more than count, never fewer."""
    found: dict[str, str] = {}
    with path.open("rb") as file:
        for line in file:
            if b'"type":"card"' in line and line.endswith(b"\n"):
                with suppress(ValueError, KeyError, TypeError, RecursionError):
                    data = json.loads(line)["data"]
                    found[str(data["cardId"])] = str(data["fingerprint"])
    return found


@dataclass
class Told:
    """An ended run, read whole."""

    run: Run
    state: RunState
    _keys: dict[str, Key] = field(default_factory=dict)

    @classmethod
    def read(cls, run: Run) -> Told | None:
        """What the run says; null for one that has not ended, or holds what cannot be read."""
        try:
            told = cls(run, fold(read_events(run.path)))
            # Every record that is asked for later is read here, where one of another shape costs no more than its run.
            read = (told.cards, told.suppressed, told.questions, told.complete, told.files, told.skips)
            ends = (told.asked, told.no_findings)
            return told if told.state.ended is not None and None not in (*read, *ends) else None
        except (RecordError, ValidationError, KeyError, TypeError):
            return None

    @cached_property
    def cards(self) -> dict[str, ReviewEvidenceCard]:
        """By fingerprint."""
        return {card.fingerprint: card for card in records(self.state, Phase.VERIFY, "card", ReviewEvidenceCard)}

    @cached_property
    def suppressed(self) -> dict[str, Suppressed]:
        return {one.fingerprint: one for one in records(self.state, Phase.VERIFY, "suppressed", Suppressed)}

    @cached_property
    def questions(self) -> dict[str, Question]:
        return {one.question_id: one for one in records(self.state, Phase.COMPILE, "question", Question)}

    @cached_property
    def files(self) -> tuple[FileChange, ...]:
        return records(self.state, Phase.SNAPSHOT, "file", FileChange)

    @cached_property
    def skips(self) -> tuple[Skipped, ...]:
        return records(self.state, Phase.COMPILE, "skipped", Skipped)

    @cached_property
    def complete(self) -> bool:
        return status(self.state) is RunStatus.COMPLETE

    def key(self, question: Question) -> Key:
        """What a question is about, without where it stands and what the lines at its anchor say."""
        edits = question.edits
        path = edits[0].old_path if edits else question.path
        scope = edits[0].scope if edits else ""
        return question.rule, path, scope, tuple(sorted({edit.subject for edit in edits}))

    def fate(self, older: Told, card: ReviewEvidenceCard, known: frozenset[str]) -> Fate:
        """What became of a card of an older run of which this one has no card of the same finding.

        ``known``: fingerprints of the line's earlier cards. That a model does not ask again, or answers otherwise,
        establishes nothing while the change has the lines that were asked about.
        """
        question = older.questions.get(card.question_id)
        if question is None or not self.complete or question.kind not in self.asked:
            return Fate()
        key = older.key(question)
        again = [one for one in self.questions.values() if self.key(one) == key]
        paths = {question.path, key[1], *(one.old_path for one in older.files if one.path == question.path)}
        stands = _has_lines(self.files, question, _asked_about(older.files, question), paths)
        if again:
            return self._answered(again, known, self._modelled if stands else frozenset())
        unheard = stands and question.rule.startswith(COMPILED)
        return Fate() if unheard or self._unseen(paths) else Fate(_why(self, paths))

    def _answered(self, again: list[Question], known: frozenset[str], unheard: frozenset[str]) -> Fate:
        """``unheard``: the questions whose answers here establish nothing."""
        ids = {one.question_id for one in again}
        told = ids - unheard
        for card in self.cards.values():
            if card.question_id in told and card.fingerprint not in known:
                return Fate(card=card)
        ends = [one for one in self.no_findings if one.question_id in told]
        cards = {card.question_id for card in self.cards.values()} & told
        refuted = {one.question_id: one for one in ends if one.code in _GONE}
        if ids <= {*refuted, *cards}:
            first = next(iter(refuted.values()), None)
            return Fate(
                f"its question is answered otherwise now: {first.detail[:_DETAIL]}" if first else "it is found no more"
            )
        return Fate()

    @cached_property
    def _modelled(self) -> frozenset[str]:
        """The questions that somebody else than the rules was asked about."""
        answers = self.state.answers.values()
        return frozenset(self.state.asked.get(one.request_id, "") for one in answers if not only_rules(one.engine))

    @cached_property
    def asked(self) -> set[str]:
        """The change kinds that could ask here."""
        every = self.state.records.get(Phase.COMPILE, ())
        return {str(kind) for event in every if event.type == "kinds" for kind in event.data["asked"]}

    @cached_property
    def no_findings(self) -> tuple[NoFinding, ...]:
        phases = (Phase.COLLECT, Phase.CONTRACT)
        return tuple(one for phase in phases for one in records(self.state, phase, "no_finding", NoFinding))

    def _unseen(self, paths: set[str]) -> bool:
        """Whether a rule set aside what lies in one of the files."""
        names = set(paths)
        for file in self.files:
            if file.old_path in paths or file.path in paths:
                names |= {file.path, file.old_path}
        return any(skip.path in names and skip.rule not in _UNTOUCHED for skip in self.skips)


def _asked_about(files: Iterable[FileChange], question: Question) -> list[str]:
    """The changed lines that a question stands on, without their layout; none where it is about the file's move."""
    asked = range(question.anchor.start_line, question.anchor.end_line + 1)
    hunks = [hunk for file in files for hunk in file.hunks if hunk.hunk_id == question.hunk_id]
    return [text for hunk in hunks for number, text in _changed(hunk, question.anchor.side) if number in asked]


def _has_lines(files: Iterable[FileChange], question: Question, lines: list[str], paths: set[str]) -> bool:
    """Whether a change still has these lines of one of the files, next to each other and on the question's side."""
    for file in files:
        for hunk in file.hunks if {file.path, file.old_path} & paths else ():
            found = [text for _, text in _changed(hunk, question.anchor.side)]
            if any(found[n : n + len(lines)] == lines for n in range(len(found) + 1)):
                return True
    return False


def _changed(hunk: Hunk, side: Side) -> Iterator[tuple[int, str]]:
    for line in hunk.lines:
        number = line.old if side is Side.OLD else line.new
        if line.tag == ("-" if side is Side.OLD else "+") and number is not None:
            yield number, "".join(line.text.split())


def _why(told: Told, paths: set[str]) -> str:
    if any(file.path in paths or file.old_path in paths for file in told.files):
        return "the change no longer does what it asked about"
    return "the change no longer touches its file"

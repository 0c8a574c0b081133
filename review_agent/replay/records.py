"""What a replay works on and what it says: jobs, expectations, and the result of one half of a case.

A *half* is the defect or the twin of a case, a row of a list, or a historical commit.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from review_agent.vocabulary import ChangeKind, ContractCode, Record, Side

__all__ = [
    "CLEAN",
    "DEFECT",
    "LAYERS",
    "UNKNOWN",
    "CardFound",
    "Expected",
    "Half",
    "HalfResult",
    "Job",
    "Layer",
    "Memory",
    "Miss",
    "Origin",
    "Outcome",
    "Overlay",
    "Place",
    "Range",
    "Verdict",
]

DEFECT: Final = "defect"
CLEAN: Final = "clean"
UNKNOWN: Final = "unknown"

Half = Literal["defect", "twin", "row", "commit"]
Layer = Literal["edits", "questions", "retrieval", "synthesis", "contract"]
LAYERS: tuple[Layer, ...] = ("edits", "questions", "retrieval", "synthesis", "contract")
Verdict = Literal["found", "other_kind", "missed", "silent", "alarmed", "unjudged", "failed"]
Mark = Literal["hit", "other_kind", "false_alarm", "undone", "unjudged"]


class Place(Record):
    """Lines of one file on one side, 1-based and inclusive."""

    path: str
    side: Side
    start: int = Field(ge=1)
    end: int = Field(ge=1)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.end < self.start:
            raise ValueError(f"lines {self.start} to {self.end} end before they start")
        return self

    def text(self) -> str:
        """The place in words: ``path:3`` or ``path:3–5``, the old side said."""
        last = f"–{self.end}" if self.end != self.start else ""
        return f"{self.path}:{self.start}{last}{' (old)' if self.side is Side.OLD else ''}"


class Overlay(Record):
    """Two trees as folders laid one over the other, in order; ``removed`` are base paths that head does not have."""

    source: Literal["overlay"] = "overlay"
    base: tuple[str, ...]
    head: tuple[str, ...]
    removed: tuple[str, ...]


class Range(Record):
    """Two commits of a repository that exists; ``base`` null: the commit against its parent."""

    source: Literal["range"] = "range"
    repository: str
    base: str | None
    head: str


Origin = Annotated[Overlay | Range, Field(discriminator="source")]


class Expected(Record):
    """What is known of a half. ``kinds`` empty: any kind will do; ``slack``: so many lines beside a place still hit."""

    answer: Literal["defect", "clean", "unknown"]
    kinds: tuple[ChangeKind, ...] = ()
    places: tuple[Place, ...] = ()
    proof: tuple[Place, ...] = ()
    slack: int = 3


class Job(Record):
    """One half to review. ``content`` is the digest of everything the review and its judgement depend on."""

    unit: str = Field(description="name of the half, unique in a replay: CASE:defect, CASE:twin, ID or a commit")
    case: str
    half: Half
    kind: str
    language: str
    evidence: str
    project: str
    origin: Origin
    expected: Expected
    content: str


class CardFound(Record):
    """A card of a replayed half, and what it is worth. ``head…`` is its place on the head side."""

    card_id: str
    question_id: str
    rule: str
    kind: ChangeKind
    anchor: Place
    head_path: str
    head_start: int
    head_end: int
    claim: str
    mark: Mark
    beside_defect: bool = Field(description="anchored in a hunk that holds no line of the defect")
    layer: Layer | None = Field(default=None, description="of a false alarm: the earliest layer at fault")
    why: str = ""


class Miss(Record):
    """Why an expected card is not there: the earliest layer at fault, in words, and the question to look at."""

    layer: Layer
    why: str
    question_id: str | None = None
    codes: tuple[ContractCode, ...] = ()


class Outcome(Record):
    """How one question (or skip) of a half ended, in the words that a baseline keeps. ``key`` pairs two replays."""

    key: str
    ends: tuple[str, ...]


class Memory(Record):
    """Kilobytes: the worker's peak so far, the largest of its helpers that has ended, and what it held afterwards.

    ``nth``: so many halves the worker had reviewed by then; memory is flat where that changes nothing.
    """

    nth: int
    peak_kb: int
    helpers_kb: int
    held_kb: int


class HalfResult(Record):
    """The result of one half; ``reason`` says why it failed."""

    unit: str
    verdict: Verdict
    reason: str = ""
    status: str = ""
    cards: tuple[CardFound, ...] = ()
    miss: Miss | None = None
    outcomes: tuple[Outcome, ...] = ()
    questions: int = 0
    seconds: float = 0.0
    memory: Memory | None = None
    run_log: str = Field(default="", description="where the trail is: `review-agent explain FILE`")

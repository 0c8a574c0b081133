"""What a model may write: questions, drafts that cite evidence by number, no-findings, refutations. All untrusted.

A model sees evidence numbered ``E1``, ``E2`` … in the order of the bundle, and cites ``E3``, or lines of it as
``E3:24`` or ``E3:24-25``, in the file's own line numbers. It writes no commit, blob or hash: code looks these up.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from review_agent.vocabulary.base import Record
from review_agent.vocabulary.codes import ChangeKind, Confidence, NoFindingCode, QueryKind, Severity, Side
from review_agent.vocabulary.outcomes import Effect

__all__ = [
    "ProposedDraft",
    "ProposedNoFinding",
    "ProposedQuery",
    "ProposedQuestion",
    "ProposedQuestions",
    "Refutation",
    "Synthesis",
]


class ProposedQuery(Record):
    """A query of a plan; see ``PlanQuery``."""

    kind: QueryKind
    name: str
    path: str = ""
    scope: str = ""
    side: Side = Side.NEW


class ProposedQuestion(Record):
    """A question that a compiler proposes over changed lines of one file, on the side that shows them."""

    path: str
    side: Side
    start_line: int
    end_line: int
    change_kind: ChangeKind
    change: str
    precondition: str
    consequence: str
    refuted_if: tuple[str, ...]
    plan: tuple[ProposedQuery, ...]


class ProposedQuestions(Record):
    """A compiler's whole answer; none is a good answer. ``notes``: what it thought on its way; no stage reads them."""

    notes: str = ""
    questions: tuple[ProposedQuestion, ...]


class ProposedDraft(Record):
    """A draft that cites evidence by number; it is anchored where its question is."""

    claim: str
    effect: Effect
    severity: Severity
    supporting: tuple[str, ...] = Field(description="citations: E3, E3:24 or E3:24-25")
    impact_condition: str
    counter_evidence: tuple[str, ...]
    uncertainty: tuple[str, ...]
    confidence: Confidence


class ProposedNoFinding(Record):
    code: NoFindingCode
    detail: str
    missing: tuple[str, ...]
    defeated_by: tuple[str, ...] = Field(description="citations of what defeats the question, where something does")


class Synthesis(Record):
    """A synthesizer's whole answer: drafts (one or two) or a no-finding, the other empty. ``notes`` as above."""

    notes: str = ""
    drafts: tuple[ProposedDraft, ...]
    no_finding: ProposedNoFinding | None


class Refutation(Record):
    """A refuter's whole answer. ``refuted`` needs the line that defeats the claim: cited, and quoted as it stands.

    ``cited`` is a citation, or ``D:old:PATH:LINE`` or ``D:new:PATH:LINE`` for a line that the diff shows; null where
    the claim stands. ``counterEvidence`` goes onto the card. ``severity`` is the refuter's own, who is not told the
    draft's: where it is the milder of the two it counts; null where it says none. ``notes`` as above.
    """

    notes: str = ""
    verdict: Literal["stands", "refuted"]
    cited: str | None
    quote: str | None
    why: str
    severity: Severity | None = None
    counter_evidence: tuple[str, ...]

"""What a change kind is, and the few words that all kinds share.

A kind has two acts. ``trigger`` turns edits into seeds of questions; ``settle`` turns a question and its bundle into
drafts, or says why it cannot. Both are pure: they parse nothing, read nothing, and know only the facts handed to them.
Each kind's file has one public class, named as the kind (``ErrorHandling``), registered in ``kinds.KINDS``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import Field

from review_agent.counting import counted
from review_agent.kinds.wording import code, flag, listed, number, place, text, texts
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    ChangeKind,
    Confidence,
    ConfigFact,
    DefinitionFact,
    Draft,
    Edit,
    Effect,
    EffectOp,
    Evidence,
    HistoryFact,
    ImplementerFact,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    QueryResult,
    QueryStatus,
    Question,
    Record,
    Resolution,
    Severity,
    Side,
    SourceRef,
    UseFact,
)

__all__ = [
    "Found",
    "Kind",
    "Seed",
    "Settled",
    "Unsettled",
    "ask",
    "blocked",
    "blocked_for",
    "code",
    "counted",
    "draft",
    "every",
    "exhausted",
    "flag",
    "found",
    "listed",
    "number",
    "place",
    "same_place",
    "searched",
    "seed",
    "text",
    "texts",
    "unsettled",
]

# Three lines of context stand around a change in the patch; what lies there is no support from outside it.
CONTEXT = 3

_Facts = CallFact | DefinitionFact | UseFact | ImplementerFact | ConfigFact | HistoryFact
AnyFact = TypeVar("AnyFact", bound=_Facts)
Fact_co = TypeVar("Fact_co", bound=_Facts, covariant=True)


class Seed(Record):
    """A question before it has an id, an anchor's hashes and a rank. Anchor lines are changed lines of the hunk."""

    rule: str
    edits: tuple[Edit, ...]
    change: str
    precondition: str
    consequence: str
    refuted_if: tuple[str, ...]
    plan: tuple[PlanQuery, ...]
    anchor_side: Side
    anchor_start: int
    anchor_end: int
    risk: int = Field(default=0, description="added to the rank of the question; below zero for a rule that asks often")


class Unsettled(Record):
    """Why no draft was written: ``missing`` would have settled the question, ``refs`` defeated it."""

    code: NoFindingCode
    detail: str
    missing: tuple[str, ...]
    refs: tuple[SourceRef, ...]


Settled = tuple[Draft, ...] | Unsettled


class Kind(Protocol):
    """One change kind: its triggers and its settling logic."""

    @property
    def kind(self) -> ChangeKind: ...

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        """Yield a seed for each question that these edits raise, in the order of the edits.

        Raises RulesFailedError after the last of them where a rule could not be asked.
        """
        ...

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        """One or two drafts where the evidence itself settles the question, else why it does not."""
        ...


@dataclass(frozen=True)
class Found(Generic[Fact_co]):
    """One fact and the evidence it hangs on."""

    fact: Fact_co
    evidence: Evidence

    @property
    def ref(self) -> SourceRef:
        return self.evidence.ref


def ask(kind: QueryKind, name: str, *, path: str = "", scope: str = "", side: Side = Side.NEW) -> PlanQuery:
    """A query of an evidence plan; ``path`` and ``scope`` say where the name is at home."""
    return PlanQuery(kind=kind, name=name, path=path, scope=scope, side=side)


def seed(
    edit: Edit,
    rule: str,
    *,
    change: str,
    precondition: str,
    consequence: str,
    refuted_if: Sequence[str],
    plan: Sequence[PlanQuery],
    others: Sequence[Edit] = (),
    risk: int = 0,
) -> Seed:
    """A seed anchored on ``edit``; ``others`` are further edits that settling wants to know."""
    return Seed(
        rule=rule,
        edits=(edit, *others),
        change=change,
        precondition=precondition,
        consequence=consequence,
        refuted_if=tuple(refuted_if),
        plan=tuple(plan),
        anchor_side=edit.side,
        anchor_start=edit.start_line,
        anchor_end=edit.end_line,
        risk=risk,
    )


def draft(
    question: Question,
    *,
    claim: str,
    op: EffectOp,
    subject: str,
    to: str | None = None,
    severity: Severity,
    support: Iterable[SourceRef],
    impact: str,
    counter: Sequence[str],
    uncertainty: Sequence[str] = (),
) -> Draft:
    """A draft on the question's anchor. Confidence is high exactly where no uncertainty is left, else medium."""
    return Draft(
        question_id=question.question_id,
        change_kind=question.kind,
        claim=claim,
        effect=Effect(op=op, subject=subject, to=to),
        severity=severity,
        diff_anchor=question.anchor,
        supporting_refs=tuple(dict.fromkeys(support)),
        impact_condition=impact,
        counter_evidence=tuple(counter),
        uncertainty=tuple(uncertainty),
        confidence=Confidence.MEDIUM if uncertainty else Confidence.HIGH,
    )


def unsettled(
    code: NoFindingCode, detail: str, *, missing: Sequence[str] = (), refs: Iterable[SourceRef] = ()
) -> Unsettled:
    """No draft, with the code and what is missing or what defeats the question."""
    return Unsettled(code=code, detail=detail, missing=tuple(missing), refs=tuple(dict.fromkeys(refs)))


def every(
    bundle: Bundle, fact_type: type[AnyFact], kind: QueryKind | None = None, name: str | None = None
) -> tuple[Found[AnyFact], ...]:
    """All facts of a type, whatever their resolution, of the queries of one kind and name (null: of any)."""
    return tuple(
        Found(fact, evidence)
        for evidence in bundle.evidence
        if _answers(bundle, evidence, kind, name)
        for fact in evidence.facts
        if isinstance(fact, fact_type)
    )


def found(
    bundle: Bundle, fact_type: type[AnyFact], kind: QueryKind | None = None, name: str | None = None
) -> tuple[Found[AnyFact], ...]:
    """The resolved facts of a type: the only ones a card may rest on. Configuration facts carry no resolution."""
    return tuple(
        one
        for one in every(bundle, fact_type, kind, name)
        if isinstance(one.fact, ConfigFact) or one.fact.resolution is Resolution.RESOLVED
    )


def _answers(bundle: Bundle, evidence: Evidence, kind: QueryKind | None, name: str | None) -> bool:
    if kind is None and name is None:
        return True
    asked = bundle.queries[evidence.query].query if 0 <= evidence.query < len(bundle.queries) else None
    return asked is not None and kind in (None, asked.kind) and name in (None, asked.name)


def blocked(bundle: Bundle, *kinds: QueryKind) -> Unsettled | None:
    """Budget exhausted, if a query of these kinds was refused or cut or is absent; null where all were answered."""
    for kind in kinds:
        results = [one for one in bundle.queries if one.query.kind is kind]
        bad = next((one for one in results if one.status in _UNANSWERED or one.truncated), None)
        if bad is not None or not results:
            return exhausted(kind, bad)
    return None


def blocked_for(bundle: Bundle, kind: QueryKind, name: str) -> Unsettled | None:
    """The same for the queries of one name: others may be cut without a loss to what is concluded from this one."""
    results = [one for one in bundle.queries if (one.query.kind, one.query.name) == (kind, name)]
    bad = next((one for one in results if one.status in _UNANSWERED or one.truncated), None)
    return exhausted(kind, bad) if bad is not None or not results else None


_TOLD = 3  # so many queries are told one by one
_UNANSWERED = (QueryStatus.REFUSED, QueryStatus.FAILED, QueryStatus.UNSUPPORTED)


def exhausted(kind: QueryKind, bad: QueryResult | None) -> Unsettled:
    """Why a query's answer cannot be concluded from; null where the query was not even asked."""
    if bad is None:
        what, why = f"query {kind.value}", "it was not asked"
    else:
        what = f"query {kind.value} {code(bad.query.name)}"
        why = "its result was cut" if bad.truncated else bad.note or f"it was {bad.status.value}"
        if bad.unread:
            note = f": {bad.note}" if bad.note else ""
            why = f"{counted(bad.unread, 'file')} that may hold it could not be read{note}"
    stopped_by_budget = bad is None or (not bad.unread and (bad.truncated or bad.status is QueryStatus.REFUSED))
    reason = NoFindingCode.BUDGET_EXHAUSTED if stopped_by_budget else NoFindingCode.INSUFFICIENT_EVIDENCE
    return unsettled(reason, f"{what} did not give its whole answer: {why}", missing=(what,))


def searched(bundle: Bundle, *kinds: QueryKind) -> str:
    """What the queries of these kinds (none: all) searched, in words, for a no-finding that says where it looked."""
    parts = [
        f"{one.query.kind.value} {code(one.query.name)} in {one.searched or 'nothing'}"
        for one in bundle.queries
        if not kinds or one.query.kind in kinds
    ]
    more = [f"{counted(len(parts) - _TOLD, 'more query', 'more queries')}"] if len(parts) > _TOLD else []
    return "; ".join([*parts[:_TOLD], *more]) or "nothing was searched"


def same_place(question: Question, ref: SourceRef) -> bool:
    """Whether a ref lies in the anchor or its lines of context: true to the change, but no support from outside it."""
    anchor = question.anchor
    if (ref.path, ref.side) != (anchor.path, anchor.side):
        return False
    return ref.start_line <= anchor.end_line + CONTEXT and ref.end_line >= anchor.start_line - CONTEXT

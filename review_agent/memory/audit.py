"""The blind audit: a small share of what was kept silent is shown all the same, so that what is silenced wrongly shows.

A sample stands in the queue like a card and is marked as one only once it has been decided on. It has a fingerprint of
its own, so that no earlier decision gives it away, and says of itself what a card in its place would: ``modelMayPost``
too. It is never posted all the same, as what is posted is a run's own cards, and a sample is none of them. What is
drawn follows from the review's identity alone; a question that has been drawn once is not drawn again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from review_agent.memory.appending import appended
from review_agent.memory.beginning import journal_records
from review_agent.memory.telling import Run, Told, heads
from review_agent.policy.model import Policy
from review_agent.stages.account import records
from review_agent.stages.contract import sealed
from review_agent.stages.verification import plan
from review_agent.vocabulary import (
    SCHEMA_VERSION,
    Bundle,
    ChangeKind,
    Confidence,
    Effect,
    EffectOp,
    NoFinding,
    NoFindingCode,
    Phase,
    Question,
    ReviewEvidenceCard,
    Sample,
    Severity,
    Side,
    digest,
)

__all__ = ["draw", "sources"]

_REFS = 4
_SOURCES: Mapping[NoFindingCode, Literal["no_finding", "refuted"]] = {
    NoFindingCode.REFUTED: "refuted",
    NoFindingCode.INSUFFICIENT_EVIDENCE: "no_finding",
}
_OPS = {"removed": EffectOp.REMOVED, "added": EffectOp.ADDED, "renamed": EffectOp.RENAMED}


@dataclass(frozen=True)
class _Silent:
    """Something that was kept silent: by what, of which question, and the card that it would be."""

    source: Literal["no_finding", "refuted", "suppressed"]
    question: Question
    card: ReviewEvidenceCard


def draw(state_dir: Path, runs: Sequence[Path], policy: Policy) -> list[Sample]:
    """Draws from ended runs and appends what was drawn to the journal; returns it.

    Raises StorageFullError or RecordError where that cannot be written.
    """
    if not policy.queue.audit_percent:
        return []
    names = {path.name for path in runs}
    drawn: list[Sample] = []
    for run in heads(state_dir / "runs"):
        told = Told.read(run) if run.path.name in names else None
        chosen = [one for one in _silent(told, policy) if _is_drawn(run, one, policy)] if told else []
        if chosen:
            drawn += _append(state_dir, run, chosen, policy)
    return drawn


def sources(state_dir: Path, card_ids: Collection[str]) -> dict[str, str]:
    """What had kept each of these cards silent, where it is a sample. For cards that have been decided on alone."""
    found = (record for record in journal_records(state_dir) if record.get("kind") == "sample")
    told = {str(one["card"].get("cardId")): str(one["source"]) for one in found}
    return {card_id: told[card_id] for card_id in card_ids if card_id in told}


def _append(state_dir: Path, run: Run, chosen: Sequence[_Silent], policy: Policy) -> list[Sample]:
    def build(before: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        known = {record["card"].get("fingerprint") for record in before if record.get("kind") == "sample"}
        new = {one.card.fingerprint: one for one in chosen if one.card.fingerprint not in known}
        return [_sample(run, one, policy).wire() for one in new.values()]

    return [Sample.model_validate(record) for record in appended(state_dir, build)]


def _is_drawn(run: Run, one: _Silent, policy: Policy) -> bool:
    lot = digest([run.started["reviewId"], one.question.question_id, one.source, one.card.card_id])
    return int(lot[:8], 16) * 100 < policy.queue.audit_percent << 32


def _sample(run: Run, one: _Silent, policy: Policy) -> Sample:
    return Sample(
        kind="sample",
        sample_id=digest([run.started["reviewId"], one.card.card_id])[:32],
        at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        run_file=run.path.name,
        question_id=one.question.question_id,
        source=one.source,
        share=policy.queue.audit_percent / 100,
        card=one.card.wire(),
    )


def _silent(told: Told, policy: Policy) -> Iterator[_Silent]:
    """Everything that could be drawn: suppressed cards, and questions that ended as refuted or for lack of evidence."""
    for suppressed in told.suppressed.values():
        question = told.questions[suppressed.question_id]
        yield _Silent("suppressed", question, _apart(suppressed.card, told, question, policy))
    bundles = {bundle.question_id: bundle for bundle in records(told.state, Phase.COLLECT, "bundle", Bundle)}
    for finding in records(told.state, Phase.CONTRACT, "no_finding", NoFinding):
        asked = told.questions.get(finding.question_id)
        if asked is not None and finding.code in _SOURCES and asked.kind in policy.change_kinds.kinds:
            card = _as_card(asked, finding, bundles[asked.question_id], policy)
            yield _Silent(_SOURCES[finding.code], asked, _apart(card, told, asked, policy))


def _apart(card: ReviewEvidenceCard, told: Told, question: Question, policy: Policy) -> ReviewEvidenceCard:
    """The card under ids of its own, which nothing else has."""
    review_id = told.run.started["reviewId"]
    changes = {
        "card_id": digest([review_id, question.question_id, card.card_id, "sample"])[:32],
        "fingerprint": digest([*told.key(question), card.fingerprint, "sample"])[:32],
    }
    return sealed(card.model_copy(update=changes), policy)


def _as_card(question: Question, finding: NoFinding, bundle: Bundle, policy: Policy) -> ReviewEvidenceCard:
    """The card that the question would have given, in the question's own words."""
    outside = [one.ref for one in bundle.evidence if not one.near_change]
    card = ReviewEvidenceCard(
        kind="card",
        schema_version=SCHEMA_VERSION,
        card_id="",
        card_version="",
        fingerprint="",
        question_id=question.question_id,
        rule=question.rule,
        pr=None,
        change_kind=question.kind,
        claim=_sentence(f"{question.change}: {question.consequence}"),
        effect=_effect(question),
        severity=_severity(question.kind, policy),
        diff_anchor=question.anchor,
        supporting_refs=tuple(dict.fromkeys([*finding.refs, *outside]))[:_REFS],
        impact_condition=_sentence(question.precondition),
        verification=(),
        counter_evidence=tuple(map(_sentence, question.refuted_if)),
        uncertainty=(),
        confidence=Confidence.HIGH,  # as a card without uncertainty has it
        model_may_post=False,
    )
    return card.model_copy(update={"verification": plan(card, question, policy)})


def _severity(kind: ChangeKind, policy: Policy) -> Severity:
    """The middle of what policy allows a card of the kind."""
    allowed = policy.change_kinds.kinds[kind].severities
    return sorted(allowed, key=list(Severity).index)[len(allowed) // 2] if allowed else Severity.SUGGESTION


def _effect(question: Question) -> Effect:
    edit = question.edits[0] if question.edits else None
    if edit is None:
        return Effect(op=EffectOp.CHANGED, subject=question.path)
    word = edit.op.value.rpartition("_")[2]
    other = EffectOp.REMOVED if question.anchor.side is Side.OLD else EffectOp.CHANGED
    return Effect(op=_OPS.get(word, other), subject=edit.subject)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."

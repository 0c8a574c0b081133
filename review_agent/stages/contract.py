"""Decides whether a draft may become a card: code, not a prompt, and every reason at once.

A draft is an engine's raw data. Each check stands in its own file (``contract_*``), with its own code; a draft that
fails any becomes a rejection with all of them. What the draft says of its own fitness to be posted is not even a
field of it: that is computed here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from review_agent.counting import counted
from review_agent.kinds.absence import scope
from review_agent.policy.model import Policy
from review_agent.sources import Sources
from review_agent.stages.contract_absence import check_absence
from review_agent.stages.contract_anchor import check_anchor
from review_agent.stages.contract_case import Case
from review_agent.stages.contract_claim import check_claim, check_doubt, check_impact, check_words
from review_agent.stages.contract_draft import TEXT_LENGTH, Read, read, reason
from review_agent.stages.contract_effect import check_effect
from review_agent.stages.contract_load import check_load
from review_agent.stages.contract_mark import mark
from review_agent.stages.contract_support import check_support
from review_agent.stages.contract_text import flaw, folded
from review_agent.vocabulary import (
    SCHEMA_VERSION,
    Bundle,
    Confidence,
    ContractCode,
    ContractReason,
    Draft,
    Question,
    Rejection,
    ReviewEvidenceCard,
    Side,
    Snapshot,
    Verification,
    canonical,
    digest,
)

__all__ = ["judge", "model_may_post", "sealed", "verification_faults"]

_MAX_VERIFICATIONS = 2
_MAX_UNREADABLE = 2000
_MAX_DEPTH = 64
_DRAFT_FIELDS = tuple(field.alias or name for name, field in Draft.model_fields.items())


def judge(
    question: Question,
    bundle: Bundle,
    drafts: Sequence[Any],
    *,
    snapshot: Snapshot,
    policy: Policy,
    review_id: str,
    sources: Mapping[Side, Sources],
    seen: set[str],
    verification_due: bool = False,
    fallen: Collection[int] = (),
) -> list[ReviewEvidenceCard | Rejection]:
    """A card or a rejection for each draft, in order.

    ``drafts`` is raw data, already masked, that may be anything JSON can hold. ``seen`` holds the fingerprints of the
    cards that have passed so far and takes those of the cards that pass here. With ``verification_due`` the drafts are
    whole cards on the wire, judged again from the start together with their verification; give a fresh ``seen``.
    Drafts at the places ``fallen`` fall for a reason outside the contract: no other is a duplicate of one of them.
    Raises RecordError where question and snapshot do not belong together.
    """
    case = Case(question, bundle, snapshot, policy, sources)
    if verification_due:
        return [_again(data, case, review_id, seen) for data in drafts]
    spare = set(seen)
    return [_verdict(data, n, case, review_id, spare if n in fallen else seen) for n, data in enumerate(drafts)]


def model_may_post(card: ReviewEvidenceCard, policy: Policy) -> bool:
    """Whether a card may be posted, as far as the card itself goes: a pure function of card and policy.

    A card has passed the contract or it would not be one; policy must allow its severity still, its confidence must
    not be low, and it must have a verification. The rollout stage is asked besides.
    """
    allowed = policy.change_kinds.kinds[card.change_kind].severities
    return card.severity in allowed and card.confidence is not Confidence.LOW and bool(card.verification)


def sealed(card: ReviewEvidenceCard, policy: Policy) -> ReviewEvidenceCard:
    """The card with ``modelMayPost`` and ``cardVersion`` computed from what it holds."""
    posted = card.model_copy(update={"model_may_post": model_may_post(card, policy)})
    wire = posted.wire()
    del wire["cardVersion"]
    return posted.model_copy(update={"card_version": digest(wire)[:16]})


def verification_faults(verification: Sequence[Verification]) -> Iterator[ContractReason]:
    """What is wrong with a card's verification: none, too many, or a text that may not be shown."""
    if not verification:
        yield reason(ContractCode.VERIFICATION_MISSING, "the card has no verification")
    if len(verification) > _MAX_VERIFICATIONS:
        said = f"verification: {counted(len(verification), 'entry', 'entries')} are more than {_MAX_VERIFICATIONS}"
        yield reason(ContractCode.SCHEMA, said)
    for n, one in enumerate(verification):
        for where, text in (("commandOrProcedure", one.command_or_procedure), ("expectedSignal", one.expected_signal)):
            said = flaw(text) if len(text) <= 2 * TEXT_LENGTH else f"{len(text)} characters are too many"
            if said:
                yield reason(ContractCode.SCHEMA, f"verification.{n}.{where}: {said}")


def _verdict(
    data: Any, ordinal: int, case: Case, review_id: str, seen: set[str], verification: tuple[Verification, ...] = ()
) -> ReviewEvidenceCard | Rejection:
    found = read(data, case.question)
    if found.draft is None:
        return _rejection(data, ordinal, case, found.reasons)
    reasons = [*found.reasons, *_all_faults(found, found.draft, ordinal, case)]
    told = mark(found.draft, case)
    if told in seen:
        reasons.append(reason(ContractCode.DUPLICATE, "the same finding has a card already in this review"))
    if reasons:
        return _rejection(data, ordinal, case, reasons)
    seen.add(told)
    return _card(found.draft, ordinal, case, review_id, told, verification)


def _again(data: Any, case: Case, review_id: str, seen: set[str]) -> ReviewEvidenceCard | Rejection:
    """A card on the wire judged as the draft it was made of, together with its verification."""
    try:
        card = ReviewEvidenceCard.model_validate(data)
    except ValueError as error:
        return _rejection(data, 0, case, [reason(ContractCode.SCHEMA, f"not a card: {folded(str(error))[:300]}")])
    wire = card.wire()
    ids = [_card_id(review_id, case.question, n) for n in range(case.policy.budgets.drafts_per_question)]
    ordinal = ids.index(card.card_id) if card.card_id in ids else 0
    reasons = list(verification_faults(card.verification))
    if card.card_id not in ids:
        reasons.append(reason(ContractCode.SCHEMA, "cardId: not that of a card of this question"))
    draft = {name: wire[name] for name in _DRAFT_FIELDS}
    verdict = _verdict(draft, ordinal, case, review_id, seen, card.verification)
    if isinstance(verdict, Rejection):
        reasons += verdict.reasons
    return _rejection(wire, ordinal, case, reasons) if reasons else verdict


def _all_faults(found: Read, draft: Draft, ordinal: int, case: Case) -> Iterator[ContractReason]:
    """Every reason against a draft whose form can be read, in the order of the contract."""
    question, kind = case.question, case.policy.change_kinds.kinds[case.question.kind]
    if draft.question_id != question.question_id or draft.change_kind is not question.kind:
        said = f"the draft answers {draft.question_id[:40]!r} ({draft.change_kind.value}), not this question"
        yield reason(ContractCode.WRONG_QUESTION, said)
    if ordinal >= case.policy.budgets.drafts_per_question:
        said = f"a question may have {case.policy.budgets.drafts_per_question}, this is number {ordinal + 1}"
        yield reason(ContractCode.TOO_MANY_DRAFTS, said)
    yield from check_anchor(draft, case)
    yield from check_support(draft, case)
    yield from check_claim(draft, case)
    yield from check_words(draft, case)
    yield from check_impact(draft)
    yield from check_doubt(draft, case)
    yield from check_effect(draft, case)
    yield from check_load(draft, case)
    yield from check_absence(draft, case)
    if "severity" not in found.mended and draft.severity not in kind.severities:
        said = f"{draft.severity.value} is not among {', '.join(kind.severities)}, which policy allows here"
        yield reason(ContractCode.SEVERITY_NOT_ALLOWED, said)


def _card(
    draft: Draft, ordinal: int, case: Case, review_id: str, told: str, verification: tuple[Verification, ...]
) -> ReviewEvidenceCard:
    card = ReviewEvidenceCard(
        kind="card",
        schema_version=SCHEMA_VERSION,
        card_id=_card_id(review_id, case.question, ordinal),
        card_version="",
        fingerprint=told,
        rule=case.question.rule,
        pr=None,
        verification=verification,
        model_may_post=False,
        searched=scope(case.bundle, draft),
        **{name: getattr(draft, name) for name in Draft.model_fields},
    )
    return sealed(card, case.policy)


def _card_id(review_id: str, question: Question, ordinal: int) -> str:
    return digest({"reviewId": review_id, "questionId": question.question_id, "ordinal": ordinal})[:32]


def _rejection(data: Any, ordinal: int, case: Case, reasons: Sequence[ContractReason]) -> Rejection:
    return Rejection(
        kind="rejection",
        question_id=case.question.question_id,
        ordinal=ordinal,
        change_kind=case.question.kind,
        reasons=tuple(dict.fromkeys(reasons)),
        draft=_recorded(data),
    )


def _recorded(data: Any) -> dict[str, Any]:
    """The draft as it came, in a form that any JSON file can hold."""
    if _is_deep(data):
        return {"unreadable": f"nested deeper than {_MAX_DEPTH}"}
    try:
        canonical(data).decode("utf-8")
    except (TypeError, ValueError):
        return {"unreadable": ascii(data)[:_MAX_UNREADABLE]}
    return data if isinstance(data, dict) else {"draft": data}


def _is_deep(data: Any) -> bool:
    level = [data]
    for _ in range(_MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list, tuple))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True

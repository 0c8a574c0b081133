"""A draft's form: an engine's raw data read as a strict record, texts bounded and fit to be shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from review_agent.stages.contract_text import flaw, plain_flaw
from review_agent.vocabulary import (
    Confidence,
    ContractCode,
    ContractReason,
    Draft,
    Question,
    Role,
    Severity,
    canonical,
)

__all__ = ["CLAIM_LENGTH", "TEXT_LENGTH", "Read", "read", "reason"]

# A claim is read in seconds or not at all; the other texts stand beside it. In characters.
CLAIM_LENGTH = 600
TEXT_LENGTH = 400
_SUBJECT_LENGTH = 200
_MAX_ENTRIES = 6
_MAX_REFS = 64

_VALUE_ERRORS = ("enum", "literal_error")
# Replaced to read on past an unknown value; nothing that depends on the replacement is held against the draft.
_STAND_INS = {"severity": Severity.SUGGESTION.value, "confidence": Confidence.HIGH.value}


@dataclass(frozen=True)
class Read:
    """``draft`` is null where the form allows no further checks; ``mended`` names fields that hold a stand-in."""

    draft: Draft | None
    reasons: tuple[ContractReason, ...]
    mended: frozenset[str] = frozenset()


def reason(code: ContractCode, detail: str) -> ContractReason:
    """One reason for a rejection."""
    return ContractReason(code=code, detail=detail)


def read(data: Any, question: Question) -> Read:
    """Read raw data as a draft and note every fault of form.

    A draft with an unknown field or value is read on without it, so that its other faults come to light too. One that
    is too large is not: what it costs to judge must not depend on what an engine sends.
    """
    draft, errors = _parsed(data)
    reasons = [_reason_of(details) for details in errors]
    mended: frozenset[str] = frozenset()
    if draft is None:
        fresh, mended = _mended(data, errors, question)
        draft, _ = _parsed(fresh)
    if draft is None:
        return Read(None, tuple(reasons))
    too_large = list(_size_faults(draft))
    reasons += too_large or _text_faults(draft)
    return Read(None if too_large else draft, tuple(reasons), mended)


def _parsed(data: Any) -> tuple[Draft | None, list[ErrorDetails]]:
    try:
        return Draft.model_validate_json(canonical(data), strict=True), []
    except ValidationError as error:
        return None, error.errors(include_url=False)
    except (TypeError, ValueError, RecursionError) as error:
        said = f"the draft is no JSON data: {error}"
        return None, [ErrorDetails(type="json_invalid", loc=(), msg=said, input=None)]


def _mended(data: Any, errors: list[ErrorDetails], question: Question) -> tuple[Any, frozenset[str]]:
    """The data without unknown fields, unknown values replaced, and the names of the replaced fields."""
    stand_ins = {**_STAND_INS, "changeKind": question.kind.value}
    fresh = dict(data) if isinstance(data, dict) else {}
    mended = set()
    for details in errors:
        field = str(details["loc"][0]) if len(details["loc"]) == 1 else ""
        if details["type"] == "extra_forbidden":
            fresh.pop(field, None)
        elif details["type"] in _VALUE_ERRORS and field in stand_ins:
            fresh[field] = stand_ins[field]
            mended.add(field)
    return fresh, frozenset(mended)


def _reason_of(details: ErrorDetails) -> ContractReason:
    where = ".".join(str(part) for part in details["loc"]) or "draft"
    if details["type"] in _VALUE_ERRORS:
        said = str(details["input"])[:80]
        return reason(ContractCode.UNKNOWN_VALUE, f"{where}: {said!r} is not a known value")
    return reason(ContractCode.SCHEMA, f"{where}: {details['msg']}")


def _texts(draft: Draft) -> Iterator[tuple[str, str, int]]:
    """(field, text, limit in characters) of everything a reader is shown."""
    yield "claim", draft.claim, CLAIM_LENGTH
    yield "impactCondition", draft.impact_condition, TEXT_LENGTH
    yield "effect.subject", draft.effect.subject, _SUBJECT_LENGTH
    if draft.effect.to is not None:
        yield "effect.to", draft.effect.to, _SUBJECT_LENGTH
    yield from ((f"counterEvidence.{n}", text, TEXT_LENGTH) for n, text in enumerate(draft.counter_evidence))
    yield from ((f"uncertainty.{n}", text, TEXT_LENGTH) for n, text in enumerate(draft.uncertainty))


def _size_faults(draft: Draft) -> Iterator[ContractReason]:
    sizes = [
        ("counterEvidence", len(draft.counter_evidence), _MAX_ENTRIES, "entries"),
        ("uncertainty", len(draft.uncertainty), _MAX_ENTRIES, "entries"),
        ("supportingRefs", len(draft.supporting_refs), _MAX_REFS, "entries"),
        *((where, len(text), limit, "characters") for where, text, limit in _texts(draft)),
    ]
    for where, size, limit, what in sizes:
        if size > limit:
            yield reason(ContractCode.SCHEMA, f"{where}: {size} {what} are more than {limit}")


def _text_faults(draft: Draft) -> Iterator[ContractReason]:
    for where, text, _ in _texts(draft):
        said = plain_flaw(text) if where.startswith("effect") else flaw(text)
        # Blank impact and uncertainty have codes of their own.
        if said and (text.strip() or not where.startswith(("impact", "uncertainty"))):
            yield reason(ContractCode.SCHEMA, f"{where}: {said}")
    if draft.diff_anchor.role is not Role.DIFF:
        yield reason(ContractCode.SCHEMA, f"diffAnchor.role: {draft.diff_anchor.role.value} is not diff")

"""A draft's form: an engine's raw data read as a strict record, texts bounded and fit to be shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from review_agent.stages.contract_text import flaw
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
    """Read raw data as a draft and note every fault of form."""
    try:
        draft = Draft.model_validate_json(canonical(data), strict=True)
    except ValidationError as error:
        return _mended(data, error.errors(include_url=False), question)
    except (TypeError, ValueError, RecursionError) as error:
        return Read(None, (reason(ContractCode.SCHEMA, f"the draft is no JSON data: {error}"),))
    return Read(draft, tuple(_text_faults(draft)))


def _mended(data: Any, errors: list[ErrorDetails], question: Question) -> Read:
    """The draft without its unknown fields and values, so that its other faults come to light too."""
    reasons = tuple(_reason_of(details) for details in errors)
    fresh = dict(data) if isinstance(data, dict) else {}
    mended = set()
    for details in errors:
        field = details["loc"][0] if details["loc"] else ""
        stand_in = question.kind.value if field == "changeKind" else _STAND_INS.get(str(field))
        if details["type"] == "extra_forbidden" and len(details["loc"]) == 1:
            fresh.pop(field, None)
        elif details["type"] in _VALUE_ERRORS and stand_in is not None:
            fresh[field] = stand_in
            mended.add(str(field))
        else:
            return Read(None, reasons)
    again = read(fresh, question)
    return Read(again.draft, reasons + again.reasons, frozenset(mended) | again.mended)


def _reason_of(details: ErrorDetails) -> ContractReason:
    where = ".".join(str(part) for part in details["loc"]) or "draft"
    if details["type"] in _VALUE_ERRORS:
        said = str(details["input"])[:80]
        return reason(ContractCode.UNKNOWN_VALUE, f"{where}: {said!r} is not a known value")
    return reason(ContractCode.SCHEMA, f"{where}: {details['msg']}")


def _text_faults(draft: Draft) -> Iterator[ContractReason]:
    texts = [("claim", draft.claim, CLAIM_LENGTH), ("impactCondition", draft.impact_condition, TEXT_LENGTH)]
    texts += [(f"counterEvidence.{n}", text, TEXT_LENGTH) for n, text in enumerate(draft.counter_evidence)]
    texts += [(f"uncertainty.{n}", text, TEXT_LENGTH) for n, text in enumerate(draft.uncertainty)]
    for where, text, limit in texts:
        said = flaw(text, limit)
        # Blank impact and uncertainty have codes of their own.
        if said and (text.strip() or not where.startswith(("impact", "uncertainty"))):
            yield reason(ContractCode.SCHEMA, f"{where}: {said}")
    for where, plain in (("effect.subject", draft.effect.subject), ("effect.to", draft.effect.to)):
        if plain is not None and (not plain.isprintable() or len(plain) > _SUBJECT_LENGTH or not plain.strip()):
            yield reason(ContractCode.SCHEMA, f"{where}: not one line of 1 to {_SUBJECT_LENGTH} shown characters")
    yield from _size_faults(draft)


def _size_faults(draft: Draft) -> Iterator[ContractReason]:
    sizes = (
        ("counterEvidence", len(draft.counter_evidence), _MAX_ENTRIES),
        ("uncertainty", len(draft.uncertainty), _MAX_ENTRIES),
        ("supportingRefs", len(draft.supporting_refs), _MAX_REFS),
    )
    for where, size, limit in sizes:
        if size > limit:
            yield reason(ContractCode.SCHEMA, f"{where}: {size} entries are more than {limit}")
    if draft.diff_anchor.role is not Role.DIFF:
        yield reason(ContractCode.SCHEMA, f"diffAnchor.role: {draft.diff_anchor.role.value} is not diff")

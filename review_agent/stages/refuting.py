"""A second look at a draft by somebody who saw its claim and evidence only, and can only take away.

A refutation counts where it cites a line that was shown and quotes it as it stands. Without that it is none. What it
names as counter-evidence may stand on the card, where the contract lets it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from review_agent.sources import Sources
from review_agent.stages.citing import Shows, shown
from review_agent.stages.contract_text import folded
from review_agent.vocabulary import (
    Bundle,
    DiffGroup,
    EngineRole,
    NoFinding,
    NoFindingCode,
    Question,
    Refutation,
    RefutePayload,
    Request,
    ReviewEvidenceCard,
    Severity,
    Side,
    SourceRef,
    canonical,
    digest,
)

__all__ = ["Verdict", "read", "refuted", "request"]

_MOST_COUNTERS, _COUNTER_LENGTH, _DETAIL_LENGTH = 3, 400, 1_000
_SHORTEST_QUOTE = 3


@dataclass(frozen=True)
class Verdict:
    """``defeated``: the line that defeats the claim, null where none was shown to; ``counter`` may go onto the card.

    ``idle``: why a refutation counts for nothing, where it is one; ``severity``: how grave it is by this look, null
    where that is not said.
    """

    defeated: SourceRef | None
    why: str
    counter: tuple[str, ...]
    idle: str = ""
    severity: Severity | None = None


def request(card: ReviewEvidenceCard, question: Question, bundle: Bundle, group: DiffGroup) -> Request:
    """The refute request of one draft that would pass."""
    payload = RefutePayload(
        claim=card.claim,
        effect=card.effect,
        impact_condition=card.impact_condition,
        anchor=card.diff_anchor,
        supporting_refs=card.supporting_refs,
        evidence=bundle.evidence,
        group=group,
    )
    said = {"role": EngineRole.REFUTE, "questionId": question.question_id, "payload": payload.wire()}
    return Request(request_id=digest(said), role=EngineRole.REFUTE, question_id=question.question_id, payload=payload)


def read(data: dict[str, Any], bundle: Bundle, shows: Shows, sources: Mapping[Side, Sources]) -> Verdict | None:
    """What a refuter said, looked up; null where it cannot be read. ``shows``: the lines of the change it was shown."""
    try:
        said = Refutation.model_validate_json(canonical(data), strict=True)
    except ValidationError:
        return None
    counter = [folded(text)[:_COUNTER_LENGTH] for text in said.counter_evidence if text.strip()]
    found = None if said.verdict == "stands" else _defeating(said, bundle, shows, sources)
    ref, idle = (None, found) if isinstance(found, str) else (found, "")
    why = folded(said.why)[:_DETAIL_LENGTH]
    return Verdict(ref, why, tuple(counter[:_MOST_COUNTERS]), idle, said.severity)


def refuted(question: Question, bundle: Bundle, verdict: Verdict) -> NoFinding:
    """The outcome of a question all of whose drafts were refuted. The verdict has a defeating line."""
    assert verdict.defeated is not None
    return NoFinding(
        kind="no_finding",
        question_id=question.question_id,
        rule=question.rule,
        change_kind=question.kind,
        path=question.path,
        line=question.anchor.start_line,
        code=NoFindingCode.REFUTED,
        detail=verdict.why or "a line that was read defeats the claim",
        missing=(),
        searched=tuple(result.searched for result in bundle.queries if result.searched),
        refs=(verdict.defeated,),
    )


def _defeating(said: Refutation, bundle: Bundle, shows: Shows, sources: Mapping[Side, Sources]) -> SourceRef | str:
    """The cited line, where it was shown and holds what is quoted; else, in words, what it lacks."""
    quote = folded(said.quote or "").strip("`")
    if len(re.sub(r"\W", "", quote)) < _SHORTEST_QUOTE:
        return "it quotes nothing that could be looked up"
    ref = shown(said.cited, bundle.evidence, shows, sources)
    if ref is None:
        return "it cites no line that was shown"
    source = sources[ref.side].get(ref.path) if sources[ref.side].commit == ref.commit else None
    lines = source.lines[ref.start_line - 1 : ref.end_line] if source else ()
    if quote in folded("\n".join(lines)):
        return ref
    return f"the quote does not stand in {ref.path}:{ref.start_line}"

"""A model's citations looked up by code: ``E3:24-25`` becomes a reference with commit, blob and hash.

What cannot be looked up becomes a reference that nobody read, so that the contract rejects the draft and says which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from review_agent.citable import citable
from review_agent.sources import Sources
from review_agent.vocabulary import Bundle, Evidence, Question, Role, Side, SourceRef

__all__ = ["Shows", "cited", "defeating", "draft", "shown"]

# The path on its side of a line of the change that a request shows; null for any other line.
Shows = Callable[[Side, str, int], str | None]

_CITATION = re.compile(r"\[?E([1-9]\d{0,4})(?::([1-9]\d{0,6})(?:\s*[-–]\s*([1-9]\d{0,6}))?)?\]?")
_OF_DIFF = re.compile(r"D:(old|new):(.+):([1-9]\d{0,6})")
_MOST_CITATIONS = 64
_UNREAD = "0"


def draft(data: Any, question: Question, bundle: Bundle, sources: Mapping[Side, Sources]) -> Any:
    """A draft that cites by number as a draft on the wire, anchored where its question is; any other data as it is."""
    if not isinstance(data, dict) or not isinstance(data.get("supporting"), list) or "supportingRefs" in data:
        return data
    refs = [_ref(one, question, bundle, sources) for one in data["supporting"][:_MOST_CITATIONS]]
    return {
        **{name: value for name, value in data.items() if name != "supporting"},
        "questionId": question.question_id,
        "changeKind": question.kind.value,
        "diffAnchor": question.anchor.wire(),
        "supportingRefs": [ref.wire() for ref in _narrowest(refs)],
    }


def defeating(
    data: dict[str, Any], bundle: Bundle, shows: Shows, sources: Mapping[Side, Sources]
) -> tuple[SourceRef, ...] | None:
    """The places that a model's no-finding cites against its question; what cannot be looked up is left out.

    Null for a no-finding that does not cite, but refers: the built-in engine's.
    """
    said = data.get("defeatedBy")
    if not isinstance(said, list):
        return None
    found = (shown(one, bundle.evidence, shows, sources) for one in said[:_MOST_CITATIONS])
    return tuple(dict.fromkeys(ref for ref in found if ref is not None))


def shown(text: Any, evidence: Sequence[Evidence], shows: Shows, sources: Mapping[Side, Sources]) -> SourceRef | None:
    """What a citation of evidence or of a line of the diff means; null where the asked one was not shown it."""
    match = _OF_DIFF.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return cited(text, evidence, sources)
    side, line = Side(match[1]), int(match[3])
    path = shows(side, match[2], line)
    return sources[side].ref(path, line, line, Role.DIFF) if path is not None else None


def cited(text: Any, evidence: Sequence[Evidence], sources: Mapping[Side, Sources]) -> SourceRef | None:
    """The reference that a citation means; null where it names no evidence, or lines that were not shown of it."""
    found = _evidence(text, evidence)
    if found is None:
        return None
    match = _CITATION.fullmatch(text.strip())
    if match is None or match[2] is None:
        return found.ref
    start, end = int(match[2]), int(match[3] or match[2])
    if not found.ref.start_line <= start <= end <= found.ref.end_line:
        return None
    if (start, end) == (found.ref.start_line, found.ref.end_line):
        return found.ref
    if sources[found.ref.side].commit != found.ref.commit:
        return None
    try:
        return sources[found.ref.side].ref(found.ref.path, start, end, found.ref.role)
    except ValueError:
        return None


def _evidence(text: Any, evidence: Sequence[Evidence]) -> Evidence | None:
    """The piece of evidence that a citation names, of those that a request shows."""
    match = _CITATION.fullmatch(text.strip()) if isinstance(text, str) else None
    number = int(match[1]) if match else 0
    return evidence[number - 1] if number in citable(evidence) else None


def _ref(text: Any, question: Question, bundle: Bundle, sources: Mapping[Side, Sources]) -> SourceRef:
    found = cited(text, bundle.evidence, sources)
    if found is not None:
        return found
    return SourceRef(
        path=str(text)[:80],
        start_line=1,
        end_line=1,
        commit=question.anchor.commit,
        role=Role.USE,
        side=question.anchor.side,
        blob=_UNREAD * len(question.anchor.blob),
        quote_sha256=_UNREAD * 64,
    )


def _narrowest(refs: Sequence[SourceRef]) -> list[SourceRef]:
    """Each place once: of a place and a part of it, the part."""
    unique = list(dict.fromkeys(refs))
    return [ref for ref in unique if not any(other is not ref and _covers(ref, other) for other in unique)]


def _covers(ref: SourceRef, other: SourceRef) -> bool:
    same = (ref.path, ref.side, ref.commit, ref.blob) == (other.path, other.side, other.commit, other.blob)
    inside = ref.start_line <= other.start_line and other.end_line <= ref.end_line
    smaller = other.end_line - other.start_line < ref.end_line - ref.start_line
    return same and inside and smaller

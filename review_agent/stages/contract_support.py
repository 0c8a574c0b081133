"""What a card rests on: places that were retrieved in this run, quoted as they are, outside the change.

A ref is retrieved when one piece of the bundle's evidence, of the same role, covers it. It lies outside the change
when none of its lines is a changed line of its file or within three lines of one, on either side's numbering.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from review_agent.stages.contract_case import Case
from review_agent.stages.contract_draft import reason
from review_agent.stages.contract_text import names_in, prose, quoted
from review_agent.stages.contract_words import EXTENSIONS, LANGUAGE_WORDS
from review_agent.stages.regions import CONTEXT, near_change
from review_agent.vocabulary import ContractCode, ContractReason, Draft, Evidence, SourceRef

__all__ = ["check_support"]

# Names that tie nothing to anything: every place has them.
_EMPTY = LANGUAGE_WORDS | set(EXTENSIONS)


def check_support(draft: Draft, case: Case) -> Iterator[ContractReason]:
    """Every fault of the supporting refs, one by one and as a whole."""
    retrieved = []
    for ref in draft.supporting_refs:
        faults = list(_ref_faults(ref, case))
        yield from faults
        if not faults:
            retrieved.append(ref)
    if not retrieved:
        yield reason(ContractCode.NO_RETRIEVED_SUPPORT, "no supporting ref was retrieved for this question")
    elif all(near_change(ref, case.snapshot) for ref in retrieved):
        said = f"every supporting ref lies inside the change or its {CONTEXT} lines of context"
        yield reason(ContractCode.SUPPORT_INSIDE_CHANGE, said)
    yield from _idle(draft, case)


def _ref_faults(ref: SourceRef, case: Case) -> Iterator[ContractReason]:
    where = f"{ref.path}:{ref.start_line}"
    if not 1 <= ref.start_line <= ref.end_line:
        yield reason(ContractCode.SCHEMA, f"{where}: lines {ref.start_line} to {ref.end_line} are no range")
        return
    covering = [one for one in case.bundle.evidence if _covers(one.ref, ref)]
    if not covering:
        yield reason(ContractCode.REF_NOT_READ, f"{where} was not read for this question on that side and commit")
        return
    if not any(one.ref.role is ref.role for one in covering):
        roles = ", ".join(sorted({one.ref.role.value for one in covering}))
        yield reason(ContractCode.REF_NOT_READ, f"{where} was read as {roles}, not as {ref.role.value}")
    if not _quotes(ref, covering, case):
        yield reason(ContractCode.QUOTE_MISMATCH, f"{where}: the quote hash is not that of these lines")


def _covers(read: SourceRef, ref: SourceRef) -> bool:
    same = (read.path, read.side, read.commit, read.blob) == (ref.path, ref.side, ref.commit, ref.blob)
    return same and read.start_line <= ref.start_line and ref.end_line <= read.end_line


def _quotes(ref: SourceRef, covering: list[Evidence], case: Case) -> bool:
    """The hash must be the blob's own; for a place as it was read it must be the one that was read, too."""
    whole = [one.ref for one in covering if (one.ref.start_line, one.ref.end_line) == (ref.start_line, ref.end_line)]
    if whole and all(one.quote_sha256 != ref.quote_sha256 for one in whole):
        return False
    return case.sources[ref.side].holds(ref)


def _idle(draft: Draft, case: Case) -> Iterator[ContractReason]:
    """Refs that visibly carry nothing: listed twice, or naming nothing that the card names."""
    texts = (draft.claim, draft.impact_condition, *draft.counter_evidence)
    # A name that the question looked for ties every place that was found by it, be it `get`, `delete` or `JSON`.
    empty = _EMPTY - names_in(" ".join(one.name for one in case.question.plan))
    named = names_in(" ".join(piece for text in texts for piece in (*quoted(text), *_paths(text)))) - empty
    seen: list[SourceRef] = []
    for ref in draft.supporting_refs:
        where = f"{ref.path}:{ref.start_line}"
        if any(_covers(other, ref) or _covers(ref, other) for other in seen):
            yield reason(ContractCode.EVIDENCE_NOT_LOAD_BEARING, f"{where} is listed twice")
        elif not _names(ref, case.bundle.evidence) & named and not any(ref.path in text for text in texts):
            said = f"{where} holds nothing that claim, impact or counter-evidence name"
            yield reason(ContractCode.EVIDENCE_NOT_LOAD_BEARING, said)
        seen.append(ref)


def _paths(text: str) -> list[str]:
    return [word for word in prose(text).split() if "/" in word]


def _names(ref: SourceRef, evidence: Iterable[Evidence]) -> frozenset[str]:
    """Names in what was retrieved over a ref, and in its path."""
    texts = [one.text for one in evidence if _covers(one.ref, ref)]
    return names_in("\n".join([*texts, ref.path]))

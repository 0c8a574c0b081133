"""Whether evidence bears load: without its refs a conclusion must fall, and a ref that changes nothing is not listed.

Free where the draft is what the built-in rules conclude from the same bundle: they are asked again with refs left out.
For drafts of a model nothing is said here. A rule that fails when asked again is held against the draft: what could
not be checked does not pass.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from review_agent.kinds import KINDS
from review_agent.policy.rules import RULES
from review_agent.stages.contract_case import Case
from review_agent.stages.contract_draft import reason
from review_agent.stages.contract_text import folded
from review_agent.vocabulary import ContractCode, ContractReason, Draft, SourceRef

__all__ = ["check_load"]

_log = logging.getLogger(__name__)
# An exception may quote a whole fact; its start tells the maintainer which rule's bug it is.
_DETAIL_LENGTH = 300


def check_load(draft: Draft, case: Case) -> Iterator[ContractReason]:
    """Every ref without which the rules conclude the same, and whether they do without all of them."""
    try:
        yield from _idle(draft, case)
    except Exception as error:  # noqa: BLE001  # a rule's bug costs its own draft, never the whole review
        # Debug only: where no logging is set up, anything from a warning up prints its traceback on stderr.
        _log.debug("rule %s failed on a part of its bundle", case.question.rule, exc_info=True)
        said = folded(f"could not be checked: {type(error).__name__}: {error}")[:_DETAIL_LENGTH]
        yield reason(ContractCode.EVIDENCE_NOT_LOAD_BEARING, said)


def _idle(draft: Draft, case: Case) -> Iterator[ContractReason]:
    if draft not in _concluded(case, without=()):
        return
    for ref in draft.supporting_refs:
        others = tuple(one for one in draft.supporting_refs if one != ref)
        # With another ref in its place the conclusion rests on that one: then this one was a choice, not a filler.
        if draft.model_copy(update={"supporting_refs": others}) in _concluded(case, without=(ref,)):
            said = f"{ref.path}:{ref.start_line} changes nothing: the same is concluded without it"
            yield reason(ContractCode.EVIDENCE_NOT_LOAD_BEARING, said)
    rest = _concluded(case, without=draft.supporting_refs)
    if any(draft.model_copy(update={"supporting_refs": other.supporting_refs}) == other for other in rest):
        yield reason(ContractCode.EVIDENCE_NOT_LOAD_BEARING, "the same is concluded without any of the supporting refs")


def _concluded(case: Case, *, without: Iterable[SourceRef]) -> tuple[Draft, ...]:
    """What the rules conclude from the bundle once everything that meets these refs is taken out of it."""
    kind = KINDS.get(case.question.kind)
    if kind is None or case.question.rule not in RULES:
        return ()
    left = tuple(one for one in case.bundle.evidence if not any(_meet(one.ref, ref) for ref in without))
    settled = kind.settle(case.question, case.bundle.model_copy(update={"evidence": left}))
    return settled if isinstance(settled, tuple) else ()


def _meet(one: SourceRef, other: SourceRef) -> bool:
    same_file = (one.path, one.side) == (other.path, other.side)
    return same_file and one.start_line <= other.end_line and other.start_line <= one.end_line

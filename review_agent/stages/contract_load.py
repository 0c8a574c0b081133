"""Whether evidence bears load: without its refs a conclusion must fall, and a ref that changes nothing is not listed.

Free where the draft is what the built-in rules conclude from the same bundle: they are asked again with refs left out.
For drafts of a model nothing is said here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from review_agent.kinds import KINDS
from review_agent.policy.rules import RULES
from review_agent.stages.contract_case import Case
from review_agent.stages.contract_draft import reason
from review_agent.vocabulary import ContractCode, ContractReason, Draft, SourceRef

__all__ = ["check_load"]

_log = logging.getLogger(__name__)


def check_load(draft: Draft, case: Case) -> Iterator[ContractReason]:
    """Every ref without which the rules conclude the same, and whether they do without all of them."""
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
    try:
        settled = kind.settle(case.question, case.bundle.model_copy(update={"evidence": left}))
    except Exception:  # noqa: BLE001  # a rule's bug on a thinned bundle concludes nothing; the draft stands as it is
        _log.exception("rule %s failed on a part of its bundle", case.question.rule)
        return ()
    return settled if isinstance(settled, tuple) else ()


def _meet(one: SourceRef, other: SourceRef) -> bool:
    same_file = (one.path, one.side) == (other.path, other.side)
    return same_file and one.start_line <= other.end_line and other.start_line <= one.end_line

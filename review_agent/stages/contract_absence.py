"""What a card says to be nowhere: only a search that was whole can have found nothing."""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.kinds.absence import unproven
from review_agent.stages.contract_case import Case
from review_agent.stages.contract_draft import reason
from review_agent.vocabulary import ContractCode, ContractReason, Draft

__all__ = ["check_absence"]


def check_absence(draft: Draft, case: Case) -> Iterator[ContractReason]:
    """Was each name that is said to stand nowhere else looked for wherever it could stand?"""
    cut = unproven(case.bundle, draft)
    if cut is not None:
        why = f": {cut.note}" if cut.note else ""
        search = f"the search for its {cut.query.kind.value} was cut{why}"
        said = f"`{cut.query.name}` is said to be nowhere else, and {search}"
        yield reason(ContractCode.ABSENCE_UNPROVEN, said)

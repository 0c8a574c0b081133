"""Why a test that went is no loss: what it was about is tested still, or is a step of something that is."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.kinds.base import Unsettled, blocked, code, place, unsettled
from review_agent.kinds.tested import Life, last, same_call_elsewhere, within_its_class
from review_agent.vocabulary import Bundle, Edit, NoFindingCode, QueryKind

__all__ = ["still_tested"]


def still_tested(edit: Edit, bundle: Bundle, alive: Sequence[Life]) -> Unsettled:
    tested = [one for one in alive if one.tests]
    if tested:
        same = next((hit for one in tested if (hit := same_call_elsewhere(edit, one))), None)
        first = same or tested[0].tests[0]
        return unsettled(
            NoFindingCode.REFUTED,
            f"{code(last(tested[0].subject))} is still called by a test: {place(first.ref)}",
            refs=[first.ref],
        )
    stopped = blocked(bundle, QueryKind.TESTS)
    if stopped is not None:
        return stopped
    step = next((hit for one in alive if (hit := within_its_class(bundle, one))), None)
    if step is not None:
        return unsettled(
            NoFindingCode.REFUTED,
            f"{code(last(alive[0].subject))} is a step of {code(step.fact.scope)}, {place(step.ref)}",
            refs=[step.ref],
        )
    open_ = next((one for one in alive if one.unclear), None)
    if open_ is not None:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(open_.unclear[0].ref)} names a {code(last(open_.subject))} that is not known to be this one: "
            f"{open_.unclear[0].fact.reason}",
            missing=(f"what {code(last(open_.subject))} is at {place(open_.unclear[0].ref)}",),
        )
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"the definition of {code(last(alive[0].subject))} lies inside the change itself",
        missing=("a place outside the change that relies on it",),
    )

"""What hangs on a type or module that everybody reaches, and is given back by whoever runs the function."""

from __future__ import annotations

from review_agent.kinds.base import Unsettled, code, found, place, text, unsettled
from review_agent.kinds.functions import function_of
from review_agent.kinds.takings import last
from review_agent.vocabulary import Bundle, CallFact, Edit, NoFindingCode, QueryKind

__all__ = ["given_back_around", "is_everyones"]


def is_everyones(edit: Edit) -> bool:
    """Whether what is taken has no name of its own, and hangs on a type or module that everybody reaches."""
    root = text(edit, "release").partition(".")[0]
    return not text(edit, "thing") and "." in text(edit, "release") and root[:1].isupper()


def given_back_around(bundle: Bundle, edit: Edit) -> Unsettled | None:
    """Another function gives back what it did not take itself: as a runner does after each job."""
    if not is_everyones(edit):
        return None
    for one in found(bundle, CallFact, QueryKind.CALLERS, text(edit, "release")):
        takes_too = last(text(edit, "openerNow")) in {last(name) for name in one.fact.preceded_by}
        if not one.fact.in_test and one.fact.scope != function_of(edit) and not takes_too:
            why = f"{place(one.ref)} calls {code(text(edit, 'release'))} for others"
            return unsettled(NoFindingCode.REFUTED, why, refs=[one.ref])
    return None

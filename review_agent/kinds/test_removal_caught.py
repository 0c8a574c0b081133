"""A test whose successor asserts only what it caught: it passes where nothing is thrown."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.kinds.base import code, draft, place, text
from review_agent.kinds.test_removal_calls import expects
from review_agent.kinds.tested import Life, last, relied_on
from review_agent.vocabulary import Bundle, Draft, EffectOp, Question, Severity

__all__ = ["left_to_catch"]


def left_to_catch(question: Question, bundle: Bundle, alive: Sequence[Life]) -> Draft | None:
    """The card of a test that went for one that asserts in its handlers only, where no other expects the failure."""
    edit = question.edits[0]
    instead = text(edit, "instead")
    one = next((life for life in alive if life.home is not None and life.home.fact.raises), None)
    if not instead or one is None or one.home is None or one.unclear or not one.whole:
        return None
    others = [hit for hit in one.tests if hit.fact.scope != instead]
    support, relied = relied_on(bundle, one)
    if any(expects(hit) for hit in others) or not support:
        return None
    name, new = last(one.subject), last(instead)
    word, fails = ("except", "raises") if edit.language == "python" else ("catch", "throws")
    return draft(
        question,
        claim=f"Deleting {code(edit.subject)} leaves the failures of {code(name)} to {code(new)}, which asserts only "
        f"in its `{word}`: where {code(name)} {fails} nothing, it asserts nothing and passes. {place(one.home.ref)} "
        f"{fails} {code(last(one.home.fact.raises[0]))} still{relied}.",
        op=EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=support,
        impact=f"A later change makes {code(name)} accept what it has to refuse; {code(new)} stays green.",
        counter=(
            "A count of the assertions, or a statement after the call that fails, would refute this; the file has "
            "neither.",
        ),
    )

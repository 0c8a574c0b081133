"""A rule of ``resource_release``: a function that was to undo what another does, and does the same."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    code,
    draft,
    found,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.functions import split
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.takings import last, outside
from review_agent.syntax.roles import opposite
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
)

__all__ = ["RULES"]

RULE = "counterpart_copied"


def _wrong(edit: Edit) -> str:
    """The call in it that does the opposite of what its name says; "" for none."""
    calls = texts(edit, "calls")
    own = {last(one) for one in calls}
    return next((one for one in calls if opposite(last(one), edit.subject) and edit.subject not in own), "")


def _meant(edit: Edit) -> str:
    """The call that its name stands for, on the same receiver."""
    receiver = _wrong(edit).rpartition(".")[0]
    return f"{receiver}.{edit.subject}" if receiver else edit.subject


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    twin, wrong = text(edit, "twin"), _wrong(edit)
    if in_test(edit.path) or not twin or not wrong:
        return None
    scope, name = split(text(edit, "qualname"))
    return seed(
        edit,
        RULE,
        change=f"{code(name)} was added with the very body of {code(twin)}",
        precondition=f"{code(name)} has to undo what {code(twin)} does",
        consequence=f"it calls {code(wrong)} once more, and nothing is given back",
        refuted_if=(f"{code(wrong)} undoes itself when it is called again", f"nobody calls {code(name)}"),
        plan=(
            ask(QueryKind.DEFINITION, _meant(edit), path=edit.path, scope=edit.scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ),
        risk=20,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    twin, wrong = text(edit, "twin"), _wrong(edit)
    backs = [
        one
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION)
        if outside(one) and one.fact.symbol in ("function", "method") and last(one.fact.qualname) == edit.subject
    ]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS) if outside(one) and not one.fact.in_test]
    if not backs and not calls:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"neither {code(_meant(edit))} nor a caller of {code(edit.subject)} is seen; searched: {searched(bundle)}",
            missing=(f"what {code(edit.subject)} has to call instead",),
        )
    where = (backs or calls)[0].ref
    return (
        draft(
            question,
            claim=f"Adding {code(edit.subject)} with the body of its counterpart {code(twin)} makes it take once more "
            f"what it has to give back: it calls {code(wrong)}, {_but(edit, backs, calls)}.",
            op=EffectOp.ADDED,
            subject=edit.subject,
            severity=Severity.IMPORTANT,
            support=[where],
            impact=f"One {code(twin)} followed by one {code(edit.subject)} leaves two held; none is ever freed.",
            counter=(f"A {code(wrong)} that undoes itself on a second call would refute this; nothing says so.",),
        ),
    )


def _but(edit: Edit, backs: Sequence[Found[DefinitionFact]], calls: Sequence[Found[CallFact]]) -> str:
    if backs:
        return f"while {place(backs[0].ref)} has {code(backs[0].fact.qualname)} for that"
    return f"and {place(calls[0].ref)} counts on it"


RULES = (Rule(RULE, frozenset({EditOp.SYMBOL_ADDED}), _raise, _settle),)

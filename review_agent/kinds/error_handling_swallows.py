"""A rule of ``error_handling``: a handler that now ends an error on which a caller relies."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    flag,
    found,
    listed,
    place,
    same_place,
    searched,
    seed,
    texts,
    unsettled,
)
from review_agent.kinds.callers import first_of, worst_first
from review_agent.kinds.exceptions import BROAD, last, lineage
from review_agent.kinds.failures import (
    LEAVES,
    Spot,
    always_nil,
    callees,
    classes,
    ends_here,
    excerpt_around,
    fails_at,
    go_failures,
    of_callee,
    plan_of_callees,
    raised_by,
)
from review_agent.kinds.functions import called, function_of, split
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
)

__all__ = ["RULES"]

# Beside callers and callees the plan has room for the definitions of so many types.
_MOST_TYPES = 2
_ENDS = "ends it"


def _raise_swallows(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path) or not function_of(edit):
        return None
    outer, name = called(function_of(edit))
    scope, defined = split(function_of(edit))
    return seed(
        edit,
        "handler_swallows",
        change=f"{code(name)} no longer lets {listed(texts(edit, 'types'))} leave it",
        precondition=f"a caller of {code(name)} relies on that error",
        consequence="the caller takes a failure for a success",
        refuted_if=(f"no resolved caller of {code(name)} relies on the error", "the error still leaves another way"),
        plan=(
            ask(QueryKind.DEFINITION, defined, path=edit.path, scope=scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=outer),
            *plan_of_callees(edit),
            *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in _types(edit)[:_MOST_TYPES]),
        ),
    )


def _types(edit: Edit) -> list[str]:
    """The types caught that say which failure was expected; Go has none."""
    return [one for one in texts(edit, "types") if last(one) not in BROAD] if edit.language != "go" else []


def _settle_swallows(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    if set(texts(edit, "afterActions")) & LEAVES:
        return unsettled(NoFindingCode.REFUTED, "the handler still lets the error leave")
    if edit.language == "go":
        return _settle_go(question, bundle)
    if flag(edit, "isNew") and _types(edit):
        return unsettled(
            NoFindingCode.NEEDS_HUMAN_CONTEXT,
            f"a handler of {listed(_types(edit))} was put around what stood there before: it is expected there",
            missing=(f"why {listed(_types(edit))} does not matter here",),
        )
    for swallowed in _types(edit) or _tried(edit, bundle):
        if _still_raised(question, bundle, swallowed) is False:
            relying = _relying(question, bundle, swallowed)
            if relying:
                return (_swallows_card(question, bundle, swallowed, relying),)
    return blocked(bundle, QueryKind.CALLERS) or _no_relying(question, bundle)


def _tried(edit: Edit, bundle: Bundle) -> list[str]:
    """What the guarded callees are seen to raise: a handler of everything swallows each of these."""
    known = [of_callee(bundle, one) for one in callees(edit)]
    return [raised for one in known if one is not None for raised in raised_by(one.fact)]


def _calls(question: Question, bundle: Bundle) -> list[Found[CallFact]]:
    """The resolved callers of the edit's function outside tests and outside the change, worst first."""
    name = called(function_of(question.edits[0]))[1]
    calls = found(bundle, CallFact, QueryKind.CALLERS, name)
    return worst_first(question, [one for one in calls if not one.fact.in_test and not same_place(question, one.ref)])


def _relying(question: Question, bundle: Bundle, swallowed: str) -> list[tuple[Found[CallFact], str]]:
    """Callers with a handler for the type or for a narrow base of it, around this call alone, and that type."""
    kinds = lineage(swallowed, classes(bundle)).names - BROAD
    return [
        (one, caught)
        for one in _calls(question, bundle)
        if _stands_alone(bundle, one)
        and (caught := next((name for name in one.fact.caught if last(name) in kinds), None)) is not None
    ]


def _stands_alone(bundle: Bundle, one: Found[CallFact]) -> bool:
    """Whether the call is all that its handler guards, as far as the caller was read; more can fail the same way."""
    excerpt = excerpt_around(bundle, one.ref)
    if excerpt is None:
        return False
    lines = [line.strip() for line in excerpt.text.splitlines()]
    before, after = one.ref.start_line - excerpt.ref.start_line - 1, one.ref.end_line - excerpt.ref.start_line + 1
    guarded = before >= 0 and (lines[before] == "try:" or lines[before].endswith("try {"))
    return guarded and after < len(lines) and lines[after].startswith(("except", "} catch", "catch"))


def _still_raised(question: Question, bundle: Bundle, swallowed: str) -> bool | None:
    """Whether the function itself is seen to raise the type all the same; null where its definition is not known."""
    definition = of_callee(bundle, split(function_of(question.edits[0]))[1])
    return None if definition is None else last(swallowed) in {last(one) for one in definition.fact.raises}


def _no_relying(question: Question, bundle: Bundle) -> Unsettled:
    name = called(function_of(question.edits[0]))[1]
    calls = _calls(question, bundle)
    where = searched(bundle, QueryKind.CALLERS)
    if not calls:
        return unsettled(NoFindingCode.NO_CANDIDATE, f"no resolved caller of {code(name)} was found; searched: {where}")
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"no resolved caller of {code(name)} is seen to rely on the error; {place(calls[0].ref)} is one of them",
        missing=(f"a caller of {code(name)} that deals with {listed(texts(question.edits[0], 'types'))}",),
        refs=[calls[0].ref],
    )


def _settle_go(question: Question, bundle: Bundle) -> Settled:
    """Only where the function has no error left to return is a caller's look at it known to be in vain."""
    edit = question.edits[0]
    definition = of_callee(bundle, split(function_of(edit))[1])
    if definition is None or not always_nil(bundle, definition):
        return blocked(bundle, QueryKind.DEFINITION) or unsettled(
            NoFindingCode.NEEDS_HUMAN_CONTEXT,
            f"{code(function_of(edit))} still returns other errors; whether this failure is meant to count is not said",
            missing=(f"whether {code(function_of(edit))} may go on without {listed(texts(edit, 'tryCalls')[:1])}",),
        )
    failing = _failing(edit, bundle)
    taking = [one for one in _calls(question, bundle) if one.fact.targets and one.fact.targets[-1] != "_"]
    if failing is None or not taking:
        return blocked(bundle, QueryKind.CALLERS) or _no_relying(question, bundle)
    return (_go_card(question, failing, taking),)


def _failing(edit: Edit, bundle: Bundle) -> tuple[str, str, Spot] | None:
    """A tried callee with an error that it is seen to return, and where."""
    known = [(one, of_callee(bundle, one)) for one in callees(edit)]
    failures = [(one, *failure) for one, seen in known if seen is not None for failure in go_failures(bundle, seen)]
    return failures[0] if failures else None


def _go_card(question: Question, failing: tuple[str, str, Spot], taking: Sequence[Found[CallFact]]) -> Draft:
    (callee, error, spot), first = failing, taking[0]
    name = called(function_of(question.edits[0]))[1]
    refs = [one.ref for one in taking]
    return draft(
        question,
        claim=f"Swallowing the error of {code(callee)} leaves {code(name)} with none to return: {code(error)} of "
        f"{spot} ends there, and {place(first.ref)}{first_of(refs)} looks at {code(first.fact.targets[-1])} in vain.",
        op=EffectOp.WEAKENED,
        subject=callee,
        severity=Severity.IMPORTANT,
        support=[spot.ref, *refs],
        impact=f"{code(last(callee))} meets the case of line {spot.line}; {code(first.fact.scope)} works on "
        "as after a success, for every return behind it gives nil.",
        counter=(
            f"Another error of {code(name)} would refute this; every return in it gives nil.",
            f"A caller that takes no error would refute this; {place(first.ref)} takes one.",
        ),
    )


def _swallows_card(
    question: Question, bundle: Bundle, swallowed: str, relying: Sequence[tuple[Found[CallFact], str]]
) -> Draft:
    edit, (first, caught) = question.edits[0], relying[0]
    name = called(function_of(edit))[1]
    refs = [one.ref for one, _ in relying]
    caller = code(first.fact.scope) if first.fact.scope else "the calling module"
    named = swallowed if swallowed in texts(edit, "types") else texts(edit, "types")[0]
    source = _source(edit, bundle, swallowed) if named != swallowed else None
    failure = f"{code(swallowed)} of {source}" if source else "the failure"
    return draft(
        question,
        claim=f"Swallowing {code(named)} inside {code(name)}, which {ends_here(texts(edit, 'afterActions')) or _ENDS}, "
        f"keeps {failure} from the handler of {code(caught)} at {place(first.ref)}{first_of(refs)}: {caller} goes on "
        "as after a success.",
        op=EffectOp.WEAKENED,
        subject=named,
        severity=Severity.IMPORTANT,
        support=[*([source.ref] if source else []), *refs],
        impact=f"What {code(name)} tries raises {code(swallowed)}; what {caller} does in that handler is left undone.",
        counter=(
            f"Another {code(swallowed)} raised by {code(name)} would refute this; it is seen to raise none.",
            f"Another call under the same handler would refute this; at {place(first.ref)} there is none.",
        ),
        uncertainty=(f"Whether anything else that {code(name)} calls raises {code(swallowed)} was not followed.",),
    )


def _source(edit: Edit, bundle: Bundle, swallowed: str) -> Spot | None:
    """Where a guarded callee raises the type."""
    known = [of_callee(bundle, one) for one in callees(edit)]
    raising = next((one for one in known if one is not None and swallowed in raised_by(one.fact)), None)
    return fails_at(bundle, raising, swallowed) if raising else None


RULES = (Rule("handler_swallows", frozenset({EditOp.HANDLER_SWALLOWS}), _raise_swallows, _settle_swallows),)

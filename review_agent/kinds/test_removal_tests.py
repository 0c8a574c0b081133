"""Rules of ``test_removal``: a whole test that went, or is skipped, while the code under it lives on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from review_agent.kinds.base import (
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    listed,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.test_removal_branches import takes_branch, went_with
from review_agent.kinds.test_removal_calls import lost_call
from review_agent.kinds.test_removal_caught import left_to_catch
from review_agent.kinds.test_removal_routes import settle_route
from review_agent.kinds.test_removal_still import still_tested
from review_agent.kinds.test_removal_twice import lost_twice
from review_agent.kinds.test_removal_values import lost_failure, lost_value
from review_agent.kinds.tested import (
    PLATFORM,
    Life,
    about,
    failures_expected,
    given,
    home_of,
    last,
    life,
    plan_of_subjects,
    relied_on,
    routes_of,
    subjects_of,
    within_its_class,
)
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
)

__all__ = ["RULES"]


def _raise_removed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if not (subjects_of(edit) or routes_of(edit)) or not _asks_anew(edit, edits):
        return None
    names = listed(last(one) for one in subjects_of(edit)) or listed(routes_of(edit)[:1])
    return seed(
        edit,
        "test_removed_code_lives",
        change=f"the test {code(edit.subject)} was deleted",
        precondition=f"what it called, {names}, lives on at head and no other test calls it that way",
        consequence="the behaviour that it held fast can be lost without a test failing",
        refuted_if=(
            "the code under it was deleted too",
            "the test was moved or renamed",
            "another test calls the same code and holds the same fast",
        ),
        plan=_plan(edit),
        others=[*_before(edit, edits), *[one for one in edits if takes_branch(one, edit)][:2]],
    )


def _before(edit: Edit, edits: Sequence[Edit]) -> list[Edit]:
    """The tests about the same code that went before it in the same file."""
    about = subjects_of(edit)[:1]
    same = [one for one in edits if one.op is edit.op and one.path == edit.path and subjects_of(one)[:1] == about]
    return same[: next((at for at, one in enumerate(same) if one.edit_id == edit.edit_id), 0)]


def _asks_anew(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether no test that went before it in the same hunk was about the same code and the same failure."""
    about = (set(subjects_of(edit)[:1]), failures_expected(edit), routes_of(edit)[:1])
    before = []
    for one in edits:
        if one.edit_id == edit.edit_id:
            break
        if one.op is edit.op and one.hunk_id == edit.hunk_id:
            before.append((set(subjects_of(one)[:1]), failures_expected(one), routes_of(one)[:1]))
    return about not in before


def _plan(edit: Edit) -> tuple[PlanQuery, ...]:
    plan = list(plan_of_subjects(edit))
    for failure in failures_expected(edit)[:1]:
        plan.append(ask(QueryKind.TEXT, last(failure), path=_test_files(edit)))
    plan += [ask(QueryKind.TEXT, one) for one in texts(edit, "only")[: _MOST - 1 - len(plan)][:2]]
    path, scope = home_of(edit)
    if subjects_of(edit):
        plan.append(ask(QueryKind.CALLERS, subjects_of(edit)[0], path=path, scope=scope))
    if routes_of(edit) and len(plan) < _MOST:
        plan.append(ask(QueryKind.TEXT, routes_of(edit)[0]))
    return tuple(plan)


def _test_files(edit: Edit) -> str:
    """A pathspec that holds the tests beside the one that changed."""
    for word in ("test", "spec", "Test", "Spec"):
        if word in edit.old_path:
            return f"*{word}*"
    return "*"


def _settle_removed(question: Question, bundle: Bundle) -> Settled:
    return _settle(question, bundle, _removed_card)


# Queries of one question.
_MOST = 8

Card = Callable[[Question, Bundle, Life, str], Draft | None]


def _settle(question: Question, bundle: Bundle, card: Card) -> Settled:
    edit = question.edits[0]
    lives = [life(question, bundle, one) for one in subjects_of(edit)]
    alive = [one for one in lives if one.home is not None]
    if not alive:
        routed = settle_route(question, bundle)
        if routed is not None:
            return routed
        return blocked(bundle, QueryKind.DEFINITION) or unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"none of {listed(last(one.subject) for one in lives)} is code of this repository at head",
            missing=(f"a definition outside tests (searched: {searched(bundle, QueryKind.DEFINITION)})",),
        )
    caught = left_to_catch(question, bundle, alive)
    if caught is not None:
        return (caught,)
    before = next((one for one in question.edits[1:] if one.op is edit.op), None)
    went = went_with(question)
    for one in alive:
        lost = lost_failure(edit, bundle, one) if went is None else ""
        untested = one.whole and not one.tests and not one.unclear
        step = within_its_class(bundle, one)
        aside = one.subject != subjects_of(edit)[0] and not about(edit, one.subject)
        if untested and not lost and (step is not None or aside):
            continue
        if untested and before is not None and one is alive[0]:
            first = code(before.subject)
            return unsettled(
                NoFindingCode.NO_CANDIDATE, f"that {code(last(one.subject))} has no test is told at {first}"
            )
        if lost or untested:
            drafted = card(question, bundle, one, lost)
            if drafted is not None:
                return (drafted,)
    if went is not None:
        return went
    value = lost_value(question, bundle, alive) or lost_twice(question, alive) or lost_call(question, bundle, alive)
    return (value,) if value is not None else still_tested(edit, bundle, alive)


def _removed_card(question: Question, bundle: Bundle, alive: Life, lost: str) -> Draft | None:
    edit = question.edits[0]
    test, name = edit.subject, last(alive.subject)
    assert alive.home is not None
    support, relied = relied_on(bundle, alive)
    if not support:
        return None
    held = _held_fast(edit, alive)
    if lost:
        claim = (
            f"Deleting {code(test)} leaves the {code(lost)} of {code(name)} to no test: {place(alive.home.ref)} still "
            f"raises it{relied}, and no test file at head names {code(lost)}."
        )
    else:
        claim = (
            f"Deleting {code(test)} leaves {code(name)} without a test: it lives on in {place(alive.home.ref)}"
            f"{relied}, and no test at head calls it."
        )
    return draft(
        question,
        claim=claim,
        op=EffectOp.REMOVED,
        subject=test,
        severity=Severity.IMPORTANT,
        support=support,
        impact=f"A later change breaks {held}; every remaining test passes and the fault ships.",
        counter=_counter(name, lost),
    )


def _counter(name: str, lost: str) -> tuple[str, ...]:
    if lost:
        return (f"A test elsewhere that expects {code(lost)} would refute this; the search of test files found none.",)
    return (f"A test elsewhere that calls {code(name)} would refute this; the search of test files found none.",)


def _held_fast(edit: Edit, alive: Life) -> str:
    calls = given(edit, alive.subject)
    if calls:
        return f"what {snippet(alive.subject + calls[0])} was held to"
    return f"the behaviour of {code(last(alive.subject))} that was held fast here"


def _raise_skipped(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if not (subjects_of(edit) or routes_of(edit)):
        return None
    names = listed(last(one) for one in subjects_of(edit)) or listed(routes_of(edit)[:1])
    return seed(
        edit,
        "test_skipped_code_lives",
        change=f"the test {code(edit.subject)} does not run any more",
        precondition=f"what it calls, {names}, lives on at head and no other test calls it",
        consequence="the behaviour that it holds fast can be lost without a test failing",
        refuted_if=(
            "the skip holds only where the test cannot run",
            "the code under it is gone",
            "another test calls the same code",
        ),
        plan=_plan(edit),
    )


_CONDITIONAL = re.compile(r"(?i)skip_?(?:if|unless|on)\w*\s*\((?!\s*(?:True|1|\"1\"))")


def _settle_skipped(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    # Why it is skipped may name a platform where the skip holds on all of them.
    under = re.sub(r"reason\s*=\s*(?:\"[^\"]*\"|'[^']*')", "", f"{text(edit, 'under')} {text(edit, 'by')}")
    if PLATFORM.search(under):
        return unsettled(
            NoFindingCode.REFUTED, f"the skip holds only under {snippet(text(edit, 'under') or text(edit, 'by'))}"
        )
    if text(edit, "under") or _CONDITIONAL.search(under):
        return unsettled(
            NoFindingCode.NEEDS_HUMAN_CONTEXT,
            f"the skip holds under {snippet(text(edit, 'under') or text(edit, 'by'))}",
            missing=("when that condition holds where the tests run",),
        )
    return _settle(question, bundle, _skipped_card)


def _skipped_card(question: Question, bundle: Bundle, alive: Life, lost: str) -> Draft | None:
    edit = question.edits[0]
    test, name, by = edit.subject, last(alive.subject), text(edit, "by")
    assert alive.home is not None
    support, relied = relied_on(bundle, alive)
    if not support:
        return None
    what = f"the {code(lost)} of {code(name)}" if lost else code(name)
    return draft(
        question,
        claim=f"Skipping {code(test)} by {snippet(by)} leaves {what} without a test that runs: it lives on in "
        f"{place(alive.home.ref)}{relied}, and no other test at head {'names' if lost else 'calls'} it.",
        op=EffectOp.WEAKENED,
        subject=test,
        severity=Severity.IMPORTANT,
        support=support,
        impact=f"A later change breaks {_held_fast(edit, alive)}; the run of the tests stays green.",
        counter=_counter(name, lost),
    )


RULES = (
    Rule("test_removed_code_lives", frozenset({EditOp.TEST_REMOVED}), _raise_removed, _settle_removed),
    Rule("test_skipped_code_lives", frozenset({EditOp.TEST_SKIPPED}), _raise_skipped, _settle_skipped),
)

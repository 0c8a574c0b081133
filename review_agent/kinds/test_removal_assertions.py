"""Rules of ``test_removal``: a test that lives on and says less than it did."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    every,
    flag,
    found,
    listed,
    number,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.functions import function_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.test_removal_branches import takes_branch, went_with
from review_agent.kinds.test_removal_calls import expects
from review_agent.kinds.test_removal_members import left_of, lost_member, member_card, takes_out
from review_agent.kinds.test_removal_same import says_the_same
from review_agent.kinds.tested import (
    PLATFORM,
    Life,
    home_of,
    last,
    life,
    plan_of_subjects,
    relied_on,
    same_call_elsewhere,
    subjects_of,
)
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    SourceRef,
    UseFact,
)

__all__ = ["RULES"]

_VALUE = 3
_THERE = 1
_OPS = frozenset({EditOp.ASSERTION_WEAKENED, EditOp.ASSERTION_REMOVED})


def _raise_weakened(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if not _tells(edit) or not subjects_of(edit) or not _matters(edit, edits):
        return None
    about = listed(last(one) for one in subjects_of(edit))
    test = _test(edit)
    first = subjects_of(edit)[0]
    path, scope = home_of(edit)
    plan = [*plan_of_subjects(edit)[:4], ask(QueryKind.CALLERS, first, path=path, scope=scope)]
    plan += [ask(QueryKind.TEXT, name, path=path) for name in _columns(edit)[:1]]
    plan += [ask(QueryKind.DEFINITION, name, path=path, scope=scope) for name in _helpers(edit)[:1]]
    plan += [ask(QueryKind.PRODUCERS, name) for name in texts(edit, "gone")[:1] if len(name) > 3]
    return seed(
        edit,
        "assertion_weakened_code_lives",
        change=f"{code(test)} no longer asserts {snippet(edit.before or '')}",
        precondition=f"what it is about, {about}, lives on at head, and nothing else asserts the same",
        consequence="a wrong value passes the test",
        refuted_if=(
            "another assertion of the same test says as much about the same",
            "another test makes the same call",
            "the code under it, or the branch that it was there for, is gone",
        ),
        plan=plan,
        others=[
            *[one for one in edits if one.op in _OPS and one is not edit and _same_test(one, edit)][:3],
            *[one for one in edits if takes_out(one, edit)][:1],
            *[one for one in edits if edit.op is EditOp.ASSERTION_REMOVED and takes_branch(one, edit)][:2],
        ],
    )


def _test(edit: Edit) -> str:
    return last(function_of(edit)) or edit.scope


def _same_test(one: Edit, edit: Edit) -> bool:
    return (one.path, function_of(one)) == (edit.path, function_of(edit))


def _tells(edit: Edit) -> bool:
    """Whether an assertion said which value it wants, by itself or by a column of a table that it was read under."""
    return (number(edit, "strengthBefore") or 0) >= _VALUE or bool(_columns(edit))


def _columns(edit: Edit) -> tuple[str, ...]:
    """What a removed assertion read of a table, and the test reads no more."""
    return texts(edit, "unread") if edit.op is EditOp.ASSERTION_REMOVED else ()


def _matters(edit: Edit, edits: Sequence[Edit]) -> bool:
    """An assertion that now says at most that there is something; one that went and left nothing of its kind."""
    if edit.op is EditOp.ASSERTION_WEAKENED:
        weak = [one for one in edits if one.op in _OPS and _same_test(one, edit) and _weak(one)]
        return bool(weak) and weak[0] is edit
    removed = [one for one in edits if one.op is EditOp.ASSERTION_REMOVED and _same_test(one, edit) and _tells(one)]
    return removed[0] is edit and not any(_weak(one) for one in edits if _same_test(one, edit))


def _weak(edit: Edit) -> bool:
    caught = text(edit, "by").startswith("catch ")
    less = caught or (number(edit, "strengthAfter") or 0) <= _THERE or bool(texts(edit, "unread"))
    return edit.op is EditOp.ASSERTION_WEAKENED and less and not _reworded(edit)


def _reworded(edit: Edit) -> bool:
    """Whether the new assertion says the same in other words, where nothing stands around it that lets it be passed."""
    return not text(edit, "by") and says_the_same(edit.before or "", edit.after or "", edit.language)


def _settle_weakened(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    if text(edit, "by").startswith("if ") and PLATFORM.search(text(edit, "by")):
        return unsettled(NoFindingCode.REFUTED, f"the assertion holds wherever {snippet(text(edit, 'by')[3:])} does")
    went = next((one for one in question.edits[1:] if takes_out(one, edit)), None)
    if went is not None and not left_of(bundle, last(went.subject)):
        detail = f"the change takes {code(last(went.subject))} out of {code(went.path)}, and nothing at head sets it"
        return unsettled(NoFindingCode.REFUTED, detail)
    branch = went_with(question) if edit.op is EditOp.ASSERTION_REMOVED else None
    if branch is not None:
        return branch
    lost = lost_member(edit, bundle) if edit.op is EditOp.ASSERTION_REMOVED else None
    if lost is not None:
        return (member_card(question, lost, _test(edit)),)
    if flag(edit, "valueGone"):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{code(_test(edit))} no longer makes what {snippet(edit.before or '')} was about",
            missing=("a value that the test makes still and asserts less of",),
        )
    still = texts(edit, "still")
    if still and not _columns(edit):
        return unsettled(NoFindingCode.REFUTED, f"{code(_test(edit))} still asserts {snippet(still[0])}")
    if texts(edit, "partly") and not _columns(edit):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{code(_test(edit))} still asserts {snippet(texts(edit, 'partly')[0])} of the same value",
            missing=("what of that value nothing asserts any more",),
        )
    lives = [life(question, bundle, one) for one in subjects_of(edit)[:2]]
    alive = [one for one in lives if one.home is not None]
    if alive:
        return _settle_living(question, bundle, alive[0])
    return blocked(bundle, QueryKind.DEFINITION) or unsettled(
        NoFindingCode.NO_CANDIDATE,
        f"none of {listed(last(one.subject) for one in lives)} is code of this repository at head",
        missing=(f"a definition outside tests (searched: {searched(bundle, QueryKind.DEFINITION)})",),
    )


def _settle_living(question: Question, bundle: Bundle, one: Life) -> Settled:
    """An assertion about code that lives on: other tests may still say the same of it."""
    edit = question.edits[0]
    same = same_call_elsewhere(edit, one)
    if same is not None:
        return unsettled(
            NoFindingCode.REFUTED,
            f"{place(same.ref)} makes the same call of {code(last(one.subject))}",
            refs=[same.ref],
        )
    if not one.whole:
        stopped = blocked(bundle, QueryKind.TESTS)
        if stopped is not None:
            return stopped
    others = [hit for hit in (*one.tests, *one.unclear) if not (_through_helper(edit, one) and expects(hit))]
    if others and (edit.op is EditOp.ASSERTION_REMOVED or _through_helper(edit, one)):
        return unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"other tests call {code(last(one.subject))}, {place(others[0].ref)} first; what they assert was not "
            "compared",
            refs=[others[0].ref],
        )
    drafted = _card(question, bundle, one)
    if drafted is not None:
        return (drafted,)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{code(last(one.subject))} and all that calls it lie inside the change itself",
        missing=("a place outside the change that relies on it",),
    )


def _helpers(edit: Edit) -> tuple[str, ...]:
    """The helpers of the test file by which an assertion read a value."""
    said = edit.before or ""
    return tuple(name for name in texts(edit, "helpers") if re.search(rf"(?<![\w.]){re.escape(name)}\(", said))


def _through_helper(edit: Edit, one: Life) -> bool:
    """Whether the assertion read by a helper of the test file what a call before it did."""
    return f"{one.subject}(" not in (edit.before or "") and bool(_helpers(edit))


def _rows(bundle: Bundle, edit: Edit) -> list[SourceRef]:
    """A row of the test outside the change that sets the column which is read no more."""
    for name in _columns(edit)[:1]:
        for one in every(bundle, UseFact, QueryKind.TEXT, name):
            if not one.evidence.near_change and re.search(rf"\b{re.escape(name)}\s*[:=][^=]", one.evidence.text):
                return [one.ref]
    return []


def _readers(bundle: Bundle, edit: Edit) -> list[SourceRef]:
    found_ = (found(bundle, DefinitionFact, QueryKind.DEFINITION, name) for name in _helpers(edit)[:1])
    return [one.ref for hits in found_ for one in hits if not one.evidence.near_change][:1]


def _card(question: Question, bundle: Bundle, alive: Life) -> Draft | None:
    edit = question.edits[0]
    name, test = last(alive.subject), code(_test(edit))
    refs, relied = relied_on(bundle, alive)
    rows, can = _rows(bundle, edit), "return another value"
    if rows:
        can = f"go against the {code(_columns(edit)[0])} of {place(rows[0])}"
    elif _through_helper(edit, alive):
        rows = _readers(bundle, edit)
        if not rows:
            return None
        can = f"leave something else for {code(_helpers(edit)[0])}, {place(rows[0])}, to read"
    if alive.home is None or not (refs or rows):
        return None
    home = f"{place(alive.home.ref)}{relied}" if refs else f"in {code(alive.home.ref.path)}"
    return draft(
        question,
        claim=f"{_opening(edit)}: {code(name)} ({home}) can {can} and {test} still passes.",
        op=EffectOp.REMOVED if edit.op is EditOp.ASSERTION_REMOVED else EffectOp.WEAKENED,
        subject=edit.before or edit.subject,
        severity=Severity.IMPORTANT,
        support=[*refs, *(one for one in rows if one not in refs)],
        impact=_impact(edit, name),
        counter=(
            f"Another assertion in {code(_test(edit))} on the same value would refute this; none says as much.",
            f"A further test with the same call of {code(name)} would refute this; none was found.",
        ),
    )


def _opening(edit: Edit) -> str:
    before, after, test = snippet(edit.before or ""), snippet(edit.after or ""), code(_test(edit))
    if _columns(edit):
        return f"Removing {before} from {test} leaves {code(_columns(edit)[0])} of its table unread"
    if edit.op is EditOp.ASSERTION_REMOVED:
        return f"Removing {before} leaves {test} with no check of that value"
    if text(edit, "by"):
        if text(edit, "by").startswith("catch "):
            return f"Weakening {before} to what a handler asserts lets {test} pass where nothing is thrown"
        if text(edit, "by").startswith("if "):
            return f"Bypassing {before} where {after} does not hold lets {test} pass unchecked"
        return f"Bypassing {before} with {after} keeps {test} from noticing"
    unread = [one for one in texts(edit, "unread") if one]
    rest = f", and nothing in it reads {code(unread[0])} any more" if unread else ""
    return f"Weakening {before} to {after} takes the value out of {test}{rest}"


def _impact(edit: Edit, name: str) -> str:
    said = snippet(edit.before or "")
    return f"A fault in {code(name)} that {said} showed comes in; the suite reports success and nobody sees it."


RULES = (Rule("assertion_weakened_code_lives", _OPS, _raise_weakened, _settle_weakened),)

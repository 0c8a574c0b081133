"""A rule of ``incomplete_change``: a tested function refuses something new, and no test knows of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked_for,
    code,
    draft,
    every,
    place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.unshown import fragments, in_tests, is_test_path
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
    Resolution,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

RULE = "refusal_without_test"
_LONGEST = 80
_QUOTED = 3
# Errors that a language or its library has for everything.
_GENERIC = re.compile(
    r"^(?:(?:Value|Type|Runtime|Key|Index|Attribute|OS|IO|Range|Syntax|Reference|Lookup|Permission|Timeout|Connection)"
    r"?(?:Error|Exception)|Illegal\w+Exception|NullPointerException|RuntimeException|UnsupportedOperationException|"
    r"IOException|IndexOutOfBoundsException|NoSuchElementException|ClassCastException|BaseException|Throwable|"
    r"errors\.\w+|fmt\.Errorf|xerrors\.\w+|io\.\w+|http\.\w+|os\.\w+|status\.\w+|)$"
)
# What says that a call is expected to fail.
_FAILS = re.compile(r"(?i)raises|throws|tothrow|rejects|expect\w*err|isinstanceof")


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    first = next(one for one in edits if one.op is edit.op and one.path == edit.path)
    name = _name(edit)
    told = fragments(text(edit, "message"))
    # A test that came along may fail the call without a word of the error.
    touched = any(_may_fail(one) for one in edits)
    moved = any(one.op in (EditOp.GUARD_REMOVED, EditOp.SYMBOL_REMOVED, EditOp.SYMBOL_RENAMED) for one in edits)
    if first.edit_id != edit.edit_id or not told or is_test_path(edit.path):
        return None
    if moved or (touched and _is_generic(edit)):
        return None
    owner = text(edit, "function").rpartition(".")[0]
    plan = [
        ask(QueryKind.TESTS, name, path=edit.path, scope=owner),
        *(ask(QueryKind.TEXT, one) for one in told),
        *([] if _is_generic(edit) else [ask(QueryKind.TEXT, _type(edit), scope="words")]),
    ]
    return seed(
        edit,
        RULE,
        change=f"{code(text(edit, 'function'))} refuses with {code(edit.subject)} where {code(text(edit, 'test'))}",
        precondition=f"tests call {code(name)}, and none knows of that error",
        consequence="the refusal can go, or come too often, without a test failing",
        refuted_if=("a test names the error or quotes its message", f"no test calls {code(name)}"),
        plan=plan,
        risk=-40,
    )


def _may_fail(edit: Edit) -> bool:
    """Whether an edit is of a test that may expect a failure newly: one that was parsed says so by a line."""
    told = edit.op in (EditOp.FAILURE_EXPECTED, EditOp.LINES_CHANGED) or not in_test(edit.path)
    return is_test_path(edit.path) and told


def _name(edit: Edit) -> str:
    return text(edit, "function").rpartition(".")[2]


def _type(edit: Edit) -> str:
    return edit.subject.rpartition(".")[2]


def _is_generic(edit: Edit) -> bool:
    return _GENERIC.match(edit.subject) is not None


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    asked = [one.name for one in question.plan if one.kind is QueryKind.TEXT]
    for words in asked:
        known = next(in_tests(every(bundle, UseFact, QueryKind.TEXT, words)), None)
        if known is not None:
            return unsettled(NoFindingCode.REFUTED, f"{place(known.ref)} has {code(words)}", refs=[known.ref])
    calls = every(bundle, CallFact, QueryKind.TESTS, _name(edit))
    failing = next((one for one in calls if _expects(one, edit)), None)
    if failing is not None:
        return unsettled(NoFindingCode.REFUTED, f"{place(failing.ref)} expects the call to fail", refs=[failing.ref])
    shown = [one for one in calls if one.fact.resolution is Resolution.RESOLVED and not one.evidence.near_change]
    if not shown:
        return blocked_for(bundle, QueryKind.TESTS, _name(edit)) or unsettled(
            NoFindingCode.NO_CANDIDATE, f"no test calls {code(_name(edit))}; {searched(bundle, QueryKind.TESTS)}"
        )
    kinds = ((QueryKind.TESTS, _name(edit)), *((QueryKind.TEXT, one) for one in asked))
    stopped = next((one for kind, name in kinds if (one := blocked_for(bundle, kind, name)) is not None), None)
    return stopped if stopped is not None else (_card(question, shown[0]),)


def _expects(one: Found[CallFact], edit: Edit) -> bool:
    """Whether a test expects the call to fail in a way that this error may be."""
    around = " ".join([*one.fact.held, *one.fact.within, *one.fact.caught, one.evidence.text])
    return _FAILS.search(around) is not None and (_is_generic(edit) or _type(edit) in around)


def _card(question: Question, call: Found[CallFact]) -> Draft:
    edit = question.edits[0]
    name, test = _name(edit), " ".join(text(edit, "test").split())
    where = f" where {code(test)}" if len(test) <= _LONGEST and "`" not in test else ""
    quoted = " or ".join(code(one) for one in fragments(text(edit, "message"))[:_QUOTED])
    also = "and the change expects no failure in one" if _is_generic(edit) else f"and none names {code(_type(edit))}"
    return draft(
        question,
        claim=f"Adding {code(edit.subject)} to {code(name)}{where} leaves that refusal without a test. No test at head "
        f"has {quoted} of its message, {also}. Tests do call {code(name)}, as at {place(call.ref)}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[call.ref],
        impact="The condition is turned round, or refuses what was allowed; every run of the suite stays green.",
        counter=(f"A test that has {code(name)} fail for this reason without naming it would refute this.",),
    )


RULES = (Rule(RULE, frozenset({EditOp.REFUSAL_ADDED}), _raise, _settle),)

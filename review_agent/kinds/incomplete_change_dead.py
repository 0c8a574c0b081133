"""Rules of ``incomplete_change`` about a block that no way leads to any more, or that runs in the opposite case."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    every,
    found,
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
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

_NEVER = re.compile(
    r"^\(?\s*(?:False|false|0)\s*\)?$|\b(?:False|false) (?:and|&&)|(?:and|&&) (?:False|false)\b|\blen\([^()]*\) < 0$"
)
_PLAIN = re.compile(
    r"(?i)(?:.*\.)?(?:log(?:ger|ging)?|console)\.\w+$|(?:.*\.)?(?:print|len|str|int|list|dict|set|append|format|printf|"
    r"println|errorf|sprintf|new|get|put|add|join|items|keys|values|isinstance|super|range|error)$"
)
_CALL = re.compile(r"([A-Za-z_][\w.]*)\(")
_OWN = re.compile(r"^(?:self|this|cls)\.")


def _telling(callees: Sequence[str]) -> list[str]:
    return [one for one in dict.fromkeys(callees) if not _PLAIN.match(one)][:2]


def _raise_cut(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if edit.op is EditOp.REST_CUT_OFF:
        dead, change = (
            texts(edit, "dead"),
            f"{code(function_of(edit))} now leaves at {snippet(edit.after or '')} on every way",
        )
    elif _NEVER.search(text(edit, "afterTest")) and not _NEVER.search(text(edit, "beforeTest")):
        dead = tuple(_CALL.findall(text(edit, "body")))
        change = f"{snippet(text(edit, 'afterTest'))} never holds, where {snippet(text(edit, 'beforeTest'))} could"
    else:
        return None
    telling = _telling(dead)
    if in_test(edit.path) or not telling or not function_of(edit):
        return None
    plan = [ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in telling]
    return seed(
        edit,
        "block_made_dead",
        change=change,
        precondition=f"{code(telling[0])} still has to be called there",
        consequence=f"{code(telling[0])} is not called from {code(function_of(edit))} any more",
        refuted_if=("the rest was meant to go, and nothing it did is missing",),
        plan=plan,
    )


def _settle_cut(question: Question, bundle: Bundle) -> Settled:
    defined = [one for one in found(bundle, DefinitionFact, QueryKind.DEFINITION) if not one.evidence.near_change]
    functions = [one for one in defined if one.fact.symbol in ("function", "method", "class")]
    if functions:
        return (_cut_card(question, functions[0]),)
    stopped = blocked(bundle, QueryKind.DEFINITION)
    return stopped or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        "what the dead statements call was not found in this repository",
        missing=(f"definition of {code(question.plan[0].name)}",),
    )


def _cut_card(question: Question, one: Found[DefinitionFact]) -> Draft:
    edit = question.edits[0]
    within, name = code(function_of(edit)), one.fact.qualname.rpartition(".")[2]
    cut = edit.op is EditOp.REST_CUT_OFF
    what = (
        f"Adding {snippet(edit.after or '')} in front of"
        if cut
        else f"Changing {snippet(text(edit, 'beforeTest'))} to {snippet(text(edit, 'afterTest'))} before"
    )
    return draft(
        question,
        claim=f"{what} the call of {code(name)} in {within} makes it dead: {place(one.ref)} is not reached from there.",
        op=EffectOp.ADDED if cut else EffectOp.CHANGED,
        subject=(edit.after or "") if cut else text(edit, "beforeTest"),
        to=None if cut else text(edit, "afterTest"),
        severity=Severity.IMPORTANT,
        support=[one.ref],
        impact=f"Every run of {within} ends before that statement, whatever it was given.",
        counter=("A way around the exit would refute this; the statements behind it stand in the same block.",)
        if cut
        else ("A value that makes the condition hold would refute this; it is a constant.",),
    )


def _raise_inverted(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    if in_test(edit.path) or not function_of(edit) or not _opposed(edit):
        return None
    leaving = text(edit, "action") in ("return", "raise", "continue", "break", "exit")
    acts = texts(edit, "following") if leaving else tuple(_CALL.findall(text(edit, "body")))
    telling = _telling(acts)
    member = _member(edit)
    if not telling and not member:
        return None
    plan = [ask(QueryKind.CALLERS, one, path=edit.path, scope=_scope_of(edit, one)) for one in telling]
    if member:
        plan.append(ask(QueryKind.LIFETIME, member, path=edit.path, scope=edit.scope.rpartition(".")[0]))
    return seed(
        edit,
        "condition_inverted",
        change=f"{snippet(before)} became its opposite {snippet(after)} in {code(function_of(edit))}",
        precondition="the block behind it is still the one for the old case",
        consequence="it runs when it must not, and does not run when it must",
        refuted_if=("other places do the same under the new test", "the block was changed along"),
        plan=plan,
    )


def _opposed(edit: Edit) -> bool:
    if text(edit, "how") == "negated":
        return True
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    pairs = (("==", "!="), ("===", "!=="), (" is not ", " is "), (" not in ", " in "))
    return any(
        before.replace(a, b, 1) == after != before or after.replace(a, b, 1) == before != after for a, b in pairs
    )


def _member(edit: Edit) -> str:
    subject = edit.subject
    if _OWN.match(subject):
        return _OWN.sub("", subject)
    receiver, _, rest = subject.partition(".")
    if edit.language == "java" and not rest and "." in edit.scope:
        return subject
    return rest if edit.language == "go" and "." in edit.scope and len(receiver) <= 3 else ""


def _scope_of(edit: Edit, callee: str) -> str:
    own = _OWN.match(callee) or (edit.language == "go" and re.match(r"\w{1,3}\.\w+$", callee) and "." in edit.scope)
    return edit.scope.rpartition(".")[0] if own else edit.scope


def _settle_inverted(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    never = _never_set(question, bundle)
    if never is not None:
        return (_never_card(question, never),)
    calls = [
        one
        for one in found(bundle, CallFact, QueryKind.CALLERS)
        if not one.fact.in_test and one.fact.scope != edit.scope
    ]
    tests = _bare(text(edit, "beforeTest")), _bare(text(edit, "afterTest"))
    as_before = [one for one in calls if _stands_behind(one, edit, tests[0])]
    as_after = [one for one in calls if _stands_behind(one, edit, tests[1])]
    outside = [one for one in as_before if not one.evidence.near_change]
    if outside and not as_after:
        return (_inverted_card(question, outside[0]),)
    if as_after:
        detail = f"{place(as_after[0].ref)} calls {code(as_after[0].fact.callee)} under the new test as well"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in as_after])
    stopped = blocked(bundle, *dict.fromkeys(one.kind for one in question.plan))
    return stopped or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE if calls else NoFindingCode.NO_CANDIDATE,
        f"no other place does the same under {snippet(text(edit, 'beforeTest'))}; searched: {searched(bundle)}",
        missing=("which of the two tests the block belongs to",) if calls else (),
        refs=[one.ref for one in calls[:2]],
    )


def _bare(test: str) -> str:
    return re.sub(r"[\s()]+", "", re.sub(r"^\s*(?:self|this|\w{1,3})\.", "", test))


def _stands_behind(one: Found[CallFact], edit: Edit, test: str) -> bool:
    tests = {_bare(before) for before in one.fact.preceded_by}
    return test in tests and bool(test)


def _inverted_card(question: Question, one: Found[CallFact]) -> Draft:
    edit = question.edits[0]
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    return draft(
        question,
        claim=f"Changing {snippet(before)} to its opposite {snippet(after)} in {code(function_of(edit))} parts it from "
        f"{place(one.ref)}, where {code(one.fact.callee)} is still called behind {snippet(before)}.",
        op=EffectOp.CHANGED,
        subject=before,
        to=after,
        severity=Severity.IMPORTANT,
        support=[one.ref],
        impact=f"Both cases of {code(edit.subject)} come about: each is now treated as the other one was.",
        counter=("A block that was turned along with its test would refute this; the calls in it are the same.",),
        uncertainty=(f"Whether {code(one.fact.scope or one.ref.path)} is the one that is in error was not followed.",),
    )


def _never_set(question: Question, bundle: Bundle) -> Found[UseFact] | None:
    """The one place that would make the test hold, if it stands behind the test itself and nowhere else."""
    edit = question.edits[0]
    member = _member(edit)
    if not member or text(edit, "action") in ("return", "raise", "continue", "break", "exit"):
        return None
    if _bare(text(edit, "afterTest")) != _bare(edit.subject) or blocked(bundle, QueryKind.LIFETIME) is not None:
        return None
    acts = {one.rpartition(".")[2] for one in _CALL.findall(text(edit, "body"))}
    start, end = number(edit, "bodyStart") or 0, number(edit, "bodyEnd") or 0
    writes = [one for one in every(bundle, UseFact, QueryKind.LIFETIME) if one.fact.use in ("write", "update")]
    setting = [
        one
        for one in writes
        if re.search(r"=\s*(?!\s|=|False\b|false\b|None\b|nil\b|null\b|0\b|\{\}|\[\]|\"\")", one.evidence.text)
    ]
    inside = [
        one
        for one in setting
        if one.fact.scope.rpartition(".")[2] in acts
        or (one.ref.path == edit.path and start <= one.ref.start_line <= end)
    ]
    outside = [one for one in inside if not one.evidence.near_change]
    if not setting or len(inside) != len(setting) or not outside:
        return None
    name = outside[0].fact.scope.rpartition(".")[2]
    others = [
        one
        for one in every(
            bundle, CallFact, QueryKind.CALLERS, next((q.name for q in question.plan if q.name.endswith(name)), name)
        )
        if one.fact.scope != edit.scope
    ]
    return None if others else outside[0]


def _never_card(question: Question, one: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    return draft(
        question,
        claim=f"Changing {snippet(before)} to {snippet(after)} in {code(function_of(edit))} makes the block "
        "behind it dead: "
        f"{code(edit.subject)} is set in {place(one.ref)} alone, which that block itself has to run.",
        op=EffectOp.CHANGED,
        subject=before,
        to=after,
        severity=Severity.IMPORTANT,
        support=[one.ref],
        impact=f"A fresh object comes to {code(function_of(edit))} with the first value; nothing ever gives it "
        "another.",
        counter=(f"Another place that sets {code(edit.subject)} would refute this; its whole life was looked at.",),
    )


RULES = (
    Rule("block_made_dead", frozenset({EditOp.REST_CUT_OFF, EditOp.CONDITION_CHANGED}), _raise_cut, _settle_cut),
    Rule("condition_inverted", frozenset({EditOp.CONDITION_CHANGED}), _raise_inverted, _settle_inverted),
)

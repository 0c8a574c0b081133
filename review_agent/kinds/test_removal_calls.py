"""What only one test had of a call: that it is refused, or an argument that may be left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import Found, code, draft, place, text, texts
from review_agent.kinds.bodies import split_top
from review_agent.kinds.tested import Life, about, given, last, relied_on
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    ParameterFact,
    Question,
    Severity,
    UseFact,
)

__all__ = ["expects", "lost_call"]

# What says that the code in it has to fail.
_EXPECTS = re.compile(
    r"[Rr]aises|assertThrow|toThrow|rejects|\bthrows\b|ThrownBy|\bfail\(|expect\(\s*(?:async\s*)?(?:\(|function|\w+\s*=>)"
)
_AROUND = re.compile(r"^(?:await )?(?:expect|assert\w*|Assert\w*\.\w+)\(")
_OWN = frozenset({"self", "cls", "this"})
_LEFT_OUT = frozenset({"var_positional", "var_keyword"})


def lost_call(question: Question, bundle: Bundle, alive: Sequence[Life]) -> Draft | None:
    """The card of the first subject of which only this test saw the refusal, or gave one of its arguments."""
    edit = question.edits[0]
    for one in alive:
        left = [hit for hit in one.tests if isinstance(hit.fact, CallFact)]
        if not one.whole or one.unclear or not left or len(left) < len(one.tests):
            continue
        refusal = _refusal(edit, one)
        if refusal and not any(expects(hit) for hit in left):
            return _refusal_card(question, bundle, one, refusal)
        lost = _argument(edit, one)
        if lost is not None:
            return _argument_card(question, bundle, one, lost)
    return None


def _refusal(edit: Edit, one: Life) -> str:
    """The failure that the test expected of a subject and that it raises still; "" where none is known."""
    raised = {last(name) for name in (one.home.fact.raises if one.home else ())}
    for said in texts(edit, "refused"):
        callee, _, failure = said.partition(" ")
        if callee == one.subject and last(failure) in raised:
            return last(failure)
    return ""


def expects(hit: Found[CallFact] | Found[UseFact]) -> bool:
    """Whether a call in a test stands where a failure is expected or looked at."""
    within, caught = (hit.fact.within, hit.fact.caught) if isinstance(hit.fact, CallFact) else ((), ())
    around = " ".join([*hit.fact.held, *within, hit.evidence.text])
    return bool(caught) or _EXPECTS.search(around) is not None or any(_AROUND.match(one) for one in within)


def _argument(edit: Edit, one: Life) -> ParameterFact | None:
    """A parameter that may be left out, and that every call of the subject in the tests left leaves out."""
    home = one.home
    calls = [split_top(call[1:-1]) for call in given(edit, one.subject) if "..." not in call and "*" not in call]
    facts = [hit.fact for hit in one.tests if isinstance(hit.fact, CallFact)]
    if home is None or not calls or not about(edit, one.subject) or any(_is_open(fact) for fact in facts):
        return None
    wanted = [param for param in home.fact.parameters if param.name not in _OWN]
    free = [(at, param) for at, param in enumerate(wanted) if param.default or param.kind in _LEFT_OUT]
    for at, param in free:
        ours = any(_gives([part.strip() for part in call if part.strip()], at, param) for call in calls)
        written = [[_written(arg.keyword, arg.text) for arg in fact.arguments] for fact in facts]
        if ours and not any(_gives(parts, at, param) for parts in written):
            return param
    return None


def _is_open(fact: CallFact) -> bool:
    return any(one.star or one.text.endswith("...") for one in fact.arguments)


def _written(keyword: str | None, value: str) -> str:
    return f"{keyword}={value}" if keyword else value


def _gives(parts: Sequence[str], at: int, param: ParameterFact) -> bool:
    named = [part for part in parts if re.match(r"\w+=(?!=)", part)]
    plain = len(parts) - len(named)
    by_name = any(part.startswith(f"{param.name}=") for part in named)
    return by_name or (param.kind not in ("keyword_only", "var_keyword") and plain > at)


def _how(edit: Edit) -> str:
    if edit.op is EditOp.TEST_SKIPPED:
        return f"Skipping {code(edit.subject)} by {snippet(text(edit, 'by'))}"
    return f"Deleting {code(edit.subject)}"


def _refusal_card(question: Question, bundle: Bundle, one: Life, failure: str) -> Draft | None:
    edit, name = question.edits[0], last(one.subject)
    support, relied = relied_on(bundle, one)
    if not support or one.home is None:
        return None
    return draft(
        question,
        claim=f"{_how(edit)} leaves it to no test that {code(name)} refuses with {code(failure)}: "
        f"{place(one.home.ref)} raises it still{relied}, and every call of {code(name)} in a test left has to succeed.",
        op=EffectOp.WEAKENED if edit.op is EditOp.TEST_SKIPPED else EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=support,
        impact=f"A later change lets through what {snippet(one.subject + _first(edit, one))} stands for; every "
        "remaining test passes.",
        counter=(
            f"A test elsewhere that expects {code(failure)} of {code(name)} would refute this; its calls in tests at "
            "head expect none.",
        ),
    )


def _first(edit: Edit, one: Life) -> str:
    return next(iter(given(edit, one.subject)), "")


def _argument_card(question: Question, bundle: Bundle, one: Life, lost: ParameterFact) -> Draft | None:
    edit, name = question.edits[0], last(one.subject)
    support, relied = relied_on(bundle, one)
    if not support or one.home is None:
        return None
    return draft(
        question,
        claim=f"{_how(edit)} leaves the {code(lost.name)} of {code(name)} to no test: {place(one.home.ref)} takes it "
        f"still{relied}, and every call of {code(name)} in a test left goes without.",
        op=EffectOp.WEAKENED if edit.op is EditOp.TEST_SKIPPED else EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=support,
        impact=f"A later change breaks what {snippet(one.subject + _first(edit, one))} was held to; every remaining "
        "test passes.",
        counter=(
            f"A test elsewhere that gives {code(name)} a {code(lost.name)} would refute this; the search of test files "
            "found none.",
        ),
    )

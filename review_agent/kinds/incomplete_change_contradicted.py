"""A rule of ``incomplete_change``: a block whose own test can no longer hold under the test around it."""

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
    found,
    number,
    place,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.functions import function_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.edits.conditions import implies, negated, parse
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
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

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_WORDS = frozenset({"not", "and", "or", "is", "in", "None", "nil", "null", "true", "false", "True", "False"})
_TESTS = re.compile(r"\b(?:if|elif|when|unless)\b")


def _contradicted(edit: Edit) -> str:
    """The first test in the block that the test around it now rules out, and did not before; "" for none."""
    before, after = parse(text(edit, "beforeTest")), parse(text(edit, "afterTest"))
    for nested in texts(edit, "nested"):
        never = negated(parse(nested))
        if implies(after, never) and not implies(before, never):
            return nested
    return ""


def _name(test: str) -> str:
    return next((one for one in _NAME.findall(test) if one not in _WORDS), "")


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    nested = _contradicted(edit)
    name = _name(nested)
    if in_test(edit.path) or not name or not function_of(edit):
        return None
    return seed(
        edit,
        "block_contradicted",
        change=f"{snippet(text(edit, 'beforeTest'))} became {snippet(text(edit, 'afterTest'))} around a block that "
        f"asks for {snippet(nested)}",
        precondition=f"the block behind {snippet(nested)} is still wanted",
        consequence="what it does is never done any more",
        refuted_if=(
            f"{code(name)} changes between the two tests",
            f"the block behind {snippet(nested)} was taken out along",
        ),
        plan=(ask(QueryKind.USES_INSIDE, name, path=edit.path, scope=edit.scope),),
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    nested = _contradicted(edit)
    uses = found(bundle, UseFact, QueryKind.USES_INSIDE)
    inner = [one for one in uses if _is_the_test(edit, one, nested)]
    outside = [one for one in inner if not one.evidence.near_change]
    if outside:
        return (_card(question, nested, outside[0]),)
    stopped = blocked(bundle, QueryKind.USES_INSIDE)
    if stopped is not None or not inner:
        return stopped or unsettled(NoFindingCode.REFUTED, f"no block behind {snippet(nested)} was found at head")
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"the block behind {snippet(nested)} stands in the change itself",
        missing=(f"a use of {code(_name(nested))} outside the change",),
        refs=[inner[0].ref],
    )


def _is_the_test(edit: Edit, one: Found[UseFact], nested: str) -> bool:
    inside = (number(edit, "bodyStart") or 0) <= one.ref.start_line <= (number(edit, "bodyEnd") or 0)
    said = one.evidence.text
    bare = re.sub(r"\s+", "", nested)
    return inside and _TESTS.search(said) is not None and bare in re.sub(r"\s+", "", said)


def _card(question: Question, nested: str, one: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    within = code(function_of(edit))
    return draft(
        question,
        claim=f"Changing {snippet(before)} to {snippet(after)} in {within} makes the block at {place(one.ref)} dead: "
        f"it asks for {snippet(nested)}, which the test around it now rules out.",
        op=EffectOp.CHANGED,
        subject=before,
        to=after,
        severity=Severity.IMPORTANT,
        support=[one.ref],
        impact=f"{within} runs with {snippet(nested)}, the case that line {one.ref.start_line} is there for; what it "
        "would do then is left out without a word.",
        counter=(
            f"A new value for {code(_name(nested))} between the two tests would refute this; nothing sets it there.",
        ),
    )


RULES = (Rule("block_contradicted", frozenset({EditOp.CONDITION_CHANGED}), _raise, _settle),)

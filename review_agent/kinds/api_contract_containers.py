"""A rule of ``api_contract``: a result that is now another container, and a caller that treats it as the old one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    blocked,
    code,
    draft,
    found,
    place,
    same_place,
    searched,
    seed,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.failures import excerpt_around
from review_agent.kinds.functions import (
    called,
    function_of,
    nested,
    plan_of_calls,
)
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.words import whole_name
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


_MUTATES = (
    r"(?:append|add|extend|insert|remove|sort|pop|push|put|clear|update|addAll|removeIf|splice|unshift|reverse|shift|"
    r"discard)"
)
# What a caller does to a value that the new container does not let it do.
_REFUSES = {
    "generator": (
        r"\blen\({v}\)|{v}\[|{v}\." + _MUTATES + r"\(|\bif not {v}|\bif {v}:|{v} \+ ",
        "which a generator does not have",
    ),
    "view": (r"{v}\[\d|{v}\." + _MUTATES + r"\(", "which a view does not have"),
    "tuple": (r"{v}\." + _MUTATES + r"\(|{v}\[[^\]]+\] = ", "which a tuple does not have"),
    "frozen list": (
        r"{v}\." + _MUTATES + r"\(|{v}\.set\(|{v}\[[^\]]+\] = |Collections\.sort\({v}",
        "which it refuses now",
    ),
    "frozen set": (r"{v}\." + _MUTATES + r"\(", "which it refuses now"),
    "frozen map": (r"{v}\." + _MUTATES + r"\(|{v}\[[^\]]+\] = ", "which it refuses now"),
    "set": (
        r"{v}\[\d|{v}\.(?:append|sort|insert|get|push|pop|map|filter|slice|reduce|indexOf)\(|{v}\[[-:]|{v}\.length\b",
        "which a set does not have",
    ),
    "dict": (r"{v}\.(?:append|add|sort)\(", "which a dict does not have"),
}


def _raise_container(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if nested(edit) or (edit.after or "") not in _REFUSES:
        return None
    name = called(function_of(edit))[1]
    return seed(
        edit,
        "result_container_changed",
        change=f"{code(name)} gives a {edit.after} where it gave a {edit.before}",
        precondition=f"a caller does with it what a {edit.after} does not allow",
        consequence="that caller fails",
        refuted_if=("every resolved caller only reads or iterates it",),
        plan=plan_of_calls(edit)[1:],
    )


def _settle_container(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS) if not one.fact.in_test]
    outside = [one for one in worst_first(question, calls) if not same_place(question, one.ref)]
    for one in outside:
        line = _refused(edit, bundle, one)
        if line:
            return (_container_card(question, name, one, line),)
    stopped = blocked(bundle, QueryKind.CALLERS)
    if stopped is not None:
        return stopped
    if not outside:
        return unsettled(
            NoFindingCode.NO_CANDIDATE, f"no caller of {code(name)} outside the change; searched: {searched(bundle)}"
        )
    return unsettled(
        NoFindingCode.REFUTED,
        f"no caller of {code(name)} that was read does with the result what a {edit.after} refuses; "
        f"{place(outside[0].ref)} is one",
        refs=[one.ref for one in outside[:3]],
    )


def _refused(edit: Edit, bundle: Bundle, one: Found[CallFact]) -> str:
    """The act of a caller that the new container refuses, as it is written; "" for none."""
    shape, _ = _REFUSES[edit.after or ""]
    chained = re.escape(one.fact.callee) + r"\([^()]*\)"
    around = excerpt_around(bundle, one.ref)
    lines = around.text.splitlines()[one.ref.start_line - around.ref.start_line :] if around else [one.evidence.text]
    for value in (*(whole_name(target) for target in one.fact.targets), chained):
        pattern = re.compile(shape.replace("{v}", value))
        for line in lines:
            if re.match(rf"\s*(?:const |let |var |final )?{value} :?= ", line) and line != lines[0]:
                break
            if pattern.search(line):
                return line.strip()
    return ""


def _container_card(question: Question, name: str, one: Found[CallFact], line: str) -> Draft:
    edit = question.edits[0]
    around = code(one.fact.scope) if one.fact.scope else "that module"
    act = re.sub(r"\s+", " ", line)[:80]
    return draft(
        question,
        claim=f"Changing what {code(name)} gives from a {edit.before} to a {edit.after} breaks {around}, which "
        "takes it at "
        f"{place(one.ref)} and goes on with {code(act)}, {_REFUSES[edit.after or ''][1]}.",
        op=EffectOp.CHANGED,
        subject=name,
        severity=Severity.IMPORTANT,
        support=[one.ref],
        impact="Control comes to that statement with the new result; up to there nothing turns it back.",
        counter=(f"A copy into a {edit.before} at the call would refute this; {place(one.ref)} makes none.",),
    )


RULES = (
    Rule("result_container_changed", frozenset({EditOp.RESULT_CONTAINER_CHANGED}), _raise_container, _settle_container),
)

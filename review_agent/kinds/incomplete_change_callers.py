"""Rules of ``incomplete_change`` about calls: a value worked on before all but one of the calls that take it, a clock
or a helper changed where a value is made and not where it is met, a method renamed in all but one of its types."""

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
    searched,
    seed,
    texts,
    unsettled,
)
from review_agent.kinds.occurrences import is_text
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.settings import distinctive
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
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
    UseFact,
)

__all__ = ["RULES"]

_WORKED = re.compile(r"^(?:\0\s*[*/+-]\s*[\w.]+|[\w.]+\s*[*+]\s*\0|[\w.]+\(\0\)|\0\.\w+\(\))$")
_PLAIN = re.compile(
    r"^(?:str|int|float|len|list|String|Number|repr|bool|string|int64|\0\.toString|\0\.String|\0\.strip)\b"
)
_OWN = re.compile(r"^(?:self|this)\.")


def _work(edit: Edit) -> str:
    """What is now done to an argument before it is passed, with a hole for what was passed; "" for another change."""
    before, after = (edit.before or "").strip(), (edit.after or "").strip()
    if not before or after.count(before) != 1 or is_text(before):
        return ""
    work = after.replace(before, "\0")
    return work if _WORKED.match(work) and not _PLAIN.match(work) else ""


def _raise_argument(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    work, index = _work(edit), number(edit, "index")
    if not work or in_test(edit.path) or index is None or index < 0:
        return None
    same = [one for one in edits if _alike(edit, one, work)]
    if len(same) < 2 or same[0].edit_id != edit.edit_id:
        return None
    own = _OWN.match(edit.subject)
    scope = edit.scope.rpartition(".")[0] if own else edit.scope
    return seed(
        edit,
        "argument_step_left_out",
        change=f"{len(same)} calls of {code(edit.subject)} now pass {snippet(edit.after or '')} for "
        f"{snippet(edit.before or '')}",
        precondition=f"another call of {code(edit.subject)} passes the value as it comes",
        consequence=f"{code(edit.subject)} gets two kinds of values",
        refuted_if=("every call does the same", "the value was worked on before"),
        plan=(ask(QueryKind.CALLERS, edit.subject, path=edit.path, scope=scope),),
        others=same[1:],
    )


def _alike(edit: Edit, one: Edit, work: str) -> bool:
    same = (one.op, one.subject.rpartition(".")[2], number(one, "index")) == (
        edit.op,
        edit.subject.rpartition(".")[2],
        number(edit, "index"),
    )
    return same and _work(one) == work and not in_test(one.path)


def _settle_argument(question: Question, bundle: Bundle) -> Settled:
    edit, work = question.edits[0], _work(question.edits[0])
    index = number(edit, "index") or 0
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS) if not one.fact.in_test]
    given = [(one, one.fact.arguments[index].text) for one in calls if len(one.fact.arguments) > index]
    left = [(one, value) for one, value in given if not _is_worked(work, value) and not _was_worked(work, one, index)]
    outside = [(one, value) for one, value in left if not one.evidence.near_change and _as_plain(edit, value)]
    stopped = blocked(bundle, QueryKind.CALLERS)
    if stopped is not None:
        return stopped
    if len(left) == 1 and outside:
        return (_argument_card(question, *outside[0]),)
    return unsettled(
        NoFindingCode.REFUTED
        if calls and not left
        else NoFindingCode.INSUFFICIENT_EVIDENCE
        if left
        else NoFindingCode.NO_CANDIDATE,
        f"no one call of {code(edit.subject)} alone passes the value as it comes; searched: {searched(bundle)}",
        missing=(f"which calls of {code(edit.subject)} pass values of the old kind",) if left else (),
        refs=[one.ref for one, _ in (left or given)[:3]],
    )


def _is_worked(work: str, value: str) -> bool:
    lead, _, tail = work.partition("\0")
    return value.startswith(lead) and value.endswith(tail) and len(value) > len(lead + tail)


def _was_worked(work: str, one: Found[CallFact], index: int) -> bool:
    origin = one.fact.arguments[index].origin
    return bool(origin) and _is_worked(work, origin)


def _as_plain(edit: Edit, value: str) -> bool:
    """Whether a value is had as the changed ones were: the same member or name."""
    return re.findall(r"\w+", value)[-1:] == re.findall(r"\w+", edit.before or "")[-1:]


def _argument_card(question: Question, one: Found[CallFact], value: str) -> Draft:
    edit = question.edits[0]
    name = code(edit.subject.rpartition(".")[2])
    return draft(
        question,
        claim=f"Changing {snippet(edit.before or '')} to {snippet(edit.after or '')} in the calls of {name} leaves "
        f"{place(one.ref)} behind: it still passes {snippet(value)} as it comes.",
        op=EffectOp.CHANGED,
        subject=edit.before or "",
        to=edit.after,
        severity=Severity.IMPORTANT,
        support=[one.ref],
        impact=f"{code(one.fact.scope or one.ref.path)} runs: {name} takes its value for one of the new kind.",
        counter=(
            f"A value that was worked on before would refute this; nothing is seen to do so before {place(one.ref)}.",
        ),
    )


_SET_BY = r"(?P<target>[A-Za-z_][\w.]*(?:\[[^\]]+\])?)\s*:?=\s*.*{word}\("


def _targets(edit: Edit) -> tuple[str, ...]:
    """What the changed lines set by the new call, where it outlives the line: attributes and elements."""
    shape = re.compile(_SET_BY.replace("{word}", whole_name(edit.after or "")))
    found_ = [one["target"] for line in texts(edit, "texts") if (one := shape.search(line))]
    return tuple(dict.fromkeys(one for one in found_ if "." in one or "[" in one))


def _raise_clock(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    before, after = edit.before or "", edit.after or ""
    if in_test(edit.path) or is_text(before) or not _targets(edit) or after in ("log", "debug", "info"):
        return None
    return seed(
        edit,
        "made_and_met_differ",
        change=f"{code(_targets(edit)[0])} is now made by {code(after)}, no longer by {code(before)}",
        precondition=f"another line sets it against {code(before)}",
        consequence="the two are of different kinds",
        refuted_if=(f"nothing else puts {code(before)} beside {code(_targets(edit)[0])}",),
        plan=(ask(QueryKind.TEXT, f"{before}("),),
    )


def _settle_clock(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    word = re.compile(rf"{whole_name(edit.before or '')}\(")
    for one in found(bundle, UseFact, QueryKind.TEXT):
        if one.evidence.near_change or one.fact.in_test or not word.search(one.evidence.text):
            continue
        met = next((target for target in _targets(edit) if _meets(edit, target, one)), "")
        if met:
            return (_clock_card(question, one, met),)
    return blocked(bundle, QueryKind.TEXT) or unsettled(
        NoFindingCode.NO_CANDIDATE,
        f"nothing puts {code(edit.before or '')} beside {code(_targets(edit)[0])}; searched: {searched(bundle)}",
    )


def _meets(edit: Edit, target: str, one: Found[UseFact]) -> bool:
    """Whether a line reads what the changed line sets: the own member in the same file, else a name of its own."""
    if _OWN.match(target) and one.ref.path != edit.path:
        return False
    key = re.search(r"\[[\"'](\w+)[\"']\]$", target)
    last = key[1] if key else target.rpartition(".")[2]
    line = one.evidence.text
    sets = re.match(rf"\s*[\w.]*{whole_name(last)}\S*\s*:?=[^=]", line)
    near = one.ref.path == edit.path or distinctive(last)
    return near and not sets and re.search(whole_name(last), line) is not None


def _clock_card(question: Question, one: Found[UseFact], target: str) -> Draft:
    edit = question.edits[0]
    before, after = code(edit.before or ""), code(edit.after or "")
    return draft(
        question,
        claim=f"Changing {before} to {after} where {code(target)} is set leaves {place(one.ref)} behind: it still "
        f"puts {code(target)} "
        f"beside what {before} gives.",
        op=EffectOp.CHANGED,
        subject=edit.before or "",
        to=edit.after,
        severity=Severity.IMPORTANT,
        support=[one.ref],
        impact="Control reaches that line after the changed one: two values of different kinds are compared or "
        "subtracted.",
        counter=(f"A conversion between {before} and {after} on that line would refute this; it has none.",),
    )


RULES = (
    Rule("argument_step_left_out", frozenset({EditOp.ARGUMENT_CHANGED}), _raise_argument, _settle_argument),
    Rule("made_and_met_differ", frozenset({EditOp.TEXT_REPLACED}), _raise_clock, _settle_clock),
)

"""Rules of ``serialization``: one of a pair of codecs changed, or a format, while what undoes it keeps the old one."""

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
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.bodies import named
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wire_codecs import counterpart, paired
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
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

_CALLS = frozenset({EditOp.CALL_REPLACED, EditOp.CALL_REMOVED})
# Names under which different libraries write the same text.
_ALIKE = re.compile(r"^(?:json|orjson|ujson|simplejson|rapidjson|jsonutil|standard)[._]")
_FORMATTING = named("strftime format Format pack encode toString printf AppendFormat print toFormat pack_into")
_PARSING = named("strptime parse Parse unpack decode from parseExact ParseInLocation fromFormat")
_EITHER = named("ofPattern forPattern SimpleDateFormat compile Struct")


def _raise_codec(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    undoing = counterpart(edit.subject)
    now = counterpart(text(edit, "newCallee")) if edit.op is EditOp.CALL_REPLACED else ""
    same = now == undoing or (_ALIKE.match(undoing) and _ALIKE.match(now))
    gone = edit.op is EditOp.CALL_REMOVED and (edit.facts.get("remaining") or edit.facts.get("elsewhere"))
    if not undoing or same or gone or in_test(edit.path) or not function_of(edit) or not _leads(edit, edits):
        return None
    if _extracted(edit, edits):
        return None
    name = split(function_of(edit))[1]
    asked = undoing.rpartition(".")[2] if undoing.count(".") < 2 else undoing
    return seed(
        edit,
        "codec_changed",
        change=f"{code(name)} no longer runs {code(edit.subject)}",
        precondition=f"what goes the other way still runs {code(undoing)}",
        consequence="the one cannot read what the other writes",
        refuted_if=(f"nothing runs {code(undoing)} on it any more", "the other side was changed along"),
        plan=[ask(QueryKind.TEXT, asked, scope="calls"), *_other(now)],
        risk=2,
    )


def _extracted(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether what is called in its place is a function that the change adds, and that runs it."""
    return any(
        one.op is EditOp.SYMBOL_ADDED and one.subject == text(edit, "newName") and edit.subject in texts(one, "calls")
        for one in edits
    )


def _leads(edit: Edit, edits: Sequence[Edit]) -> bool:
    """One question for all calls of a codec in a function; what a stream is made of is told by its order."""
    same = [one for one in edits if one.op in _CALLS and one.subject == edit.subject]
    mine = [one for one in same if (one.path, function_of(one)) == (edit.path, function_of(edit))]
    return mine[0].edit_id == edit.edit_id and not re.match(r"(?:write|read)[A-Z]", text(edit, "name"))


def _other(now: str) -> list[PlanQuery]:
    return [ask(QueryKind.TEXT, now.rpartition(".")[2], scope="calls")] if now else []


def _settle_codec(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    undoing, now = counterpart(edit.subject), counterpart(text(edit, "newCallee"))
    calls = [one for one in found(bundle, CallFact, QueryKind.TEXT) if not one.fact.in_test]
    both = {(one.ref.path, one.fact.scope) for one in calls if now and _is(one, now)}
    left = [one for one in calls if _is(one, undoing) and not one.evidence.near_change]
    name = split(function_of(edit))[1]
    linked = [one for one in left if paired(name, split(one.fact.scope)[1]) or _same_owner(edit, one)]
    stale = [one for one in linked if (one.ref.path, one.fact.scope) not in both]
    if stale:
        return (_codec_card(question, undoing, worst_first(question, stale)[0]),)
    stopped = blocked(bundle, QueryKind.TEXT)
    if stopped is not None:
        return stopped
    if linked:
        detail = f"{place(linked[0].ref)} goes both ways"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in linked])
    if left:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(left[0].ref)} runs {code(undoing)}; that it does on what {code(name)} makes is not established",
            missing=(f"what reads the value of {code(name)}",),
            refs=[left[0].ref],
        )
    return unsettled(NoFindingCode.NO_CANDIDATE, f"nothing runs {code(undoing)}; {searched(bundle, QueryKind.TEXT)}")


def _is(one: Found[CallFact], callee: str) -> bool:
    bare = re.sub(r"\([^()]*\)", "", one.fact.callee)
    return bare == callee or bare.endswith(f".{callee}") or f".{callee}." in f".{bare}."


def _same_owner(edit: Edit, one: Found[CallFact]) -> bool:
    """Whether both stand in the same class, which is about one written form, or in one file with this one pair."""
    mine, theirs = split(function_of(edit))[0], split(one.fact.scope)[0]
    return one.ref.path == edit.path and mine == theirs and one.fact.scope != function_of(edit)


def _codec_card(question: Question, undoing: str, one: Found[CallFact]) -> Draft:
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    new = text(edit, "newCallee")
    replaced = edit.op is EditOp.CALL_REPLACED
    head = f"Replacing {code(edit.subject)} by {code(new)}" if replaced else f"Removing {code(edit.subject)}"
    return draft(
        question,
        claim=f"{head} in {code(name)} leaves {place(one.ref)} behind: {code(split(one.fact.scope)[1])} still runs "
        f"{code(one.fact.callee)}, which undoes the old one.",
        op=EffectOp.CHANGED if replaced else EffectOp.REMOVED,
        subject=edit.subject,
        to=new or None if replaced else None,
        severity=Severity.BLOCKING,
        support=[one.ref],
        impact=f"A value passes from {code(name)} to that line, or one stored before the change comes back: what is "
        "read is garbage or an error.",
        counter=(f"A reader that tells both forms apart would refute this; {place(one.ref)} knows one.",),
    )


def _raise_format(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    was, now = _FORM.fullmatch(edit.before or ""), _FORM.fullmatch(edit.after or "")
    name = text(edit, "name")
    if not was or not now or name not in _FORMATTING | _PARSING | _EITHER or in_test(edit.path):
        return None
    within = split(function_of(edit))[1] or edit.path
    return seed(
        edit,
        "format_changed",
        change=f"{code(within)} now uses the format {code(_form(now))} where it used {code(_form(was))}",
        precondition=f"what goes the other way still uses {code(_form(was))}",
        consequence="the one cannot read what the other writes",
        refuted_if=("the other side uses the new format", "the two never meet"),
        plan=[ask(QueryKind.TEXT, _form(was), scope="calls")],
        risk=2,
    )


# A format: a literal, or a constant of the library or of one's own.
_FORM = re.compile(r"[rb]?[\"'`]([^\"'`]{2,60})[\"'`]|((?:\w+\.)+[A-Z]\w+|[A-Z][A-Z0-9_]{3,})")


def _form(found: re.Match[str]) -> str:
    return found[1] or found[2]


def _settle_format(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    wanted = _PARSING | _EITHER if text(edit, "name") in _FORMATTING else _FORMATTING | _EITHER
    wanted |= _EITHER | _FORMATTING | _PARSING if text(edit, "name") in _EITHER else frozenset()
    calls = [one for one in found(bundle, CallFact, QueryKind.TEXT) if one.fact.callee.rpartition(".")[2] in wanted]
    left = [one for one in calls if not one.fact.in_test and not one.evidence.near_change]
    linked = [
        one for one in left if paired(name, split(one.fact.scope)[1]) or (one.ref.path == edit.path and len(left) == 1)
    ]
    if linked and {_literal(edit.before), _literal(edit.after)} == {"base64", "base64url"}:
        return unsettled(NoFindingCode.REFUTED, "either alphabet is read under both names", refs=[linked[0].ref])
    if linked:
        return (_format_card(question, worst_first(question, linked)[0]),)
    stopped = blocked(bundle, QueryKind.TEXT)
    if stopped is not None:
        return stopped
    if left:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(left[0].ref)} uses the old format; that it meets what {code(name)} handles is not established",
            missing=(f"what goes the other way than {code(name)}",),
            refs=[left[0].ref],
        )
    return unsettled(NoFindingCode.NO_CANDIDATE, f"nothing uses the old format; {searched(bundle, QueryKind.TEXT)}")


def _literal(written: str | None) -> str:
    return (written or "").strip("\"'`")


def _format_card(question: Question, one: Found[CallFact]) -> Draft:
    edit = question.edits[0]
    name = split(function_of(edit))[1] or edit.path
    other = code(split(one.fact.scope)[1] or one.ref.path)
    return draft(
        question,
        claim=f"Changing the format of {code(text(edit, 'name'))} in {code(name)} to {snippet(edit.after or '')} "
        f"leaves {place(one.ref)} behind: {code(one.fact.callee)} in {other} still goes "
        f"by {snippet(edit.before or '')}.",
        op=EffectOp.CHANGED,
        subject=edit.before or edit.subject,
        to=edit.after,
        severity=Severity.BLOCKING,
        support=[one.ref],
        impact="A value written on one side comes to the other: it is refused, or its parts are mistaken.",
        counter=(f"A second attempt with the new format would refute this; {place(one.ref)} knows one.",),
    )


RULES = (
    Rule("codec_changed", _CALLS, _raise_codec, _settle_codec),
    Rule("format_changed", frozenset({EditOp.ARGUMENT_CHANGED}), _raise_format, _settle_format),
)

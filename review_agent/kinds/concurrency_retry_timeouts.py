"""A rule of ``concurrency_retry``: a wait that lost its limit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    code,
    draft,
    every,
    found,
    listed,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.concurrency_retry_limits import in_a_chain, took, unused, waits_no_more
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.holding import hold_kind
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

_LIMIT = re.compile(r"time_?out|deadline|AbortSignal", re.IGNORECASE)
_LIMITING = re.compile(
    r"^(?:With(?:Timeout|Deadline)(?:Cause)?|set_?timeout|set_?so_?timeout|set(?:Connect|Read|Request)Timeout|"
    r"Set(?:Read|Write)?Deadline|connectTimeout|readTimeout|timeout|orTimeout|wait_for|fail_after|move_on_after|timeout_at)$",
    re.IGNORECASE,
)
_NONE = frozenset({"None", "null", "undefined", "0", "nil", "0.0", "-1", "Duration.ZERO"})
_ENDLESS = re.compile(r"^context\.(?:Background|TODO)\(\)$|^context\.WithoutCancel\(")
# Waits that take how long as a place, not by name: Java's and Python's queues, futures, locks.
_PLACED_WORDS = "get poll await join acquire tryLock tryAcquire awaitTermination wait offer"
_PLACED = frozenset(_PLACED_WORDS.split())
_UNITS = re.compile(r"TimeUnit|SECONDS|MILLIS|Duration|timeout|deadline|time\.(?:Second|Milli)", re.IGNORECASE)
# What asks by itself, without a client that could have a default.
_LIBRARIES = re.compile(r"^(?:requests|urllib(?:\.request)?|subprocess|socket|http|httpx|aiohttp|time)$")
_ADAPTS = re.compile(r"(?:kwargs|request|options)\b.*timeout|setdefault\([^)]*timeout")
# A limit inside a value that was rewritten as a whole.
_VALUED = re.compile(r"\b\w*(?:time_?out|deadline)\w*\s*[:=]\s*[^,})]+", re.IGNORECASE)
_CHANGED = (EditOp.ARGUMENT_CHANGED, EditOp.ENTRY_CHANGED)
# Their own default ends a wait.
_BOUNDED = re.compile(r"\bhttpx\.|\baiohttp\.|\bHttpx\b|timeout\s*[=:]|Timeout[(:]|with_?timeout", re.IGNORECASE)


def _limit(edit: Edit) -> str:
    """The text of the limit that went; "" where the edit is about something else."""
    if edit.op is EditOp.ARGUMENT_REMOVED:
        return _argument(edit)
    if edit.op is EditOp.ARGUMENT_CHANGED:
        named = _LIMIT.search(text(edit, "keyword")) is not None and edit.after in _NONE
        endless = _ENDLESS.match(edit.after or "") and re.search(r"ctx|context", edit.before or "", re.IGNORECASE)
        return (edit.before or "") if named or endless else ""
    lost = _VALUED.search(edit.before or "") if edit.op in _CHANGED else None
    if lost is not None and not _LIMIT.search(edit.after or ""):
        return lost[0].strip()
    if edit.op in (EditOp.ENTRY_REMOVED, EditOp.ENTRY_CHANGED):
        key = text(edit, "key") or edit.subject
        gone = edit.op is EditOp.ENTRY_REMOVED or edit.after in _NONE
        return key if gone and (_LIMIT.search(key) or _LIMIT.search(edit.before or "")) else ""
    if edit.op is EditOp.BLOCK_REMOVED:
        return edit.subject if re.search(r"timeout|fail_after|move_on_after", edit.subject) else ""
    if text(edit, "name") == "setTimeout" and not text(edit, "receiver"):
        return ""
    lives = edit.op is EditOp.CALL_REPLACED and _LIMITING.match(text(edit, "newName"))
    if lives or not _LIMITING.match(text(edit, "name")):
        return ""
    return edit.subject if re.fullmatch(r"[\w.]+", edit.subject) else text(edit, "name")


def _argument(edit: Edit) -> str:
    keyword, gone = text(edit, "keyword"), edit.before or ""
    if _LIMIT.search(keyword):
        return f"{keyword}={gone}"
    placed = text(edit, "name") in _PLACED and not keyword
    return gone if _LIMIT.search(gone) or (placed and _UNITS.search(gone)) else ""


def _added_elsewhere(edit: Edit, edits: Sequence[Edit]) -> list[Edit]:
    """Edits of the file by which a limit comes in at another place."""
    ops = (EditOp.ARGUMENT_ADDED, EditOp.ENTRY_ADDED, EditOp.CALL_ADDED, EditOp.ASSIGNMENT_ADDED)
    added = [one for one in edits if one.op in ops and one.path == edit.path]
    said = [(one, (text(one, "keyword"), text(one, "key"), one.subject, one.after or "")) for one in added]
    return [one for one, words in said if _LIMIT.search(" ".join(words))]


def _waits(edit: Edit) -> str:
    """What waits without the limit now."""
    if edit.op in (EditOp.ENTRY_REMOVED, EditOp.ENTRY_CHANGED):
        return text(edit, "call") or text(edit, "type") or text(edit, "target") or edit.scope
    if edit.op is EditOp.BLOCK_REMOVED:
        return next(iter(texts(edit, "living")), edit.scope)
    if edit.op in (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED):
        receiver = text(edit, "receiver")
        return receiver if re.fullmatch(r"[\w.]+", receiver) and receiver != "context" else function_of(edit)
    return edit.subject


def _raise_dropped(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    limit = _limit(edit)
    told = any(one.op is EditOp.ENTRY_REMOVED and _limit(one) and one.scope == edit.scope for one in edits)
    if in_test(edit.path) or not limit or (told and edit.op in _CHANGED):
        return None
    if in_a_chain(edit, edits):
        return None
    function = function_of(edit)
    scope, name = called(function)
    waits = _waits(edit)
    receiver = waits.rpartition(".")[0] if edit.op not in (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED) else waits
    owner = function.rpartition(".")[0]
    plan = []
    if function:
        plan.append(ask(QueryKind.CALLERS, name, path=edit.path, scope=scope))
        if took(edit):
            plan.append(ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope))
    elif text(edit, "target"):
        plan.append(ask(QueryKind.CALLERS, text(edit, "target"), path=edit.path))
    if receiver:
        plan.append(ask(QueryKind.SIBLINGS, waits if "." in waits else f"{waits}.x", path=edit.path, scope=edit.scope))
    if receiver.startswith(("self.", "this.")) or (receiver.count(".") == 1 and owner):
        plan.append(ask(QueryKind.LIFETIME, receiver.partition(".")[2], path=edit.path, scope=owner))
    elif receiver.isidentifier():
        plan.append(ask(QueryKind.DEFINITION, receiver, path=edit.path, scope=edit.scope))
        plan.append(ask(QueryKind.USES_INSIDE, receiver, path=edit.path, scope=edit.scope))
    if edit.language == "python" and receiver and not _LIBRARIES.match(receiver):
        plan.append(ask(QueryKind.TEXT, 'timeout"', path="*.py"))
    member = text(edit, "target")
    if member.startswith(("self.", "this.")) and owner:
        plan.append(ask(QueryKind.LIFETIME, member.partition(".")[2], path=edit.path, scope=owner))
    return seed(
        edit,
        "timeout_dropped",
        change=f"{code(waits)} lost its limit {code(limit)}",
        precondition="the other side can stop answering, and nothing else limits the wait",
        consequence="the caller hangs, with everything that waits for it",
        refuted_if=(
            "a default of the session, client or library limits the wait",
            "the caller limits it, by a deadline or a timeout around",
            "the limit was moved to where the client is made",
        ),
        plan=plan[:8],
        others=_added_elsewhere(edit, edits)[:4],
    )


def _settle_dropped(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    bounded = unused(edit, bundle) or waits_no_more(edit, bundle) or _bounded(question, bundle)
    if bounded is not None:
        return bounded
    calls = callers_of(bundle, edit) if function_of(edit) else _users(bundle, edit)
    limited = [one for one in calls if _BOUNDED.search(f"{one.evidence.text} {' '.join(one.fact.held)}")]
    open_calls = [one for one in calls if one not in limited and not one.evidence.near_change]
    if calls and len(limited) == len(calls):
        detail = f"every resolved caller limits the wait itself, {place(limited[0].ref)} first"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in limited])
    callers = worst_first(question, open_calls)
    callers.sort(key=lambda one: (not any(hold_kind(h) == "lock" for h in one.fact.held), one.fact.loop == ""))
    like = _like(question, bundle)
    if not callers and not like:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"who waits for {code(_waits(edit))} is not established",
            missing=(f"a caller of {code(function_of(edit))} outside the change; searched: {searched(bundle)}",),
        )
    return (_card(question, callers[:1], like[:1] if not callers else []),)


def _users(bundle: Bundle, edit: Edit) -> tuple[Found[CallFact], ...]:
    return tuple(one for one in found(bundle, CallFact, QueryKind.CALLERS) if not one.fact.in_test)


def _bounded(question: Question, bundle: Bundle) -> Unsettled | None:
    edit = question.edits[0]
    moved = [one for one in question.edits[1:] if one.op is not EditOp.ASSIGNMENT_ADDED or "." in one.subject]
    if moved:
        said = moved[0].after or moved[0].subject
        return unsettled(NoFindingCode.REFUTED, f"the same change sets a limit at another place: {snippet(said)}")
    if re.match(r"httpx\.|aiohttp\.", edit.subject) and edit.after not in _NONE:
        return unsettled(NoFindingCode.REFUTED, f"{code(edit.subject)} has a limit of its own")
    made = [
        one
        for one in (*found(bundle, UseFact, QueryKind.LIFETIME), *found(bundle, UseFact, QueryKind.USES_INSIDE))
        if one.fact.use == "write"
    ]
    adapted = [one for one in every(bundle, UseFact, QueryKind.TEXT) if not one.fact.in_test]
    adapted = [one for one in adapted if _ADAPTS.search(one.evidence.text)]
    if adapted:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(adapted[0].ref)} puts a limit to requests; whether to these is not established",
            missing=(f"how {code(_waits(edit))} is made",),
            refs=[adapted[0].ref],
        )
    lines = [one.evidence for one in made]
    defined = every(bundle, DefinitionFact, QueryKind.DEFINITION)
    lines += [one.evidence for one in defined if one.fact.qualname != function_of(edit)]
    for line in lines:
        if _BOUNDED.search(line.text):
            detail = f"{place(line.ref)} sets a limit for what is made there"
            return unsettled(NoFindingCode.REFUTED, detail, refs=[line.ref])
    return None


def _like(question: Question, bundle: Bundle) -> list[Found[CallFact]]:
    """Other calls on the same receiver that have a limit."""
    beside = [one for one in found(bundle, CallFact, QueryKind.SIBLINGS) if not one.evidence.near_change]
    return [one for one in beside if any(_LIMIT.search(f"{a.keyword or ''} {a.text}") for a in one.fact.arguments)]


def _card(question: Question, callers: Sequence[Found[CallFact]], like: Sequence[Found[CallFact]]) -> Draft:
    edit = question.edits[0]
    limit, waits = _limit(edit), _waits(edit)
    within = f" in {code(function_of(edit))}" if function_of(edit) and function_of(edit) != waits else ""
    parts = [f"{place(one.ref)} {_waiting(one)}" for one in callers]
    parts += [f"{place(one.ref)} has a limit for the same {code(one.fact.callee)}" for one in like]
    changed = edit.op in (EditOp.ARGUMENT_CHANGED, EditOp.ENTRY_CHANGED, EditOp.CALL_REPLACED)
    verb = "Replacing" if changed else "Removing"
    by = f" by {code(edit.after or '')}" if changed and edit.after else ""
    return draft(
        question,
        claim=f"{verb} {code(limit)}{by} lets {code(waits)}{within} wait without an end: {', and '.join(parts)}.",
        op=EffectOp.CHANGED if changed else EffectOp.REMOVED,
        subject=_subject(edit),
        severity=Severity.IMPORTANT,
        support=[*(one.ref for one in callers), *(one.ref for one in like)],
        impact="The other side takes the connection and sends nothing: the thread or task stays there until a restart.",
        counter=(
            "A default of the client, session or library would refute this; none is seen.",
            "A deadline of the caller would refute this; the call cited has none.",
        ),
    )


def _subject(edit: Edit) -> str:
    if edit.op in (EditOp.ARGUMENT_REMOVED, EditOp.ARGUMENT_CHANGED):
        return edit.before or edit.subject
    return edit.subject


def _waiting(one: Found[CallFact]) -> str:
    scope = code(one.fact.scope) if one.fact.scope else "the module"
    locks = [held for held in one.fact.held if hold_kind(held) == "lock"]
    loop = " in its loop" if one.fact.loop else ""
    return f"calls it from {scope}{loop}" + (f" with {listed(locks[:1])} held" if locks else "")


RULES = (
    Rule(
        "timeout_dropped",
        frozenset(
            {
                EditOp.ARGUMENT_REMOVED,
                EditOp.ARGUMENT_CHANGED,
                EditOp.ENTRY_REMOVED,
                EditOp.ENTRY_CHANGED,
                EditOp.BLOCK_REMOVED,
                EditOp.CALL_REMOVED,
                EditOp.CALL_REPLACED,
            }
        ),
        _raise_dropped,
        _settle_dropped,
    ),
)

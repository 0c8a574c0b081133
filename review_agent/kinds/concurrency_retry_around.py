"""A rule of ``concurrency_retry``: a function takes a lock by a helper now, and a caller runs it inside that helper."""

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
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.failures import of_callee
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of
from review_agent.kinds.languages import SCRIPTS
from review_agent.kinds.rulebook import Rule
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
)

__all__ = ["RULES"]

_LOCKS = re.compile(r"^(?:with|run|do|in|under)_?\w*(?:lock|locked|mutex|exclusive(?:ly)?)$|^(?:lock|exclusive)$", re.I)
_REENTERS = re.compile(r"re-?entran|owner|holder|depth|AsyncLocalStorage|getStore\(|RLock|alreadyHeld", re.IGNORECASE)
_NAMES = re.compile(r"[A-Za-z_]\w*")


def _lock(edit: Edit) -> str:
    """The helper that the function calls now."""
    return text(edit, "newCallee") or edit.subject


def _key(edit: Edit) -> str:
    """By what the lock is told from others, as written: the first of two arguments."""
    arguments = texts(edit, "newArguments") or texts(edit, "arguments")
    return arguments[0] if len(arguments) > 1 else ""


def _raise_around(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    fits = edit.language in (*SCRIPTS, "go") and _LOCKS.match(_lock(edit).rpartition(".")[2]) is not None
    moved = any(
        one.op is EditOp.CALL_REMOVED and (one.scope, one.subject) == (edit.scope, _lock(edit)) for one in edits
    )
    if in_test(edit.path) or not fits or moved or not _key(edit) or not function_of(edit):
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "lock_taken_around",
        change=f"{code(function_of(edit))} now takes the lock of {code(_key(edit))} by {code(_lock(edit))}",
        precondition=f"a caller of {code(name)} runs it inside {code(_lock(edit))} for the same key",
        consequence="it waits for the lock that its own caller holds, for ever",
        refuted_if=(f"{code(_lock(edit))} lets its holder in again", "no caller holds the lock of the same key"),
        plan=(
            ask(QueryKind.DEFINITION, _lock(edit), path=edit.path, scope=edit.scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ),
    )


def _settle_around(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    holding = [(one, key) for one in callers_of(bundle, edit) if (key := _held_key(edit, one))]
    holding = [(one, key) for one, key in holding if not one.evidence.near_change]
    if not holding:
        return blocked(bundle, QueryKind.CALLERS) or unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"no caller is seen to hold the lock of the same key; searched: {searched(bundle, QueryKind.CALLERS)}",
        )
    helper = of_callee(bundle, _lock(edit))
    if helper is None or helper.evidence.near_change:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"whether {code(_lock(edit))} lets its holder in again is not established",
            missing=(f"definition of {code(_lock(edit))}",),
        )
    shown = [one.evidence.text for one in every(bundle, DefinitionFact) if one.ref.path == helper.ref.path]
    if _REENTERS.search(" ".join([*shown, *helper.fact.guards, *helper.fact.calls])):
        detail = f"{code(_lock(edit))} at {place(helper.ref)} looks at who holds the lock"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[helper.ref])
    return (_around_card(question, *holding[0], helper),)


def _held_key(edit: Edit, call: Found[CallFact]) -> str:
    """The key for which a caller holds the lock around the call, if it is the one the function asks for."""
    key = _key(edit)
    shown = re.compile(rf"\b{re.escape(_lock(edit))}\(\s*({_shape(key)})\s*,")
    given = set(_NAMES.findall(" ".join(argument.text for argument in call.fact.arguments)))
    for one in (*call.fact.within, call.evidence.text):
        held = shown.search(one)
        if held and (held[1] == key or _NAMES.findall(held[1])[-1] in given):
            return held[1]
    return ""


def _shape(key: str) -> str:
    """A pattern for a key that is made in the same way: by the same function, or the same text."""
    made = re.match(r"([\w.]+)\([^()]*\)$", key)
    return rf"{re.escape(made[1])}\([^()]*\)" if made else re.escape(key)


def _around_card(question: Question, call: Found[CallFact], key: str, helper: Found[DefinitionFact]) -> Draft:
    edit = question.edits[0]
    lock, function = code(_lock(edit)), code(function_of(edit))
    within = code(call.fact.scope) if call.fact.scope else "the module"
    replaced = edit.op is EditOp.CALL_REPLACED
    start = f"Replacing {code(edit.subject)} by {lock} in" if replaced else f"Adding {lock} to"
    return draft(
        question,
        claim=f"{start} {function} makes it wait for its own caller: {within} calls it at {place(call.ref)} inside "
        f"{lock} for {code(key)}, and {code(helper.fact.qualname)} ({place(helper.ref)}) lets no holder in again.",
        op=EffectOp.CHANGED if replaced else EffectOp.ADDED,
        subject=edit.subject,
        to=_lock(edit) if replaced else None,
        severity=Severity.BLOCKING,
        support=[call.ref, helper.ref],
        impact="The first pass through that caller never ends, and whoever asks for the same key waits behind it.",
        counter=(
            f"A {lock} that its holder can enter twice would refute this; nothing in it asks who holds the lock.",
        ),
    )


RULES = (
    Rule("lock_taken_around", frozenset({EditOp.CALL_ADDED, EditOp.CALL_REPLACED}), _raise_around, _settle_around),
)

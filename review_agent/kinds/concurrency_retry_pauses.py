"""A rule of ``concurrency_retry``: tries that follow each other without a pause."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    code,
    draft,
    listed,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.concurrency_retry_ends import decorator_option, tried
from review_agent.kinds.failures import of_callee, raised_by, returns_error
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import number
from review_agent.syntax.testfiles import in_test
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
)

__all__ = ["RULES"]

_PAUSES = re.compile(
    r"^(?:sleep|Sleep|delay|backoff|back_off|pause|wait|setTimeout|After|NewTimer|parkNanos|uninterruptibleSleep|sleepMs|"
    r"wait_exponential|throttle|jitter)$"
)
_TALKS = re.compile(
    r"requests\.|httpx\.|urlopen|fetch|axios|http\.|\.Do$|execute|query|connect|send|recv|post|get|publish|exchange|dial",
    re.IGNORECASE,
)
_DELAYS = re.compile(r"\b(?:wait|delay|backoff|wait_fixed|wait_exponential_multiplier)\s*=\s*[\w.]+(?:\([^)]*\))?")


def _raise_pause(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    loop = text(edit, "loop")
    name = text(edit, "name")
    kept = (number(edit, "remaining") or 0) > 0 or bool(texts(edit, "elsewhere"))
    zero = edit.op is EditOp.ARGUMENT_CHANGED and edit.after in ("0", "0.0", "Duration.ZERO")
    removed = edit.op is EditOp.CALL_REMOVED and not kept
    instead = any(
        one.op is EditOp.CALL_ADDED and one.scope == edit.scope and (_PAUSES.match(text(one, "name")) or _waits(one))
        for one in edits
    )
    decorated = bool(decorator_option(edit, _DELAYS))
    plain = bool(loop) and _PAUSES.match(name) is not None and (zero or removed) and not instead
    if in_test(edit.path) or not (plain or decorated):
        return None
    asked = tried(edit)
    gone = decorator_option(edit, _DELAYS) or edit.subject
    scope, function = called(function_of(edit))
    return seed(
        edit,
        "pause_dropped",
        change=f"{code(function_of(edit))} tries again without the pause {code(gone)}",
        precondition="a turn of the loop that fails or finds nothing comes back at once",
        consequence="the loop runs hot: it asks the far side as fast as it can",
        refuted_if=("what is tried waits by itself", "another pause stands in the loop"),
        plan=(
            *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in asked),
            ask(QueryKind.CALLERS, function, path=edit.path, scope=scope),
            ask(QueryKind.DEFINITION, function, path=edit.path, scope=scope),
        ),
    )


def _waits(edit: Edit) -> bool:
    return re.search(r"wait|sleep|backoff|delay|tick|poll", text(edit, "name"), re.IGNORECASE) is not None


def _settle_pause(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    for callee in tried(edit):
        definition = of_callee(bundle, callee)
        if definition is None:
            continue
        pause = next((one for one in definition.fact.calls if _PAUSES.match(one.rpartition(".")[2])), "")
        if pause:
            detail = f"{code(callee)} at {place(definition.ref)} pauses by {code(pause)} itself"
            return unsettled(NoFindingCode.REFUTED, detail, refs=[definition.ref])
    if edit.op is EditOp.DECORATOR_CHANGED:
        return _settle_decorated(question, bundle)
    asked = [one for callee in tried(edit) if (one := _asks(bundle, callee)) is not None]
    if not asked:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"what a turn of the loop in {code(function_of(edit))} asks is not established",
            missing=(f"definition of {listed(tried(edit)) or 'what is tried'}; {searched(bundle)}",),
        )
    return (_pause_card(question, *asked[0]),)


def _settle_decorated(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    asks = next((one for one in texts(edit, "calls") if _TALKS.search(one)), "")
    callers = [one for one in worst_first(question, callers_of(bundle, edit)) if not one.evidence.near_change]
    if not asks or not callers:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"what {code(function_of(edit))} asks, and for whom, is not established",
            missing=(f"a caller of {code(function_of(edit))}; {searched(bundle)}",),
        )
    caller, gone = callers[0], decorator_option(edit, _DELAYS)
    within = code(caller.fact.scope) if caller.fact.scope else "the module"
    claim = (
        f"Removing the pause {code(gone)} lets {code(function_of(edit))} call {code(asks)} again at once when it "
        f"fails: {within} brings its load at {place(caller.ref)}."
    )
    return (
        draft(
            question,
            claim=claim,
            op=EffectOp.REMOVED,
            subject=gone,
            severity=Severity.IMPORTANT,
            support=[caller.ref],
            impact="The far side is down or refuses for a moment: all tries are spent within it, and add to its load.",
            counter=("Another pause between the tries would refute this; the decorator names none.",),
        ),
    )


def _asks(bundle: Bundle, callee: str) -> tuple[str, str, Found[DefinitionFact]] | None:
    """(callee, what it asks or fails with, its definition) of a tried call outside the change."""
    definition = of_callee(bundle, callee)
    if definition is None or definition.evidence.near_change:
        return None
    inner = next((one for one in definition.fact.calls if _TALKS.search(one)), "")
    raised = next(iter(raised_by(definition.fact)), "")
    fails = raised or ("error" if returns_error(definition.fact) else "")
    return (callee, inner or fails, definition) if inner or fails else None


def _pause_card(question: Question, callee: str, asks: str, definition: Found[DefinitionFact]) -> Draft:
    edit = question.edits[0]
    changed = edit.op is EditOp.ARGUMENT_CHANGED
    start = (
        f"Lowering the pause {code(edit.before or '')} to {code(edit.after or '')}"
        if changed
        else (f"Removing {code(edit.before or edit.subject)}")
    )
    return draft(
        question,
        claim=f"{start} lets the loop in {code(function_of(edit))} call {code(callee)} again at once: "
        f"{place(definition.ref)} ends in {code(asks)}, turn after turn.",
        op=EffectOp.CHANGED if changed else EffectOp.REMOVED,
        subject=(edit.before or edit.subject) if changed else edit.subject,
        severity=Severity.IMPORTANT,
        support=[definition.ref],
        impact="The far side refuses, is down or has nothing: the process burns a core and asks it thousands of times.",
        counter=("Another pause in the loop or in what it calls would refute this; none is seen.",),
    )


RULES = (
    Rule(
        "pause_dropped",
        frozenset({EditOp.CALL_REMOVED, EditOp.ARGUMENT_CHANGED, EditOp.DECORATOR_CHANGED}),
        _raise_pause,
        _settle_pause,
    ),
)

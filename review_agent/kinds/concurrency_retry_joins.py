"""A rule of ``concurrency_retry``: work that was started and that nobody waits for."""

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
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import called, function_of, own_definitions
from review_agent.kinds.holds import callers_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.storing import callee_of
from review_agent.kinds.wording import number, snippet
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
    Severity,
)

__all__ = ["RULES"]

_JOINS = re.compile(
    r"^(?:join|joinAll|wait|Wait|shutdown|awaitTermination|invokeAll|gather|all|allSettled|as_completed|result|drain|"
    r"join_thread|get)$"
)
# There a shutdown asks the workers to end, and returns at once.
_WAITS_IN_JAVA = re.compile(r"^(?:join|awaitTermination|invokeAll|get|await|close)$")
_STARTS = re.compile(
    r"\.(?:start|submit|execute|Go|go|spawn|create_task|start_soon|fork|run_in_executor|supplyAsync|runAsync|Add|map)$|"
    r"^(?:Thread|threading\.Thread|Worker|asyncio\.create_task|new Thread)$"
)


def _raise_join(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    kept = (number(edit, "remaining") or 0) > 0 or bool(texts(edit, "elsewhere"))
    starts = [one for one in texts(edit, "callsBefore") if _STARTS.search(callee_of(one))]
    joins = _JOINS.match(text(edit, "name")) is not None and not edit.subject.startswith("os.")
    if in_test(edit.path) or kept or not joins or not starts:
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "join_dropped",
        change=f"{code(function_of(edit))} no longer waits by {code(edit.subject)} for what it starts",
        precondition="what was started is not done when the function returns, and its caller relies on it",
        consequence="the caller reads results that are not there yet",
        refuted_if=("something else waits for them", "nobody uses what they do"),
        plan=(
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ),
    )


def _settle_join(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    own = own_definitions(bundle, edit)
    waits = _WAITS_IN_JAVA if edit.language == "java" else _JOINS
    again = next((callee for one in own for callee in one.calls if waits.match(callee.rpartition(".")[2])), "")
    held = next((one for fact in own for one in fact.takes if re.search(r"Pool|TaskGroup|Executor|nursery", one)), "")
    if again or held:
        return unsettled(NoFindingCode.REFUTED, f"{code(again or held)} in {code(name)} waits for them still")
    calls = [one for one in worst_first(question, callers_of(bundle, edit)) if not one.evidence.near_change]
    using = [one for one in calls if one.fact.result not in ("ignored", "awaited") or one.fact.followed_by]
    if not using:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"that a caller of {code(name)} relies on the work is not established",
            missing=(f"a caller of {code(name)} (searched: {searched(bundle, QueryKind.CALLERS)})",),
        )
    return (_join_card(question, using[0]),)


def _join_card(question: Question, caller: Found[CallFact]) -> Draft:
    edit = question.edits[0]
    starts = [one for one in texts(edit, "callsBefore") if _STARTS.search(callee_of(one))]
    within = code(caller.fact.scope) if caller.fact.scope else "the module"
    takes = "takes its result" if caller.fact.result not in ("ignored", "awaited") else "goes on at once"
    return draft(
        question,
        claim=f"Removing {code(edit.subject)} lets {code(function_of(edit))} return while what {snippet(starts[-1])} "
        f"started still runs: {within} {takes} at {place(caller.ref)}.",
        op=EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[caller.ref],
        impact="One of the workers is slower than the caller: results are missing, or the process ends amid one.",
        counter=("Another wait for the workers would refute this; none is seen.",),
    )


RULES = (Rule("join_dropped", frozenset({EditOp.CALL_REMOVED}), _raise_join, _settle_join),)

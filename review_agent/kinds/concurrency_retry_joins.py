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
from review_agent.kinds.storing import callee_of, root_of
from review_agent.kinds.wording import number, snippet
from review_agent.syntax.languages import family_of
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

# These wait for work whatever they are called on; the others are words of strings, lists, maps and queues as well.
_ONLY_WAITS = re.compile(
    r"(?:^|\.)(?:joinAll|awaitTermination|invokeAll|allSettled|as_completed|join_thread|Wait)$|"
    r"^(?:(?:asyncio|tornado\.gen)\.)?gather$|^Promise\.all$|^(?:(?:asyncio|futures|concurrent\.futures)\.)?wait$"
)
_STARTED = re.compile(
    r"\b(?:\w*(?:Thread|Process|Worker|Executor\w*|ThreadPool\w*|WaitGroup|TaskGroup|CompletableFuture|Future)|"
    r"submit|create_task|ensure_future|start_soon|run_in_executor|supplyAsync|runAsync|spawn|apply_async|Popen)\b"
)
_WORKER = re.compile(
    r"(?i)thread|worker|process|task(?!name)|future|pool|executor|(?:wait|task|err)_?group|nursery|child|\b(?:wg|tg|eg)\b"
)
_OF_TEXTS = re.compile(r"""^(?:String|strings|os\.path|path|posixpath|ntpath|[a-zA-Z]{0,2}["'`].*)$""")
_TEXT = re.compile(r"""^(?:[a-zA-Z]{0,2}["'`])""")
_BRIEF = re.compile(
    r"^(?:timeout\b.*|wait\b.*|(?:\w+\.)*\w*(?i:timeout|seconds|deadline|millis|duration)\w*(?:\(.*\))?|[\d._]+|)$"
)


def _waits(edit: Edit, starts: Sequence[str]) -> bool:
    """Whether a call waits for what was started: by its name, or made on something that runs by itself."""
    name, receiver = text(edit, "name"), text(edit, "receiver")
    given = texts(edit, "arguments")
    if not _JOINS.match(name) or _TEXT.match(receiver) or any(_TEXT.match(one) for one in given):
        return False
    if _ONLY_WAITS.search(edit.subject):
        return True
    if not receiver or (family_of(edit.path) == "javascript" and name in ("join", "get")):
        return False
    if name in ("join", "get", "result") and not all(_BRIEF.match(one) for one in given):
        return False
    own = any(root_of(callee_of(one)) == receiver for one in starts)
    made = any(_STARTED.search(one) for one in (receiver, text(edit, "origin"), *starts))
    return own or made or _WORKER.search(receiver) is not None


def _raise_join(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    kept = (number(edit, "remaining") or 0) > 0 or bool(texts(edit, "elsewhere"))
    starts = [one for one in texts(edit, "callsBefore") if _STARTS.search(callee_of(one))]
    joins = _waits(edit, starts) and not edit.subject.startswith("os.")
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
    calls_in = [callee for one in own for callee in one.calls if not _OF_TEXTS.match(root_of(callee))]
    again = next((callee for callee in calls_in if waits.match(callee.rpartition(".")[2])), "")
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

"""A rule of ``concurrency_retry``: work that was started and that nobody waits for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
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
from review_agent.kinds.bodies import Body, body_at, whole_of
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.storing import callee_of, root_of
from review_agent.kinds.wording import number, snippet
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


# Lists, maps, suppliers, queries and files have these too: what they are called on decides, not what was started.
_WORDS = frozenset({"get", "close", "all"})


def _waits(callee: str, given: Sequence[str], about: str, starts: Sequence[str], language: str) -> bool:
    """Whether a call waits for what was started: by its name, or made on something that runs by itself. ``about`` is
    what is known of its receiver: a value, a type; "" for nothing."""
    receiver, _, name = callee.rpartition(".")
    names = _WAITS_IN_JAVA if language == "java" else _JOINS
    if not names.match(name) or _OF_TEXTS.match(receiver) or any(_TEXT.match(one) for one in given):
        return False
    if _ONLY_WAITS.search(callee) or (language == "java" and name == "await"):
        return True
    if not receiver or (language in _SCRIPTS and name in ("join", "get")) or _is_element(name, given, language):
        return False
    if name in ("join", "get", "result") and not all(_BRIEF.match(one) for one in given):
        return False
    own = any(root_of(callee_of(one)) == receiver for one in starts)
    if name in _WORDS and (about or name != "get"):
        starts = ()
    made = any(_STARTED.search(one) for one in (receiver, about, *starts))
    return own or made or _WORKER.search(receiver) is not None


_SCRIPTS = ("javascript", "typescript", "tsx")


def _is_element(name: str, given: Sequence[str], language: str) -> bool:
    """Whether an element is asked for: a future of Java takes no argument, or a number and its unit."""
    return language == "java" and name == "get" and len(given) == 1


def _about(receiver: str, fact: DefinitionFact, body: Body | None) -> str:
    """What a function says of a name in it: its type, and what it was last set to. A plain name tells nothing."""
    types = [one.type for one in fact.parameters if one.name == receiver and one.type]
    if body is not None and receiver.isidentifier():
        types += re.findall(rf"([A-Z][\w.]*(?:<[^;={{}}()]*>)?)\s+{receiver}\s*[=;:]", body.text)
        sets = re.findall(rf"(?<![\w.]){receiver}\s*:?=(?!=)\s*(.+)", body.text)
        types += [one for one in sets[-1:] if not _PLAIN.fullmatch(one)]
    return " ".join(types)


_PLAIN = re.compile(r"[\w.]+\s*;?")


def _raise_join(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    kept = (number(edit, "remaining") or 0) > 0 or bool(texts(edit, "elsewhere"))
    starts = _starts(edit)
    origin = "" if _PLAIN.fullmatch(text(edit, "origin")) else text(edit, "origin")
    joins = _waits(edit.subject, texts(edit, "arguments"), origin, starts, edit.language or "")
    if in_test(edit.path) or kept or not joins or not starts or edit.subject.startswith("os."):
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
    asked = found(bundle, DefinitionFact, QueryKind.DEFINITION, name)
    own = [one for one in asked if one.fact.qualname == function_of(edit)]
    unlike = next((about for one in own if (about := _unlike(edit, bundle, one))), "")
    if unlike:
        detail = f"that {code(edit.subject)} waits for anything is not established: {snippet(unlike)}"
        return unsettled(NoFindingCode.INSUFFICIENT_EVIDENCE, detail, missing=(f"what {code(edit.subject)} waits for",))
    again = next((callee for one in own for callee in _waiting(edit, bundle, one)), "")
    held = next(
        (one for fact in own for one in fact.fact.takes if re.search(r"Pool|TaskGroup|Executor|nursery", one)), ""
    )
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


def _starts(edit: Edit) -> list[str]:
    return [one for one in texts(edit, "callsBefore") if _STARTS.search(callee_of(one))]


def _unlike(edit: Edit, bundle: Bundle, own: Found[DefinitionFact]) -> str:
    """What a function says of the thing that the call was made on, where that runs nothing by itself; else ""."""
    about = _about(text(edit, "receiver"), own.fact, _body(bundle, own))
    waits = _waits(edit.subject, texts(edit, "arguments"), about, _starts(edit), edit.language or "")
    return "" if waits else about


def _waiting(edit: Edit, bundle: Bundle, own: Found[DefinitionFact]) -> Iterator[str]:
    """The calls of a function that wait for what it starts, judged as the one that went."""
    body = _body(bundle, own)
    read = [(one.callee, one.args) for one in body.calls] if body is not None else []
    known = {callee for callee, _ in read}
    for callee, given in (*read, *((one, ()) for one in own.fact.calls if one not in known)):
        about = _about(root_of(callee), own.fact, body)
        if _waits(callee, given, about, _starts(edit), edit.language or ""):
            yield callee


def _body(bundle: Bundle, own: Found[DefinitionFact]) -> Body | None:
    return whole_of(bundle, own.ref) or body_at(bundle, own.ref.path, own.ref.start_line)


def _join_card(question: Question, caller: Found[CallFact]) -> Draft:
    edit = question.edits[0]
    starts = _starts(edit)
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

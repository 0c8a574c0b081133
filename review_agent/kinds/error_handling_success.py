"""A rule of ``error_handling``: a failure is hidden, and a caller goes on to mark a success."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    flag,
    found,
    place,
    same_place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.failures import excerpt_around
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.rulebook import Rule
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
)

__all__ = ["RULES"]

_LEAVES = frozenset({"raise", "return_error", "exit", "return", "return_none"})
_HANDS_ON = re.compile(r"\bthrow\b|\breject\b|\bnext\(|\breturn\b|=>\s*[\w{(\[]*(?:null|false|undefined|\[\]|\{ )")
# What a caller does when what it called went well.
_MARKS = re.compile(
    r"(?i)\b(?:\w*status|state|\w*sent|\w*paid|\w*done|processed|synced|\w*_at|\w*At)\b[\"'\]]*\s*=(?!=)\s*(?!.*\b(?:fail|error)\w*)"
    r"|\.(?:mark\w*|set(?:Status|State|Paid|Sent|Done|Processed)\w*|ack\w*|acknowledge|confirm\w*|complete\w*|commit|"
    r"delete\w*|remove\w*|unlink|dequeue|advance)\("
    r"|^\s*(?:await\s+)?(?:mark\w*|set_?(?:[Ss]tatus|[Ss]tate|[Pp]aid|[Ss]ent|[Dd]one|[Pp]rocessed)\w*)\("
    r"|\.status\(20\d\)|StatusOK|StatusCreated|HttpStatus\.(?:OK|CREATED)|\bok\(|\bstatus_code=20\d|, 20[0-4]$"
    r"|^\s*return (?:[Tt]rue|200|20[0-4]|\"ok\"|'ok'|\{ ?\"?ok\"?: ?[Tt]rue)"
)


@dataclass(frozen=True)
class Mark:
    """A caller and the line on which it goes on as after a success."""

    call: Found[CallFact]
    line: int
    said: str


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path) or not function_of(edit) or not _hides(edit):
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "hidden_failure_marked_success",
        change=f"a failure inside {code(name)} no longer leaves it",
        precondition=f"a caller of {code(name)} marks a success behind the call",
        consequence="the failure is kept as a success",
        refuted_if=("no caller does anything but call it", f"{code(name)} tells of the failure in its result"),
        plan=(ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),),
    )


def _hides(edit: Edit) -> bool:
    """Whether the failure ends here: the handler neither leaves nor gives back another value."""
    if edit.op is EditOp.HANDLER_SWALLOWS:
        return not set(texts(edit, "afterActions")) & _LEAVES and not flag(edit, "isNew")
    handler = next(iter(texts(edit, "arguments")), "")
    return text(edit, "name") == "catch" and "=>" in handler and not _HANDS_ON.search(handler)


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS) if not one.fact.in_test]
    outside = [one for one in worst_first(question, calls) if not same_place(question, one.ref)]
    for one in outside:
        mark = _mark_behind(bundle, one)
        if mark is not None:
            return (_card(question, name, mark),)
    stopped = blocked(bundle, QueryKind.CALLERS)
    if stopped is not None:
        return stopped
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE if outside else NoFindingCode.NO_CANDIDATE,
        f"no caller of {code(name)} is seen to mark a success behind it; searched: {searched(bundle)}",
        missing=(f"a caller of {code(name)} that goes on as after a success",) if outside else (),
        refs=[one.ref for one in outside[:2]],
    )


def _mark_behind(bundle: Bundle, call: Found[CallFact]) -> Mark | None:
    """The first line behind a call, in its block, that marks a success; the call's own result must not be tested."""
    around = excerpt_around(bundle, call.ref)
    if around is None or call.fact.result in ("condition", "compared", "returned"):
        return None
    lines = around.text.splitlines()
    first = call.ref.start_line - around.ref.start_line
    depth, stepped = _indent(lines[first]), False
    for number, line in enumerate(lines[call.ref.end_line - around.ref.start_line + 1 :], call.ref.end_line + 1):
        if line.strip() and _indent(line) < depth:
            if stepped or line.strip() != "}":
                return None
            depth, stepped = _indent(line), True
        if any(re.search(rf"\b(?:if|switch)\b.*{whole_name(one)}", line) for one in call.fact.targets if one != "_"):
            return None
        if _indent(line) == depth and _MARKS.search(line):
            return Mark(call, number, line.strip())
    return None


def _indent(line: str) -> int:
    widened = line.expandtabs(4)
    return len(widened) - len(widened.lstrip())


def _card(question: Question, name: str, mark: Mark) -> Draft:
    edit, call = question.edits[0], mark.call
    swallows = edit.op is EditOp.HANDLER_SWALLOWS
    subject = edit.subject if swallows else edit.after or edit.subject
    what = (
        f"Swallowing {code(subject)} inside {code(name)}" if swallows else f"Adding {snippet(subject)} to {code(name)}"
    )
    return draft(
        question,
        claim=f"{what} lets {code(call.fact.scope or call.ref.path)} go on from {place(call.ref)} to "
        f"{snippet(mark.said)} after a failure as well.",
        op=EffectOp.WEAKENED if swallows else EffectOp.ADDED,
        subject=subject,
        severity=Severity.IMPORTANT,
        support=[call.ref],
        impact="What is tried there fails once: from then on the record says that it went well, and nothing "
        "repeats it.",
        counter=(f"A result of {code(name)} that tells of the failure would refute this; the caller tests none.",),
    )


RULES = (
    Rule("hidden_failure_marked_success", frozenset({EditOp.HANDLER_SWALLOWS, EditOp.CALL_ADDED}), _raise, _settle),
)

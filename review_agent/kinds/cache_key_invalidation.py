"""A rule of ``cache_key``: what dropped a cached value went or is passed over, while its readers live on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.absence import unread
from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
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
from review_agent.kinds.bodies import Body, body_at, whole_of
from review_agent.kinds.cache_access import act_of, cachey, holder
from review_agent.kinds.cache_key_drops import STALE_WORDS, dropping, drops, helper, instead
from review_agent.kinds.cache_key_instead import by_callee, moved, through_added
from review_agent.kinds.cache_key_readers import readers_of
from review_agent.kinds.cache_key_staleness import LOGS, WRITING, changing, idle
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.key_shapes import prefix_of, shapes_in
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.roles import words_of
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
    PlanQuery,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

_OPS = frozenset(
    {
        EditOp.CALL_REMOVED,
        EditOp.CALL_REPLACED,
        EditOp.EXIT_ADDED,
        EditOp.ACT_CONDITIONED,
        EditOp.DECORATOR_REMOVED,
        EditOp.ASSIGNMENT_REMOVED,
        EditOp.BLOCK_REMOVED,
    }
)


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    callee = dropping(edit)
    if not callee or in_test(edit.path) or not function_of(edit) or _is_drop_function(edit):
        return None
    if edit.op is EditOp.CALL_REMOVED and (edit.facts.get("remaining") or texts(edit, "elsewhere")):
        return None
    if any(_compensates(edit, one) for one in edits):
        return None
    scope, name = split(function_of(edit))
    how = _how(edit, callee)
    return seed(
        edit,
        "invalidation_lost",
        change=how,
        precondition=f"{code(name)} still changes what is cached, and the cached value is still read",
        consequence="readers are handed the old value after the change",
        refuted_if=(
            "nothing reads the cached value any more",
            f"{code(name)} changes nothing that is cached",
            "a caller, or what it calls, drops the value instead",
        ),
        plan=[*_plan(edit, callee, scope, name, _come(edit, edits))][:8],
        risk=0 if helper(edit, callee) else 10,
    )


def _compensates(edit: Edit, other: Edit) -> bool:
    """Whether the change brings a like drop to another function."""
    added = other.op is EditOp.CALL_ADDED and (other.path, function_of(other)) != (edit.path, function_of(edit))
    return added and edit.op is EditOp.CALL_REMOVED and drops(other.subject, texts(other, "arguments"))


def _is_drop_function(edit: Edit) -> bool:
    """A function whose own purpose is to drop: what it drops is its contract, not its duty to others."""
    return bool(STALE_WORDS & set(words_of(split(function_of(edit))[1])[:1])) and edit.op is not EditOp.EXIT_ADDED


def _how(edit: Edit, callee: str) -> str:
    name = split(function_of(edit))[1]
    if edit.op is EditOp.EXIT_ADDED:
        return f"{code(name)} can now leave before {code(callee)}"
    if edit.op is EditOp.ACT_CONDITIONED:
        return f"{code(name)} reaches {code(callee)} only under {code(edit.after or 'a condition')}"
    return f"{code(name)} no longer runs {code(callee)}"


def _come(edit: Edit, edits: Sequence[Edit]) -> list[str]:
    """Calls that the change brings to the function beside the loss: they may drop the value, or what it is made of."""
    own = [one for one in edits if (one.path, function_of(one)) == (edit.path, function_of(edit))]
    calls = [text(one, "newCallee") for one in own if one.op is EditOp.CALL_REPLACED]
    calls += [one.subject for one in own if one.op is EditOp.CALL_ADDED]
    return [one for one in dict.fromkeys(calls) if one and not LOGS.search(one) and not _EXTERNAL.search(one)][:2]


def _plan(edit: Edit, callee: str, scope: str, name: str, come: Sequence[str]) -> list[PlanQuery]:
    receiver, last = holder(callee), callee.rpartition(".")[2]
    arguments = texts(edit, "arguments")
    plan = [
        ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
    ]
    plan += [ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in come]
    if edit.op is EditOp.DECORATOR_REMOVED:
        return [*plan, ask(QueryKind.TEXT, "@Cacheable"), ask(QueryKind.TEXT, "@Cached")]
    member = (
        arguments[0]
        if callee == "delete" and arguments
        else callee
        if edit.op is EditOp.ASSIGNMENT_REMOVED
        else receiver
    )
    if member and "." in member and scope:
        plan.append(ask(QueryKind.LIFETIME, member.partition(".")[2].split("[")[0], path=edit.path, scope=scope))
    if receiver and edit.op is not EditOp.ASSIGNMENT_REMOVED:
        plan.append(ask(QueryKind.SIBLINGS, f"{receiver}.{last}", path=edit.path, scope=""))
        plan.append(ask(QueryKind.CALLERS, receiver, path=edit.path))
    plan += [ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in _written_by(edit)]
    looked = next((prefix_of(shape.shown) for part in arguments for shape in shapes_in(part)), "")
    if looked:
        plan.append(ask(QueryKind.TEXT, looked))
    if STALE_WORDS & set(words_of(last)) or not receiver:
        plan.append(ask(QueryKind.DEFINITION, callee, path=edit.path, scope=edit.scope))
        plan.append(ask(QueryKind.CALLERS, callee, path=edit.path, scope=edit.scope))
    return plan


def _written_by(edit: Edit) -> list[str]:
    """The last call before the drop, which changes what is cached: it may drop the value itself."""
    calls = [one.split("(")[0] for one in texts(edit, "callsBefore")]
    writing = [one for one in calls if WRITING.search(f"{one}(") and not _EXTERNAL.search(one)]
    return writing[-1:]


_EXTERNAL = re.compile(r"(?i)\b(?:db|conn|connection|cursor|session|tx|jdbc\w*|em|client|pool)\.")


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    callee, name = dropping(edit), split(function_of(edit))[1]
    own = _own(question, bundle)
    body = _new_body(bundle, own)
    if body is None:
        return unread(bundle, own) or unsettled(
            NoFindingCode.NO_CANDIDATE, f"{code(name)} is gone, and with it what made the value stale"
        )
    if helper(edit, callee) and not _drops_inside(bundle, callee):
        dropper = found(bundle, DefinitionFact, QueryKind.DEFINITION, callee)
        return unread(bundle, dropper) or unsettled(
            NoFindingCode.NO_CANDIDATE, f"{code(callee)} is not seen to drop anything cached"
        )
    still = instead(body, callee)
    if still and edit.op not in (EditOp.EXIT_ADDED, EditOp.ACT_CONDITIONED):
        return unsettled(NoFindingCode.REFUTED, f"{code(name)} renews what is cached through {code(still)}")
    elsewhere = by_callee(question, bundle, callee) or moved(question, bundle, callee)
    if elsewhere is not None:
        return unsettled(NoFindingCode.REFUTED, f"{place(elsewhere.ref)} drops it instead", refs=[elsewhere.ref])
    through = through_added(question, bundle)
    if through is not None:
        return through
    nothing, changed = idle(edit, body, callee), changing(edit, body, callee)
    if changed is None and not nothing and (cut := unread(bundle, own)) is not None:
        return cut
    if changed is None or nothing:
        why = (
            f"{code(nothing)} says that nothing was changed"
            if nothing
            else f"{code(name)} is seen to change nothing before"
        )
        return unsettled(NoFindingCode.REFUTED, f"{code(callee)} is passed over where nothing is stale: {why}")
    above = _by_caller(question, bundle, callee)
    if above is not None:
        return above
    reader = next(iter(readers_of(question, bundle, callee)), None)
    if reader is None:
        return blocked(bundle, QueryKind.CALLERS) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"no reader of what {code(callee)} dropped was found",
            missing=(f"a reader of the cached value (searched: {searched(bundle)})",),
        )
    return (_card(question, callee, changed, reader),)


def _drops_inside(bundle: Bundle, callee: str) -> bool:
    """Whether a function of one's own takes entries out of something that holds values made before."""
    for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, callee):
        body = whole_of(bundle, one.ref) or body_at(bundle, one.ref.path, one.ref.start_line)
        calls = body.calls if body is not None else ()
        if any(act_of(one.name) == "drop" and cachey(holder(one.callee), sure=True) for one in calls):
            return True
    return False


def _own(question: Question, bundle: Bundle) -> list[Found[DefinitionFact]]:
    """The function at head."""
    function = function_of(question.edits[0])
    defined = found(bundle, DefinitionFact, QueryKind.DEFINITION, split(function)[1])
    return [one for one in defined if (one.ref.path, one.fact.qualname) == (question.path, function)]


def _new_body(bundle: Bundle, own: Sequence[Found[DefinitionFact]]) -> Body | None:
    """What was read of the function at head."""
    read = (whole_of(bundle, one.ref) or body_at(bundle, one.ref.path, one.ref.start_line) for one in own)
    return next((one for one in read if one is not None), None)


def _by_caller(question: Question, bundle: Bundle, callee: str) -> Unsettled | None:
    """Callers that drop the value themselves, all of them."""
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, name) if not one.fact.in_test]
    doing = []
    for one in calls:
        body = body_at(bundle, one.ref.path, one.ref.start_line)
        if body is not None and body.ref.path + str(body.ref.start_line) and instead(body, callee):
            doing.append(one)
    if calls and len(doing) == len(calls):
        return unsettled(
            NoFindingCode.REFUTED,
            f"every resolved caller of {code(name)} drops the value itself; {place(doing[0].ref)} is one",
            refs=[one.ref for one in doing],
        )
    return None


def _card(question: Question, callee: str, changed: str, reader: Found[CallFact | UseFact]) -> Draft:
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    verb, op = {
        EditOp.EXIT_ADDED: (f"Adding a way out before {code(callee)} in {code(name)}", EffectOp.ADDED),
        EditOp.ACT_CONDITIONED: (
            f"Making {code(callee)} in {code(name)} depend on {code(edit.after or '')}",
            EffectOp.CHANGED,
        ),
    }.get(edit.op, (f"Removing {code(callee)} from {code(name)}", EffectOp.REMOVED))
    drops = isinstance(reader.fact, CallFact) and act_of(reader.fact.callee.rpartition(".")[2]) == "drop"
    does = "still drops the same value after its own change" if drops else "still takes what was cached before"
    return draft(
        question,
        claim=f"{verb} leaves the old value in place after {code(changed)} changed its source: "
        f"{place(reader.ref)} {does}.",
        op=op,
        subject=callee if edit.op is not EditOp.EXIT_ADDED else edit.subject,
        severity=Severity.IMPORTANT,
        support=[reader.ref],
        impact=f"The value was asked for once before {code(name)} runs, and is asked for again before its entry ends "
        "for another reason.",
        counter=(
            f"A caller of {code(name)} that drops the value would refute this; none of those found does.",
            "An entry that is never made for what is changed here would refute this.",
        ),
    )


RULES = (Rule("invalidation_lost", _OPS, _raise, _settle),)

"""A rule of ``cache_key``: what dropped a cached value went or is passed over, while its readers live on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    every,
    found,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.bodies import Body, body_at, calls_in, named
from review_agent.kinds.cache_access import act_of, cachey, holder
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
    Evidence,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
    Side,
    UseFact,
)

__all__ = ["RULES"]

_STALE_WORDS = named("""
    invalidate invalidates evict evicts bust purge expire forget flush clear reset drop refresh uncache revoke touch
    dirty
""")
_SURELY = frozenset({"invalidate", "evict", "bust", "purge", "uncache"})
_WRITING = re.compile(
    r"(?i)(?<![a-z])(?:save|update|insert|delete|execute|executemany|exec|execcontext|executeupdate|commit|put|post|patch|"
    r"write|store|create|replace|persist|merge|upsert|append|remove|set|add|rename|apply|import|run|modify|publish|grant|"
    r"revoke|assign|move|push|adjust|bump|close|flush|sync|cancel|archive|restore|approve|reject|complete|ship|pay|"
    r"mark|toggle|enable|disable|rotate|register|transfer|charge|refund|reserve|book|submit|mutat)"
    r"\w*\s*\(|\bUPDATE\b|\bINSERT\b|\bDELETE FROM\b"
)
_SETS = re.compile(r"^\s*[\w.$>-]+(?:\.[\w$]+|\[[^\]]+\])\s*(?:[-+|*/]?=)(?!=)|\.\w+\s*(?:\+\+|--)")
_LOGS = re.compile(r"(?i)\b(log|logger|console|print|metrics|logging)\b")
_SELECTS = re.compile(r"\bSELECT\b")
_LOCAL = re.compile(r"\s*(?:const|let|var|final|return)\b")
# A key with one of these in it is another key once the source has changed.
_VERSIONED = re.compile(r"(?i)version|updated_?at|modified|mtime|etag|revision|\brev\b|generation|epoch")
_EVICTS = frozenset({"CacheEvict", "CachePut", "Caching", "CacheInvalidate", "invalidates", "cache_invalidate"})
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
    callee = _dropping(edit)
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
        plan=_plan(edit, callee, scope, name),
        risk=10,
    )


def _compensates(edit: Edit, other: Edit) -> bool:
    """Whether the change brings a like drop to another function."""
    added = other.op is EditOp.CALL_ADDED and (other.path, function_of(other)) != (edit.path, function_of(edit))
    return added and edit.op is EditOp.CALL_REMOVED and _drops(other.subject, texts(other, "arguments"))


def _is_drop_function(edit: Edit) -> bool:
    """A function whose own purpose is to drop: what it drops is its contract, not its duty to others."""
    return bool(_STALE_WORDS & set(words_of(split(function_of(edit))[1])[:1])) and edit.op is not EditOp.EXIT_ADDED


def _how(edit: Edit, callee: str) -> str:
    name = split(function_of(edit))[1]
    if edit.op is EditOp.EXIT_ADDED:
        return f"{code(name)} can now leave before {code(callee)}"
    if edit.op is EditOp.ACT_CONDITIONED:
        return f"{code(name)} reaches {code(callee)} only under {code(edit.after or 'a condition')}"
    return f"{code(name)} no longer runs {code(callee)}"


def _dropping(edit: Edit) -> str:
    """The callee, annotation or member by which a cached value was dropped, "" where the edit is about nothing such."""
    if edit.op is EditOp.EXIT_ADDED:
        return next((one for one in texts(edit, "skips") if _drops(one, ())), "")
    if edit.op is EditOp.BLOCK_REMOVED:
        gone = [one for one in texts(edit, "inside") if one not in texts(edit, "living")]
        return next((one for one in gone if _drops(one, ())), "")
    if edit.op is EditOp.DECORATOR_REMOVED:
        return edit.subject if edit.subject.rpartition(".")[2].lstrip("@") in _EVICTS else ""
    if edit.op is EditOp.ASSIGNMENT_REMOVED:
        return edit.subject if _resets(edit) else ""
    if edit.op is EditOp.ACT_CONDITIONED and text(edit, "form") == "assignment":
        return edit.subject if cachey(edit.subject.rpartition(".")[2], sure=True) else ""
    if edit.op is EditOp.CALL_REPLACED and _drops(text(edit, "newCallee"), texts(edit, "newArguments")):
        return ""
    return edit.subject if _drops(edit.subject, texts(edit, "arguments")) else ""


def _drops(callee: str, arguments: Sequence[str]) -> bool:
    receiver, name = holder(callee), callee.rpartition(".")[2]
    parts = words_of(name)
    if callee == "delete" and arguments:
        return cachey(arguments[0])
    if act_of(name) == "drop" and receiver and cachey(receiver):
        return True
    about = _STALE_WORDS & set(parts)
    return bool(about) and (
        cachey(" ".join(parts), sure=True) or bool({"invalidate", "evict", "bust", "purge"} & about)
    )


def _resets(edit: Edit) -> bool:
    """A member set back to nothing, so that its next reader makes it anew."""
    value = text(edit, "value")
    empty = value in (
        "None",
        "null",
        "nil",
        "undefined",
        "{}",
        "[]",
        "dict()",
        "new Map()",
        "new HashMap<>()",
        "false",
        "False",
    )
    last = edit.subject.rpartition(".")[2]
    made = cachey(last) or value in ("None", "null", "nil", "undefined")
    return empty and made and "." in edit.subject and not edit.facts.get("remaining")


def _plan(edit: Edit, callee: str, scope: str, name: str) -> list[PlanQuery]:
    receiver, last = holder(callee), callee.rpartition(".")[2]
    arguments = texts(edit, "arguments")
    plan = [
        ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
    ]
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
    if _STALE_WORDS & set(words_of(last)) or not receiver:
        plan.append(ask(QueryKind.DEFINITION, callee, path=edit.path, scope=edit.scope))
        plan.append(ask(QueryKind.CALLERS, callee, path=edit.path, scope=edit.scope))
    return plan


def _written_by(edit: Edit) -> list[str]:
    """The last call before the drop, which changes what is cached: it may drop the value itself."""
    calls = [one.split("(")[0] for one in texts(edit, "callsBefore")]
    writing = [one for one in calls if _WRITING.search(f"{one}(") and not _EXTERNAL.search(one)]
    return writing[-1:]


_EXTERNAL = re.compile(r"(?i)\b(?:db|conn|connection|cursor|session|tx|jdbc\w*|em|client|pool)\.")


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    callee, name = _dropping(edit), split(function_of(edit))[1]
    body = _new_body(question, bundle)
    if body is None:
        return unsettled(NoFindingCode.NO_CANDIDATE, f"{code(name)} is gone, and with it what made the value stale")
    still = _instead(body, callee)
    if still and edit.op not in (EditOp.EXIT_ADDED, EditOp.ACT_CONDITIONED):
        return unsettled(NoFindingCode.REFUTED, f"{code(name)} renews what is cached through {code(still)}")
    elsewhere = _by_callee(question, bundle, callee) or _moved(question, bundle, callee)
    if elsewhere is not None:
        return unsettled(NoFindingCode.REFUTED, f"{place(elsewhere.ref)} drops it instead", refs=[elsewhere.ref])
    idle, changing = _idle(edit, body, callee), _changing(edit, body, callee)
    if changing is None or idle:
        why = (
            f"{code(idle)} says that nothing was changed" if idle else f"{code(name)} is seen to change nothing before"
        )
        return unsettled(NoFindingCode.REFUTED, f"{code(callee)} is passed over where nothing is stale: {why}")
    above = _by_caller(question, bundle, callee)
    if above is not None:
        return above
    reader = next(iter(_readers(question, bundle, callee)), None)
    if reader is None:
        return blocked(bundle, QueryKind.CALLERS) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"no reader of what {code(callee)} dropped was found",
            missing=(f"a reader of the cached value (searched: {searched(bundle)})",),
        )
    return (_card(question, callee, changing, reader),)


def _new_body(question: Question, bundle: Bundle) -> Body | None:
    """The function at head."""
    name = split(function_of(question.edits[0]))[1]
    for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name):
        body = body_at(bundle, one.ref.path, one.ref.start_line)
        if one.ref.path == question.path and one.fact.qualname == function_of(question.edits[0]) and body:
            return body
    return None


def _instead(body: Body, callee: str) -> str:
    """A call of the body that drops something cached."""
    base, store = callee.rpartition(".")[2], holder(callee)
    for call in body.calls:
        if _drops(call.callee, call.args) or call.name == base:
            return call.callee
        if store and holder(call.callee) == store and act_of(call.name) in ("write", "drop"):
            return call.callee
    renewed = (
        re.search(rf"^\s*(?:delete |del )?({re.escape(store)})\[[^\]]+\]\s*(?:=(?!=)|$)", body.text, re.M)
        if store
        else None
    )
    return renewed[1] if renewed else ""


def _changing(edit: Edit, body: Body, callee: str) -> str | None:
    """What the body changes of what is cached before the value would be dropped: the callee or target on that line."""
    last = edit.start_line if edit.op is EditOp.EXIT_ADDED else 10**9
    for number, line in body.lines[1:]:
        if number >= last or callee in line or _LOGS.search(line) or _SELECTS.search(line):
            continue
        if _SETS.search(line) and not _LOCAL.match(line):
            return re.split(r"\s*(?:[-+|*/]?=|\+\+|--)", line.strip())[0]
        if _WRITING.search(_bare(line)):
            call = next((one for one in calls_in(line) if _WRITING.search(f"{one.name}(")), None)
            return call.callee if call else line.strip()[:40]
    return split(function_of(edit))[1] if edit.op is EditOp.DECORATOR_REMOVED else None


# Conditions under which nothing was changed, so that nothing is stale.
_UNCHANGED = re.compile(
    r"(?i)rows?_?count|rowsaffected|affected|changed|modified|updated|deleted|removed|inserted|success|succe|\bok\b|"
    r"\berr(?:or)?\b|exists?\b|found|old|previous|before|\bprev|dirty|dry_?run"
)


def _idle(edit: Edit, body: Body, callee: str) -> str:
    """The condition under which the drop is passed over, where it says that nothing was changed or kept."""
    if edit.op is EditOp.ACT_CONDITIONED:
        test = edit.after or ""
        store = words_of(holder(callee).rpartition(".")[2])
        return test if _UNCHANGED.search(test) or (store and store[-1] in words_of(test)) else ""
    if edit.op is not EditOp.EXIT_ADDED:
        return ""
    before = [line for number, line in body.lines if edit.start_line - 3 <= number <= edit.start_line]
    tests = [line.strip() for line in before if re.match(r"\s*(?:}\s*)?(?:el)?(?:se )?(?:if|except|catch)\b", line)]
    test = tests[-1] if tests else ""
    return test if _UNCHANGED.search(test) or re.match(r"(?:}\s*)?(?:except|catch)", test) else ""


def _bare(line: str) -> str:
    return re.sub(r"^\s*(?:async\s+)?(?:def|func|function)\b.*$", "", line)


def _by_caller(question: Question, bundle: Bundle, callee: str) -> Unsettled | None:
    """Callers that drop the value themselves, all of them."""
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, name) if not one.fact.in_test]
    doing = []
    for one in calls:
        body = body_at(bundle, one.ref.path, one.ref.start_line)
        if body is not None and body.ref.path + str(body.ref.start_line) and _instead(body, callee):
            doing.append(one)
    if calls and len(doing) == len(calls):
        return unsettled(
            NoFindingCode.REFUTED,
            f"every resolved caller of {code(name)} drops the value itself; {place(doing[0].ref)} is one",
            refs=[one.ref for one in doing],
        )
    return None


def _by_callee(question: Question, bundle: Bundle, callee: str) -> Found[DefinitionFact] | None:
    """What the function calls, where that drops the value."""
    own = {split(function_of(question.edits[0]))[1], callee, callee.rpartition(".")[2]}
    for one in found(bundle, DefinitionFact, QueryKind.DEFINITION):
        body = body_at(bundle, one.ref.path, one.ref.start_line)
        if split(one.fact.qualname)[1] not in own and body is not None and _instead(body, callee):
            return one
    return None


def _moved(question: Question, bundle: Bundle, callee: str) -> Found[CallFact] | None:
    """A like drop that the same change brings to another function."""
    edit = question.edits[0]
    if edit.op not in (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED):
        return None
    for one in found(bundle, CallFact):
        like = one.fact.callee.rpartition(".")[2] == callee.rpartition(".")[2]
        other = one.fact.scope != function_of(edit) or one.ref.path != edit.path
        if like and other and one.evidence.near_change and one.ref.side is Side.NEW and not one.fact.in_test:
            return one
    return None


def _readers(question: Question, bundle: Bundle, callee: str) -> Iterator[Found[CallFact | UseFact]]:
    """Places that still take the cached value: on the same store, by the same key's text, or under the annotation."""
    edit, receiver = question.edits[0], holder(callee)
    for one in found(bundle, CallFact, QueryKind.SIBLINGS):
        if act_of(one.fact.callee.rpartition(".")[2]) in ("read", "both") and _usable(question, one):
            yield one
    for use in found(bundle, UseFact, QueryKind.LIFETIME):
        if use.fact.use in ("read", "call") and _usable(question, use) and use.fact.scope != function_of(edit):
            parts = use.fact.text.split(".")
            if act_of(parts[-1]) != "drop" or len(parts) == 1:
                yield use
    yield from _elsewhere(question, bundle, callee)
    if not receiver or _STALE_WORDS & set(words_of(callee)):
        yield from _by_definition(question, bundle, callee)


def _elsewhere(question: Question, bundle: Bundle, callee: str) -> Iterator[Found[CallFact | UseFact]]:
    """Places in other files: on the same store by its name, or by the text of the key."""
    edit, receiver = question.edits[0], holder(callee)
    for use in every(bundle, UseFact, QueryKind.CALLERS, receiver):
        if re.search(r"\.\s*(get|fetch|lookup|has)\w*\s*\(", use.evidence.text) and _usable(question, use):
            yield use
    for call in found(bundle, CallFact, QueryKind.CALLERS, receiver):
        if act_of(call.fact.callee.rpartition(".")[2]) in ("read", "both") and _usable(question, call):
            yield call
    for use in found(bundle, UseFact, QueryKind.TEXT):
        reads = re.search(
            r"(?i)\b\w*\.?(get|fetch|load|remember|cacheable)\w*\s*\(|@Cache|queryKey|useSWR", use.evidence.text
        )
        if reads and _usable(question, use) and _same_cache(edit, use.evidence):
            yield use


def _usable(question: Question, one: Found[CallFact | UseFact]) -> bool:
    given = (
        [part for one_ in one.fact.arguments for part in (one_.text, one_.origin)]
        if isinstance(one.fact, CallFact)
        else []
    )
    versioned = any(_VERSIONED.search(part) for part in (one.evidence.text, *given))
    return not one.fact.in_test and not one.evidence.near_change and not versioned


def _same_cache(edit: Edit, one: Evidence) -> bool:
    """An annotation must name the same cache."""
    if edit.op is not EditOp.DECORATOR_REMOVED:
        return True
    names = set(re.findall(r"\"([^\"]+)\"", edit.before or ""))
    return bool(names & set(re.findall(r"\"([^\"]+)\"", one.text)))


def _by_definition(question: Question, bundle: Bundle, callee: str) -> Iterator[Found[CallFact | UseFact]]:
    """Other callers of the function that drops the value: it is still kept, and they still drop it."""
    for one in found(bundle, CallFact, QueryKind.CALLERS, callee):
        if _usable(question, one) and one.fact.scope != function_of(question.edits[0]):
            yield one


def _card(question: Question, callee: str, changing: str, reader: Found[CallFact | UseFact]) -> Draft:
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
        claim=f"{verb} leaves the old value in place after {code(changing)} changed its source: "
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

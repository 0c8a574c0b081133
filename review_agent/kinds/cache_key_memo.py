"""A rule of ``cache_key``: a result that is kept although what it is made of changes."""

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
    unsettled,
)
from review_agent.kinds.bodies import Body, body_at, has_word, named, results, whole_of
from review_agent.kinds.cache_access import act_of
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
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

_MEMO = frozenset(
    {
        "lru_cache",
        "cache",
        "cached_property",
        "cached",
        "memoize",
        "memoized",
        "memo",
        "Memoize",
        "Cacheable",
        "once",
        "cachedmethod",
    }
)
_MUTATES = named("append extend push put putAll addAll insert unshift splice sort setdefault")
_LITERAL = re.compile(r"^[\w.]+\(\s*(?:-?\d[\w.]*|\"[^\"]*\"|'[^']*'|true|false|nil|null|None)?\s*\)$")
_ALIAS = re.compile(r"(?m)^\s*(?:let |const |var )?(\w+)\s*=\s*(?:self|this)\s*;?$")
# What an element of a table is called, which is no value.
_KEY = re.compile(r"(?<=[{,])\s*[\"']?\w+[\"']?\s*:(?!=)")
_OWN = ("self.", "this.", "cls.")
_BORN = frozenset({"__init__", "constructor", "__post_init__", "__new__", "setUp", "__attrs_post_init__"})


def _memoised(edit: Edit) -> str:
    """The function or member that now keeps its result, "" where the edit adds no such thing."""
    if edit.op is EditOp.DECORATOR_ADDED:
        name = text(edit, "name") or edit.subject
        return split(function_of(edit))[1] if name.rpartition(".")[2].lstrip("@").split("(")[0] in _MEMO else ""
    value = text(edit, "value")
    return edit.subject if value and (edit.subject.startswith(_OWN) or edit.language == "go") else ""


def _is_made(value: str) -> bool:
    """Whether a call makes a value; a literal that is put into another type stays one."""
    return "(" in value and _LITERAL.match(value) is None


def _is_born(scope: str, name: str) -> bool:
    """Whether a function makes the object: Java's constructor is called what its class is."""
    return name in _BORN or name == split(scope)[1]


def _raise_memo(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    kept = _memoised(edit)
    scope, name = split(function_of(edit))
    made = edit.op is EditOp.DECORATOR_ADDED or _is_made(text(edit, "value"))
    odd = _is_born(scope, name) or "[" in kept or kept.count(".") > 1
    if in_test(edit.path) or not kept or not scope or not made or odd:
        return None
    return seed(
        edit,
        "memo_of_changing_state",
        change=f"{code(name)} now keeps its first result",
        precondition=f"{code(name)} reads members of {code(scope)} that change after the first call",
        consequence="the kept result is handed out although what it was made of is another",
        refuted_if=(
            f"what {code(name)} reads is set once, when the object is made",
            "whatever changes it drops the kept result",
        ),
        plan=[
            ask(QueryKind.LIFETIME, "*", path=edit.path, scope=scope),
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ],
    )


def _settle_memo(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    scope, name = split(function_of(edit))
    kept = _memoised(edit)
    own = kept.rpartition(".")[2] if edit.op is EditOp.ASSIGNMENT_ADDED else name
    uses = found(bundle, UseFact, QueryKind.LIFETIME)
    inside = [one for one in uses if one.fact.scope == function_of(edit)]
    reads = ({_member(one) for one in inside if one.fact.use in ("read", "call")} | _read_by_alias(edit, bundle)) - {
        own
    }
    fills = any(_member(one) == own and one.fact.use == "write" for one in inside)
    if edit.op is EditOp.ASSIGNMENT_ADDED and not fills:
        return unsettled(NoFindingCode.NO_CANDIDATE, f"{code(name)} makes {code(own)} anew each time")
    apart = _is_no_memo(edit, bundle, own)
    if apart is not None:
        return apart
    resets = {one.fact.scope for one in uses if _member(one) == own and one.fact.use in ("write", "update")}
    resets |= _dropping_scopes(bundle, own)
    writes = [one for one in uses if _member(one) in reads and _changes(one) and one.fact.scope != function_of(edit)]
    later = [one for one in writes if not _is_born(*split(one.fact.scope)) and not one.fact.in_test]
    left = sorted((one for one in later if one.fact.scope not in resets), key=lambda one: one.evidence.near_change)
    calls = worst_first(question, found(bundle, CallFact, QueryKind.CALLERS))
    taken = [one for one in calls if not (one.fact.in_test or one.evidence.near_change)][:1]
    if left and (taken or not left[0].evidence.near_change):
        return (_memo_card(question, own, left[0], taken if left[0].evidence.near_change else []),)
    stopped = blocked(bundle, QueryKind.LIFETIME)
    if stopped is not None or left:
        return stopped or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"what changes {code(_member(left[0]))} stands in the change itself; no caller of {code(name)} was seen",
            missing=(f"a caller of {code(name)} (searched: {searched(bundle, QueryKind.CALLERS)})",),
        )
    if later:
        why = f"{place(later[0].ref)} changes {code(later[0].fact.text)} and drops the kept result"
        return unsettled(NoFindingCode.REFUTED, why, refs=[later[0].ref])
    return unsettled(NoFindingCode.REFUTED, f"nothing that {code(name)} reads of {code(scope)} is seen to change later")


def _member(one: Found[UseFact]) -> str:
    return one.fact.text.split(".")[0].split("[")[0]


def _read_by_alias(edit: Edit, bundle: Bundle) -> set[str]:
    """Members that the function reads of the object under another name: ``node = self``, then ``node.parent``."""
    body = body_at(bundle, edit.path, edit.start_line)
    said = body.text if body is not None and _holds_function(edit, body.text) else ""
    aliases = _ALIAS.findall(said)
    return {name for alias in aliases for name in re.findall(rf"(?<![\w.]){re.escape(alias)}\.(\w+)\b(?!\()", said)}


def _holds_function(edit: Edit, said: str) -> bool:
    return has_word(said, split(function_of(edit))[1])


def _changes(one: Found[UseFact]) -> bool:
    if one.fact.use in ("write", "update"):
        return True
    parts = one.fact.text.split(".")
    changing = (
        "append",
        "extend",
        "push",
        "put",
        "putAll",
        "addAll",
        "insert",
        "unshift",
        "splice",
        "sort",
        "setdefault",
    )
    return (
        one.fact.use == "call" and len(parts) == 2 and (act_of(parts[1]) in ("write", "drop") or parts[1] in changing)
    )


def _is_no_memo(edit: Edit, bundle: Bundle, own: str) -> Unsettled | None:
    """Why no caller is given what was kept; null where one is."""
    name = split(function_of(edit))[1]
    defined = found(bundle, DefinitionFact, QueryKind.DEFINITION, name)
    at_head = [one for one in defined if one.fact.qualname == function_of(edit)]
    if edit.op is EditOp.DECORATOR_ADDED:
        gives = not at_head or any(set(one.fact.returns) - {"none"} for one in at_head)
        return None if gives else _hands_nothing_out(name)
    whole = next((one for each in at_head if (one := whole_of(bundle, each.ref)) is not None), None)
    body = whole or body_at(bundle, edit.path, edit.start_line)
    if body is None:
        why = f"whether {code(name)} keeps what it hands out cannot be told: it was not read"
        return unsettled(NoFindingCode.INSUFFICIENT_EVIDENCE, why, missing=(f"the body of {code(name)}",))
    if not _asks_first(body, own):
        anew = unsettled(NoFindingCode.NO_CANDIDATE, f"{code(name)} makes {code(own)} anew each time")
        return unread(bundle, at_head) or anew
    return None if _hands_out(body, own) else unread(bundle, at_head) or _hands_nothing_out(name)


def _hands_nothing_out(name: str) -> Unsettled:
    return unsettled(NoFindingCode.NO_CANDIDATE, f"{code(name)} hands no kept result to its callers")


def _asks_first(body: Body, own: str) -> bool:
    """Whether the function tests the kept member before it makes it."""
    name, nothing = rf"[\w.]*(?<!\w){re.escape(own)}", r"(?:None|null|nil|undefined)"
    shape = re.compile(
        rf"\bif\b[\s(]*(?:not\s+|!)?{name}(?:\s*(?:is|is not|[!=]==?)\s*{nothing})?\s*[):{{]|{name}\s*(?:\?\?|\|\|)="
        rf"|return\s+{name}\s*(?:\?\?|\|\||or)\s"
    )
    return any(shape.search(line) for _, line in body.lines)


def _hands_out(body: Body, own: str) -> bool:
    """Whether the function returns the kept member, or what has it under another name."""
    names = {own, *re.findall(rf"(?<![\w.])(\w+)\s*:?=\s*[\w.]*{whole_name(own)}", body.text)}
    returned = _KEY.sub(" ", results(body.text))
    return any(has_word(returned, one) for one in names)


def _dropping_scopes(bundle: Bundle, own: str) -> set[str]:
    """Methods that drop the kept result in other words: ``del self.total``, ``self.total.cache_clear()``, by name."""
    shape = re.compile(
        rf"__dict__\.pop\(\s*[\"']{re.escape(own)}|del \w+\.{whole_name(own)}|{re.escape(own)}\.cache_clear|delattr"
    )
    return {
        fact.scope
        for one in bundle.evidence
        for fact in one.facts
        if isinstance(fact, UseFact) and shape.search(one.text)
    }


def _memo_card(question: Question, own: str, write: Found[UseFact], taken: Sequence[Found[CallFact]]) -> Draft:
    edit = question.edits[0]
    scope, name = split(function_of(edit))
    by = split(write.fact.scope)[1]
    subject = edit.subject
    asked = f"; {place(taken[0].ref)} asks for it" if taken else ""
    verb = f"Adding {code(subject)} to {code(name)}" if edit.op is EditOp.DECORATOR_ADDED else f"Adding {code(subject)}"
    return draft(
        question,
        claim=f"{verb} makes {code(name)} keep its first result, and {place(write.ref)} changes {code(_member(write))} "
        f"in {code(by)}, of which that is made, without dropping it{asked}.",
        op=EffectOp.ADDED,
        subject=subject,
        severity=Severity.IMPORTANT,
        support=[write.ref, *(one.ref for one in taken)],
        impact=f"One {code(scope.rpartition('.')[2])} is asked before and after {code(by)} runs; the second "
        "answer is the first one again.",
        counter=(
            f"Dropping {code(own)} where {code(_member(write))} changes would refute this; {code(by)} does not.",
            f"An object that is thrown away before {code(by)} can run would refute this.",
        ),
    )


RULES = (
    Rule(
        "memo_of_changing_state",
        frozenset({EditOp.DECORATOR_ADDED, EditOp.ASSIGNMENT_ADDED}),
        _raise_memo,
        _settle_memo,
    ),
)

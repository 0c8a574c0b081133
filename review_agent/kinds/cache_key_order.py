"""A rule of ``cache_key``: a value that is cached before it is final."""

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
    found,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.bodies import Body, body_at, has_word
from review_agent.kinds.cache_access import act_of, cachey, holder
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.roles import words_of
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

# Stores that keep a copy: what is changed after the call is not in it.
_COPIES = re.compile(
    r"(?i)redis|rdb|memcache|\bmc\b|opsForValue|dumps|stringify|marshal|encode|serialize|pickle|valkey"
)


def _stored(edit: Edit) -> tuple[str, str]:
    """(store, value) of an act that keeps something under a key; empty texts where it does not."""
    arguments = texts(edit, "arguments")
    if text(edit, "form") == "assignment":
        base = edit.subject.partition("[")[0]
        is_store = "[" in edit.subject and cachey(base)
        return (base, arguments[0]) if is_store and arguments else ("", "")
    if act_of(text(edit, "name")) == "write" and cachey(text(edit, "receiver")) and len(arguments) > 1:
        return text(edit, "receiver"), arguments[1]
    return "", ""


def _root(value: str) -> str:
    """The variable that a stored text is made of."""
    inner = re.findall(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*", re.sub(r"\"[^\"]*\"|'[^']*'", "", value))
    plain = [one.split(".")[0] for one in inner if f"{one}(" not in value]
    return plain[0] if plain else ""


def _raise_early(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    store, value = _stored(edit)
    root = _root(value)
    later = _later(texts(edit, "nowBefore"), root, _keeps_copy(edit))
    if in_test(edit.path) or not store or not root or not later:
        return None
    scope, name = split(function_of(edit))
    return seed(
        edit,
        "cached_before_final",
        change=f"{code(name)} keeps {code(root)} in {code(store)} before {code(later)}, behind which it stood",
        precondition=f"what comes between changes or refuses {code(root)}, and others take it from {code(store)}",
        consequence=f"{code(store)} hands out what was not finished, or what was refused",
        refuted_if=(
            f"{code(store)} holds the same object, so that later changes reach it, and nothing can fail between",
            "the entry is dropped where the later step fails",
        ),
        plan=[
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            ask(QueryKind.SIBLINGS, f"{store}.get", path=edit.path),
            ask(QueryKind.USES_INSIDE, root, path=edit.path, scope=function_of(edit)),
        ],
        risk=5,
    )


def _keeps_copy(edit: Edit) -> bool:
    awaited = edit.language in ("javascript", "typescript", "tsx") and len(texts(edit, "arguments")) > 2
    timed = edit.language == "python" and text(edit, "form") == "call" and text(edit, "name") in ("set", "setex", "add")
    return timed or awaited or _COPIES.search(f"{edit.subject} {edit.after}") is not None


def _later(statements: Sequence[str], root: str, copies: bool) -> str:
    """The first statement now behind the keeping that changes the value or refuses it."""
    for one in statements:
        if one.startswith("if ") and (has_word(one, root) or re.search(r"(?i)\berr\b|\berror\b", one)):
            return one.removeprefix("if ")
        named = one.removesuffix(" =")
        if one.endswith(" =") and (named == root or (copies and named.startswith((f"{root}.", f"{root}[")))):
            return named
        if copies and one.startswith(f"{root}.") and act_of(one[:-2].rpartition(".")[2]) in ("write", "drop"):
            return one.removesuffix("()")
        if one.endswith("()") and {"validate", "verify", "check", "ensure", "require"} & set(words_of(one[:-2])):
            return one.removesuffix("()")
    return ""


def _settle_early(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    store, value = _stored(edit)
    root = _root(value)
    later = _later(texts(edit, "nowBefore"), root, _keeps_copy(edit))
    body = body_at(bundle, question.path, edit.start_line)
    dropped = _dropped_again(body, store, edit.end_line) if body else 0
    if dropped:
        return unsettled(NoFindingCode.REFUTED, f"line {dropped} drops the entry of {code(store)} again")
    readers = [
        one
        for one in found(bundle, CallFact, QueryKind.SIBLINGS)
        if act_of(one.fact.callee.rpartition(".")[2]) in ("read", "both") and not one.evidence.near_change
    ]
    name = split(function_of(edit))[1]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, name) if not one.fact.in_test]
    outside = [one for one in worst_first(question, calls) if not one.evidence.near_change]
    taken = (readers or outside)[:1]
    if not taken:
        return blocked(bundle, QueryKind.CALLERS) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"nobody was seen to take what {code(name)} keeps in {code(store)}",
            missing=(f"a reader of {code(store)} outside the change (searched: {searched(bundle)})",),
        )
    return (_early_card(question, store, root, later, taken[0], inside=bool(readers)),)


def _dropped_again(body: Body, store: str, line: int) -> int:
    for call in body.calls:
        if call.line > line and act_of(call.name) == "drop" and holder(call.callee) == store:
            return call.line
    return 0


def _early_card(
    question: Question, store: str, root: str, later: str, reader: Found[CallFact], *, inside: bool
) -> Draft:
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    how = f"asks {code(store)} for it" if inside else f"gets it from {code(name)}"
    return draft(
        question,
        claim=f"Moving {code(edit.subject)} in {code(name)} before {code(later)} keeps {code(root)} while that step is "
        f"still to come: {place(reader.ref)} {how} as if it were done.",
        op=EffectOp.CHANGED if edit.op is not EditOp.ACT_MOVED else EffectOp.REORDERED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[reader.ref],
        impact="A second request meets the entry after a first one for which the step changed the value, or ended the "
        "function because of it.",
        counter=(
            f"Dropping the entry again where the step fails would refute this; {code(name)} drops nothing.",
            f"A step that neither changes nor refuses {code(root)} would refute this.",
        ),
    )


RULES = (Rule("cached_before_final", frozenset({EditOp.ACT_MOVED}), _raise_early, _settle_early),)

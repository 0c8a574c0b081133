"""Rules of ``incomplete_change`` about a step that all but one of those who share a store or a slot now take."""

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
    found,
    listed,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.functions import function_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
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
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["PLAIN_STEPS", "RULES", "leads_steps"]

# These change nothing about what a key is, or are no step at all.
_PLAIN_WORDS = """
    len print isinstance type id list dict set tuple sorted iter enumerate range next hash debug info warning
    error log validate check ensure assert append items keys values copy get exists Error New now
"""
PLAIN_STEPS = frozenset(_PLAIN_WORDS.split())
# What looks something else up, or takes it from what surrounds a request, makes no other form of a key.
_LOOKUP = re.compile(
    r"^(?:try|must|_)*(?:get|find|fetch|load|lookup|query|read|current|resolve|open|create|new)(?![a-z])", re.I
)
# Methods of what only holds values by key; one with further words asks for something of its own.
_HOLDING_WORDS = """
    get set put has pop remove delete discard add contains key item load store if absent present compute or default
    setdefault update insert find lookup exists evict invalidate include includes containskey peek take
"""
_HOLDING = frozenset(_HOLDING_WORDS.split())
_OWN = re.compile(r"^(?:self|this|cls)\.")


def _raise_store(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    stores = texts(edit, "stores")
    if in_test(edit.path) or not stores or edit.subject in PLAIN_STEPS or not leads_steps(edit, edits):
        return None
    if _LOOKUP.match(_snake(edit.subject)):
        return None
    same, owner, store = _same(edit, edits), text(edit, "owner"), stores[0]
    member = _member(edit, store)
    if member:
        plan = [
            ask(QueryKind.LIFETIME, member, path=edit.path, scope=owner),
            ask(QueryKind.SIBLINGS, edit.subject, path=edit.path, scope=owner),
        ]
    else:
        plan = [
            ask(QueryKind.USES_INSIDE, store, path=edit.path),
            ask(QueryKind.SIBLINGS, edit.subject, path=edit.path, scope=owner),
        ]
    plan.append(
        ask(QueryKind.CALLERS, edit.subject, path=edit.path, scope=owner if _OWN.match(text(edit, "callee")) else "")
    )
    return seed(
        edit,
        "step_left_out",
        change=f"{listed(function_of(one) for one in (edit, *same))} now take {snippet(edit.after or edit.subject)} "
        f"on the way to {code(store)}",
        precondition=f"another function uses {code(store)} without that step",
        consequence="it looks in another place than the ones that take it",
        refuted_if=(
            f"every use of {code(store)} takes the step",
            "what is used there has taken it already",
        ),
        plan=plan,
        others=same,
    )


def _snake(name: str) -> str:
    return "_".join(words_of(name))


def _member(edit: Edit, store: str) -> str:
    """The own member that a store is, "" where it is none."""
    if not text(edit, "owner"):
        return ""
    if _OWN.match(store):
        return _OWN.sub("", store).split(".")[0]
    receiver, _, rest = store.partition(".")
    return (
        rest.split(".")[0]
        if edit.language == "go" and len(receiver) <= 3 and rest
        else store
        if edit.language == "java" and not rest
        else ""
    )


def leads_steps(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether an edit is the first of those that take up one step for the same stores and slots."""
    first = next((one for one in edits if _key(one) == _key(edit)), edit)
    return first.edit_id == edit.edit_id


def _key(edit: Edit) -> tuple[object, ...]:
    return edit.op, edit.path, edit.subject, text(edit, "owner"), texts(edit, "stores"), texts(edit, "slots")


def _same(edit: Edit, edits: Sequence[Edit]) -> list[Edit]:
    """The other functions that took up the same step for the same store."""
    return [
        one
        for one in edits
        if (one.op, one.path, one.subject) == (edit.op, edit.path, edit.subject)
        and one.edit_id != edit.edit_id
        and text(one, "owner") == text(edit, "owner")
        and set(texts(one, "stores")) & set(texts(edit, "stores"))
    ]


def _settle_store(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    stopped = blocked(bundle, question.plan[0].kind, QueryKind.SIBLINGS)
    if stopped is not None:
        return stopped
    beside = {one.fact.qualname: one.fact for one in every(bundle, DefinitionFact, QueryKind.SIBLINGS)}
    stepping = {name for name, fact in beside.items() if _takes(fact.calls, edit.subject)}
    stepping |= {one.fact.scope for one in every(bundle, CallFact, QueryKind.CALLERS)} | {
        function_of(one) for one in question.edits
    }
    uses = [one for one in found(bundle, UseFact) if not one.fact.in_test and one.fact.scope not in stepping]
    handed = {
        last
        for name, fact in beside.items()
        if name in stepping
        for one in fact.calls
        if (last := one.rpartition(".")[2])
    }
    bare = [
        one
        for one in uses
        if one.fact.scope.rpartition(".")[2] not in handed and _bare_key(edit, one, beside.get(one.fact.scope))
    ]
    left = [one for one in bare if not one.evidence.near_change]
    if left and len({one.fact.scope for one in left}) <= 2:
        return (_store_card(question, left[0]),)
    store = code(texts(edit, "stores")[0])
    if bare:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{len(bare)} uses of {store} go without {code(edit.subject)}; which of them must take it is not known",
            missing=(f"which uses of {store} meet the changed ones",),
            refs=[one.ref for one in bare[:4]],
        )
    return unsettled(
        NoFindingCode.REFUTED if uses or stepping else NoFindingCode.NO_CANDIDATE,
        f"no use of {store} with a key of the caller's goes without {code(edit.subject)}; searched: {searched(bundle)}",
        refs=[one.ref for one in uses[:3]],
    )


def _takes(calls: Sequence[str], step: str) -> bool:
    return any(one.rpartition(".")[2] == step for one in calls)


def _bare_key(edit: Edit, one: Found[UseFact], within: DefinitionFact | None) -> bool:
    """Whether a use looks into the store with what its caller gave, as it came."""
    store = re.escape(texts(edit, "stores")[0])
    keyed = re.search(
        rf"{store}(?:\[|\.(?P<by>\w+)\()\s*(?P<key>[A-Za-z_]\w*)\s*[\],)]|"
        rf"(?P<member>[A-Za-z_]\w*)\s+(?:not )?in {store}\b",
        one.evidence.text,
    )
    if keyed is None or not set(words_of(keyed["by"] or "")) <= _HOLDING:
        return False
    key = keyed["key"] or keyed["member"]
    if within is None:
        return key == edit.subject or key == text(edit, "argument")
    return key in {parameter.name for parameter in within.parameters}


def _store_card(question: Question, left: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    store, step = texts(edit, "stores")[0], edit.after or edit.subject
    scope = left.fact.scope or "the module"
    return draft(
        question,
        claim=f"Adding {snippet(step)} to {listed(dict.fromkeys(function_of(one) for one in question.edits))} "
        f"leaves {code(scope)} behind: "
        f"{place(left.ref)} still looks into {code(store)} with the value as it comes.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[left.ref],
        impact=f"{code(text(edit, 'argument'))} is a value that the new step turns into another one; what was kept "
        "under the one is then not met under the other.",
        counter=(f"A caller of {code(scope)} that takes the step itself would refute this; none was asked about.",),
        uncertainty=(f"Whether callers of {code(scope)} take the step beforehand was not followed.",),
    )


RULES = (Rule("step_left_out", frozenset({EditOp.STEP_ADDED}), _raise_store, _settle_store),)

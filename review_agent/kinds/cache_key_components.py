"""A rule of ``cache_key``: a component left the key while the cached value still depends on it."""

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
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.cache_key_apart import own_store, per_object, settled_before, told_apart
from review_agent.kinds.cache_key_depends import depending
from review_agent.kinds.cache_key_parts import OBJECT, OPS, lost, root_of
from review_agent.kinds.cache_key_places import Keyed, callers_of, keyed_places
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.rulebook import Rule
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
    Resolution,
    Severity,
    SourceRef,
)

__all__ = ["RULES"]

# Lines of a hit that is cited in place of the excerpt around it.
_SHORT = 12


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    component = lost(edit)
    root = root_of(component) if component else ""
    if in_test(edit.path) or not function_of(edit) or not root or not _first(edit, edits):
        return None
    scope, name = split(function_of(edit))
    plan = [
        ask(QueryKind.USES_INSIDE, root.rpartition(".")[2], path=edit.path, scope=function_of(edit)),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
    ]
    for callee in texts(edit, "calls")[:2] if edit.op is EditOp.DECORATOR_CHANGED else ():
        plan.append(ask(QueryKind.DEFINITION, callee, path=edit.path, scope=function_of(edit)))
    plan += [
        ask(QueryKind.DEFINITION, one, path=edit.path, scope=function_of(edit)) for one in texts(edit, "takers")[:2]
    ]
    if text(edit, "target"):
        plan.append(ask(QueryKind.USES_INSIDE, text(edit, "target"), path=edit.path, scope=function_of(edit)))
    if scope:
        plan += [ask(QueryKind.DEFINITION, one, path=edit.path, scope=scope) for one in _makers(edit, scope)]
    if scope and root.partition(".")[0] in OBJECT:
        plan.append(ask(QueryKind.LIFETIME, root.rpartition(".")[2], path=edit.path, scope=scope))
    return seed(
        edit,
        "key_component_removed",
        change=f"the key that {code(name)} makes no longer contains {code(component)}",
        precondition=f"the value kept under the key depends on {code(root)}, and more than one of it is asked for",
        consequence="an entry made for one is handed to another",
        refuted_if=(
            f"the cached value does not depend on {code(root)}",
            f"what is left of the key tells values of {code(root)} apart",
            "each has a store of its own",
            f"there is only one {code(root)}",
        ),
        plan=plan,
        risk=10,
    )


def _makers(edit: Edit, scope: str) -> list[str]:
    """The constructor of the object that a function belongs to."""
    names = {"python": "__init__", "java": split(scope)[1], "go": ""}
    name = names.get(edit.language, "constructor")
    return [name] if name else []


def _first(edit: Edit, edits: Sequence[Edit]) -> bool:
    same = [
        one
        for one in edits
        if one.op in OPS
        and lost(one)
        and (one.path, function_of(one), lost(one)) == (edit.path, function_of(edit), lost(edit))
    ]
    return bool(same) and same[0].edit_id == edit.edit_id


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    told = told_apart(question, bundle) or settled_before(question, bundle)
    if told is not None:
        return told
    keyed = next(iter(keyed_places(question, bundle)), None)
    if keyed is None:
        return blocked(bundle, QueryKind.CALLERS) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"no place was seen that asks a store for the key which lost {code(lost(edit))} and fills it",
            missing=(f"the store that the key goes to (searched: {searched(bundle)})",),
        )
    apart = own_store(keyed)
    if apart is not None:
        return unsettled(
            NoFindingCode.REFUTED, f"{code(apart.store)} is a store of its own for each {code(keyed.name)}"
        )
    own = per_object(question, bundle, keyed)
    if own is not None:
        return own
    depends = list(depending(question, bundle, keyed))
    if not depends:
        return unsettled(
            NoFindingCode.REFUTED,
            f"what is kept in {code(keyed.writes[0].store)} is made without {code(keyed.name)}",
            refs=[keyed.body.ref],
        )
    return _with_callers(question, bundle, keyed, depends)


def _with_callers(question: Question, bundle: Bundle, keyed: Keyed, depends: Sequence[int]) -> Settled:
    edit = question.edits[0]
    calls = callers_of(question, bundle)
    ambiguous = [
        one for one in every(bundle, CallFact, QueryKind.CALLERS) if one.fact.resolution is Resolution.AMBIGUOUS
    ]
    own = not edit.facts.get("returned")
    if own and calls and not ambiguous:
        same = _one_value(bundle, calls, lost(edit))
        if same is not None:
            return unsettled(
                NoFindingCode.REFUTED,
                f"every resolved caller passes {code(same)}: there is only one",
                refs=[one.ref for one in calls],
            )
    support = _supports(bundle, keyed, depends)
    caller = next((one for one in calls if own and one.ref not in support), None)
    if caller is not None:
        support = [*support, caller.ref]
    elif edit.op is EditOp.DECORATOR_CHANGED:
        support = [*support, *_callee(bundle, edit)]
    if all(_near(bundle, one) for one in support):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{code(keyed.name)} is named around the key only",
            missing=(f"a line outside the change that makes the value of {code(keyed.name)}, or a caller",),
        )
    return (_card(question, keyed, depends[0], caller, support),)


def _callee(bundle: Bundle, edit: Edit) -> list[SourceRef]:
    """The definition of what an annotated method calls with the component, where it takes one of that name."""
    asked = found(bundle, DefinitionFact, QueryKind.DEFINITION)
    name = root_of(lost(edit))
    return [one.ref for one in asked if one.ref.path != edit.path and name in [p.name for p in one.fact.parameters]][:1]


def _near(bundle: Bundle, ref: SourceRef) -> bool:
    return any(one.near_change for one in bundle.evidence if one.ref == ref)


def _one_value(bundle: Bundle, calls: Sequence[Found[CallFact]], component: str) -> str | None:
    """The one literal or constant that all callers pass, null where they pass several or what varies."""
    given = set()
    for one in calls:
        root = root_of(component)
        definition = next((d.fact for d in found(bundle, DefinitionFact, QueryKind.DEFINITION)), None)
        names = [p.name for p in definition.parameters if p.name not in OBJECT] if definition else []
        plain = [a.text for a in one.fact.arguments if a.keyword is None]
        by_name = [a.text for a in one.fact.arguments if a.keyword == root]
        at = names.index(root) if root in names else -1
        given.add(by_name[0] if by_name else plain[at] if 0 <= at < len(plain) else "")
    value = next(iter(given)) if len(given) == 1 else ""
    return value if re.fullmatch(r"[A-Z][A-Z0-9_.]*|[\"'].*[\"']|\d+|[\w.]+\.[A-Z][A-Z0-9_]+", value) else None


def _supports(bundle: Bundle, keyed: Keyed, depends: Sequence[int]) -> list[SourceRef]:
    """The line that makes the value; where it stands in the change itself, also one that asks or fills the store."""
    hits = [one for one in bundle.evidence if one.origin == "hit" and one.ref.path == keyed.body.ref.path]
    by_line = {one.ref.start_line: one for one in reversed(hits) if one.ref.end_line - one.ref.start_line < _SHORT}
    lines = [*depends, *(one.line for one in (*keyed.writes, *keyed.reads)), *sorted(keyed.skip)]
    found = [by_line[number] for number in lines if number in by_line]
    if not any(number in by_line for number in depends):
        found = [one for one in found if one.ref.start_line in keyed.skip] if _near(bundle, keyed.body.ref) else []
        return [found[0].ref] if found else [keyed.body.ref]
    first, far = found[0], next((one for one in found if not one.near_change), None)
    return list(dict.fromkeys([first.ref, *([far.ref] if far and first.near_change else [])]))


def _card(
    question: Question, keyed: Keyed, line: int, caller: Found[CallFact] | None, support: Sequence[SourceRef]
) -> Draft:
    edit, store = question.edits[0], keyed.writes[0]
    name = split(function_of(edit))[1]
    key = text(edit, "target") or "the key"
    where = f"{code(keyed.body.ref.path)} line {line}"
    asked = f"; {place(caller.ref)} is one of those who ask" if caller else ""
    return draft(
        question,
        claim=f"Removing {code(lost(edit))} from {code(key) if key != 'the key' else key} in {code(name)} makes "
        f"{code(store.store)} hand out one entry for all: {where} still makes what is kept there with "
        f"{code(keyed.name)}{asked}.",
        op=EffectOp.REMOVED,
        subject=lost(edit),
        severity=Severity.BLOCKING,
        support=support,
        impact=f"Two requests agree in the remaining parts and differ in {code(lost(edit))} while the first one's "
        "entry is alive: the second gets a result that was computed for somebody else.",
        counter=(
            f"A store that separates by {code(keyed.name)} would refute this; {code(store.store)} is named without it.",
            f"A remaining part that implies {code(lost(edit))} would refute this; none of them is made of it.",
        ),
        uncertainty=()
        if caller or keyed.body.ref.path != question.path
        else (f"How many different values of {code(root_of(lost(edit)))} are asked for was not followed.",),
    )


RULES = (Rule("key_component_removed", OPS, _raise, _settle),)

"""Rules of ``auth`` about calls that bind a path: without the guard of their like, or without the one they had."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.authority import WHO, asks, checks_in, level_words
from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    code,
    draft,
    found,
    place,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.bindings import given, grouped, guard_of, label, path_bound
from review_agent.kinds.entrances import is_open, is_registration, path_of, segment
from review_agent.kinds.routes import FEWEST, MOST_OTHERS, AnyFound, is_new, route_seed, shown, too_few
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
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
)

__all__ = ["RULES"]


def _bound_card(question: Question, path: str, guard: str, shown: Sequence[tuple[AnyFound, str]]) -> Draft:
    edit = question.edits[0]
    moved = edit.op is EditOp.ACT_MOVED
    head = f"Moving {code(edit.subject)} for" if moved else "Adding"
    said = " and ".join(f"{label} at {place(one.ref)}" for one, label in shown)
    return draft(
        question,
        claim=f"{head} the route {code(path)} outside {code(guard)} opens it to everybody, where its like stand behind "
        f"that guard: {said} show it.",
        op=EffectOp.REORDERED if moved else EffectOp.ADDED,
        subject=edit.subject if moved else path,
        severity=Severity.BLOCKING,
        support=[one.ref for one, _ in shown],
        impact=f"Somebody whom {code(guard)} turns away elsewhere sends the request to this path instead.",
        counter=(
            f"A guard on the router or inside the handler of {code(path)} would refute this; none was found.",
            f"A route of the same kind that does without {code(guard)} would refute this; none was found.",
        ),
    )


def _raise_bound(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    """A call that binds a new path."""
    arguments = list(texts(edit, "arguments"))
    if in_test(edit.path) or not is_registration(text(edit, "name"), arguments):
        return None
    path = path_of(arguments)
    if is_open(path) or max((guard_of(one)[0] for one in arguments[1:]), default=0) or not text(edit, "receiver"):
        return None
    others = [one for one in edits if one.op is EditOp.CALL_ADDED and one.path == edit.path and one is not edit]
    return route_seed(
        edit,
        "route_bound_unguarded",
        change=f"{code(path)} is bound without a guard",
        plan=_plan_of_binding(edit),
        others=others[:MOST_OTHERS],
    )


def _plan_of_binding(edit: Edit) -> list[PlanQuery]:
    """The other paths bound on the same router, and the handler."""
    plan = [ask(QueryKind.SIBLINGS, f"{text(edit, 'receiver')}.{text(edit, 'name')}", path=edit.path)]
    named = re.findall(r"[A-Za-z_$][\w$.]*", texts(edit, "arguments")[-1])
    if named and not re.search(r"=>|\bfunc(?:tion)?\b", texts(edit, "arguments")[-1]):
        plan.append(ask(QueryKind.DEFINITION, named[-1], path=edit.path, scope=edit.scope))
    return plan


def _settle_bound(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    path = path_of(texts(edit, "arguments"))
    beside = [one for one in found(bundle, CallFact, QueryKind.SIBLINGS) if not one.fact.in_test]
    deeper = _handler(bundle)
    if deeper is not None:
        return deeper
    others = [one for one in beside if path_bound(one) and not is_new(question, one)]
    others = [one for one in others if not is_open(path_bound(one)) and not _is_own(question, one)]
    near = [one for one in others if segment(path_bound(one)) == segment(path)]
    routes = near if len(near) >= FEWEST else others
    guards = [{name for level, name in (*map(guard_of, given(one)), *grouped(one)) if level} for one in routes]
    bare = [one for one, names in zip(routes, guards, strict=True) if not names]
    if bare:
        detail = f"{place(bare[0].ref)} binds a path without a guard as well"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[bare[0].ref])
    shared = set.intersection(*guards) if guards else set()
    if len(routes) < FEWEST or not shared:
        return too_few(bundle, path, QueryKind.SIBLINGS)
    used = _used(question, beside, asks(min(shared)))
    if used is not None:
        return unsettled(NoFindingCode.REFUTED, f"{place(used.ref)} asks for all routes behind it", refs=[used.ref])
    pairs: list[tuple[AnyFound, str]] = [(one, label(one)) for one in shown(routes)]
    if not pairs:
        pairs = [(one, "the handler, which asks nothing itself,") for one in _handlers(bundle)]
        pairs += [(one, label(one)) for one in routes[:1]]
    if len(pairs) < FEWEST:
        return too_few(bundle, path, QueryKind.SIBLINGS)
    return (_bound_card(question, path, min(shared), pairs),)


def _handlers(bundle: Bundle) -> list[Found[DefinitionFact]]:
    found_ = found(bundle, DefinitionFact, QueryKind.DEFINITION)
    return [one for one in found_ if not one.evidence.near_change and one.fact.symbol in ("function", "method")][:1]


def _is_own(question: Question, one: Found[CallFact]) -> bool:
    anchor = question.anchor
    return one.ref.start_line <= anchor.end_line and anchor.start_line <= one.ref.end_line


def _used(question: Question, beside: Sequence[Found[CallFact]], level: int) -> Found[CallFact] | None:
    """The guard in front of all that is bound behind it, in the router or group of the question's own route."""
    own = next((one.fact.within for one in beside if _is_own(question, one)), ())
    for one in beside:
        early = one.ref.start_line < question.anchor.start_line and one.fact.callee.lower().endswith(".use")
        if early and set(one.fact.within) <= set(own) and _level(one) >= level:
            return one
    return None


def _handler(bundle: Bundle) -> Unsettled | None:
    for one in found(bundle, DefinitionFact, QueryKind.DEFINITION):
        checks = checks_in(one.fact)
        if checks:
            detail = f"{place(one.ref)} asks itself: {snippet(checks[0][1])}"
            return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref])
    return None


def _raise_unwrapped(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    """A call that binds a path and lost its guard among its arguments."""
    name, arguments = text(edit, "name"), list(texts(edit, "arguments"))
    if in_test(edit.path) or not is_registration(name, arguments) or not text(edit, "receiver"):
        return None
    lost, level = guard_of(edit.before or ""), max((guard_of(one)[0] for one in arguments[1:]), default=0)
    if lost[0] <= level or is_open(path_of(arguments)):
        return None
    change = f"{code(path_of(arguments))} is bound without {code(lost[1])}"
    return route_seed(edit, "route_guard_removed", change=change, plan=_plan_of_binding(edit))


def _settle_unwrapped(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    level, guard = guard_of(edit.before or "")
    path = path_of(texts(edit, "arguments"))
    beside = [one for one in found(bundle, CallFact, QueryKind.SIBLINGS) if not one.fact.in_test]
    used = _used(question, beside, level)
    if used is not None:
        return unsettled(NoFindingCode.REFUTED, f"{place(used.ref)} asks for all routes behind it", refs=[used.ref])
    deeper = _handler(bundle)
    if deeper is not None:
        return deeper
    still = [one for one in beside if path_bound(one) and not _is_own(question, one) and not one.evidence.near_change]
    still = [one for one in still if any(guard_of(argument)[1] == guard for argument in given(one))]
    handlers = _handlers(bundle)
    if still:
        said = f"{label(still[0])} at {place(still[0].ref)} still stands behind it"
        return (_unwrapped_card(question, guard, path, level, still[0], said),)
    if handlers:
        said = f"the handler at {place(handlers[0].ref)} asks nothing itself"
        return (_unwrapped_card(question, guard, path, level, handlers[0], said),)
    return too_few(bundle, path, QueryKind.SIBLINGS)


def _level(one: Found[CallFact]) -> int:
    return max((guard_of(argument)[0] for argument in given(one)), default=0)


def _unwrapped_card(question: Question, guard: str, path: str, level: int, shown: AnyFound, said: str) -> Draft:
    who = "has no such right" if level > WHO else "never signed in"
    return draft(
        question,
        claim=f"Removing {code(guard)} from the route {code(path)} leaves nothing that asks {level_words(level)}: "
        f"{said}.",
        op=EffectOp.REMOVED,
        subject=guard,
        severity=Severity.BLOCKING,
        support=[shown.ref],
        impact=f"Somebody who {who} sends the request and the handler carries it out.",
        counter=(
            f"A guard that {code(path)} passes earlier would refute this; the file binds none in front of it.",
            "A check inside the handler would refute this; none was found.",
        ),
    )


RULES = (
    Rule("route_bound_unguarded", frozenset({EditOp.CALL_ADDED, EditOp.ACT_MOVED}), _raise_bound, _settle_bound),
    Rule(
        "route_guard_removed",
        frozenset({EditOp.ARGUMENT_CHANGED, EditOp.ARGUMENT_REMOVED}),
        _raise_unwrapped,
        _settle_unwrapped,
    ),
)

"""Rules of ``auth`` about routes: one added without the guard that all beside it have, or bound without it now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from review_agent.kinds.authority import WHO, asked_by, asks, asks_of, checks_in, decorates, level_words
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
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.bindings import given, guard_of, label, path_bound
from review_agent.kinds.entrances import is_open, is_registration, is_route, path_of, route_of, segment, serves
from review_agent.kinds.functions import split
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

_FEWEST = 2
_MOST_CALLEES = 3
_MOST_OTHERS = 20
_CHANGED = frozenset({EditOp.ARGUMENT_CHANGED, EditOp.ARGUMENT_REMOVED})

Levels = list[tuple[int, str]]


def _of_function(edit: Edit) -> Levels:
    """What an added function asks by itself."""
    found_ = [(decorates(one), one) for one in texts(edit, "decorators")]
    found_ += [(asks_of(one), one) for one in texts(edit, "parameters")]
    found_ += [(asks(one), one) for one in texts(edit, "calls")]
    found_ += [(asked_by(one), one) for one in texts(edit, "guards")]
    return [one for one in found_ if one[0]]


def _raise_handler(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    decorators = texts(edit, "decorators")
    handles = any(is_route(one) for one in decorators) or serves(texts(edit, "parameters"))
    if in_test(edit.path) or not handles or _of_function(edit):
        return None
    if is_open(edit.subject) or is_open(route_of(decorators)):
        return None
    scope, name = split(text(edit, "qualname"))
    callees = [one for one in texts(edit, "calls") if re.fullmatch(r"[\w.$]+", one)][:_MOST_CALLEES]
    others = [one for one in edits if one.op is EditOp.SYMBOL_ADDED and one.path == edit.path and one is not edit]
    return _seed(
        edit,
        "route_added_unguarded",
        others=others[:_MOST_OTHERS],
        change=f"the handler {code(name)} is new and asks nothing about the caller",
        plan=[
            ask(QueryKind.SIBLINGS, name, path=edit.path, scope=scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=text(edit, "qualname")) for one in callees),
        ],
    )


def _seed(edit: Edit, rule: str, *, change: str, plan: Sequence, others: Sequence[Edit] = ()) -> Seed:
    return seed(
        edit,
        rule,
        change=change,
        precondition="the routes beside it all ask",
        consequence="whoever sends a request gets by this route what the others keep from them",
        refuted_if=("a route beside it does without as well", "the router, the class or the handler itself asks"),
        plan=plan,
        others=others,
    )


def _settle_handler(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = edit.subject
    beside = [one for one in found(bundle, DefinitionFact, QueryKind.SIBLINGS) if not _is_new(question, one)]
    mine = texts(edit, "decorators")
    routes = [
        one for one in beside if _is_like(one.fact, mine, texts(edit, "parameters")) and one.fact.qualname != edit.scope
    ]
    routes = [one for one in routes if not is_open(one.fact.qualname) and not is_open(route_of(one.fact.decorators))]
    deeper = _deeper(bundle, texts(edit, "calls"))
    if deeper is not None:
        return deeper
    bound = [one for one in found(bundle, CallFact, QueryKind.CALLERS) if asks(" ".join(one.fact.preceded_by))]
    if bound:
        return unsettled(NoFindingCode.REFUTED, f"{place(bound[0].ref)} asks first", refs=[bound[0].ref])
    common = _common({one.ref: _names(checks_in(one.fact)) for one in routes})
    bare = [one for one in routes if not checks_in(one.fact)]
    if bare:
        detail = f"{code(bare[0].fact.qualname)} at {place(bare[0].ref)} does without a check as well"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[bare[0].ref])
    shown = _shown(routes)
    if not shown or not common:
        return _too_few(bundle, name, QueryKind.SIBLINGS)
    return (_card(question, name, common, [(one, code(split(one.fact.qualname)[1])) for one in shown]),)


def _is_new(question: Question, one: Found) -> bool:
    """Whether a place is itself one that the change adds."""
    added = [edit for edit in question.edits if edit.path == one.ref.path]
    return any(edit.start_line <= one.ref.end_line and one.ref.start_line <= edit.end_line for edit in added)


def _shown(routes: Sequence[Found]) -> list[Found]:
    """Two of the routes, one of them away from the change; empty where there are no such two."""
    away = [one for one in routes if not one.evidence.near_change]
    near = [one for one in routes if one.evidence.near_change]
    return [*away, *near][:_FEWEST] if away and len(routes) >= _FEWEST else []


def _is_like(fact: DefinitionFact, decorators: Sequence[str], parameters: Sequence[str]) -> bool:
    """Whether a function is a route by the same means as the new one."""
    if fact.symbol not in ("function", "method"):
        return False
    if any(is_route(one) for one in decorators):
        return any(is_route(one) for one in fact.decorators)
    return serves([f"{one.name}: {one.type or ''}" for one in fact.parameters])


def _names(checks: Levels) -> set[str]:
    return {re.sub(r"\(.*", "", said, flags=re.DOTALL).lstrip("@").strip() for _, said in checks}


def _common(names: dict) -> str:
    """A guard that all routes have, "" for none."""
    sets = list(names.values())
    shared = set.intersection(*sets) if sets else set()
    return min(shared, default="")


def _deeper(bundle: Bundle, callees: Iterable[str]) -> Unsettled | None:
    """The callee that asks in the handler's stead."""
    for name in callees:
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name):
            checks = checks_in(one.fact)
            if checks:
                detail = f"{code(name)} at {place(one.ref)} asks itself: {snippet(checks[0][1])}"
                return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref])
    return None


def _too_few(bundle: Bundle, name: str, kind: QueryKind) -> Unsettled:
    return blocked(bundle, kind) or unsettled(
        NoFindingCode.NO_CANDIDATE, f"beside {code(name)} no two routes outside the change share a guard"
    )


def _card(question: Question, name: str, guard: str, routes: Sequence[tuple[Found, str]]) -> Draft:
    shown = routes[:2]
    said = " and ".join(f"{label} at {place(one.ref)}" for one, label in shown)
    return draft(
        question,
        claim=f"Adding {code(name)} without {code(guard)} makes the one route here that asks nothing about the caller: "
        f"{said} stand behind it.",
        op=EffectOp.ADDED,
        subject=name,
        severity=Severity.BLOCKING,
        support=[one.ref for one, _ in shown],
        impact=f"Somebody whom {code(guard)} turns away elsewhere sends the request to this path instead.",
        counter=(
            f"A guard on the router or inside {code(name)} would refute this; none was found.",
            f"A route beside it that does without {code(guard)} would refute this; none was found.",
        ),
    )


def _bound_card(question: Question, path: str, guard: str, shown: Sequence[tuple[Found, str]]) -> Draft:
    said = " and ".join(f"{label} at {place(one.ref)}" for one, label in shown)
    return draft(
        question,
        claim=f"Adding the route {code(path)} without {code(guard)} opens it to everybody, where its like stand behind "
        f"that guard: {said} show it.",
        op=EffectOp.ADDED,
        subject=path,
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
    return _seed(
        edit,
        "route_bound_unguarded",
        change=f"{code(path)} is bound without a guard",
        plan=_plan_of_binding(edit),
        others=others[:_MOST_OTHERS],
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
    used = [one for one in beside if one.fact.callee.lower().endswith(".use") and _calls_guard(one)]
    if used and used[0].ref.start_line < question.anchor.start_line:
        return unsettled(NoFindingCode.REFUTED, f"{place(used[0].ref)} asks for all routes", refs=[used[0].ref])
    deeper = _handler(bundle)
    if deeper is not None:
        return deeper
    others = [one for one in beside if path_bound(one) and not _is_new(question, one)]
    others = [one for one in others if not is_open(path_bound(one)) and not _is_own(question, one)]
    near = [one for one in others if segment(path_bound(one)) == segment(path)]
    routes = near if len(near) >= _FEWEST else others
    guards = [{name for level, name in map(guard_of, given(one)) if level} for one in routes]
    bare = [one for one, names in zip(routes, guards, strict=True) if not names]
    if bare:
        detail = f"{place(bare[0].ref)} binds a path without a guard as well"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[bare[0].ref])
    shared = set.intersection(*guards) if guards else set()
    if len(routes) < _FEWEST or not shared:
        return _too_few(bundle, path, QueryKind.SIBLINGS)
    shown: list[tuple[Found, str]] = [(one, label(one)) for one in _shown(routes)]
    if not shown:
        shown = [(one, "the handler, which asks nothing itself,") for one in _handlers(bundle)]
        shown += [(one, label(one)) for one in routes[:1]]
    if len(shown) < _FEWEST:
        return _too_few(bundle, path, QueryKind.SIBLINGS)
    return (_bound_card(question, path, min(shared), shown),)


def _handlers(bundle: Bundle) -> list[Found[DefinitionFact]]:
    found_ = found(bundle, DefinitionFact, QueryKind.DEFINITION)
    return [one for one in found_ if not one.evidence.near_change and one.fact.symbol in ("function", "method")][:1]


def _is_own(question: Question, one: Found[CallFact]) -> bool:
    anchor = question.anchor
    return one.ref.start_line <= anchor.end_line and anchor.start_line <= one.ref.end_line


def _calls_guard(one: Found[CallFact]) -> bool:
    return any(guard_of(argument)[0] for argument in given(one))


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
    return _seed(edit, "route_guard_removed", change=change, plan=_plan_of_binding(edit))


def _settle_unwrapped(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    level, guard = guard_of(edit.before or "")
    path = path_of(texts(edit, "arguments"))
    beside = [one for one in found(bundle, CallFact, QueryKind.SIBLINGS) if not one.fact.in_test]
    used = [one for one in beside if one.fact.callee.lower().endswith(".use") and _level(one) >= level]
    if used and used[0].ref.start_line < question.anchor.start_line:
        return unsettled(NoFindingCode.REFUTED, f"{place(used[0].ref)} asks for all routes", refs=[used[0].ref])
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
    return _too_few(bundle, path, QueryKind.SIBLINGS)


def _level(one: Found[CallFact]) -> int:
    return max((guard_of(argument)[0] for argument in given(one)), default=0)


def _unwrapped_card(question: Question, guard: str, path: str, level: int, shown: Found, said: str) -> Draft:
    who = "has no such right" if level > WHO else "never signed in"
    return draft(
        question,
        claim=f"Removing {code(guard)} from the route {code(path)} leaves nothing that asks {level_words(level)}: {said}.",
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
    Rule("route_added_unguarded", frozenset({EditOp.SYMBOL_ADDED}), _raise_handler, _settle_handler),
    Rule("route_bound_unguarded", frozenset({EditOp.CALL_ADDED}), _raise_bound, _settle_bound),
    Rule("route_guard_removed", _CHANGED, _raise_unwrapped, _settle_unwrapped),
)

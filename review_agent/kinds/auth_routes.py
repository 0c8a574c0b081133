"""A rule of ``auth`` about routes: a handler added without the guard that all beside it have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from review_agent.kinds.authority import asked_by, asks, asks_of, checks_in, decorates
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
from review_agent.kinds.entrances import is_open, is_route, root_of, route_of, serves
from review_agent.kinds.exposure_checks import given_to_router
from review_agent.kinds.functions import split
from review_agent.kinds.routes import MOST_OTHERS, AnyFound, is_new, route_seed, shown, too_few
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
    QueryKind,
    Question,
    Severity,
    SourceRef,
)

__all__ = ["RULES"]

_MOST_CALLEES = 3

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
    return route_seed(
        edit,
        "route_added_unguarded",
        others=others[:MOST_OTHERS],
        change=f"the handler {code(name)} is new and asks nothing about the caller",
        plan=[
            ask(QueryKind.SIBLINGS, name, path=edit.path, scope=scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=text(edit, "qualname")) for one in callees),
        ],
    )


def _settle_handler(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = edit.subject
    beside = [one for one in found(bundle, DefinitionFact, QueryKind.SIBLINGS) if not is_new(question, one)]
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
    router = _of_router(question, beside)
    if router is not None:
        return router
    common = _common({one.ref: _guards(one.fact) for one in routes})
    bare = [one for one in routes if not checks_in(one.fact)]
    if bare:
        detail = f"{code(bare[0].fact.qualname)} at {place(bare[0].ref)} does without a check as well"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[bare[0].ref])
    two = shown(routes)
    if not two or not common:
        return too_few(bundle, name, QueryKind.SIBLINGS)
    return (_card(question, name, common, [(one, code(split(one.fact.qualname)[1])) for one in two]),)


def _is_like(fact: DefinitionFact, decorators: Sequence[str], parameters: Sequence[str]) -> bool:
    """Whether a function is a route by the same means as the new one."""
    if fact.symbol not in ("function", "method"):
        return False
    if any(is_route(one) for one in decorators):
        return any(is_route(one) for one in fact.decorators)
    return serves([f"{one.name}: {one.type or ''}" for one in fact.parameters])


def _of_router(question: Question, beside: Sequence[Found[DefinitionFact]]) -> Unsettled | None:
    """The router that asks for all its routes, where the new one is made on it."""
    root = root_of(texts(question.edits[0], "decorators"))
    for one in beside:
        if (
            root
            and one.fact.qualname == root
            and any(decorates(part) for part in given_to_router(one.fact.value or ""))
        ):
            return unsettled(NoFindingCode.REFUTED, f"{code(root)} at {place(one.ref)} asks itself", refs=[one.ref])
    return None


def _guards(fact: DefinitionFact) -> set[str]:
    """The guards of a route by their own names, whether a decorator, a dependency or a parameter brings them."""
    written = [
        *fact.decorators,
        *(one.default or "" for one in fact.parameters),
        *(one.type or "" for one in fact.parameters),
    ]
    depends = [name for one in written for name in re.findall(r"(?:Depends|Security)\(\s*([\w.]+)", one)]
    return {one for one in depends if decorates(one) or asks(one)} | _names(checks_in(fact))


def _names(checks: Levels) -> set[str]:
    return {re.sub(r"\(.*", "", said, flags=re.DOTALL).lstrip("@").strip() for _, said in checks}


def _common(names: dict[SourceRef, set[str]]) -> str:
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


def _card(question: Question, name: str, guard: str, routes: Sequence[tuple[AnyFound, str]]) -> Draft:
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


RULES = (Rule("route_added_unguarded", frozenset({EditOp.SYMBOL_ADDED}), _raise_handler, _settle_handler),)

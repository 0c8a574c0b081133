"""Who reaches a function, and what each way in asks about the caller: the evidence that rules of ``auth`` settle by."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from review_agent.kinds.authority import asked_by, asks, asks_of, decorates, first_check, level_words
from review_agent.kinds.base import (
    Found,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    found,
    place,
    texts,
    unsettled,
)
from review_agent.kinds.bindings import guard_of
from review_agent.kinds.callers import worst_first
from review_agent.kinds.entrances import (
    aside,
    is_entrance,
    is_registration,
    is_route,
    root_of,
    serves,
)
from review_agent.kinds.exposure_checks import (
    Texts,
    all_checks,
    callees_of,
    defeated,
    followed,
    own_of,
    owner_of,
    weak_mounts,
)
from review_agent.kinds.functions import function_of, split
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Draft,
    Edit,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Side,
    SourceRef,
    UseFact,
)

__all__ = ["Exposed", "Way", "plan_of_exposure", "settle_exposed"]

# Callees that may do the asking themselves: as many definitions as the plan has room for.
_CALLEES = 3


@dataclass(frozen=True)
class Way:
    """One way into the function: a call of it or its registration as a handler, and what is asked on that way."""

    ref: SourceRef
    scope: str
    level: int
    shown: str
    entrance: bool
    outside: bool


@dataclass(frozen=True)
class Exposed:
    """What a card can rest on: ways in that ask less; handlers beside that still ask; callees that do not ask."""

    function: str
    level: int
    ways: tuple[Way, ...]
    siblings: tuple[Found[DefinitionFact], ...]
    callees: tuple[Found[DefinitionFact], ...]
    configs: tuple[Found[UseFact], ...]
    entrance: bool


Card = Callable[[Exposed], Draft | None]


def plan_of_exposure(edit: Edit, newly: Sequence[str] = ()) -> tuple[PlanQuery, ...]:
    """The function, its class, its callers, what stands beside it, its router, and the callees that may ask.

    ``newly``: what the function newly calls, which may ask in its stead.
    """
    scope, name = split(function_of(edit))
    plan = [
        ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ask(QueryKind.SIBLINGS, name, path=edit.path, scope=scope),
    ]
    if scope and edit.language != "go":
        plan.append(ask(QueryKind.DEFINITION, split(scope)[1], path=edit.path, scope=split(scope)[0]))
    root = root_of(texts(edit, "decorators"))
    if root.isidentifier():
        plan.append(ask(QueryKind.CALLERS, root, path=edit.path))
    if edit.language == "java":
        plan += [ask(QueryKind.TEXT, "Matchers(", path="*.java"), ask(QueryKind.TEXT, ".anyRequest(", path="*.java")]
    if edit.language in ("go", "javascript", "typescript", "tsx"):
        plan.append(ask(QueryKind.TEXT, ".Use(" if edit.language == "go" else ".use("))
    if edit.language == "go":
        plan += [ask(QueryKind.TEXT, "Handle("), ask(QueryKind.TEXT, "HandleFunc(")]
    room = min(_CALLEES, 8 - len(plan))
    called = dict.fromkeys((*newly, *callees_of(edit)))
    return (
        *plan,
        *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in list(called)[:room]),
    )


def settle_exposed(question: Question, bundle: Bundle, level: int, gone: Sequence[str], card: Card) -> Settled:
    """Refuted where anything else asks as much; a card where someone comes in unasked; else what is missing."""
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    own = own_of(question, bundle)
    defeat = defeated(question, bundle, own, level, gone)
    if defeat is not None:
        return defeat
    ways = tuple(_ways(question, bundle, name, level))
    open_ = [one for one in ways if one.level < level]
    if ways and not open_:
        first = ways[0]
        detail = f"every way into {code(name)} that was found asks for {level_words(level)}: {place(first.ref)} does"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in ways])
    bases = [base for one in owner_of(question, bundle) for base in one.fact.bases]
    entrance = own is not None and is_entrance(own.fact, bases)
    seen = Exposed(
        function=function_of(edit),
        level=level,
        ways=tuple(one for one in open_ if one.outside and not aside(one.ref.path)),
        siblings=tuple(_asking_beside(question, bundle, level)),
        callees=tuple(one for one in followed(question, bundle) if not one.evidence.near_change),
        configs=tuple(weak_mounts(question, bundle, level)),
        entrance=entrance,
    )
    drawn = card(seen)
    return (drawn,) if drawn is not None else _open(question, bundle, seen, open_)


def _open(question: Question, bundle: Bundle, seen: Exposed, ways: Sequence[Way]) -> Unsettled:
    stopped = blocked(bundle, QueryKind.CALLERS)
    if stopped is not None:
        return stopped
    name = code(seen.function)
    if ways:
        detail = f"the only ways into {name} that ask less lie in the change or are run by an operator"
        return unsettled(NoFindingCode.INSUFFICIENT_EVIDENCE, detail, missing=(f"a request that reaches {name}",))
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"no caller or route outside the change is seen to reach {name} with less",
        missing=(f"who reaches {name}",),
    )


def _ways(question: Question, bundle: Bundle, name: str, level: int) -> Iterator[Way]:
    """Calls of the function first, then places that register it as a handler."""
    own = function_of(question.edits[0])
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, name) if _counts(one) and one.fact.scope != own]
    for one in worst_first(question, calls):
        before = [*one.fact.preceded_by, *one.fact.held]
        levels = [(max(asks(part), asked_by(part)), part) for part in before]
        levels += [(decorates(part), part) for part in one.fact.decorators]
        levels += [(asks_of(part), part) for part in one.fact.parameters]
        levels += _around_handler(bundle, one.fact.scope)
        bound = [part for part in one.fact.within if _registers(part)]
        levels += [guard_of(given) for part in bound for given in _split(part)[1:]]
        routed = any(is_route(part) for part in one.fact.decorators) or serves(one.fact.parameters)
        yield _way(one, one.fact.scope, levels, entrance=bool(bound) or routed)
    uses = [one for one in found(bundle, UseFact, QueryKind.CALLERS, name) if _counts(one) and one.fact.given_to]
    for use in uses:
        bound = [part for part in use.fact.given_to if _registers(part)]
        if bound:
            levels = [(_around(part, use.fact.text), part) for part in use.fact.given_to]
            yield _way(use, use.fact.scope, levels, entrance=True)


def _around_handler(bundle: Bundle, scope: str) -> Texts:
    """What the calls ask that a handler is handed to where it is bound: ``Handle("/x", owned(a.cancel))``."""
    name = scope.rpartition(".")[2]
    for one in found(bundle, UseFact, QueryKind.TEXT) if name else ():
        line = re.sub(r"\"[^\"]*\"", "", one.evidence.text)
        bound = re.search(rf"\bHandle(?:Func)?\((.*{whole_name(name)})", line)
        if bound is not None and not one.fact.in_test:
            return [(decorates(part), part) for part in re.findall(r"([\w.]+)\(", bound[1])]
    return []


def _counts(one: Found[CallFact] | Found[UseFact]) -> bool:
    return not one.fact.in_test and one.ref.side is Side.NEW


def _way(one: Found[CallFact] | Found[UseFact], scope: str, levels: Texts, *, entrance: bool) -> Way:
    best = max(levels, default=(0, ""))
    shown = best[1] if best[0] else ""
    return Way(one.ref, scope, best[0], shown, entrance, not one.evidence.near_change)


def _registers(call: str) -> bool:
    callee, _, given = call.partition("(")
    return is_registration(callee.rpartition(".")[2], [part.strip() for part in given.rstrip(")").split(",")])


def _split(call: str) -> list[str]:
    return [part.strip() for part in call.partition("(")[2].split(",")]


def _around(call: str, handler: str) -> int:
    """What a registering call asks besides naming the handler."""
    rest = re.sub(rf"(?<![\w.]){whole_name(handler)}", "", call.partition("(")[2])
    wrapper = call.partition("(")[0]
    return max(asks(rest), asks(wrapper))


def _asking_beside(question: Question, bundle: Bundle, level: int) -> Iterator[Found[DefinitionFact]]:
    """Functions in the same place, outside the change, that ask as much as this one did."""
    own = function_of(question.edits[0])
    beside = found(bundle, DefinitionFact, QueryKind.SIBLINGS)
    kinds = next((_alike(one.fact.symbol) for one in beside if one.fact.qualname == own), ("function", "method"))
    for one in beside:
        fits = one.fact.symbol in kinds and one.fact.qualname != own
        if fits and not one.evidence.near_change and first_check(all_checks(one.fact), level):
            yield one


def _alike(symbol: str) -> tuple[str, ...]:
    return ("class",) if symbol == "class" else ("function", "method")

"""Who reaches a function, and what each way in asks about the caller: the evidence that rules of ``auth`` settle by."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from review_agent.kinds.authority import MAY, asked_by, asks, asks_of, checks_in, decorates, first_check, level_words
from review_agent.kinds.base import (
    Found,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    every,
    found,
    place,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.bindings import guard_of
from review_agent.kinds.entrances import (
    aside,
    is_entrance,
    is_registration,
    is_route,
    root_of,
    route_of,
    segment,
    serves,
)
from review_agent.kinds.functions import function_of, split
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
    Resolution,
    Side,
    SourceRef,
    UseFact,
)

__all__ = ["Exposed", "Way", "mount_applies", "plan_of_exposure", "settle_exposed"]

# Callees that may do the asking themselves: as many definitions as the plan has room for.
_CALLEES = 3
_PLAIN = re.compile(
    r"(?:.*\.)?(?:log(?:ger|ging)?|console)\.\w+$|(?:.*\.)?(?:jsonify|render\w*|redirect|url_for|flash|json|send|status|"
    r"Sprintf|Errorf|Error|Write\w*|Header|Atoi|get|Get|PathValue|append|strip|format|len|str|int|print|dict|list|set|"
    r"Response|JSONResponse|HTTPException|ok|build|of|end|commit|abort|now)$"
)
_GLOBAL = re.compile(r"before_(?:app_)?request|middleware", re.IGNORECASE)


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


def plan_of_exposure(edit: Edit) -> tuple[PlanQuery, ...]:
    """The function, its class, its callers, what stands beside it, its router, and the callees that may ask."""
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
    room = min(_CALLEES, 8 - len(plan))
    return (*plan, *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in _callees(edit)[:room]))


def _callees(edit: Edit) -> list[str]:
    called = [one for one in dict.fromkeys(texts(edit, "following")) if not _PLAIN.match(one) and not asks(one)]
    own = function_of(edit)
    return [one for one in called if one != own and re.fullmatch(r"[\w.$]+", one)]


def settle_exposed(question: Question, bundle: Bundle, level: int, gone: Sequence[str], card: Card) -> Settled:
    """Refuted where anything else asks as much; a card where someone comes in unasked; else what is missing."""
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    own = _own(question, bundle)
    defeat = _defeated(question, bundle, own, level, gone)
    if defeat is not None:
        return defeat
    ways = tuple(_ways(question, bundle, name, level))
    open_ = [one for one in ways if one.level < level]
    if ways and not open_:
        first = ways[0]
        detail = f"every way into {code(name)} that was found asks for {level_words(level)}: {place(first.ref)} does"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in ways])
    bases = [base for one in _owner(question, bundle) for base in one.fact.bases]
    entrance = own is not None and is_entrance(own.fact, bases)
    seen = Exposed(
        function=function_of(edit),
        level=level,
        ways=tuple(one for one in open_ if one.outside and not aside(one.ref.path)),
        siblings=tuple(_asking_beside(question, bundle, level)),
        callees=tuple(one for one in _followed(question, bundle) if not one.evidence.near_change),
        configs=tuple(_weak_mounts(question, bundle, level)),
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


def _here(question: Question, bundle: Bundle) -> list[Found[DefinitionFact]]:
    """The function and its class."""
    own = _own(question, bundle)
    return [*([own] if own is not None else []), *_owner(question, bundle)]


def _own(question: Question, bundle: Bundle) -> Found[DefinitionFact] | None:
    name = function_of(question.edits[0])
    here = [one for one in found(bundle, DefinitionFact) if one.ref.path == question.path]
    return next((one for one in here if one.fact.qualname == name and one.ref.side is Side.NEW), None)


def _owner(question: Question, bundle: Bundle) -> list[Found[DefinitionFact]]:
    owner = split(function_of(question.edits[0]))[0]
    return [
        one
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION)
        if owner and one.fact.qualname == owner and one.fact.symbol == "class"
    ]


def _defeated(
    question: Question, bundle: Bundle, own: Found[DefinitionFact] | None, level: int, gone: Sequence[str]
) -> Unsettled | None:
    """The place that still asks as much, where there is one."""
    for one, texts_ in _askers(question, bundle, own, gone):
        said = first_check(texts_, level)
        if said:
            detail = f"{place(one.ref)} still asks for {level_words(level)}: {code(said)}"
            return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref])
    return None


Texts = list[tuple[int, str]]


def _askers(
    question: Question, bundle: Bundle, own: Found[DefinitionFact] | None, gone: Sequence[str]
) -> Iterator[tuple[Found[DefinitionFact] | Found[UseFact] | Found[CallFact], Texts]]:
    """All that could ask in the function's stead: itself, its class, its router, its callees, what runs before."""
    if own is not None:
        yield own, checks_in(own.fact, gone)
    for one in _owner(question, bundle):
        yield one, _of_class(one.fact)
    for one in _followed(question, bundle):
        yield one, checks_in(one.fact)
    for one in found(bundle, DefinitionFact, QueryKind.SIBLINGS):
        if one.fact.symbol not in ("function", "method", "class", "struct"):
            yield one, [(decorates(part), part) for part in _parts(one.fact.value or "")]
        elif any(_GLOBAL.search(text_) for text_ in one.fact.decorators):
            yield one, [*checks_in(one.fact), (asks(one.fact.qualname), one.fact.qualname)]
    yield from _mounted(question, bundle)


def _of_class(fact: DefinitionFact) -> Texts:
    found_ = [(decorates(one), one) for one in fact.decorators]
    mixins = [
        (decorates(one) if re.search(r"Mixin|Guard|Protected|Secure|Authen|Admin|Staff", one) else 0, one)
        for one in fact.bases
    ]
    return [*found_, *mixins]


def _parts(value: str) -> list[str]:
    """The guards in a router's value: its dependencies or decorators."""
    return re.findall(r"(?:Depends|Security)\([^()]*(?:\([^()]*\))?[^()]*\)|decorators\s*=\s*\[[^\]]*\]", value)


def _mounted(question: Question, bundle: Bundle) -> Iterator[tuple[Found[UseFact], Texts]]:
    """Lines that put a guard in front of the function's router, or of all routes."""
    edit = question.edits[0]
    root = root_of(texts(edit, "decorators"))
    for one in found(bundle, UseFact, QueryKind.CALLERS, root) if root else ():
        yield one, [(decorates(part), part) for text_ in one.fact.given_to for part in _parts(text_)]
    routes = {one.ref.path for one in found(bundle, UseFact, QueryKind.CALLERS) if one.fact.given_to} | {question.path}
    decorators = [*texts(edit, "decorators"), *texts(edit, "others")]
    decorators += [part for one in _here(question, bundle) for part in one.fact.decorators]
    paths = [segment(route_of([one])) for one in decorators if route_of([one])]
    for one in found(bundle, UseFact, QueryKind.TEXT):
        line = one.evidence.text.strip()
        if mount_applies(one, routes, paths) and not one.fact.in_test:
            yield one, [(max(asks(line), _java_matcher(line)), line)]


def mount_applies(one: Found[UseFact], routes: Collection[str], paths: Sequence[str] = ()) -> bool:
    """Whether a line puts something in front of the routes that these files bind."""
    line, same_file = one.evidence.text.strip(), one.ref.path in routes
    if ".anyRequest(" in line:
        return True
    if "Matchers(" in line:
        return any(part and f"/{part}" in line for part in paths) or '"/**"' in line
    stems = [path.rpartition("/")[2].partition(".")[0].lower() for path in routes]
    if re.search(r"\.[uU]se\(\s*[\"'`]/(\w+)", line):
        return any(stem and stem in line.lower() for stem in stems)
    return same_file or re.search(r"\b(?:app|server|api|engine|e|r|router)\.[uU]se\(", line) is not None


def _java_matcher(line: str) -> int:
    if re.search(r"hasRole|hasAuthority|hasAny|denyAll", line):
        return MAY
    return 1 if ".authenticated()" in line else 0


def _weak_mounts(question: Question, bundle: Bundle, level: int) -> Iterator[Found[UseFact]]:
    """Lines in front of all routes that ask who the caller is, where the function asked what they may do."""
    for one, said in _mounted(question, bundle):
        best = max((strength for strength, _ in said), default=0)
        if 0 < best < level and not one.evidence.near_change:
            yield one


def _followed(question: Question, bundle: Bundle) -> list[Found[DefinitionFact]]:
    """Resolved definitions of functions that the function goes on to call."""
    wanted = {one.name for one in question.plan if one.kind is QueryKind.DEFINITION} & set(_callees(question.edits[0]))
    found_ = [one for name in wanted for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name)]
    own = function_of(question.edits[0])
    functions = [one for one in found_ if one.fact.symbol in ("function", "method") and one.fact.qualname != own]
    return sorted(functions, key=lambda one: (one.ref.path, one.ref.start_line))


def _ways(question: Question, bundle: Bundle, name: str, level: int) -> Iterator[Way]:
    """Calls of the function first, then places that register it as a handler."""
    own = function_of(question.edits[0])
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, name) if _counts(one) and one.fact.scope != own]
    for one in worst_first(question, calls):
        before = [*one.fact.preceded_by, *one.fact.held]
        levels = [(max(asks(part), asked_by(part)), part) for part in before]
        levels += [(decorates(part), part) for part in one.fact.decorators]
        levels += [(asks_of(part), part) for part in one.fact.parameters]
        bound = [part for part in one.fact.within if _registers(part)]
        levels += [guard_of(given) for part in bound for given in _split(part)[1:]]
        routed = any(is_route(part) for part in one.fact.decorators) or serves(one.fact.parameters)
        yield _way(one, one.fact.scope, levels, entrance=bool(bound) or routed)
    uses = [one for one in found(bundle, UseFact, QueryKind.CALLERS, name) if _counts(one) and one.fact.given_to]
    for one in uses:
        bound = [part for part in one.fact.given_to if _registers(part)]
        if bound:
            levels = [(_around(part, one.fact.text), part) for part in one.fact.given_to]
            yield _way(one, one.fact.scope, levels, entrance=True)


def _counts(one: Found[CallFact] | Found[UseFact]) -> bool:
    return not one.fact.in_test and one.ref.side is Side.NEW


def _way(one: Found, scope: str, levels: Texts, *, entrance: bool) -> Way:
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
    rest = re.sub(rf"(?<![\w.]){re.escape(handler)}(?!\w)", "", call.partition("(")[2])
    wrapper = call.partition("(")[0]
    return max(asks(rest), asks(wrapper))


def _asking_beside(question: Question, bundle: Bundle, level: int) -> Iterator[Found[DefinitionFact]]:
    """Functions in the same place, outside the change, that ask as much as this one did."""
    own = function_of(question.edits[0])
    for one in found(bundle, DefinitionFact, QueryKind.SIBLINGS):
        fits = one.fact.symbol in ("function", "method") and one.fact.qualname != own
        if fits and not one.evidence.near_change and first_check(checks_in(one.fact), level):
            yield one


def unresolved_callers(bundle: Bundle, name: str) -> bool:
    """Whether some call of that name was not followed to what it means."""
    return any(one.fact.resolution is Resolution.AMBIGUOUS for one in every(bundle, CallFact, QueryKind.CALLERS, name))

"""What else asks in the stead of a check that went: the function itself, its class, its router, its callees."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from review_agent.kinds.authority import MAY, asks, checks_in, decorates, first_check, level_words, of_base
from review_agent.kinds.base import (
    Found,
    Unsettled,
    code,
    found,
    place,
    texts,
    unsettled,
)
from review_agent.kinds.entrances import (
    root_of,
    route_of,
    segment,
)
from review_agent.kinds.functions import function_of, split
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Edit,
    NoFindingCode,
    QueryKind,
    Question,
    Side,
    UseFact,
)

__all__ = [
    "Texts",
    "all_checks",
    "callees_of",
    "defeated",
    "followed",
    "given_to_router",
    "mount_applies",
    "of_class",
    "own_of",
    "owner_of",
    "weak_mounts",
]

Texts = list[tuple[int, str]]
_PLAIN = re.compile(
    r"(?:.*\.)?(?:log(?:ger|ging)?|console)\.\w+$|(?:.*\.)?(?:jsonify|render\w*|redirect|url_for|flash|json|send|status|"
    r"Sprintf|Errorf|Error|Write\w*|Header|Atoi|get|Get|PathValue|append|strip|format|len|str|int|print|dict|list|set|"
    r"Response|JSONResponse|HTTPException|ok|build|of|end|commit|abort|now)$"
)
_GLOBAL = re.compile(r"before_(?:app_)?request|middleware", re.IGNORECASE)


def callees_of(edit: Edit) -> list[str]:
    called = [one for one in dict.fromkeys(texts(edit, "following")) if not _PLAIN.match(one) and not asks(one)]
    own = function_of(edit)
    return [one for one in called if one != own and re.fullmatch(r"[\w.$]+", one)]


def _here(question: Question, bundle: Bundle) -> list[Found[DefinitionFact]]:
    """The function and its class."""
    own = own_of(question, bundle)
    return [*([own] if own is not None else []), *owner_of(question, bundle)]


def own_of(question: Question, bundle: Bundle) -> Found[DefinitionFact] | None:
    name = function_of(question.edits[0])
    here = [one for one in found(bundle, DefinitionFact) if one.ref.path == question.path]
    return next((one for one in here if one.fact.qualname == name and one.ref.side is Side.NEW), None)


def owner_of(question: Question, bundle: Bundle) -> list[Found[DefinitionFact]]:
    owner = split(function_of(question.edits[0]))[0]
    return [
        one
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION)
        if owner and one.fact.qualname == owner and one.fact.symbol == "class"
    ]


def defeated(
    question: Question, bundle: Bundle, own: Found[DefinitionFact] | None, level: int, gone: Sequence[str]
) -> Unsettled | None:
    """The place that still asks as much, where there is one."""
    for one, texts_ in _askers(question, bundle, own, gone):
        said = first_check(texts_, level)
        if said:
            detail = f"{place(one.ref)} still asks for {level_words(level)}: {code(said)}"
            return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref])
    return None


def _askers(
    question: Question, bundle: Bundle, own: Found[DefinitionFact] | None, gone: Sequence[str]
) -> Iterator[tuple[Found[DefinitionFact] | Found[UseFact] | Found[CallFact], Texts]]:
    """All that could ask in the function's stead: itself, its class, its router, its callees, what runs before."""
    if own is not None:
        yield own, all_checks(own.fact, gone)
    for one in owner_of(question, bundle):
        yield one, of_class(one.fact)
    for one in followed(question, bundle):
        yield one, checks_in(one.fact)
    for one in found(bundle, DefinitionFact, QueryKind.SIBLINGS):
        if one.fact.symbol not in ("function", "method", "class", "struct"):
            yield one, [(decorates(part), part) for part in given_to_router(one.fact.value or "")]
        elif any(_GLOBAL.search(text_) for text_ in one.fact.decorators):
            yield one, [*checks_in(one.fact), (asks(one.fact.qualname), one.fact.qualname)]
    yield from _mounted(question, bundle)


def all_checks(fact: DefinitionFact, gone: Sequence[str] = ()) -> Texts:
    """What a function asks by itself; of a class what it asks for all its methods."""
    return of_class(fact) if fact.symbol == "class" else checks_in(fact, gone)


def of_class(fact: DefinitionFact) -> Texts:
    """What a class asks for all its methods: by decorators, bases, or the attributes that frameworks read."""
    found_ = [(decorates(one), one) for one in fact.decorators]
    found_ += [(of_base(one), one) for one in fact.bases]
    return found_ + [(MAY, one) for one in fact.members if one in ("permission_classes", "permission_required")]


def given_to_router(value: str) -> list[str]:
    """The guards in a router's value: its dependencies or decorators."""
    return re.findall(r"(?:Depends|Security)\([^()]*(?:\([^()]*\))?[^()]*\)|decorators\s*=\s*\[[^\]]*\]", value)


def _mounted(question: Question, bundle: Bundle) -> Iterator[tuple[Found[UseFact], Texts]]:
    """Lines that put a guard in front of the function's router, or of all routes."""
    edit = question.edits[0]
    root = root_of(texts(edit, "decorators"))
    for one in found(bundle, UseFact, QueryKind.CALLERS, root) if root else ():
        yield one, [(decorates(part), part) for text_ in one.fact.given_to for part in given_to_router(text_)]
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


def weak_mounts(question: Question, bundle: Bundle, level: int) -> Iterator[Found[UseFact]]:
    """Lines in front of all routes that ask who the caller is, where the function asked what they may do."""
    for one, said in _mounted(question, bundle):
        best = max((strength for strength, _ in said), default=0)
        if 0 < best < level and not one.evidence.near_change:
            yield one


def followed(question: Question, bundle: Bundle) -> list[Found[DefinitionFact]]:
    """Resolved definitions of functions that the function goes on to call."""
    own_names = {split(one)[1] for one in (function_of(question.edits[0]), split(function_of(question.edits[0]))[0])}
    wanted = {one.name for one in question.plan if one.kind is QueryKind.DEFINITION} - own_names
    found_ = [one for name in wanted for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name)]
    own = function_of(question.edits[0])
    functions = [one for one in found_ if one.fact.symbol in ("function", "method") and one.fact.qualname != own]
    return sorted(functions, key=lambda one: (one.ref.path, one.ref.start_line))

"""What the callers of a changed function show: which calls break, which fit, and what a no-finding says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from review_agent.kinds.base import (
    Found,
    Settled,
    Unsettled,
    blocked,
    code,
    counted,
    every,
    found,
    place,
    same_place,
    searched,
    unsettled,
)
from review_agent.kinds.bodies import is_idle
from review_agent.vocabulary import (
    ArgumentFact,
    Bundle,
    CallFact,
    DefinitionFact,
    Draft,
    Edit,
    ImplementerFact,
    NoFindingCode,
    QueryKind,
    QueryStatus,
    Question,
    Resolution,
    Side,
    SourceRef,
    UseFact,
)

__all__ = [
    "ASIDE",
    "Look",
    "Verdict",
    "argument",
    "definition_of",
    "first_of",
    "listed_refs",
    "look",
    "old_calls",
    "overloads",
    "settle_calls",
    "sort_out",
    "without_card",
    "worst_first",
]

Occurrence = TypeVar("Occurrence", bound=CallFact | UseFact)


class Verdict(Enum):
    """What one occurrence means for the question."""

    BREAKS = "breaks"
    FITS = "fits"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class Look(Generic[Occurrence]):
    """Resolved calls by verdict, and the ambiguous ones. Of the breaking ones, those in tests stand apart, those in
    files that nothing loads, and those inside the change and its lines of context, on which a card cannot rest."""

    breaking: tuple[Found[Occurrence], ...]
    inside: tuple[Found[Occurrence], ...]
    breaking_tests: tuple[Found[Occurrence], ...]
    fitting: tuple[Found[Occurrence], ...]
    unclear: tuple[Found[Occurrence], ...]
    ambiguous: tuple[Found[Occurrence], ...]
    unloaded: tuple[Found[Occurrence], ...]


def look(question: Question, bundle: Bundle, judge: Callable[[CallFact], Verdict]) -> Look[CallFact]:
    """Judge every resolved call at head; ambiguous ones are kept apart and never judged."""
    calls = [one for one in every(bundle, CallFact, QueryKind.CALLERS) if one.ref.side is Side.NEW]
    return sort_out(question, bundle, calls, judge)


def sort_out(
    question: Question,
    bundle: Bundle,
    occurrences: Sequence[Found[Occurrence]],
    judge: Callable[[Occurrence], Verdict],
) -> Look[Occurrence]:
    """Judge every resolved occurrence; ambiguous ones are kept apart and never judged."""
    known = [one for one in occurrences if one.fact.resolution is Resolution.RESOLVED]
    unloaded = [one for one in known if not one.fact.in_test and is_idle(bundle, one.ref.path)]
    resolved = [one for one in known if one not in unloaded]
    verdicts = {verdict: [one for one in resolved if judge(one.fact) is verdict] for verdict in Verdict}
    breaking = worst_first(question, verdicts[Verdict.BREAKS])
    return Look(
        breaking=tuple(one for one in breaking if not one.fact.in_test and not same_place(question, one.ref)),
        inside=tuple(one for one in breaking if not one.fact.in_test and same_place(question, one.ref)),
        breaking_tests=tuple(one for one in breaking if one.fact.in_test),
        fitting=tuple(verdicts[Verdict.FITS]),
        unclear=tuple(verdicts[Verdict.UNCLEAR]),
        ambiguous=tuple(one for one in occurrences if one.fact.resolution is Resolution.AMBIGUOUS),
        unloaded=tuple(one for one in unloaded if judge(one.fact) is Verdict.BREAKS),
    )


# What lies here runs for readers and developers of the project before it runs for its users.
ASIDE = ("example", "docs", "doc", "bench", "script", "tools", "contrib", "demo")


def worst_first(question: Question, occurrences: Iterable[Found[Occurrence]]) -> list[Found[Occurrence]]:
    """Occurrences in other files first, those in the product's own code before examples and tools, then by place."""

    def rank(one: Found[Occurrence]) -> tuple[bool, bool, str, int]:
        aside = any(part.startswith(ASIDE) for part in one.ref.path.lower().split("/"))
        return aside, one.ref.path == question.path, one.ref.path, one.ref.start_line

    return sorted(occurrences, key=rank)


# More refs than these are not read by anyone who has to decide on a card.
MOST = 12


def listed_refs(occurrences: Sequence[Found[CallFact | UseFact | ImplementerFact]]) -> list[SourceRef]:
    """The refs that a card lists: one a place, the first of very many."""
    kept: list[SourceRef] = []
    for one in occurrences:
        if not any(_covers(other, one.ref) or _covers(one.ref, other) for other in kept):
            kept.append(one.ref)
    return kept[:MOST]


def _covers(outer: SourceRef, inner: SourceRef) -> bool:
    same = (outer.path, outer.side) == (inner.path, inner.side)
    return same and outer.start_line <= inner.start_line and inner.end_line <= outer.end_line


def first_of(refs: Sequence[SourceRef], noun: str = "resolved caller") -> str:
    """The clause that counts the refs of a card, "" for a single one."""
    if len(refs) < MOST:
        return f" (the first of {counted(len(refs), noun)} that do so)" if len(refs) > 1 else ""
    return f" (the first of {counted(len(refs), noun)} listed here; there can be more)"


def argument(one: Found[CallFact], given: str) -> str:
    """An argument's text for a claim: quoted where it is short and stands on the cited line, else described."""
    return code(given) if len(given) <= 40 and given in one.evidence.text else "the argument at that place"


def definition_of(question: Question, bundle: Bundle, name: str) -> DefinitionFact | Unsettled:
    """The one resolved definition at head in the question's own file, or why there is none to bind calls to."""
    answers = found(bundle, DefinitionFact, QueryKind.DEFINITION, name)
    here = [one for one in answers if one.ref.path == question.path and one.ref.side is Side.NEW]
    functions = [one for one in here if one.fact.symbol in ("function", "method")]
    changed = [one for one in functions if _holds(one.ref, question.edits[0])]
    if len(functions) == 1 or len(changed) == 1:
        return (changed or functions)[0].fact
    stopped = blocked(bundle, QueryKind.DEFINITION)
    if stopped is not None:
        return stopped
    if functions:
        return unsettled(
            NoFindingCode.CONFLICTING_EVIDENCE,
            f"{code(name)} is defined {len(functions)} times in {code(question.path)}; which one a call meets is open",
            missing=(f"the definition of {code(name)} that callers meet",),
            refs=[one.ref for one in functions],
        )
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"the signature of {code(name)} at head was not found in {code(question.path)}",
        missing=(f"definition of {code(name)} (searched: {searched(bundle, QueryKind.DEFINITION)})",),
    )


def _holds(ref: SourceRef, edit: Edit) -> bool:
    """Whether an edit of the new side stands in what a definition is cited by: so overloads are told apart."""
    inside = edit.language == "java" and edit.side is Side.NEW
    return inside and ref.start_line <= edit.start_line and edit.end_line <= ref.end_line


def overloads(question: Question, bundle: Bundle, definition: DefinitionFact) -> tuple[DefinitionFact, ...]:
    """The other definitions of the same name in the question's own file, which a call can mean as well."""
    answers = found(bundle, DefinitionFact, QueryKind.DEFINITION, definition.qualname.rpartition(".")[2])
    here = (one for one in answers if one.ref.path == question.path and one.ref.side is Side.NEW)
    return tuple(
        one.fact
        for one in here
        if one.fact.qualname == definition.qualname and one.fact.parameters != definition.parameters
    )


Shape = tuple[str, str, str, tuple[ArgumentFact, ...]]


def old_calls(bundle: Bundle, name: str) -> Callable[[Found[CallFact]], bool] | None:
    """Whether a call at head stood the same way in the same scope before the change; null where that is not known."""
    results = [one for one in bundle.queries if one.query.side is Side.OLD and one.query.kind is QueryKind.CALLERS]
    if not results or any(one.status not in (QueryStatus.ANSWERED, QueryStatus.EMPTY) for one in results):
        return None
    before = [one for one in every(bundle, CallFact, QueryKind.CALLERS, name) if one.ref.side is Side.OLD]
    shapes = Counter(_shape(one) for one in before)
    return lambda one: shapes[_shape(one)] > 0


def _shape(one: Found[CallFact]) -> Shape:
    return one.ref.path, one.fact.scope, one.fact.callee, one.fact.arguments


def settle_calls(
    question: Question,
    bundle: Bundle,
    judge: Callable[[CallFact], Verdict],
    card: Callable[[Sequence[Found[CallFact]]], Draft],
    *,
    name: str,
    fits: str,
    unclear: str,
) -> Settled:
    """One card on all breaking calls, worst first, or why there is none (see :func:`without_card`)."""
    seen = look(question, bundle, judge)
    if seen.breaking:
        return (card(seen.breaking),)
    return without_card(bundle, seen, name=name, fits=fits, unclear=unclear)


def without_card(bundle: Bundle, seen: Look[Occurrence], *, name: str, fits: str, unclear: str) -> Unsettled:
    """Why callers give no card. ``fits`` says what conforming calls do, ``unclear`` what is not known of the others."""
    if seen.inside:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"the only uses of {code(name)} that break lie inside the change itself",
            missing=(f"a caller of {code(name)} outside the changed lines",),
            refs=[one.ref for one in seen.inside],
        )
    for gap in (_cut(bundle), _open(seen, name, unclear), _only_tests(seen, name), _idle(seen, name)):
        if gap is not None:
            return gap
    if seen.fitting:
        first = seen.fitting[0]
        detail = f"every resolved use of {code(name)} {fits}; {place(first.ref)} is one"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in seen.fitting])
    where = searched(bundle, QueryKind.CALLERS)
    return unsettled(NoFindingCode.NO_CANDIDATE, f"no use of {code(name)} was found; searched: {where}")


def _cut(bundle: Bundle) -> Unsettled | None:
    return blocked(bundle, QueryKind.CALLERS)


def _open(seen: Look[Occurrence], name: str, unclear: str) -> Unsettled | None:
    if seen.unclear:
        first = seen.unclear[0]
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(first.ref)} names {code(name)}, but {unclear}",
            missing=(f"{unclear} at {place(first.ref)}",),
            refs=[one.ref for one in seen.unclear],
        )
    if seen.ambiguous:
        first = seen.ambiguous[0]
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(first.ref)} names a {code(name)} that is not known to be this one: {first.fact.reason}",
            missing=(f"what {code(name)} is at {place(first.ref)}",),
        )
    return None


def _only_tests(seen: Look[Occurrence], name: str) -> Unsettled | None:
    if not seen.breaking_tests:
        return None
    where = place(seen.breaking_tests[0].ref)
    detail = f"only tests use {code(name)} in a way that breaks, {where} first: their own run shows it"
    return unsettled(NoFindingCode.NO_CANDIDATE, detail, refs=[one.ref for one in seen.breaking_tests])


def _idle(seen: Look[Occurrence], name: str) -> Unsettled | None:
    if not seen.unloaded:
        return None
    where = place(seen.unloaded[0].ref)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{code(name)} is used in a way that breaks only where nothing is seen to load the file, {where} first",
        missing=(f"what loads {code(seen.unloaded[0].ref.path)}",),
        refs=[one.ref for one in seen.unloaded],
    )

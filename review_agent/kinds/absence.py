"""What a draft concludes from finding nothing: it stands only where the search that found nothing was whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.kinds.base import Found, Settled, Unsettled, code, exhausted, place, unsettled
from review_agent.kinds.bodies import whole_of
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    Draft,
    NoFindingCode,
    QueryKind,
    QueryResult,
    QueryStatus,
)

__all__ = ["scope", "unproven", "unread", "whole"]

# Queries over the whole tree: only these can be cut short of a place that refutes.
_WIDE = frozenset(
    {
        QueryKind.CALLERS,
        QueryKind.CONFIG,
        QueryKind.IMPLEMENTERS,
        QueryKind.PRODUCERS,
        QueryKind.TESTS,
        QueryKind.TEXT,
    }
)
_NONE = re.compile(
    r"(?i)\bno (?:other|further|more|test|caller|reader|writer|place|line|file|deployment|code|class|call)\b"
    r"|\bnothing (?:else|writes|reads|sets|calls|names|uses|imports|gives|fills|enforces)\b"
    r"|\bnobody (?:else )?(?:sets|reads|writes|calls|gives)\b"
    r"|\b(?:search|found)\b[^.;]*\bnone\b|\bnone (?:was|were|is) found\b"
    r"|\bthe only (?:one|place|caller|writer|reader|use)\b"
)
_OF_TESTS = re.compile(r"(?i)\b(?:tests?|assert\w*)\b")
_OF_DEFINITIONS = re.compile(r"(?i)\bdefinitions?\b")
# What a sentence speaks of, and the queries that answer it, the first of which must have been asked.
_ANSWERED_BY = (
    (_OF_TESTS, (QueryKind.TESTS,)),
    (_OF_DEFINITIONS, (QueryKind.DEFINITION, QueryKind.TEXT)),
)
_SENTENCE = re.compile(r"(?<=\.)\s+(?=[A-Z])")
_NAMES = re.compile(r"`([^`]+)`")
_WORD = re.compile(r"[^\W\d]\w*")


def whole(bundle: Bundle, settled: Settled) -> Settled:
    """The drafts as they are, or budget exhausted where one says that nothing is there and its search was cut."""
    if isinstance(settled, Unsettled):
        return settled
    for one in settled:
        cut = unproven(bundle, one)
        if cut is not None:
            return exhausted(cut.query.kind, cut)
    return settled


def unproven(bundle: Bundle, one: Draft) -> QueryResult | None:
    """A search that was not whole, for a name that the draft says to stand nowhere else; null where there is none."""
    failed = (QueryStatus.REFUSED, QueryStatus.FAILED)
    wide = (asked for asked in _searches(bundle, one) if asked.query.kind in _WIDE)
    return next((asked for asked in wide if asked.truncated or asked.status in failed), None)


def unread(bundle: Bundle, defined: Sequence[Found[DefinitionFact]]) -> Unsettled | None:
    """That one of these functions was not read to its end, so that nothing can be said not to stand in it."""
    functions = (one for one in defined if one.fact.symbol in ("function", "method"))
    one = next((one for one in functions if whole_of(bundle, one.ref) is None), None)
    if one is None:
        return None
    name = code(one.fact.qualname)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{name} at {place(one.ref)} was not read to its end",
        missing=(f"the rest of the body of {name}",),
        refs=[one.ref],
    )


def scope(bundle: Bundle, one: Draft) -> tuple[str, ...]:
    """Where each name was looked for that the draft says to stand nowhere else, in words."""
    told = (
        f"{asked.query.kind.value} `{asked.query.name}`: {asked.searched}{f' ({asked.note})' if asked.note else ''}"
        for asked in _searches(bundle, one)
        if asked.searched
    )
    return tuple(dict.fromkeys(told))


def _searches(bundle: Bundle, one: Draft) -> Iterator[QueryResult]:
    """The queries for names of the draft's sentences that say that something is not there."""
    for part in (part for whole in (one.claim, *one.counter_evidence) for part in _SENTENCE.split(whole)):
        if not _NONE.search(part):
            continue
        names = {word for quoted in _NAMES.findall(part) for word in _WORD.findall(quoted)}
        about = [asked for asked in bundle.queries if names & set(_WORD.findall(asked.query.name)[-1:])]
        yield from _answering(part, about)


def _answering(part: str, about: Sequence[QueryResult]) -> Sequence[QueryResult]:
    """The queries that a sentence concludes from: that no test calls it, or nothing defines it, hangs on no search of
    callers; one resolved use settles that it is used."""
    for words, kinds in _ANSWERED_BY:
        if words.search(part) and any(asked.query.kind is kinds[0] for asked in about):
            return [asked for asked in about if asked.query.kind in kinds]
    return about

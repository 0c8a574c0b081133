"""A rule of ``incomplete_change``: lines that came between others, which stand elsewhere too, without them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import basename, splitext

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked_for,
    code,
    draft,
    every,
    place,
    searched,
    seed,
    texts,
    unsettled,
)
from review_agent.kinds.callers import ASIDE
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.like_places import Place, own_names, why_apart
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
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

__all__ = ["RULES"]

RULE = "like_place_without_it"
# Lines around the like place on which the added one counts as standing there.
_AROUND = 25
# A blank line more or less does not make another place.
_SLACK = 1


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    twin = any(
        one.op is EditOp.TWIN_LEFT and (one.path, function_of(one)) == (edit.path, function_of(edit)) for one in edits
    )
    if twin:
        return None
    suffix = splitext(basename(edit.path))[1]
    return seed(
        edit,
        RULE,
        change=f"{snippet(edit.subject)} came into {code(split(function_of(edit))[1])}",
        precondition="another function has the same lines around the same place, and needs it for the same reason",
        consequence="what was mended or asked for here is not there",
        refuted_if=(
            "the other place has it too",
            "the lines around it stand nowhere else",
            "what it names or answers to is of this function alone",
        ),
        plan=[
            *(ask(QueryKind.TEXT, key, path=f"*{suffix}", scope="functions") for key in texts(edit, "keys")),
            ask(QueryKind.TEXT, edit.subject, path=f"*{suffix}", scope="functions"),
            *(ask(QueryKind.TEXT, one, path=f"*{suffix}", scope="functions") for one in own_names(edit)),
        ],
        risk=-20,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    places = [one for one in _places(bundle, edit) if _is_other(edit, one)]
    if not places:
        return unsettled(
            NoFindingCode.NO_CANDIDATE, f"the lines around it stand together nowhere else; {searched(bundle)}"
        )
    stopped = blocked_for(bundle, QueryKind.TEXT, edit.subject)
    if stopped is not None:
        return stopped
    own = every(bundle, UseFact, QueryKind.TEXT, edit.subject)
    for one in places:
        near = next((hit for hit in own if _stands_at(hit, one)), None)
        if near is not None:
            return unsettled(NoFindingCode.REFUTED, f"{place(near.ref)} has it as well", refs=[near.ref])
    apart = [why_apart(edit, bundle, one) for one in places]
    alike = next((one for one, why in zip(places, apart, strict=True) if why is None), None)
    return (_card(question, alike),) if alike is not None else apart[0] or ()


def _places(bundle: Bundle, edit: Edit) -> Iterator[Place]:
    """Where all telling lines stand as far apart as they do around the addition."""
    keys = list(zip(texts(edit, "keys"), (int(one) for one in texts(edit, "offsets")), strict=True))
    hits = [[(hit.ref.start_line - at - (at < 0), hit) for hit in _exact(bundle, key)] for key, at in keys]
    for line, first in hits[0] if len(hits) > 1 else ():
        others = [_nearest(first, line, one) for one in hits[1:]]
        kept = [one for one in others if one is not None]
        if len(kept) == len(others):
            yield Place(first.ref.path, line, first.fact.scope, (first, *kept))


def _exact(bundle: Bundle, key: str) -> list[Found[UseFact]]:
    """The lines that are this text and no more, outside the change and outside tests."""
    return [
        one
        for one in every(bundle, UseFact, QueryKind.TEXT, key)
        if one.evidence.text.strip() == key and not one.fact.in_test and not one.evidence.near_change
    ]


def _nearest(first: Found[UseFact], line: int, hits: list[tuple[int, Found[UseFact]]]) -> Found[UseFact] | None:
    return next((hit for at, hit in hits if hit.ref.path == first.ref.path and abs(at - line) <= _SLACK), None)


def _is_other(edit: Edit, one: Place) -> bool:
    """Whether a place lies in another function of the product."""
    aside = any(part.startswith(ASIDE) for part in one.path.lower().split("/"))
    scopes = {hit.fact.scope for hit in one.hits}
    same = one.path == edit.path and one.scope == function_of(edit)
    return not aside and not same and len(scopes) == 1 and bool(one.scope)


def _stands_at(hit: Found[UseFact], one: Place) -> bool:
    if hit.ref.path != one.path:
        return False
    return hit.fact.scope == one.scope if hit.fact.scope else abs(hit.ref.start_line - one.line) <= _AROUND


def _card(question: Question, one: Place) -> Draft:
    edit = question.edits[0]
    name, other = split(function_of(edit))[1], split(one.scope)[1]
    first, last = one.hits[0], one.hits[-1]
    return draft(
        question,
        claim=f"Adding {snippet(edit.subject)} to {code(name)} leaves the like place in {code(other)} as it was: "
        f"{place(first.ref)} and line {last.ref.start_line} have the same lines around it, "
        f"{snippet(text_of(first))} and {snippet(text_of(last))}, and nothing of that between them.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[hit.ref for hit in one.hits],
        impact=f"Control comes through {code(other)} and not {code(name)}: it goes on the way that the change "
        "found wanting.",
        counter=(
            f"The same line near {place(first.ref)} would refute this; the search for it at head finds none there.",
            f"A reason that holds for {code(name)} alone would refute this; the lines around both are the same.",
        ),
    )


def text_of(hit: Found[UseFact]) -> str:
    return hit.evidence.text.strip()


RULES = (Rule(RULE, frozenset({EditOp.LINES_INSERTED}), _raise, _settle),)

"""The drift gate: the outcomes of every half as a baseline, and what changed against one, outcome by outcome."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from review_agent.errors import UsageError
from review_agent.publish import safe
from review_agent.replay.product import Identity
from review_agent.replay.records import HalfResult, Outcome, Verdict
from review_agent.vocabulary import Record

__all__ = ["Baseline", "Change", "Drift", "baseline", "baseline_text", "drift", "read_baseline"]

_HINT = "`review-agent replay … --write-baseline FILE` writes one"
What = Literal[
    "hit lost",
    "hit won",
    "twin alarmed",
    "twin silenced",
    "failed",
    "recovered",
    "card lost",
    "card new",
    "claim changed",
    "no-finding code changed",
    "rejection changed",
    "question new",
    "question gone",
    "ending changed",
    "skip changed",
    "half new",
    "half gone",
]
_LOSSES: frozenset[str] = frozenset({"hit lost", "twin alarmed", "failed", "half gone"})


class HalfBaseline(Record):
    """One half's verdict and outcomes."""

    unit: str
    verdict: Verdict
    outcomes: tuple[Outcome, ...]


class Baseline(Record):
    """What ``--write-baseline`` writes: sorted, without times or ids, so that a changed outcome is a changed line."""

    schema_version: Literal["1.0"]
    identity: Identity
    halves: tuple[HalfBaseline, ...]


class Change(Record):
    """One outcome that is another now. ``key`` is the question or file; empty where the half as a whole is meant."""

    unit: str
    what: What
    key: str
    before: str
    after: str


class Drift(Record):
    """What changed, between which identities. ``compared`` halves stand in both."""

    before: Identity
    after: Identity
    compared: int
    changes: tuple[Change, ...]

    def trips(self, gate: str) -> tuple[Change, ...]:
        """The changes on which a gate trips: ``loss`` or ``any-change``."""
        return tuple(one for one in self.changes if gate == "any-change" or one.what in _LOSSES)


def baseline(identity: Identity, results: Iterable[HalfResult]) -> Baseline:
    """The baseline that these results make."""
    halves = sorted(map(_half, results), key=lambda half: half.unit)
    return Baseline(schema_version="1.0", identity=identity, halves=tuple(halves))


def _half(result: HalfResult) -> HalfBaseline:
    return HalfBaseline(unit=result.unit, verdict=result.verdict, outcomes=result.outcomes)


def baseline_text(made: Baseline) -> str:
    """The file of a baseline: JSON with a half's outcomes a line each, so that a diff of two files reads."""
    return safe.json_text(made.wire())


def read_baseline(file: Path) -> Baseline:
    """A baseline from its file. Raises UsageError."""
    try:
        return Baseline.model_validate(json.loads(file.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        said = f"it is no baseline of this version: {place}: {first['msg']}"
        raise UsageError(said, where=str(file), hint=_HINT) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"the baseline cannot be read: {why}", where=str(file), hint=_HINT) from error


def drift(before: Baseline, after: Baseline, *, whole: bool) -> Drift:
    """Every changed outcome, half by half. ``whole``: all cases were replayed, so a half not among them is gone."""
    old, new = ({half.unit: half for half in one.halves} for one in (before, after))
    changes: list[Change] = []
    for unit in sorted({*old, *new}):
        if unit in old and unit in new:
            changes += _verdict(old[unit], new[unit])
            changes += _outcomes(unit, old[unit].outcomes, new[unit].outcomes)
        elif unit in new:
            changes.append(Change(unit=unit, what="half new", key="", before="", after=new[unit].verdict))
        elif whole:
            changes.append(Change(unit=unit, what="half gone", key="", before=old[unit].verdict, after=""))
    return Drift(
        before=before.identity, after=after.identity, compared=len(old.keys() & new.keys()), changes=tuple(changes)
    )


def _verdict(old: HalfBaseline, new: HalfBaseline) -> Iterable[Change]:
    before, after = old.verdict, new.verdict
    what: What
    if before == after:
        return
    if after == "failed":
        what = "failed"
    elif before == "failed":
        what = "recovered"
    elif "alarmed" in (before, after):
        what = "twin alarmed" if after == "alarmed" else "twin silenced"
    elif "found" in (before, after):
        what = "hit won" if after == "found" else "hit lost"
    else:
        what = "ending changed"
    yield Change(unit=new.unit, what=what, key="", before=before, after=after)


def _outcomes(unit: str, old: Sequence[Outcome], new: Sequence[Outcome]) -> Iterable[Change]:
    before, after = _by_key(old), _by_key(new)
    for key in sorted({*before, *after}):
        was, now = before.get(key, ()), after.get(key, ())
        if was != now:
            what = _what(key, was, now)
            yield Change(unit=unit, what=what, key=key, before="; ".join(was), after="; ".join(now))


def _by_key(outcomes: Sequence[Outcome]) -> Mapping[str, tuple[str, ...]]:
    return {one.key: one.ends for one in outcomes}


def _what(key: str, was: tuple[str, ...], now: tuple[str, ...]) -> What:
    if key.startswith("file "):
        return "skip changed"
    sorts = ({end.split()[0] for end in was}, {end.split()[0] for end in now})
    cards = [sum(end.startswith("card ") for end in ends) for ends in (was, now)]
    if cards[0] != cards[1]:
        return "card lost" if cards[0] > cards[1] else "card new"
    if not was or not now:
        return "question new" if now else "question gone"
    if sorts[0] != sorts[1]:
        return "ending changed"
    return _same_sort(sorts[0], was, now)


def _same_sort(sort: set[str], was: tuple[str, ...], now: tuple[str, ...]) -> What:
    if sort == {"no_finding"}:
        return "no-finding code changed"
    if sort == {"rejection"}:
        return "rejection changed"
    if "card" in sort:
        places = [[end.split()[:-1] for end in ends if end.startswith("card ")] for ends in (was, now)]
        return "claim changed" if places[0] == places[1] else "ending changed"
    return "ending changed"

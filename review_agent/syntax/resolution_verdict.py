"""What an occurrence of a name is found to be, in words: shared by the resolvers of all languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from review_agent.syntax.resolution_world import Value
from review_agent.vocabulary import Resolution

__all__ = ["Verdict", "joined", "judge", "maybe", "other", "told"]


@dataclass(frozen=True)
class Verdict:
    """``reason`` says in words what allows or forbids the name where it stands."""

    resolution: Resolution
    reason: str


def judge(values: Sequence[Value], place: tuple[str, str], nothing: str) -> Verdict:
    """Resolved where all that a name can be is the place asked for, ambiguous where some of it may be."""
    if not values:
        return other(nothing)
    same = [one for one in values if (one.path, one.qualname) == place and one.kind not in ("instance", "unknown")]
    others = [one for one in values if one not in same]
    if same and not others and all(one.sure for one in same):
        return Verdict(Resolution.RESOLVED, same[0].why)
    if same:
        more = f", or {named(others[0])}" if others else ", but other code may stand before it"
        return maybe(same[0].why + more)
    unknown = [one for one in others if one.kind == "unknown"]
    if unknown:
        return maybe(unknown[0].why or "it is not known what it is")
    return other(f"it is {named(others[0])}")


def named(value: Value) -> str:
    if value.kind == "unknown":
        return value.why or "something unknown"
    foreign = value.kind in ("external", "outside")
    where = ", of other code" if foreign else f" of `{value.path or '.'}`"
    thing = f"`{value.qualname}`" if value.qualname else "a module"
    return f"{'an instance of ' if value.kind in ('instance', 'outside') else ''}{thing}{where}" + (
        f" ({value.why})" if value.why and foreign else ""
    )


def told(receiver: str, value: Value) -> str:
    if value.kind == "module":
        return f"`{receiver}` is the module `{value.path}`" + (f": {value.why}" if value.why else "")
    article = "" if value.kind in ("class", "external", "function") else "a "
    return f"receiver `{receiver}` is {article}`{value.qualname}`" + (f": {value.why}" if value.why else "")


def joined(verdicts: Sequence[Verdict]) -> Verdict:
    kinds = {one.resolution for one in verdicts}
    if len(kinds) == 1:
        return verdicts[0]
    unsure = next((one for one in verdicts if one.resolution is not Resolution.RESOLVED), verdicts[0])
    return maybe(unsure.reason)


def maybe(reason: str) -> Verdict:
    return Verdict(Resolution.AMBIGUOUS, reason)


def other(reason: str) -> Verdict:
    return Verdict(Resolution.UNRESOLVED, reason)

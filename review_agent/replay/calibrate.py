"""Calibration: what the reviewer finds in a repository's own history, before anyone has triaged a card.

Mined fixes (``history_fixes``) become cases: the introducing commit is reviewed, and a card at the lines that the
fix later changed finds the fault, of whatever kind. Clean commits are reviewed beside them and should stay silent.
Kinds are proposed from both, never switched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from pydantic import Field

from review_agent.counting import counted
from review_agent.git import Git
from review_agent.policy.model import Policy
from review_agent.publish import safe
from review_agent.rates import Rate, rate
from review_agent.replay.history_fixes import Clean, Fix, Scan
from review_agent.replay.history_kinds import UNKNOWN
from review_agent.replay.product import Identity
from review_agent.replay.records import CLEAN, DEFECT, Expected, HalfResult, Job, Layer, Range, Verdict
from review_agent.replay.report import ReplayReport
from review_agent.vocabulary import SCHEMA_VERSION, ChangeKind, Record, digest

__all__ = ["Calibration", "KindCalibration", "MinedCase", "calibration", "chosen", "jobs_of_scan", "json_text"]

FEW = 10
"""Below so many cases of a kind nothing is proposed from what was found or missed."""
_ALARMS = 2


class MinedCase(Record):
    """A mined fix with what became of the review of the commit that introduced the fault."""

    fix: Fix
    verdict: Verdict
    cards: tuple[str, ...] = Field(description="claims at the fault's lines")
    beside: int = Field(description="cards elsewhere in the same commit")
    layer: Layer | None
    why: str


class CleanCase(Record):
    clean: Clean
    verdict: Verdict
    cards: tuple[str, ...]


class KindCalibration(Record):
    """One kind here. ``found``: of the faults proposed to be of this kind, by a card of any kind at their lines.

    ``here``: cards of this kind at any fault's lines; ``alarmed``: clean commits with a card of this kind.
    """

    kind: str
    enabled: bool | None
    found: Rate
    here: int
    alarmed: Rate
    proposal: str = Field(description="keep, enable, disable")
    why: str


class Calibration(Record):
    """What ``replay --from-history --format json`` prints."""

    schema_version: str
    identity: Identity
    repository: str = Field(description="the name of its folder")
    until: str
    scanned: int
    weighed: int
    mined: int
    found: Rate
    silent: Rate
    failed: int
    cards_per_hundred: float | None
    missed_by: dict[str, int] = Field(description="faults not met, by the earliest layer at fault, in its order")
    more: bool = Field(description="older commits are there that were not looked through")
    kinds: tuple[KindCalibration, ...]
    cases: tuple[MinedCase, ...] = Field(description="those that were met first, then by score")
    clean: tuple[CleanCase, ...] = Field(description="those that alarmed first, then newest first")


def chosen(scan: Scan, most: int, mask: Callable[[str], str]) -> Scan:
    """The best fixes, one an introducing commit, and as many clean commits, of the sizes that the fixes' faults have.

    Fixes are taken by score, then newest first; clean commits evenly from all that were found.
    """
    best: dict[str, Fix] = {}
    for fix in sorted(scan.fixes, key=lambda one: -one.score):
        best.setdefault(fix.introduced_by, fix)
    fixes = list(best.values())[:most]
    clean = [one for one in scan.clean if one.commit not in {fix.introduced_by for fix in fixes}]
    step = max(1, len(clean) // most)
    return scan.model_copy(
        update={
            "fixes": tuple(
                one.model_copy(
                    update={"subject": mask(one.subject), "introduced_subject": mask(one.introduced_subject)}
                )
                for one in fixes
            ),
            "clean": tuple(one.model_copy(update={"subject": mask(one.subject)}) for one in clean[::step][:most]),
        }
    )


def jobs_of_scan(scan: Scan, git: Git) -> list[Job]:
    """A job a mined fault and a clean commit."""
    defects = [_job(fix.introduced_by, git, fix.kind, Expected(answer=DEFECT, places=fix.places)) for fix in scan.fixes]
    return [*defects, *(_job(one.commit, git, "", Expected(answer=CLEAN)) for one in scan.clean)]


def _job(commit: str, git: Git, kind: str, expected: Expected) -> Job:
    return Job(
        unit=commit,
        case=commit,
        half="commit",
        kind=kind,
        language="",
        evidence="",
        project=git.root.name,
        origin=Range(repository=str(git.root), base=None, head=commit),
        expected=expected,
        content=digest([commit, expected.wire()]),
    )


def calibration(scan: Scan, mined: int, git: Git, policy: Policy, report: ReplayReport) -> Calibration:
    """The document, from what was chosen of a scan and the replay of it. ``mined``: fixes found before the choice."""
    results = {entry.result.unit: entry.result for entry in report.entries}
    cases = (_case(fix, results[fix.introduced_by]) for fix in scan.fixes)
    clean = (_clean(one, results[one.commit]) for one in scan.clean)
    return Calibration(
        schema_version=SCHEMA_VERSION,
        identity=report.identity,
        repository=git.root.name,
        until=scan.until,
        scanned=scan.scanned,
        weighed=scan.weighed,
        mined=mined,
        found=report.figures.whole.found,
        silent=report.figures.whole.silent,
        failed=report.figures.failed,
        cards_per_hundred=report.figures.cards_per_hundred,
        missed_by=report.figures.misses_by_layer,
        more=scan.more,
        kinds=tuple(_kinds(scan, results, policy)),
        cases=tuple(sorted(cases, key=lambda one: not one.cards)),
        clean=tuple(sorted(clean, key=lambda one: not one.cards)),
    )


def _case(fix: Fix, result: HalfResult) -> MinedCase:
    hits = tuple(f"{card.rule}: {card.claim}" for card in result.cards if card.mark == "hit")
    layer, why = (result.miss.layer, result.miss.why) if result.miss else (None, result.reason)
    return MinedCase(
        fix=fix, verdict=result.verdict, cards=hits, beside=len(result.cards) - len(hits), layer=layer, why=why
    )


def _clean(clean: Clean, result: HalfResult) -> CleanCase:
    cards = tuple(f"{card.rule}: {card.claim}" for card in result.cards)
    return CleanCase(clean=clean, verdict=result.verdict, cards=cards)


def _kinds(scan: Scan, results: dict[str, HalfResult], policy: Policy) -> Iterable[KindCalibration]:
    faults = [(fix.kind, results[fix.introduced_by]) for fix in scan.fixes]
    silent = [results[one.commit] for one in scan.clean]
    here = Counter(card.kind.value for _, result in faults for card in result.cards if card.mark == "hit")
    for kind in [*(one.value for one in ChangeKind), UNKNOWN]:
        own = [result for of, result in faults if of == kind]
        alarmed = [result for result in silent if any(card.kind.value == kind for card in result.cards)]
        settings = policy.change_kinds.kinds.get(ChangeKind(kind)) if kind != UNKNOWN else None
        if not own and not here[kind] and not alarmed and not settings:
            continue
        yield _kind(kind, settings.enabled if settings else None, own, here[kind], (len(alarmed), len(silent)))


def _kind(
    kind: str, enabled: bool | None, own: Sequence[HalfResult], here: int, alarmed: tuple[int, int]
) -> KindCalibration:
    found = rate(sum(result.verdict == "found" for result in own), len(own))
    proposal, why = _proposal(enabled, found, here, alarmed)
    return KindCalibration(
        kind=kind, enabled=enabled, found=found, here=here, alarmed=rate(*alarmed), proposal=proposal, why=why
    )


def _proposal(enabled: bool | None, found: Rate, here: int, alarmed: tuple[int, int]) -> tuple[str, str]:
    if enabled is None:
        return "keep", "no kind of the policy"
    if enabled and alarmed[0] >= _ALARMS and alarmed[0] > here:
        return (
            "disable",
            f"{alarmed[0]} of {counted(alarmed[1], 'clean commit')} alarmed, {counted(here, 'fault')} met: "
            "read those cards first",
        )
    if not enabled and here and not alarmed[0]:
        return "enable", f"{counted(here, 'fault')} met, no clean commit alarmed"
    if not found.of and not here:
        return "keep", "no fault of this kind was mined: nothing is known"
    few = f"; {counted(found.of, 'case proves', 'cases prove')} little" if found.of < FEW else ""
    return "keep", f"{counted(here, 'fault')} met, {alarmed[0]} of {counted(alarmed[1], 'clean commit')} alarmed{few}"


def json_text(made: Calibration) -> str:
    """The document as indented JSON with its last newline."""
    return safe.json_text(made.wire(), sort_keys=False)

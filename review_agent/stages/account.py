"""The account of a run: its document, made from the run log alone, so that every output tells the same story."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from review_agent.runlog import RunState
from review_agent.vocabulary import (
    SCHEMA_VERSION,
    Bundle,
    Coverage,
    FailedFile,
    Failure,
    FileChange,
    NoFinding,
    Outcomes,
    Phase,
    Question,
    Record,
    Rejection,
    ReviewDocument,
    ReviewEvidenceCard,
    RunIdentity,
    RunStatus,
    Severity,
    Skipped,
    Spend,
    Suppressed,
    Unanswered,
)

__all__ = ["coverage", "document", "records", "spend", "status"]

R = TypeVar("R", bound=Record)
_SEVERITIES = list(Severity)
_TURNED_AWAY = 400


def records(state: RunState, phase: Phase, event_type: str, model: type[R]) -> tuple[R, ...]:
    """The records of one type that a completed phase wrote, in order; none if the phase has not ended."""
    return tuple(model.model_validate(event.data) for event in state.records.get(phase, ()) if event.type == event_type)


def coverage(
    files: Iterable[FileChange],
    skipped: Iterable[Skipped],
    failed: tuple[FailedFile, ...],
    by_lines: Iterable[str],
    failures: tuple[Failure, ...] = (),
) -> Coverage:
    """Counts in which every file and every hunk stands exactly once: examined, skipped or failed."""
    files = tuple(files)
    skips = [skip for skip in skipped if skip.question_id is None]
    whole = {skip.path for skip in skips if skip.hunk_id is None}
    parts = {skip.hunk_id for skip in skips if skip.hunk_id is not None}
    broken = {item.path for item in failed}
    tally = {"examined": 0, "skipped": 0, "failed": 0}
    hunks = dict(tally)
    for file in files:
        set_aside = [file.path in whole or hunk.hunk_id in parts for hunk in file.hunks]
        fate = "failed" if file.path in broken else "skipped" if file.path in whole or _all(set_aside) else "examined"
        tally[fate] += 1
        for aside in set_aside:
            hunks["failed" if fate == "failed" else "skipped" if aside else "examined"] += 1
    return Coverage(
        files=len(files),
        files_examined=tally["examined"],
        files_skipped=tally["skipped"],
        files_failed=tally["failed"],
        hunks=sum(hunks.values()),
        hunks_examined=hunks["examined"],
        hunks_skipped=hunks["skipped"],
        hunks_failed=hunks["failed"],
        line_facts_only=tuple(sorted(set(by_lines))),
        failed=failed,
        failures=failures,
    )


def _all(flags: list[bool]) -> bool:
    return bool(flags) and all(flags)


def spend(state: RunState) -> Spend:
    """What the run cost. Token counts and money are null where any call did not tell them, or none was made.

    A call that a server turned away, by its status, has used nothing; what was in flight as an attempt was killed is in
    no record, and may have used something.
    """
    bundles = records(state, Phase.COLLECT, "bundle", Bundle)
    usages = [call.usage for call in state.calls if call.status is None or call.status < _TURNED_AWAY]
    usages += [None for _ in state.torn]
    return Spend(
        questions=len(bundles),
        queries=sum(bundle.spent.queries for bundle in bundles),
        candidate_files=sum(bundle.spent.candidate_files for bundle in bundles),
        files_read=sum(bundle.spent.files_read for bundle in bundles),
        lines_read=sum(bundle.spent.lines_read for bundle in bundles),
        requests=len(state.answers.keys() - state.taken),
        prompt_tokens=_sum(usage.prompt_tokens if usage else None for usage in usages),
        completion_tokens=_sum(usage.completion_tokens if usage else None for usage in usages),
        cost_usd=_sum(usage.cost_usd if usage else None for usage in usages),
    )


N = TypeVar("N", int, float)


def _sum(values: Iterable[N | None]) -> N | None:
    known = list(values)
    if not known or any(value is None for value in known):
        return None
    return sum(value for value in known if value is not None)


def status(state: RunState) -> RunStatus:
    """``complete`` only when all phases before the record ended, nothing is unanswered and nothing failed."""
    if state.stopped is not None:
        return RunStatus(state.stopped["status"])
    ended = {phase for phase in Phase if phase is not Phase.RECORD} <= state.completed
    unanswered = records(state, Phase.CONTRACT, "unanswered", Unanswered)
    failed = records(state, Phase.COMPILE, "failed_file", FailedFile) or failures(state)
    return RunStatus.COMPLETE if ended and not unanswered and not failed else RunStatus.INCOMPLETE


def failures(state: RunState) -> tuple[Failure, ...]:
    """What failed beside the changed files, in the order of the phases."""
    return records(state, Phase.COMPILE, "failure", Failure) + records(state, Phase.COLLECT, "failure", Failure)


def document(state: RunState, attempt: str) -> ReviewDocument:
    """The review document of a run at the point its log has reached."""
    started = state.started
    failed = records(state, Phase.COMPILE, "failed_file", FailedFile)
    by_lines = [event.data["path"] for event in state.records.get(Phase.COMPILE, ()) if event.type == "line_facts_only"]
    skipped = records(state, Phase.COMPILE, "skipped", Skipped)
    return ReviewDocument(
        schema_version=SCHEMA_VERSION,
        run=RunIdentity(
            review_id=started["reviewId"],
            attempt_id=attempt,
            status=status(state),
            engine=started["engine"],
            policy_hash=started["policyHash"],
            base=started["base"],
            head=started["head"],
            merge_base=started["mergeBase"],
        ),
        coverage=coverage(
            records(state, Phase.SNAPSHOT, "file", FileChange), skipped, failed, by_lines, failures(state)
        ),
        outcomes=_outcomes(state, skipped),
        spend=spend(state),
    )


def _outcomes(state: RunState, skipped: tuple[Skipped, ...]) -> Outcomes:
    """Cards by severity, then place; the others in the order of their questions."""
    place = {
        question.question_id: (question.path, question.anchor.start_line, question.rule, question.question_id)
        for question in records(state, Phase.COMPILE, "question", Question)
    }
    cards = records(state, Phase.VERIFY, "card", ReviewEvidenceCard)
    rejections = records(state, Phase.CONTRACT, "rejection", Rejection) + records(
        state, Phase.VERIFY, "rejection", Rejection
    )
    return Outcomes(
        cards=tuple(
            sorted(cards, key=lambda c: (_SEVERITIES.index(c.severity), *place[c.question_id], c.card_id)),
        ),
        no_findings=tuple(
            sorted(
                # Those of questions that no engine is asked stand before its answers.
                records(state, Phase.COLLECT, "no_finding", NoFinding)
                + records(state, Phase.CONTRACT, "no_finding", NoFinding),
                key=lambda n: place[n.question_id],
            )
        ),
        rejections=tuple(sorted(rejections, key=lambda r: (*place[r.question_id], r.ordinal))),
        unanswered=tuple(
            sorted(records(state, Phase.CONTRACT, "unanswered", Unanswered), key=lambda u: place[u.question_id])
        ),
        suppressed=tuple(
            sorted(
                records(state, Phase.VERIFY, "suppressed", Suppressed),
                key=lambda s: (*place[s.question_id], s.card.card_id),
            )
        ),
        skipped=tuple(sorted(skipped, key=lambda s: (s.path, s.hunk_id or "", s.question_id or "", s.rule))),
    )

"""What the phases of one attempt share: the change's files on both sides, what was recorded so far, the engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

from review_agent.git import Git
from review_agent.policy.model import Policy
from review_agent.runlog import RunState
from review_agent.sources import Sources
from review_agent.stages import account, listening, snapshot
from review_agent.stages.grouping import Groups, grouped
from review_agent.stages.refuting import Verdict
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import (
    RULES_ENGINE,
    Answer,
    Bundle,
    ContextItem,
    ContractCode,
    ContractReason,
    DiffGroup,
    Edit,
    Engine,
    EngineRole,
    FailedFile,
    FileChange,
    Pending,
    Phase,
    Question,
    Record,
    Rejection,
    Request,
    ReviewEvidenceCard,
    Severity,
    Side,
    Skipped,
    Snapshot,
    UnansweredCause,
    digest,
)

__all__ = ["Found", "Ground", "Look", "Setup", "Silence"]

R = TypeVar("R", bound=Record)
Found = Iterator[tuple[str, Record | dict[str, Any]]]


@dataclass(frozen=True)
class Setup:
    """What a review is made of.

    ``exclude``: globs of files to leave out. ``pr``: the number of the pull or merge request, for people; it is no part
    of the review's identity. ``progress(phase, done, total)`` is called as work goes on; total 0 is
    unknown. ``memory``: whether earlier decisions count, and earlier cards are carried on; ``today``: the date by which
    they do, now's where it is null. ``context``: what people and tools say about the change, masked, for engines that
    read it.
    """

    git: Git
    policy: Policy
    engine: Engine
    state_dir: Path
    asked: snapshot.Asked = field(default_factory=snapshot.Asked)
    exclude: tuple[str, ...] = ()
    progress: Callable[[Phase, int, int], None] = lambda phase, done, total: None
    pr: str | None = None
    memory: bool = True
    today: date | None = None
    context: tuple[ContextItem, ...] = ()

    def day(self) -> date:
        """The UTC date that rejections lapse by."""
        return self.today or datetime.now(UTC).date()

    def options(self) -> dict[str, Any]:
        """What of the options changes outcomes; what is said about a change counts where the engine reads it."""
        options: dict[str, Any] = {"exclude": list(self.exclude)} if self.exclude else {}
        if self.context and self.is_modelled:
            options["context"] = digest([item.wire() for item in self.context])
        return options

    @property
    def is_modelled(self) -> bool:
        """Whether the engine reads the change itself, and so is shown it."""
        return EngineRole.COMPILE in self.engine.roles


@dataclass(frozen=True)
class Silence:
    """Why a refuter gave no answer that can be read; ``detail`` may be empty."""

    cause: UnansweredCause
    detail: str


@dataclass(frozen=True)
class Look:
    """One draft after the second look. ``against``: why it falls whatever the contract says; ``silent``: the refuter's
    failure where it gave no answer that can be read; ``idle``: why its refutation counts for nothing."""

    draft: Any
    defeated: Verdict | None = None
    against: ContractReason | None = None
    silent: Silence | None = None
    idle: str = ""


class Ground:
    """``flush`` puts what was yielded so far on disk; ``pending`` counts answers that an engine promised for later."""

    def __init__(self, setup: Setup, choice: snapshot.Choice, parser: Parser, flush: Callable[[], None]) -> None:
        self.setup, self.choice, self.parser, self.flush = setup, choice, parser, flush
        self.mask = setup.policy.masker()
        size = setup.policy.budgets.blob_bytes
        self.sources = {
            Side.OLD: Sources(setup.git, choice.merge_base, self.mask, side=Side.OLD, max_bytes=size),
            Side.NEW: Sources(setup.git, choice.head, self.mask, side=Side.NEW, max_bytes=size),
        }
        self.pending = 0
        self.state = RunState(started={})
        self.answers: dict[str, Answer] = {}
        self._cache: dict[tuple[Phase, str], tuple[Any, ...]] = {}
        self._groups: Groups | None = None

    def enter(self, state: RunState) -> None:
        """Stand on what the phases before recorded."""
        self.state, self.answers = state, dict(state.answers)

    def of(self, phase: Phase, event_type: str, model: type[R]) -> tuple[R, ...]:
        """The records of one type that a phase which has ended wrote."""
        if (phase, event_type) not in self._cache:
            self._cache[phase, event_type] = account.records(self.state, phase, event_type, model)
        return self._cache[phase, event_type]

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.of(Phase.COMPILE, "question", Question)

    @property
    def edits(self) -> tuple[Edit, ...]:
        return self.of(Phase.COMPILE, "edit", Edit)

    @property
    def bundles(self) -> dict[str, Bundle]:
        return {bundle.question_id: bundle for bundle in self.of(Phase.COLLECT, "bundle", Bundle)}

    @property
    def context(self) -> tuple[ContextItem, ...]:
        return self.of(Phase.SNAPSHOT, "context", ContextItem)

    @property
    def change(self) -> Snapshot:
        return snapshot.restore(self.choice, self.of(Phase.SNAPSHOT, "file", FileChange))

    def groups(self, skipped: Sequence[Skipped] | None = None, failed: Sequence[FailedFile] | None = None) -> Groups:
        """The examined change as a model sees it; what was set aside is told while the compile phase is not over."""
        if self._groups is None:
            skips = self.of(Phase.COMPILE, "skipped", Skipped) if skipped is None else skipped
            broken = self.of(Phase.COMPILE, "failed_file", FailedFile) if failed is None else failed
            aside = {skip.hunk_id or skip.path for skip in skips if skip.question_id is None}
            most = self.setup.policy.engine.group_bytes
            self._groups = grouped(self.change.files, aside | {one.path for one in broken}, most)
        return self._groups

    def group(self, question: Question) -> DiffGroup | None:
        """The part of the change around a question, for an engine that reads it."""
        if not self.setup.is_modelled:
            return None
        return self.groups().of(question.hunk_id, question.anchor.side, question.anchor.start_line)

    def too_mild(self, answer: Answer, draft: Any) -> ContractReason | None:
        """Why a model's draft falls for its severity alone, as the policy wants no such findings of a model."""
        allowed = self.setup.policy.engine.severities
        said = draft.get("severity") if isinstance(draft, dict) else None
        if answer.engine.startswith(RULES_ENGINE) or said in allowed or said not in list(Severity):
            return None
        told = f"{said} is not among {', '.join(allowed)}, which engine.yml allows a model's finding"
        return ContractReason(code=ContractCode.SEVERITY_NOT_ALLOWED, detail=told)

    def shows(self, question: Question, side: Side, path: str, line: int) -> str | None:
        """The path on its side of a line of the change that was shown with a question; null for any other line."""
        group = self.group(question)
        return self.groups().shows(group, side, path, line) if group is not None else None

    def judge(
        self,
        question: Question,
        drafts: Sequence[Any],
        seen: set[str],
        *,
        again: bool = False,
        fallen: Collection[int] = (),
    ) -> list[ReviewEvidenceCard | Rejection]:
        """The contract's verdict on each draft of a question; ``seen`` and the rest as for ``contract.judge``."""
        from review_agent.stages import contract

        return contract.judge(
            question,
            self.bundles[question.question_id],
            drafts,
            snapshot=self.change,
            policy=self.setup.policy,
            review_id=self.state.started["reviewId"],
            sources=self.sources,
            seen=seen,
            verification_due=again,
            fallen=fallen,
        )

    def ask(self, requests: Sequence[Request], phase: Phase) -> Found:
        """Ask what has no answer yet; answers are kept in ``answers`` as they come, and yielded for the record."""
        due = [request for request in requests if request.request_id not in self.answers]
        # An answer that stands of an earlier run is told with what it answers.
        told = [one for one in requests if one.request_id in self.state.taken.difference(self.state.asked)]
        for request in (*due, *told):
            yield "request", {"requestId": request.request_id, "role": request.role, "questionId": request.question_id}
        self.flush()
        promised: set[str] = set()
        heard = 0
        for event_type, sent in listening.listen(self.setup.engine, due, self.mask) if due else ():
            if isinstance(sent, Pending):
                promised.add(sent.request_id)
                continue
            # What was not asked, or is answered already, is kept for the record and counts for nothing.
            yield event_type, sent
            if event_type == "answer" and isinstance(sent, Answer):
                self.answers.setdefault(sent.request_id, sent)
                promised.discard(sent.request_id)
                heard += 1
                self.setup.progress(phase, heard, len(due))
            self.flush()
        self.pending += len(promised)

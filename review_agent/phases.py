"""The work of each phase of a review: a generator of (event type, record) over what the phases before it recorded.

Every phase reads its input from the run log's state, so that a resumed run and a fresh one do the same. A phase loads
what it works with when it has work: a change without files pays for no finder, a change without a question for no
search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

from review_agent.git import Git
from review_agent.kinds import KINDS, auth_steering
from review_agent.memory.verdicts import Memory, by_team, evidence_of, suppressed
from review_agent.policy.model import Policy
from review_agent.runlog import RunState
from review_agent.sources import Sources
from review_agent.stages import account, folding, listening, snapshot, synthesis
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import (
    Answer,
    Bundle,
    Engine,
    Failure,
    FileChange,
    Pending,
    Phase,
    Question,
    Record,
    Rejection,
    ReviewEvidenceCard,
    Side,
    Snapshot,
    Suppressed,
)

__all__ = ["Found", "Phases", "Setup"]

R = TypeVar("R", bound=Record)
Found = Iterator[tuple[str, Record | dict[str, Any]]]


@dataclass(frozen=True)
class Setup:
    """What a review is made of.

    ``exclude``: globs of files to leave out. ``pr``: the number of the pull or merge request, for people; it is no part
    of the review's identity. ``progress(phase, done, total)`` is called as work goes on; total 0 is
    unknown. ``memory``: whether earlier decisions count, and earlier cards are carried on; ``today``: the date by which
    they do, now's where it is null.
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

    def day(self) -> date:
        """The UTC date that rejections lapse by."""
        return self.today or datetime.now(UTC).date()


class Phases:
    """The phases of one attempt. ``flush`` puts what was yielded so far on disk; ``pending`` counts answers that an
    engine promised for later."""

    def __init__(self, setup: Setup, choice: snapshot.Choice, parser: Parser, flush: Callable[[], None]) -> None:
        self.setup, self.choice, self.parser, self.flush = setup, choice, parser, flush
        self.mask = setup.policy.masker()
        size = setup.policy.budgets.blob_bytes
        self.sources = {
            Side.OLD: Sources(setup.git, choice.merge_base, self.mask, side=Side.OLD, max_bytes=size),
            Side.NEW: Sources(setup.git, choice.head, self.mask, side=Side.NEW, max_bytes=size),
        }
        self.pending = 0
        self._cache: dict[tuple[Phase, str], tuple[Any, ...]] = {}

    def work(self, phase: Phase, state: RunState) -> Found:
        """What one phase does, given the state that the phases before it left."""
        self.state = state
        self.setup.progress(phase, 0, 0)
        works: dict[Phase, Callable[[], Found]] = {
            Phase.SNAPSHOT: self._snapshot,
            Phase.COMPILE: self._compile,
            Phase.COLLECT: self._collect,
            Phase.SYNTHESIZE: self._synthesize,
            Phase.REFUTE: self._refute,
            Phase.CONTRACT: self._contract,
            Phase.VERIFY: self._verify,
            Phase.RECORD: self._record,
        }
        return works[phase]()

    def _of(self, phase: Phase, event_type: str, model: type[R]) -> tuple[R, ...]:
        if (phase, event_type) not in self._cache:
            self._cache[phase, event_type] = account.records(self.state, phase, event_type, model)
        return self._cache[phase, event_type]

    @property
    def _questions(self) -> tuple[Question, ...]:
        return self._of(Phase.COMPILE, "question", Question)

    @property
    def _bundles(self) -> dict[str, Bundle]:
        return {bundle.question_id: bundle for bundle in self._of(Phase.COLLECT, "bundle", Bundle)}

    @property
    def _change(self) -> Snapshot:
        return snapshot.restore(self.choice, self._of(Phase.SNAPSHOT, "file", FileChange))

    def _snapshot(self) -> Found:
        if self.choice.merge_base != self.choice.head:
            self.parser.start()
        files = snapshot.read(self.setup.git, self.choice, self.mask).files
        blobs = {blob for file in files for blob in (file.old_blob, file.new_blob) if blob}
        sizes = self.setup.git.sizes(sorted(blobs))
        most = self.setup.policy.budgets.blob_bytes
        for file in files:
            large = any((sizes.get(blob or "") or 0) > most for blob in (file.old_blob, file.new_blob))
            yield "file", _without_lines(file) if large else file

    def _compile(self) -> Found:
        enabled = self.setup.policy.change_kinds.kinds
        yield "kinds", {"asked": [kind for kind in KINDS if kind in enabled and enabled[kind].enabled]}
        if not self._change.files:
            return
        from review_agent.stages import questions

        found = questions.compile_questions(
            self._change,
            old=self.sources[Side.OLD],
            new=self.sources[Side.NEW],
            parser=self.parser,
            policy=self.setup.policy,
            exclude=self.setup.exclude,
        )
        yield from (("edit", edit) for edit in found.edits)
        yield from (("question", question) for question in found.questions)
        yield from (("skipped", skip) for skip in found.skipped)
        yield from (("failed_file", failed) for failed in found.failed)
        yield from (("failure", failure) for failure in found.failures)
        yield from (("line_facts_only", {"path": path}) for path in found.line_facts_only)

    def _collect(self) -> Found:
        if not self._questions:
            return
        from review_agent.stages import evidence

        if self.setup.asked.alone:
            yield from (("bundle", evidence.unsearched(one, "the patch alone is known")) for one in self._questions)
            yield from self._steered()
            return
        # What an author says to the reviewer reads nothing: an attempt must not move what is spent on other questions.
        steering = [one for one in self._questions if one.rule in auth_steering.STEERING]
        yield from (("bundle", evidence.unsearched(one, "")) for one in steering)
        yield from self._steered()
        failures: list[Failure] = []
        bundles = evidence.collect(
            [one for one in self._questions if one not in steering],
            snapshot=self._change,
            git=self.setup.git,
            old=self.sources[Side.OLD],
            new=self.sources[Side.NEW],
            parser=self.parser,
            policy=self.setup.policy,
            progress=lambda done, total: self.setup.progress(Phase.COLLECT, done, total),
            failed=failures.append,
        )
        yield from (("bundle", bundle) for bundle in bundles)
        yield from (("failure", failure) for failure in failures)

    def _steered(self) -> Found:
        """How questions on what steers reviewers end: before any engine is asked, so that none can keep it back."""
        for question in self._questions:
            if question.rule in auth_steering.STEERING:
                outcome = synthesis.no_finding(question, None, auth_steering.settle(question).wire())
                yield outcome.kind, outcome

    def _synthesize(self) -> Found:
        asked = synthesis.requests(self._questions, tuple(self._bundles.values()))
        due = [request for request in asked if request.request_id not in self.state.answers]
        for request in due:
            yield "request", {"requestId": request.request_id, "role": request.role, "questionId": request.question_id}
        self.flush()
        promised: set[str] = set()
        for n, (event_type, sent) in enumerate(listening.listen(self.setup.engine, due, self.mask)):
            self.setup.progress(Phase.SYNTHESIZE, min(n + 1, len(due)), len(due))
            if isinstance(sent, Pending):
                promised.add(sent.request_id)
                continue
            # What was not asked, or is answered already, is kept for the record and counts for nothing.
            yield event_type, sent
            promised -= {sent.request_id} if isinstance(sent, Answer) else set()
            self.flush()
        self.pending = len(promised)

    def _refute(self) -> Found:
        """No engine takes the refuter's role yet; the phase stands so that run logs keep their shape."""
        yield from ()

    def _contract(self) -> Found:
        seen: set[str] = set()
        ids = {r.question_id: r.request_id for r in synthesis.requests(self._questions, tuple(self._bundles.values()))}
        answers = self.state.answers
        yield from folding.folded(
            end
            for question in self._questions
            if question.rule not in auth_steering.STEERING
            for end in self._end(question, answers.get(ids.get(question.question_id, "")), seen)
        )

    def _end(self, question: Question, answer: Answer | None, seen: set[str]) -> Found:
        """How one question ends, drafts still without their verification."""
        bundle = self._bundles[question.question_id]
        if answer is not None and answer.drafts:
            for verdict in self._judge(question, bundle, answer.drafts, seen):
                yield ("rejection" if isinstance(verdict, Rejection) else "passed"), verdict
        elif answer is not None and answer.no_finding is not None:
            outcome = synthesis.no_finding(question, bundle, answer.no_finding)
            yield outcome.kind, outcome
        else:
            failed = self.state.records.get(Phase.SYNTHESIZE, ())
            why = next((str(event.data["detail"]) for event in failed if event.type == listening.FAILED), "")
            yield "unanswered", synthesis.unanswered(question, answer, why)

    def _judge(
        self, question: Question, bundle: Bundle, drafts: Sequence[Any], seen: set[str], *, again: bool = False
    ) -> list[ReviewEvidenceCard | Rejection]:
        from review_agent.stages import contract

        return contract.judge(
            question,
            bundle,
            drafts,
            snapshot=self._change,
            policy=self.setup.policy,
            review_id=self.state.started["reviewId"],
            sources=self.sources,
            seen=seen,
            verification_due=again,
        )

    def _verify(self) -> Found:
        """Each card gets its verification, and is judged again from the start with it."""
        passed = self._of(Phase.CONTRACT, "passed", ReviewEvidenceCard)
        if not passed:
            return
        from review_agent.stages import verification

        by_id = {question.question_id: question for question in self._questions}
        seen: set[str] = set()
        for card in passed:
            question = by_id[card.question_id]
            steps = verification.plan(card, question, self.setup.policy, self.setup.asked.named_by_git)
            whole = verification.attach(card, steps, self.setup.policy)
            (verdict,) = self._judge(question, self._bundles[card.question_id], [whole.wire()], seen, again=True)
            rejected = self._remembered(verdict) if isinstance(verdict, ReviewEvidenceCard) else None
            yield (verdict.kind, verdict) if rejected is None else ("suppressed", rejected)

    def _remembered(self, card: ReviewEvidenceCard) -> Suppressed | None:
        """The card set aside, where a person has rejected the finding on the same evidence before this run began."""
        memory = Memory.of(self.state.started.get("remembered", {}))
        mark = evidence_of(card.wire())
        rejected = memory.verdict(card.fingerprint, mark) or by_team(self.setup.policy, card.fingerprint, mark)
        return suppressed(card, rejected) if rejected is not None else None

    def _record(self) -> Found:
        whole = account.document(self.state, "")
        yield (
            "run_ended",
            {"status": whole.run.status, "coverage": whole.coverage.wire(), "spend": whole.spend.wire()},
        )


def _without_lines(file: FileChange) -> FileChange:
    """A file that will be skipped for its size: its hunks count, their lines would only swell the record."""
    return file.model_copy(update={"hunks": tuple(hunk.model_copy(update={"lines": ()}) for hunk in file.hunks)})

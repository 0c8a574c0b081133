"""The work of each phase of a review: a generator of (event type, record) over what the phases before it recorded.

Every phase reads its input from the run log's state, so that a resumed run and a fresh one do the same. A phase loads
what it works with when it has work: a change without files pays for no finder, a change without a question for no
search. How questions end stands in ``endings``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from review_agent.endings import Endings
from review_agent.ground import Found, Ground, Setup
from review_agent.kinds import KINDS, auth_steering
from review_agent.runlog import RunState
from review_agent.stages import account, snapshot, synthesis
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import Answer, CompilePayload, Failure, FileChange, Phase, Question, Request, Side

if TYPE_CHECKING:
    from review_agent.stages.questions import Compiled

__all__ = ["Phases"]


class Phases:
    """The phases of one attempt. ``pending`` counts answers that an engine promised for later."""

    def __init__(self, setup: Setup, choice: snapshot.Choice, parser: Parser, flush: Callable[[], None]) -> None:
        self.setup, self.choice, self.parser = setup, choice, parser
        self.ground = Ground(setup, choice, parser, flush)
        self.endings = Endings(self.ground)

    @property
    def pending(self) -> int:
        return self.ground.pending

    def work(self, phase: Phase, state: RunState) -> Found:
        """What one phase does, given the state that the phases before it left."""
        self.ground.enter(state)
        self.setup.progress(phase, 0, 0)
        works: dict[Phase, Callable[[], Found]] = {
            Phase.SNAPSHOT: self._snapshot,
            Phase.COMPILE: self._compile,
            Phase.COLLECT: self._collect,
            Phase.SYNTHESIZE: self.endings.synthesize,
            Phase.REFUTE: self.endings.refute,
            Phase.CONTRACT: self.endings.contract,
            Phase.VERIFY: self.endings.verify,
            Phase.RECORD: self._record,
        }
        return works[phase]()

    def _snapshot(self) -> Found:
        if self.choice.merge_base != self.choice.head:
            self.parser.start()
        git, policy, head = self.setup.git, self.setup.policy, self.ground.sources[Side.NEW]
        files = snapshot.read(git, self.choice, self.ground.mask).files
        blobs = {blob for file in files for blob in (file.old_blob, file.new_blob) if blob}
        sizes = git.sizes(sorted(blobs))
        most = policy.budgets.blob_bytes
        for file in files:
            large = any((sizes.get(blob or "") or 0) > most for blob in (file.old_blob, file.new_blob))
            yield "file", _without_lines(file) if large else file
        if self.setup.is_modelled and files:
            from review_agent.stages import context

            said = context.from_head(
                git, self.choice, self.setup.asked, head, self.ground.mask, policy.engine.context_bytes
            )
            yield from (("context", item) for item in (*self.setup.context, *said))

    def _compile(self) -> Found:
        enabled = self.setup.policy.change_kinds.kinds
        yield "kinds", {"asked": [kind for kind in KINDS if kind in enabled and enabled[kind].enabled]}
        if not self.ground.change.files:
            return
        from review_agent.stages import questions

        found = questions.compile_questions(
            self.ground.change,
            old=self.ground.sources[Side.OLD],
            new=self.ground.sources[Side.NEW],
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
        if self.setup.is_modelled and self.setup.policy.engine.questions_per_group:
            yield from self._compiled(found)

    def _compiled(self, found: Compiled) -> Found:
        """What the engine asks beside the rules; a part of the change that it gave no answer for has failed."""
        from review_agent.stages.compiling import Proposals, compile_requests
        from review_agent.stages.picking import picked

        groups, left = picked(self.ground.groups(found.skipped, found.failed), self.setup.policy)
        requests = compile_requests(groups, found.questions, self.ground.context, self.setup.policy)
        yield from self.ground.ask(requests, Phase.COMPILE)
        if self.pending:
            return
        aside = {skip.hunk_id or skip.path for skip in found.skipped if skip.question_id is None}
        proposals = Proposals(self.ground.change, self.ground.sources, self.setup.policy, found.edits, aside)
        asked: list[list[Question]] = []
        for group, request in zip(groups, requests, strict=True):
            answer = self.ground.answers.get(request.request_id)
            if answer is None or answer.questions is None:
                yield "failure", _uncompiled(request, answer)
                continue
            questions, refused = proposals.read(group, answer.questions)
            asked.append(questions)
            yield from (("refused_proposal", one) for one in refused)
        known = {question.question_id for question in found.questions}
        kept, capped = proposals.within_caps([one for one in part if one.question_id not in known] for part in asked)
        yield from (("question", question) for question in kept)
        yield from (("skipped", skip) for skip in (*left, *capped))

    def _collect(self) -> Found:
        questions = self.ground.questions
        if not questions:
            return
        from review_agent.stages import evidence

        if self.setup.asked.alone:
            yield from (("bundle", evidence.unsearched(one, "the patch alone is known")) for one in questions)
            yield from self._steered()
            return
        # What an author says to the reviewer reads nothing: an attempt must not move what is spent on other questions.
        steering = [one for one in questions if one.rule in auth_steering.STEERING]
        yield from (("bundle", evidence.unsearched(one, "")) for one in steering)
        yield from self._steered()
        failures: list[Failure] = []
        bundles = evidence.collect(
            [one for one in questions if one not in steering],
            snapshot=self.ground.change,
            git=self.setup.git,
            old=self.ground.sources[Side.OLD],
            new=self.ground.sources[Side.NEW],
            parser=self.parser,
            policy=self.setup.policy,
            progress=lambda done, total: self.setup.progress(Phase.COLLECT, done, total),
            failed=failures.append,
        )
        yield from (("bundle", bundle) for bundle in bundles)
        yield from (("failure", failure) for failure in failures)

    def _steered(self) -> Found:
        """How questions on what steers reviewers end: before any engine is asked, so that none can keep it back."""
        for question in self.ground.questions:
            if question.rule in auth_steering.STEERING:
                outcome = synthesis.no_finding(question, None, auth_steering.settle(question).wire())
                yield outcome.kind, outcome

    def _record(self) -> Found:
        whole = account.document(self.ground.state, "")
        yield (
            "run_ended",
            {"status": whole.run.status, "coverage": whole.coverage.wire(), "spend": whole.spend.wire()},
        )


def _uncompiled(request: Request, answer: Answer | None) -> Failure:
    paths = request.payload.group.paths if isinstance(request.payload, CompilePayload) else ()
    why = "the engine gave no answer" if answer is None else f"{answer.failure or 'malformed'}: {answer.detail}"
    return Failure(what="compile", name="the model's questions", path=paths[0] if len(paths) == 1 else "", detail=why)


def _without_lines(file: FileChange) -> FileChange:
    """A file that will be skipped for its size: its hunks count, their lines would only swell the record."""
    return file.model_copy(update={"hunks": tuple(hunk.model_copy(update={"lines": ()}) for hunk in file.hunks)})

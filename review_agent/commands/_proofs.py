"""One card's decision, with a job of the catalogue asked for, its result attached, or the job run here."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from review_agent import adjudication, jobs
from review_agent.commands._common import read_given
from review_agent.errors import ReviewAgentError, TransitionError, UsageError
from review_agent.ledger.store import CardDetail, Ledger
from review_agent.publish.safe import terminal_lines
from review_agent.transitions import LEGAL
from review_agent.vocabulary import Act, CardState, Decision, Proof

if TYPE_CHECKING:
    from review_agent.commands.decide import Ground

__all__ = ["Proofs", "Wanted", "asked_for"]

_MEANS = {"pass": "what the card claims does not show", "fail": "it does"}
_FOR_PROOF = (Act.NEEDS_PROOF, Act.ATTACH)


@dataclass(frozen=True)
class Wanted:
    """What the options say of a proof. ``allowed``: code of the change may run."""

    job: str | None
    result: jobs.Result | None
    log: Path | None
    run: bool
    allowed: bool


@dataclass(frozen=True)
class Proofs:
    """One card and the proof that is wanted of it."""

    ground: Ground
    card: str
    wanted: Wanted

    def check(self, act: Act) -> None:
        """Raises UsageError for options that do not go with the act or with each other."""
        if act not in _FOR_PROOF and (self.wanted.job or self.wanted.result or self.wanted.log or self.wanted.run):
            raise UsageError(
                f"--job, --result, --log and --run go with needs-proof and attach, not with {adjudication.typed(act)}",
                hint=f"leave them out, or ask for a proof: `review-agent decide {self.card} needs-proof --job ID`",
            )
        if act is Act.NEEDS_PROOF and (self.wanted.result or self.wanted.log) and not self.wanted.run:
            raise UsageError("a proof that is asked for has no result yet", hint="ask first, then attach the result")
        if self.wanted.run and self.wanted.log:
            raise UsageError("a job that is run here gives its own log", hint="leave --log out")
        if act is Act.ATTACH and not self.wanted.run and self.wanted.result is None:
            raise UsageError(
                "how did the job end?",
                hint=f"--result pass ({_MEANS['pass']}) or fail ({_MEANS['fail']}), with --log FILE; or --run "
                "runs it here",
            )

    def decided(self, act: Act, version: str | None, seen: str | None) -> list[Decision]:
        """The decision, or with --run the request and the result. Raises what ``adjudication`` and ``jobs`` do."""
        if act not in _FOR_PROOF:
            return [self._decide(act, version, seen, None)]
        detail = Ledger(self.ground.state).card(self.card)
        if act is Act.ATTACH:
            return [self._attached(detail, version, seen)]
        job = self.wanted.job
        if job is None and self.wanted.run:
            job = self._meant(detail)
        asked = None if job is None else jobs.requested(*_of(detail), self.ground.policy, job)
        if self.wanted.run and job is not None:
            jobs.startable(*_of(detail), self.ground.policy, job, self.wanted.allowed)
        decision = self._decide(act, version, seen, asked)
        if not self.wanted.run:
            if job is None:
                self.ground.shared()["notice"](
                    f"jobs that settle it: {', '.join(one.id for one in self._proposed(detail))}"
                )
            return [decision]
        assert job is not None
        return [decision, self._decide(Act.ATTACH, version, decision.decision_id, self._ran_after(decision, detail))]

    def _attached(self, detail: CardDetail, version: str | None, seen: str | None) -> Decision:
        asked = asked_for(detail)
        if detail.row.state is not CardState.NEEDS_PROOF:
            raise self._not_asked(detail)
        job = self.wanted.job or asked or self._meant(detail)
        if self.wanted.run:
            proof = self._ran(detail, job)
        else:
            assert self.wanted.result is not None
            jobs.check_attachable(*_of(detail), self.ground.policy, job, asked)
            proof = self._proof(job, self.wanted.result, None if self.wanted.log is None else _log(self.wanted.log))
        return self._decide(Act.ATTACH, version, seen, proof)

    def _not_asked(self, detail: CardDetail) -> TransitionError:
        """Why there is nothing to attach to, with the acts that lead there."""
        row = detail.row
        name, asking = row.card["cardId"][:8], "needs-proof --job ID"
        if row.state is CardState.HIDDEN:
            hint = f"`review-agent decide {name} {asking}` asks for one"
        elif Act.REOPEN in LEGAL[row.state]:
            hint = f"`review-agent decide {name} undo`, then `review-agent decide {name} {asking}`"
        else:
            hint = f"nothing leads out of that; `review-agent cards show {name}` says what stands for it"
        message = f"{name} {adjudication.standing(row.state)}: no proof is asked for"
        return TransitionError(message, where=row.card["cardId"], hint=hint)

    def _ran_after(self, request: Decision, detail: CardDetail) -> Proof:
        """The result of the job that has just been asked for; where there is none, the request stands, and is told."""
        assert request.proof is not None
        try:
            return self._ran(detail, request.proof.job)
        except ReviewAgentError:
            told = f"the request is recorded: {request.card_id[:8]} needs proof by {request.proof.job}"
            self.ground.shared()["notice"](told)
            raise

    def _ran(self, detail: CardDetail, job: str) -> Proof:
        """The job's result. Where its exit code is none, what it printed is shown and its reader has to say."""
        ground = self.ground
        head = detail.row.run.head
        ran = jobs.run(
            ground.git, *_of(detail), head, ground.policy, job, allow_running_changed_code=self.wanted.allowed
        )
        result = ran.result or self.wanted.result
        if ran.result and self.wanted.result and ran.result != self.wanted.result:
            raise UsageError(f"the job says {ran.result} itself (exit code {ran.code})", hint="leave --result out")
        if result is None:
            masked = ground.policy.masker()(ran.output.decode("utf-8", "replace"))
            typer.echo(terminal_lines(masked).rstrip())
            raise UsageError(
                f"the job ended with exit code {ran.code}, which leaves the result to whoever reads what it printed",
                hint=f"{ran.job.signal} Then `{self._attaching(detail, job)} --result pass` ({_MEANS['pass']}), or "
                f"`--result fail` ({_MEANS['fail']})",
            )
        return self._proof(job, result, ran.output)

    def _attaching(self, detail: CardDetail, job: str) -> str:
        return f"review-agent decide {detail.row.card['cardId'][:8]} attach --job {shlex.quote(job)}"

    def _proof(self, job: str, result: jobs.Result, log: bytes | None) -> Proof:
        policy = self.ground.policy
        return jobs.attach(job, result, log, policy.masker(), policy.jobs.log_characters)

    def _proposed(self, detail: CardDetail) -> tuple[jobs.Job, ...]:
        return jobs.proposed(*_of(detail), self.ground.policy)

    def _meant(self, detail: CardDetail) -> str:
        """The job where none is named: the only one there is, or the only one that can be run. Raises UsageError."""
        proposed = [one.id for one in self._proposed(detail) if not (self.wanted.run and one.refusal)]
        if len(proposed) == 1:
            return proposed[0]
        by_hand = "" if self.wanted.run else f"; --job '{jobs.BY_HAND}' is what you found by other means"
        said = ", ".join(proposed) or "none that can be run"
        raise UsageError("which job?", hint=f"--job ID; the card proposes {said}{by_hand}")

    def _decide(self, act: Act, version: str | None, seen: str | None, proof: Proof | None) -> Decision:
        said = self.ground.said()
        return adjudication.decide(
            self.ground.state,
            self.card,
            act,
            expected_version=version,
            expected_decision=seen,
            proof=proof,
            **said,
        )


def asked_for(detail: CardDetail) -> str | None:
    """The job that the latest decision on the card asks for; null where none is asked for, or no job was named."""
    if detail.row.state is not CardState.NEEDS_PROOF or not detail.decisions:
        return None
    return (detail.decisions[-1].get("proof") or {}).get("job")


def _of(detail: CardDetail) -> tuple[dict[str, Any], dict[str, Any]]:
    return detail.row.card, detail.question


def _log(path: Path) -> bytes:
    return read_given(path, "log", large="cut it")

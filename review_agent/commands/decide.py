"""``review-agent decide CARD… ACT``: a person's decisions on cards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from review_agent.commands._common import PolicyDir, Repo
from review_agent.vocabulary import Act

if TYPE_CHECKING:
    from review_agent.git import Git
    from review_agent.policy.model import Policy
    from review_agent.vocabulary import Decision

__all__ = ["Ground", "Verb", "register"]

_UNKNOWN = "unknown"  # what git says where it knows no name and no mail


class Verb(StrEnum):
    """The acts a person can take, as typed."""

    ACCEPT = "accept"
    REJECT = "reject"
    NEEDS_PROOF = "needs-proof"
    ATTACH = "attach"
    UNDO = "undo"
    REVOKE = "revoke"
    DOWNGRADE = "downgrade"

    @property
    def act(self) -> Act:
        return Act.REOPEN if self is Verb.UNDO else Act(self.value.replace("-", "_"))


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


class Result(StrEnum):
    PASS = "pass"  # noqa: S105 - how a job ends, no secret
    FAIL = "fail"


class _WithReasonCodes(TyperCommand):
    """The help ends with the reason codes of the shipped policy, read only when it is asked for."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from review_agent.policy.load import load

        with formatter.section("Reason codes of the shipped policy (`review-agent policy show` has those in force)"):
            formatter.write_dl([(one.code, one.about) for one in load().reason_codes])


@dataclass(frozen=True)
class Ground:
    """What every decision of one call stands on, and what the options say of all of them."""

    git: Git
    state: Path
    policy: Policy
    reviewer: str
    comment: str | None = None
    reason: str | None = None
    until: str | None = None
    seconds: float | None = None

    def shared(self) -> dict[str, Any]:
        """What ``adjudication`` asks for by these names."""
        return {
            "reviewer": self.reviewer,
            "policy_reason_codes": self.policy.reason_codes,
            "mask": self.policy.masker(),
            "notice": _tell,
        }

    def said(self) -> dict[str, Any]:
        said = {"reason_code": self.reason, "comment": self.comment, "until": self.until, "seconds": self.seconds}
        return {**self.shared(), **said}


def register(app: typer.Typer) -> None:
    app.command("decide", cls=_WithReasonCodes)(decide)


def decide(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"Cards by their ids or the start of them, and one act: {', '.join(Verb)}.", metavar="CARD... ACT"
        ),
    ] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", help="Why you reject: a reason code of the policy.", metavar="CODE")
    ] = None,
    comment: Annotated[str | None, typer.Option("--comment", help="In your own words.", metavar="TEXT")] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", help="The day the card is open again, for a reason that expires.", metavar="DATE"),
    ] = None,
    rule: Annotated[
        str | None, typer.Option("--rule", help="All cards of a rule that take the act.", metavar="RULE")
    ] = None,
    fingerprint: Annotated[
        str | None, typer.Option("--fingerprint", help="All cards of one finding that take it.", metavar="START")
    ] = None,
    batch: Annotated[
        str | None, typer.Option("--batch", help="All cards of an earlier act on several.", metavar="START")
    ] = None,
    job: Annotated[
        str | None, typer.Option("--job", help="A job of the catalogue, for needs-proof and attach.", metavar="ID")
    ] = None,
    result: Annotated[Result | None, typer.Option("--result", help="How the job ended, for attach.")] = None,
    log: Annotated[
        Path | None, typer.Option("--log", help="What the job printed, - for stdin; for attach.", metavar="FILE")
    ] = None,
    run: Annotated[
        bool,
        typer.Option("--run", help="Run the job here, over the files of the reviewed head, and attach its result."),
    ] = False,
    allow_running_changed_code: Annotated[
        bool,
        typer.Option(
            "--allow-running-changed-code", help="Let the job run code of the change, where the policy allows it, too."
        ),
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option("--from", help="Decisions to take, one JSON object a line, - for stdin.", metavar="FILE"),
    ] = None,
    atomic: Annotated[
        bool, typer.Option("--atomic", help="With --from: take all of them, or none where one is refused.")
    ] = False,
    reviewer: Annotated[
        str | None, typer.Option("--reviewer", help="Who decides; git's user by default.", metavar="NAME")
    ] = None,
    card_version: Annotated[
        str | None, typer.Option("--card-version", help="Refuse where the card is no longer this version.")
    ] = None,
    decision_seen: Annotated[
        str | None,
        typer.Option(
            "--decision-seen",
            help="Refuse where the card's latest decision is another than this one; `none`: where there is one.",
            metavar="ID",
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="How long you looked at it, where you know.", metavar="N")
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="text, or what was recorded as JSON.")] = Format.TEXT,
    repo: Repo = Path(),
    policy: PolicyDir = None,
) -> None:
    """Accept or reject cards, ask for proof and attach it, or take a decision back. It is on disk when this returns.

    Several cards are decided on as one act where they are of one rule or one finding: all of them, or none.

    Exit: 0; 2 where there is no such card or reason code, or a card's state does not allow the act.
    """
    from review_agent.commands import _decisions, _proofs

    ground = _ground(repo, policy, reviewer, comment, reason, until, seconds)
    if file is not None:
        _decisions.check_alone(words, rule, fingerprint, batch)
        text, refused = _decisions.from_file(ground, file, atomic, format is Format.JSON)
        _tell_who(ground, reviewer)
        typer.echo(text)
        raise typer.Exit(2 if refused else 0)
    cards, verb = _parsed(words or ())
    picked = {"rule": rule, "fingerprint": fingerprint, "batch": batch}
    if any(picked.values()) or len(cards) > 1:
        decisions = _decisions.of_many(ground, cards, verb.act, picked, card_version or decision_seen)
    else:
        if not cards:
            raise _nothing("no card is named")
        proofs = _proofs.Proofs(ground, cards[0], job, _literal(result), log, run, allow_running_changed_code)
        proofs.check(verb.act)
        decisions = proofs.decided(verb.act, card_version, decision_seen)
    _tell_who(ground, reviewer)
    _show(decisions, format)


def _ground(repo: Path, policy: Path | None, reviewer: str | None, *said: Any) -> Ground:
    from review_agent.commands._common import protected_policy, state_dir
    from review_agent.git import Git

    git = Git(repo)
    in_force = protected_policy(git, policy)
    who = git.identity() if reviewer is None else reviewer
    return Ground(git, state_dir(git), in_force, who, *said)


def _parsed(words: list[str] | tuple[()]) -> tuple[list[str], Verb]:
    """The cards and the act, which may stand anywhere among them."""
    known = {str(verb) for verb in Verb}
    acts = [Verb(word) for word in words if word in known]
    if len(acts) != 1:
        said = f"{' and '.join(acts)} are several acts" if acts else "no act is named"
        raise _nothing(said)
    return [word for word in words if word not in known], acts[0]


def _nothing(said: str) -> Exception:
    from review_agent.errors import UsageError

    return UsageError(said, hint=f"`review-agent decide CARD ACT`, where ACT is one of {', '.join(Verb)}")


def _literal(result: Result | None) -> Literal["pass", "fail"] | None:
    return None if result is None else "pass" if result is Result.PASS else "fail"


def _tell(text: str) -> None:
    from review_agent.commands._common import say

    say(text)


def _tell_who(ground: Ground, given: str | None) -> None:
    if given is None and ground.reviewer == _UNKNOWN:
        _tell("recorded as `unknown`: set git's user.name or give --reviewer")


def _show(decisions: list[Decision], format: Format) -> None:
    from review_agent.publish.safe import json_text

    together = decisions[0].batch is not None
    if format is Format.JSON:
        wire = [one.wire() for one in decisions]
        typer.echo(json_text(wire if together or len(wire) > 1 else wire[0]).rstrip())
        return
    from review_agent.commands._decisions import line_of, undoing

    for one in decisions:
        typer.echo(line_of(one))
    if together:
        typer.echo(undoing(decisions))

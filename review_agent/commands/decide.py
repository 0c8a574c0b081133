"""``review-agent decide CARD ACT``: a person's decision on a card."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from review_agent.commands._common import PolicyDir, Repo
from review_agent.vocabulary import Act

if TYPE_CHECKING:
    from review_agent.vocabulary import Decision

__all__ = ["register"]

_SHORT = 8
_UNKNOWN = "unknown"  # what git says where it knows no name and no mail


class Verb(StrEnum):
    """The acts a person can take, as typed."""

    ACCEPT = "accept"
    REJECT = "reject"
    NEEDS_PROOF = "needs-proof"
    UNDO = "undo"
    REVOKE = "revoke"
    DOWNGRADE = "downgrade"


_ACTS = {
    Verb.ACCEPT: Act.ACCEPT,
    Verb.REJECT: Act.REJECT,
    Verb.NEEDS_PROOF: Act.NEEDS_PROOF,
    Verb.UNDO: Act.REOPEN,
    Verb.REVOKE: Act.REVOKE,
    Verb.DOWNGRADE: Act.DOWNGRADE,
}


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


class _WithReasonCodes(TyperCommand):
    """The help ends with the reason codes of the shipped policy, read only when it is asked for."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from review_agent.policy.load import load

        with formatter.section("Reason codes of the shipped policy (`review-agent policy show` has those in force)"):
            formatter.write_dl([(one.code, one.about) for one in load().reason_codes])


def register(app: typer.Typer) -> None:
    app.command("decide", cls=_WithReasonCodes)(decide)


def decide(
    card: Annotated[str, typer.Argument(help="The card's id, or the start of it.", metavar="CARD")],
    act: Annotated[Verb, typer.Argument(help="What you decide; undo takes your latest act on the card back.")],
    reason: Annotated[
        str | None, typer.Option("--reason", help="Why you reject: a reason code of the policy.", metavar="CODE")
    ] = None,
    comment: Annotated[str | None, typer.Option("--comment", help="In your own words.", metavar="TEXT")] = None,
    reviewer: Annotated[
        str | None, typer.Option("--reviewer", help="Who decides; git's user by default.", metavar="NAME")
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="text, or the decision as JSON.")] = Format.TEXT,
    repo: Repo = Path(),
    policy: PolicyDir = None,
) -> None:
    """Accept or reject a card, ask for proof, or take a decision back. It is on disk when this returns.

    Exit: 0; 2 where there is no such card or reason code, or the card's state does not allow the act.
    """
    from review_agent import adjudication
    from review_agent.commands._common import protected_policy, state_dir
    from review_agent.git import Git

    git = Git(repo)
    in_force = protected_policy(git, policy)
    mask = in_force.masker()
    who = mask(git.identity() if reviewer is None else reviewer)
    decision = adjudication.decide(
        state_dir(git),
        card,
        _ACTS[act],
        reason_code=reason,
        comment=None if comment is None else mask(comment),
        reviewer=who,
        policy_reason_codes=in_force.reason_codes,
        notice=_tell,
    )
    if reviewer is None and who == _UNKNOWN:
        _tell("recorded as `unknown`: set git's user.name or give --reviewer")
    typer.echo(_json(decision) if format is Format.JSON else _text(decision))


def _tell(text: str) -> None:
    from review_agent.commands._common import say

    say(text)


def _text(decision: Decision) -> str:
    from review_agent.adjudication import standing
    from review_agent.publish.safe import terminal
    from review_agent.transitions import RESULT

    now = standing(RESULT[decision.act]) + (" again" if decision.act is Act.REOPEN else "")
    reason = f" ({decision.reason_code})" if decision.reason_code else ""
    return terminal(f"{decision.card_id[:_SHORT]} {now}{reason}, by {decision.reviewer}")


def _json(decision: Decision) -> str:
    from review_agent.publish.safe import json_text

    return json_text(decision.wire()).rstrip()

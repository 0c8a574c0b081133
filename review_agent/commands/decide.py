"""``review-agent decide CARD… ACT``: a person's decisions on cards."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import typer
from typer.core import TyperCommand

from review_agent.commands import _decide_options as options
from review_agent.commands._common import PolicyDir, Repo
from review_agent.commands._decide_options import Format, Result, Verb
from review_agent.counting import counted
from review_agent.outlets import KEPT
from review_agent.vocabulary import Act

if TYPE_CHECKING:
    from collections.abc import Mapping

    from review_agent.commands._proofs import Wanted
    from review_agent.git import Git
    from review_agent.policy.model import Policy
    from review_agent.vocabulary import Decision

__all__ = ["Ground", "Verb", "register"]

_UNKNOWN = "unknown"  # what git says where it knows no name and no mail


_CARD = re.compile(r"[0-9a-f]+")  # an id, or the start of one
_TOLD_HOURS = 12  # who decides is not told again within a day's work


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
    words: options.Words = None,
    reason: options.Reason = None,
    comment: options.Comment = None,
    until: options.Until = None,
    rule: options.Rule = None,
    fingerprint: options.Fingerprint = None,
    batch: options.Batch = None,
    job: options.Job = None,
    result: options.ResultOf = None,
    log: options.Log = None,
    run: options.Run = False,
    allow_running_changed_code: options.Allow = False,
    file: options.File = None,
    atomic: options.Atomic = False,
    reviewer: options.Reviewer = None,
    card_version: options.Version = None,
    decision_seen: options.Seen = None,
    seconds: options.Seconds = None,
    format: options.FormatOf = Format.TEXT,
    repo: Repo = Path(),
    policy: PolicyDir = None,
) -> None:
    """Accept or reject cards, ask for proof and attach it, or take a decision back. It is on disk when this returns.

    Several cards are decided on as one act where they are of one rule or one finding: all of them, or none.

    Exit: 0; 2 where there is no such card or reason code, or a card's state does not allow the act.
    """
    from review_agent.commands._proofs import Wanted

    ground = _ground(repo, policy, reviewer, comment, reason, until, seconds)
    picked = {"rule": rule, "fingerprint": fingerprint, "batch": batch}
    if file is not None:
        _from_file(ground, file, atomic, words, picked, format, reviewer)
    cards, verb = _parsed(words or ())
    is_told = _is_told(ground, reviewer)
    wanted = Wanted(job, _literal(result), log, run, allow_running_changed_code)
    decisions = _decided(ground, cards, verb.act, picked, wanted, (card_version, decision_seen))
    KEPT.set(f"{counted(len(decisions), 'decision')} {'is' if len(decisions) == 1 else 'are'} recorded")
    _tell_who(is_told)
    _show(decisions, format)
    _tell_audited(ground, decisions)


def _from_file(
    ground: Ground,
    file: Path,
    atomic: bool,
    words: list[str] | None,
    picked: Mapping[str, str | None],
    format: Format,
    reviewer: str | None,
) -> NoReturn:
    from review_agent.commands import _decisions

    _decisions.check_alone(words, *picked.values())
    is_told = _is_told(ground, reviewer)
    text, refused, taken = _decisions.from_file(ground, file, atomic, format is Format.JSON)
    KEPT.set(f"{counted(len(taken), 'decision')} {'is' if len(taken) == 1 else 'are'} recorded")
    _tell_who(is_told)
    typer.echo(text)
    _tell_audited(ground, taken)
    raise typer.Exit(2 if refused else 0)


def _decided(
    ground: Ground,
    cards: list[str],
    act: Act,
    picked: Mapping[str, str | None],
    wanted: Wanted,
    seen: tuple[str | None, str | None],
) -> list[Decision]:
    """``seen``: the version of the card, and the latest decision on it, that the reviewer saw."""
    from review_agent.commands import _decisions, _proofs

    _decisions.check_length(*cards)
    if any(picked.values()) or len(cards) > 1:
        return _decisions.of_many(ground, cards, act, picked, seen[0] or seen[1])
    if not cards:
        raise _nothing("no card is named", act=options.Verb.of(act))
    proofs = _proofs.Proofs(ground, cards[0], wanted)
    proofs.check(act)
    return proofs.decided(act, *seen)


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
    cards = [word for word in words if word not in known]
    if len(acts) == 1:
        return cards, acts[0]
    raise _nothing(f"{' and '.join(acts)} are several acts") if acts else _no_act(cards)


def _no_act(words: list[str]) -> Exception:
    """What is missing, by the word that looks like an act where there is one, with a line that can be typed."""
    from difflib import get_close_matches

    stray = [word for word in words if not _CARD.fullmatch(word)]
    meant = [(word, near[0]) for word in words if (near := get_close_matches(word.lower(), list(Verb), 1))]
    if not meant:
        cards = " ".join(word for word in words if word not in stray) or "CARD"
        said = f"{' and '.join(map(repr, stray))} {'is' if len(stray) == 1 else 'are'} no act" if stray else ""
        return _nothing(said or "no act is named", card=cards)
    word, act = meant[0]
    cards = " ".join(one for one in words if one != word) or "CARD"
    return _nothing(f"{word!r} is no act; `{act}` is one", card=cards, act=Verb(act))


def _nothing(said: str, card: str = "CARD", act: Verb | None = None) -> Exception:
    from review_agent.errors import UsageError

    if act is not None:
        return UsageError(said, hint=f"`review-agent decide {card} {act.typed}`")
    others = ", ".join(f"`{one.typed}`" for one in Verb if one is not Verb.ACCEPT)
    return UsageError(said, hint=f"`review-agent decide {card} accept`, or in its place {others}")


def _literal(result: Result | None) -> Literal["pass", "fail"] | None:
    return None if result is None else "pass" if result is Result.PASS else "fail"


def _tell(text: str) -> None:
    from review_agent.commands._common import say

    say(text)


def _is_told(ground: Ground, given: str | None) -> bool:
    """Whether it needs no saying, or has just been said, that nobody's name stands under a decision."""
    if given is not None or ground.reviewer != _UNKNOWN:
        return True
    from datetime import UTC, datetime, timedelta

    from review_agent.memory.beginning import journal_records

    since = (datetime.now(UTC) - timedelta(hours=_TOLD_HOURS)).isoformat(timespec="milliseconds")
    of_nobody = (one for one in journal_records(ground.state) if one.get("reviewer") == _UNKNOWN)
    return any(str(one.get("at")) > since for one in of_nobody)


def _tell_who(is_told: bool) -> None:
    if not is_told:
        _tell("recorded as `unknown`: set git's user.name or give --reviewer")


def _tell_audited(ground: Ground, decisions: list[Decision]) -> None:
    """What the reviewer may know only now: which of the cards were samples of the blind audit."""
    from review_agent.memory.audit import sources

    for card_id, source in sources(ground.state, [one.card_id for one in decisions]).items():
        what = source.replace("_", " ")
        _tell(f"{card_id[:8]} was a sample of the blind audit: the review had kept it silent ({what})")


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

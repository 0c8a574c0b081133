"""``review-agent memory list``, ``show`` and ``propose``: what is remembered of findings from push to push."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from review_agent.commands._common import Output, PolicyDir, Repo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from review_agent.memory.proposals import Proposal
    from review_agent.memory.verdicts import Verdict

__all__ = ["register"]

_SHORT = 8


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


class Became(StrEnum):
    """What became of a finding, as typed."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    FIXED = "fixed"
    STALE = "stale"


AsFormat = Annotated[Format, typer.Option("--format", help="text, or the records as JSON.")]


def register(app: typer.Typer) -> None:
    memory = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="What is remembered of findings from push to push."
    )
    memory.command("list")(list_verdicts)
    memory.command("show")(show)
    memory.command("propose")(propose)
    app.add_typer(memory, name="memory")


def list_verdicts(
    became: Annotated[Became | None, typer.Option("--became", help="Only findings that this became of.")] = None,
    format: AsFormat = Format.TEXT,
    output: Output = None,
    repo: Repo = Path(),
) -> None:
    """List what became of every finding that a decision was made on, the latest first. Exit: 0."""
    from review_agent.commands._common import emit, say

    every = _verdicts(repo)
    chosen = [one for one in every if became in (None, one.word.value)]
    if format is Format.JSON:
        emit(_json([_wire(one) for one in chosen]), output)
        return
    emit("".join(f"{_line(one)}\n" for one in chosen), output)
    if not chosen:
        said = "no finding has become that" if every else "nothing is remembered: no decision has been made here"
        say(said)


def show(
    fingerprint: Annotated[str, typer.Argument(help="The finding's fingerprint, or the start of it.")],
    format: AsFormat = Format.TEXT,
    output: Output = None,
    repo: Repo = Path(),
) -> None:
    """Show what became of one finding and every decision on it. Exit: 0, or 2 where there is no such finding."""
    from review_agent.commands._common import emit

    verdict = _only(_verdicts(repo), fingerprint)
    emit(_json(_wire(verdict)) if format is Format.JSON else "\n".join(_page(verdict)) + "\n", output)


def propose(
    format: AsFormat = Format.TEXT, output: Output = None, repo: Repo = Path(), policy: PolicyDir = None
) -> None:
    """Propose as policy what the team keeps rejecting for reasons of its own; prints the change and changes nothing.

    Findings count that are rejected with a reason code of the layer `team`, for good, as often as the policy's
    queue.yml says (proposeAfter). Exit: 0.
    """
    from review_agent.commands._common import emit, protected_policy, say, state_dir
    from review_agent.git import Git
    from review_agent.memory.beginning import journal_records
    from review_agent.memory.proposals import policy_diff, proposals

    git = Git(repo)
    in_force = protected_policy(git, policy)
    made = proposals(journal_records(state_dir(git)), _today(), in_force)
    diff = policy_diff(_own_file(git, policy), made) if made else ""
    if format is Format.JSON:
        emit(_json({"proposals": [_proposal(one) for one in made], "policyDiff": diff}), output)
        return
    emit("".join(f"{line}\n" for one in made for line in _why(one)) + _shown(diff), output)
    if not made:
        need = in_force.queue.propose_after
        say(f"nothing to propose: no rule and no finding has been rejected {need} times for the team's own reasons")
        return
    say("nothing is changed: review the diff and apply it on the protected branch (`git apply`) if the team agrees")


def _today() -> Any:
    from datetime import UTC, datetime

    return datetime.now(UTC).date()


def _verdicts(repo: Path) -> list[Verdict]:
    """All verdicts, the one with the latest decision first."""
    from review_agent.commands._common import state_dir
    from review_agent.git import Git
    from review_agent.memory.beginning import journal_records
    from review_agent.memory.verdicts import verdicts

    found = verdicts(journal_records(state_dir(Git(repo))), _today()).values()
    return sorted(found, key=lambda one: (str(one.decisions[-1]["at"]), one.fingerprint), reverse=True)


def _only(every: Iterable[Verdict], prefix: str) -> Verdict:
    from review_agent.errors import UsageError

    found = [one for one in every if prefix and one.fingerprint.startswith(prefix)]
    if len(found) == 1:
        return found[0]
    if not found:
        hint = "`review-agent memory list` shows the findings there are decisions on"
        raise UsageError(f"no decision is known on a finding {prefix!r}", hint=hint)
    names = ", ".join(one.fingerprint[:12] for one in found[:5])
    raise UsageError(f"{prefix!r} means {len(found)} findings: {names}", hint="give more of the fingerprint")


def _own_file(git: Any, folder: Path | None) -> str | None:
    """The team's own queue.yml, where it has one."""
    from review_agent.policy.folder import read

    found = read(folder, git=git)
    is_own = not found.origin["queue.yml"].startswith("the shipped default")
    return found.files["queue.yml"].decode("utf-8", "replace") if is_own else None


def _line(one: Verdict) -> str:
    from review_agent.counting import counted
    from review_agent.publish.safe import terminal

    word = one.word.value + (f" ({one.reason})" if one.reason else "")
    where = f"{one.rule or 'rule not known'} in {one.path}" if one.path else one.rule or "rule not known"
    day = str(one.decisions[-1]["at"])[:10]
    return terminal(f"{one.fingerprint[:12]}  {word:<28}  {day}  {counted(len(one.decisions), 'decision')}  {where}")


def _page(one: Verdict) -> Iterator[str]:
    from review_agent.publish.safe import terminal

    yield terminal(f"finding {one.fingerprint} · {one.word.value}" + (f" ({one.reason})" if one.reason else ""))
    yield terminal(f"  rule  {one.rule or 'not known'}")
    yield terminal(f"  path  {one.path or 'not known'}")
    for decision in one.decisions:
        yield terminal(f"  {_decision(decision)}")


def _decision(decision: Mapping[str, Any]) -> str:
    from review_agent.adjudication import typed
    from review_agent.vocabulary import Act

    said = typed(Act(decision["act"])) + (f" ({decision['reasonCode']})" if decision["reasonCode"] else "")
    until = f", until {decision['until']}" if decision.get("until") else ""
    comment = f": {decision['comment']}" if decision["comment"] else ""
    at, card = str(decision["at"])[:16].replace("T", " "), decision["cardId"][:_SHORT]
    return f"{at}  {card}  {said}{until}, by {decision['reviewer']}{comment}"


def _why(one: Proposal) -> Iterator[str]:
    from review_agent.counting import counted
    from review_agent.publish.safe import terminal

    number = counted(len(one.rejections), "finding")
    yield terminal(
        f"{one.rule or 'rule not known'}: {number} rejected for the team's own reasons, {one.accepted} accepted"
    )
    for decision in one.decisions:
        yield terminal(f"  {decision['fingerprint'][:12]}  {decision.get('path') or ''}  {_decision(decision)}")
    yield ""


def _shown(diff: str) -> str:
    from review_agent.publish.safe import terminal_lines

    return terminal_lines(diff)


def _wire(one: Verdict) -> dict[str, Any]:
    names = {"fingerprint": one.fingerprint, "became": one.word.value, "reason": one.reason}
    return {**names, "rule": one.rule, "path": one.path, "decisions": list(one.decisions)}


def _proposal(one: Proposal) -> dict[str, Any]:
    rejections = [rejection.wire() for rejection in one.rejections]
    return {"rule": one.rule, "accepted": one.accepted, "rejections": rejections, "decisions": list(one.decisions)}


def _json(data: Any) -> str:
    from review_agent.publish.safe import json_text

    return json_text(data)

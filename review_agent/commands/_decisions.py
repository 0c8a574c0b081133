"""Decisions on several cards at once, and from a file, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from review_agent.adjudication import NONE_SEEN, Intent, Told, decide_each, decide_many, standing, typed
from review_agent.commands._common import read_given
from review_agent.commands._proofs import asked_for
from review_agent.counting import counted
from review_agent.errors import ReviewAgentError, UsageError
from review_agent.jobs import attach, check_attachable, requested
from review_agent.ledger.store import Ledger, Listed
from review_agent.publish.safe import json_text, terminal
from review_agent.transitions import LEGAL, RESULT
from review_agent.vocabulary import Act, CardState, Decision

if TYPE_CHECKING:
    from review_agent.commands.decide import Ground

__all__ = ["check_alone", "check_length", "from_file", "line_of", "of_many", "undoing"]

_SHORT, _SHORTEST = 8, 4
_AS_JSON = 'write {"cardId": "…", "act": "accept"}'
_PEOPLES = frozenset(Act) - {Act.SUPERSEDE, Act.MARK_STALE}


@dataclass(frozen=True)
class _Line:
    """One line of the file: what it asks for, or why it asks for nothing."""

    number: int
    intent: Intent | None = None
    error: UsageError | None = None


def of_many(
    ground: Ground, cards: Sequence[str], act: Act, picked: Mapping[str, str | None], seen: str | None
) -> list[Decision]:
    """One act on the cards named, or on all that a rule, a fingerprint or a batch picks. Raises as decide_many does."""
    chosen = {name: value for name, value in picked.items() if value}
    if len(chosen) + bool(cards) > 1:
        names = ", ".join(f"--{name}" for name in chosen)
        message = f"cards are picked in one way only, not by {names}" + " and by name" * bool(cards)
        raise UsageError(message, hint="name the cards, or give one of --rule, --fingerprint and --batch")
    if seen is not None:
        raise UsageError(
            "a version is that of one card, and so is a decision",
            hint="leave --card-version and --decision-seen out, or decide card by card",
        )
    if act is Act.ATTACH:
        raise UsageError(
            "a result is attached card by card", hint="`review-agent decide CARD attach --result pass|fail`"
        )
    check_length(picked.get("fingerprint"), picked.get("batch"))
    _check_reason(ground, act)
    listed = [] if cards else _picked(ground.state, act, chosen)
    return decide_many(
        ground.state,
        list(cards) or [one.card_id for one in listed],
        act,
        expected_versions={one.card_id: one.card_version for one in listed},
        expected_decisions={one.card_id: one.decision or NONE_SEEN for one in listed},
        **ground.said(),
    )


def _picked(state: Path, act: Act, chosen: Mapping[str, str]) -> list[Listed]:
    """The cards as they are listed now; one that has moved by the time of the act refuses it."""
    listed = Ledger(state).alike([one for one in LEGAL if act in LEGAL[one]], **chosen)
    if not listed:
        ((name, value),) = chosen.items()
        known = Ledger(state).alike(list(CardState), **chosen)
        said = f"no card of the {name} {value!r} takes {typed(act)}" if known else ""
        raise UsageError(
            said or f"there is no card of the {name} {value!r}",
            hint="`review-agent cards list` shows the cards and their states",
        )
    return listed


def _check_reason(ground: Ground, act: Act) -> None:
    """Raises UsageError where it is the reason that is wrong, and not any of the cards."""
    known = [one.code for one in ground.policy.reason_codes]
    if act is Act.REJECT and ground.reason not in known:
        said = (
            f"the policy has no reason code {ground.reason!r}" if ground.reason else "a rejection needs a reason code"
        )
        raise UsageError(said, hint=f"reason codes of the policy: {', '.join(known)}")


def check_length(*starts: str | None) -> None:
    """Raises UsageError for the start of an id that is so short that a slip may mean another card, too."""
    for start in starts:
        if start is not None and len(start) < _SHORTEST:
            hint = f"give at least {_SHORTEST} characters of an id: `review-agent cards list` has them"
            raise UsageError(f"{start!r} is too short to decide by", hint=hint)


def check_alone(words: Sequence[str] | None, *picks: str | None) -> None:
    """Raises UsageError where something beside a file says what to decide."""
    if words or any(picks):
        raise UsageError("the lines of --from name cards and acts themselves", hint="leave cards and acts out")


def from_file(ground: Ground, file: Path, atomic: bool, as_json: bool) -> tuple[str, int, list[Decision]]:
    """Takes the decisions of a file; what became of each line as text or JSON, how many were refused, and what was
    decided."""
    lines = [_line(number, raw, ground) for number, raw in _raw_lines(file)]
    if not lines:
        raise UsageError("the file holds no decision", where=str(file), hint="one JSON object a line: cardId, act, …")
    spoilt = atomic and any(line.error for line in lines)
    intents = [line.intent for line in lines if line.intent is not None and not spoilt]
    told = iter(decide_each(ground.state, intents, atomic=atomic, **ground.shared()) if intents else ())
    results = [
        Told(line.intent, error=line.error) if line.intent is None or spoilt else next(told)  # type: ignore[arg-type]
        for line in lines
    ]
    refused = sum(one.error is not None for one in results)
    render = _as_json if as_json else _as_text
    taken = [one.decision for one in results if one.decision is not None]
    return render([line.number for line in lines], results), refused, taken


def _raw_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    data = read_given(file, "decisions", large="split the file")
    return ((number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip())


def _line(number: int, raw: bytes, ground: Ground) -> _Line:
    try:
        data = json.loads(raw)
        if not isinstance(data, dict):
            raise UsageError("it is no JSON object", hint=_AS_JSON)
        intent = Intent.model_validate({**data, "act": _act(data.get("act"))})
        check_length(intent.card_id)
        return _Line(number, _proved(intent, ground))
    except ValidationError as error:
        first = error.errors()[0]
        message = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        return _Line(number, error=UsageError(message, hint="`review-agent schema intent` has every key"))
    except UsageError as error:
        return _Line(number, error=error)
    except (ValueError, RecursionError) as error:
        return _Line(number, error=UsageError(f"it is not JSON: {error}", hint=_AS_JSON))


def _act(said: Any) -> Act:
    """The act as a person types it, or as the journal has it."""
    word = {"undo": "reopen"}.get(said, said.replace("-", "_")) if isinstance(said, str) else said
    if word not in _PEOPLES:
        names = ", ".join(sorted(typed(act) for act in _PEOPLES))
        problem = "it names no act" if said is None else f"{said!r} is no act"
        raise UsageError(problem, hint=f'"act": one of {names}')
    return Act(word)


def _proved(intent: Intent, ground: Ground) -> Intent:
    """The log of a result masked, cut and hashed, as ``attach`` does; the line has it as text.

    Raises UsageError for a job that the card does not have.
    """
    proof = intent.proof
    if proof is None:
        return intent
    detail = Ledger(ground.state).card(intent.card_id)
    if proof.result is None:
        return intent.model_copy(
            update={"proof": requested(detail.row.card, detail.question, ground.policy, proof.job)}
        )
    check_attachable(detail.row.card, detail.question, ground.policy, proof.job, asked_for(detail))
    raw = None if proof.log is None else proof.log.encode("utf-8", "surrogatepass")
    kept = attach(proof.job, proof.result, raw, ground.policy.masker(), ground.policy.jobs.log_characters)
    return intent.model_copy(update={"proof": kept})


def _as_text(numbers: Sequence[int], results: Sequence[Told]) -> str:
    lines = [f"line {number}: {_outcome(told)}" for number, told in zip(numbers, results, strict=True)]
    recorded, refused = (sum(v is not None for v in values) for values in _split(results))
    lines.append(f"{counted(recorded, 'decision')} recorded, {refused} refused")
    return "\n".join(lines)


def _outcome(told: Told) -> str:
    if told.decision is not None:
        return line_of(told.decision)
    if told.error is not None:
        hint = f" ({told.error.hint})" if told.error.hint else ""
        return terminal(f"refused: {told.error.message}{hint}")
    return "not recorded, as another line is refused"


def _as_json(numbers: Sequence[int], results: Sequence[Told]) -> str:
    recorded, refused = (sum(v is not None for v in values) for values in _split(results))
    lines = [
        {"line": number, "decision": told.decision and told.decision.wire(), "refused": _error(told.error)}
        for number, told in zip(numbers, results, strict=True)
    ]
    return json_text({"recorded": recorded, "refused": refused, "lines": lines}, sort_keys=False).rstrip()


def _split(results: Sequence[Told]) -> tuple[list[Decision | None], list[ReviewAgentError | None]]:
    return [one.decision for one in results], [one.error for one in results]


def _error(error: ReviewAgentError | None) -> dict[str, str] | None:
    return None if error is None else {"message": error.message, "where": error.where, "hint": error.hint}


def line_of(decision: Decision) -> str:
    """What a decision made of its card, in a line."""
    now = standing(RESULT[decision.act]) + (" again" if decision.act in (Act.REOPEN, Act.ATTACH) else "")
    reason = f" ({decision.reason_code})" if decision.reason_code else ""
    until = f" until {decision.until}" if decision.until else ""
    proof = decision.proof
    asked = f": {proof.job}{f' gave {proof.result}' if proof.result else ''}" if proof else ""
    return terminal(f"{decision.card_id[:_SHORT]} {now}{asked}{reason}{until}, by {decision.reviewer}")


def undoing(decisions: Sequence[Decision]) -> str:
    """How one act on several cards is taken back."""
    return f"{counted(len(decisions), 'card')} as one act: `review-agent decide undo --batch {decisions[0].batch}`"

"""What a run log from elsewhere is held against here: git's objects, and the rules where it was they who answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from review_agent.errors import RecordError
from review_agent.vocabulary import Bundle, Draft, Event, Question

if TYPE_CHECKING:
    from review_agent.git import Git
    from review_agent.ledger.comparing import Outcome
    from review_agent.ledger.ingest import Compare
    from review_agent.masking import Masker
    from review_agent.vocabulary import Request

__all__ = ["comparison"]

_COMPARED = 4_000  # a longer detail is cut where the outcome tells it


def comparison(git: Git) -> Compare:
    """Compares by the policy in force. What it returns raises RecordError for a run log that says what is not so."""
    from review_agent.commands._common import protected_policy
    from review_agent.ledger.comparing import Comparer

    policy = protected_policy(git, None)
    with_git = Comparer(git.root, policy)

    def compare(events: Sequence[Event]) -> Outcome:
        outcome = with_git(events)
        if events[0].data["policyHash"] == policy.hash:
            _settled_again(events, policy.masker())
        return outcome

    return compare


def _settled_again(events: Sequence[Event], mask: Masker) -> None:
    """The rules answer a question from its bundle alone, the same each time: so they are asked again."""
    from review_agent import __version__
    from review_agent.engines.rules import Rules

    rules, started = Rules(), events[0].data
    if (started["engine"], started["product"]) != (rules.identity, __version__):
        return
    asked = _requests(events)
    said: dict[str, Mapping[str, Any]] = {}
    for number, event in enumerate(events, 1):
        if event.type == "answer":
            request = asked.get(event.data["requestId"])
            if request is None or _answered(rules.answer([request]), mask) != event.data:
                message = f"answer: the rules of version {__version__} answer another way what this run asks"
                raise RecordError(message, where=f"event:{number}")
            said[request.question_id] = event.data
        elif event.type in ("passed", "card", "no_finding") and not _is_said(event, said):
            raise RecordError(f"{event.type}: no answer of this run says this", where=f"event:{number}")


def _is_said(event: Event, said: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether an outcome is what its question's answer says; nobody is asked about what steers reviewers."""
    from review_agent.kinds.auth_steering import STEERING

    answer, data = said.get(event.data["questionId"], {}), event.data
    if event.type != "no_finding":
        return _draft(data) in answer.get("drafts", ())
    if data["rule"] in STEERING:
        return True
    word = answer.get("noFinding") or {}
    if any(ref not in word.get("refs", ()) for ref in data["refs"]):
        return False
    return (word.get("code"), word.get("detail", "")[:_COMPARED]) == (data["code"], data["detail"][:_COMPARED])


def _requests(events: Sequence[Event]) -> dict[str, Request]:
    from review_agent.stages.synthesis import requests

    questions = [Question.model_validate(event.data) for event in events if event.type == "question"]
    bundles = [Bundle.model_validate(event.data) for event in events if event.type == "bundle"]
    collected = {one.question_id for one in bundles}
    return {one.request_id: one for one in requests([q for q in questions if q.question_id in collected], bundles)}


def _answered(answers: Any, mask: Masker) -> Any:
    (answer,) = answers
    return mask.mask_data(answer.wire())


def _draft(card: Mapping[str, Any]) -> dict[str, Any]:
    names = (field.alias or name for name, field in Draft.model_fields.items())
    return {name: card[name] for name in names}

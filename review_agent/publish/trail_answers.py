"""What engines answered, in the lines that ``explain`` shows of it: drafts, refutations, notes, refused proposals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from review_agent.publish.safe import terminal
from review_agent.runlog import RunState
from review_agent.vocabulary import Answer, Phase

__all__ = ["amended_lines", "answer_lines", "answers_by_question", "idle_lines", "proposal_lines"]

_LONGEST = 300


def answers_by_question(state: RunState) -> dict[str, list[Answer]]:
    """All answers to requests about a question, in the order they came; those of earlier attempts too."""
    found: dict[str, list[Answer]] = defaultdict(list)
    for request_id, answer in state.answers.items():
        if request_id in state.asked:
            found[state.asked[request_id]].append(answer)
    return found


def answer_lines(answer: Answer) -> Iterator[str]:
    """A draft, what the refuter said of it, or why there is no answer, and what a model noted on its way; a no-finding
    is told as the question's end."""
    for draft in answer.drafts:
        yield terminal(f"  draft by {answer.engine}: {_cut(draft.get('claim', draft))}")
    if answer.refutation is not None:
        said = answer.refutation
        cited = f" by {_cut(said.get('cited'))} {_cut(said.get('quote'))!r}" if said.get("cited") else ""
        yield terminal(f"  refuter {answer.engine}: {_cut(said.get('verdict'))}{cited}: {_cut(said.get('why'))}")
    if answer.failure:
        yield terminal(f"  no answer from {answer.engine}: {answer.failure} {answer.detail}")
    yield from (f"  {line}" for line in _noted(answer))


def idle_lines(question_id: str, state: RunState) -> Iterator[str]:
    """Refutations of a question's drafts that counted for nothing, with why."""
    for event in state.records.get(Phase.CONTRACT, ()):
        if event.type == "refused_refutation" and event.data.get("questionId") == question_id:
            ordinal = event.data.get("ordinal")
            yield terminal(f"  the refutation of draft {ordinal} did not count: {_cut(event.data.get('detail'))}")


def amended_lines(question_id: str, state: RunState) -> Iterator[str]:
    """Drafts of a question that the contract refused and that the model was asked to write anew, with why."""
    for event in state.records.get(Phase.SYNTHESIZE, ()):
        if event.type == "refused_draft" and event.data.get("questionId") == question_id:
            reasons = "; ".join(f"{one.get('code')}: {one.get('detail')}" for one in event.data.get("reasons", ()))
            yield terminal(f"  refused, and asked for anew: {_cut(reasons)}")


def proposal_lines(state: RunState) -> Iterator[str]:
    """What compilers noted on their way, and questions that one proposed and that were refused, with why."""
    noted = [line for answer in state.answers.values() if answer.questions is not None for line in _noted(answer)]
    yield from noted
    refused = [event.data for event in state.records.get(Phase.COMPILE, ()) if event.type == "refused_proposal"]
    for one in refused:
        proposal: Any = one.get("proposal")
        asked = proposal.get("change", proposal) if isinstance(proposal, dict) else proposal
        yield terminal(f"proposal refused: {_cut(one.get('detail'))} · {_cut(asked)}")
    if noted or refused:
        yield ""


def _noted(answer: Answer) -> Iterator[str]:
    """A model's notes, labelled so that nobody takes them for evidence."""
    if notes := _cut(answer.notes):
        yield terminal(f"noted by {answer.engine} (the model's own word, counts for nothing): {notes}")


def _cut(value: Any) -> str:
    """Text of a model, of whatever sort it is, on one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

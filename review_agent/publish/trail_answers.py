"""What engines answered, in the lines that ``explain`` shows of it: drafts, refutations, refused proposals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from review_agent.publish.safe import terminal
from review_agent.runlog import RunState
from review_agent.vocabulary import Answer, Phase

__all__ = ["answer_lines", "answers_by_question", "proposal_lines"]

_LONGEST = 300


def answers_by_question(state: RunState) -> dict[str, list[Answer]]:
    """All answers to requests about a question, in the order they came; those of earlier attempts too."""
    found: dict[str, list[Answer]] = defaultdict(list)
    for request_id, answer in state.answers.items():
        if request_id in state.asked:
            found[state.asked[request_id]].append(answer)
    return found


def answer_lines(answer: Answer) -> Iterator[str]:
    """A draft, what the refuter said of it, or why there is no answer; a no-finding is told as the question's end."""
    for draft in answer.drafts:
        yield terminal(f"  draft by {answer.engine}: {_cut(draft.get('claim', draft))}")
    if answer.refutation is not None:
        said = answer.refutation
        cited = f" by {_cut(said.get('cited'))} {_cut(said.get('quote'))!r}" if said.get("cited") else ""
        yield terminal(f"  refuter {answer.engine}: {_cut(said.get('verdict'))}{cited}: {_cut(said.get('why'))}")
    if answer.failure:
        yield terminal(f"  no answer from {answer.engine}: {answer.failure} {answer.detail}")


def proposal_lines(state: RunState) -> Iterator[str]:
    """Questions that a model proposed and that were refused, with why."""
    refused = [event.data for event in state.records.get(Phase.COMPILE, ()) if event.type == "refused_proposal"]
    for one in refused:
        proposal: Any = one.get("proposal")
        asked = proposal.get("change", proposal) if isinstance(proposal, dict) else proposal
        yield terminal(f"proposal refused: {_cut(one.get('detail'))} · {_cut(asked)}")
    if refused:
        yield ""


def _cut(value: Any) -> str:
    """Text of a model, of whatever sort it is, on one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

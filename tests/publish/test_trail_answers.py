"""Explain shows what a model wrote: every draft and what the refuter said of it, and proposals that were refused."""

from __future__ import annotations

from review_agent.publish.trail_answers import answer_lines, answers_by_question, proposal_lines
from review_agent.runlog import RunState
from review_agent.vocabulary import Answer, Event, Phase

DRAFT = Answer(request_id="r1", engine="m", drafts=({"claim": "Removing\n`x`"}, {"odd": 1}))
STANDS = Answer(request_id="r2", engine="m", refutation={"verdict": "stands", "why": "no line defeats it"})
FALLS = Answer(
    request_id="r3", engine="m", refutation={"verdict": "refuted", "cited": "E1", "quote": "if x:\x1b[2J", "why": 7}
)


def test_a_draft_stays_where_a_refuter_answered_of_the_same_question_later():
    state = RunState(started={}, answers={one.request_id: one for one in (DRAFT, STANDS, FALLS)})
    state.asked = {"r1": "q1", "r2": "q1", "other": "q2"}
    assert answers_by_question(state) == {"q1": [DRAFT, STANDS]}


def test_what_a_model_wrote_stands_on_a_line_and_does_nothing_to_a_terminal():
    lines = [line for answer in (DRAFT, STANDS, FALLS) for line in answer_lines(answer)]
    assert lines[:3] == [
        "  draft by m: Removing `x`",
        "  draft by m: {'odd': 1}",
        "  refuter m: stands: no line defeats it",
    ]
    assert lines[3].startswith("  refuter m: refuted by E1 ")
    assert "\x1b" not in lines[3]
    long = Answer(request_id="r", engine="m", drafts=({"claim": "x" * 9000},))
    assert len(next(answer_lines(long))) < 400


def test_refused_proposals_are_told_with_why():
    def refused(proposal):
        data = {"groupId": "g", "detail": "no changed line", "proposal": proposal}
        return Event(seq=0, at="", attempt="a", phase=Phase.COMPILE, type="refused_proposal", data=data)

    state = RunState(started={}, records={Phase.COMPILE: [refused({"change": "`x` went"}), refused("nonsense")]})
    assert list(proposal_lines(state)) == [
        "proposal refused: no changed line · `x` went",
        "proposal refused: no changed line · nonsense",
        "",
    ]
    assert list(proposal_lines(RunState(started={}))) == []

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


NOTED = "the model's own word, counts for nothing"


def test_what_a_model_noted_is_shown_with_its_answer_as_its_own_word_short_and_harmless():
    said = Answer(
        request_id="r", engine="m", no_finding={"code": "no_candidate"}, notes="card:\x1b[2J\n it " + "x" * 999
    )
    (line,) = answer_lines(said)
    assert line.startswith(f"  noted by m ({NOTED}): card:\\u{{1b}}[2J it xxx")
    assert len(line) < 400
    draft = DRAFT.model_copy(update={"notes": "I think so"})
    assert list(answer_lines(draft))[-1] == f"  noted by m ({NOTED}): I think so"
    assert not [line for line in answer_lines(DRAFT.model_copy(update={"notes": " \n"})) if "noted" in line]


def test_what_a_compiler_noted_stands_once_beside_what_it_proposed():
    compiled = Answer(request_id="r", engine="m", questions=(), notes="nothing to\nask")
    state = RunState(started={}, answers={"r": compiled, "r1": DRAFT.model_copy(update={"notes": "of a question"})})
    assert list(proposal_lines(state)) == [f"noted by m ({NOTED}): nothing to ask", ""]

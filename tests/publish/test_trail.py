"""The trail: how each question ended comes first, and what is asked for by kind, rule or id stands alone."""

from __future__ import annotations

import pytest
from made_runs import card, sha, write_run

from review_agent import cli
from review_agent.errors import UsageError
from review_agent.publish.trail import trail_text
from review_agent.runlog import fold, read_events
from review_agent.stages.account import records
from review_agent.vocabulary import Phase, Question

CARD = card(sha("review", 1), 0)


@pytest.fixture
def log(tmp_path):
    return write_run(tmp_path / ".review-agent")


@pytest.fixture
def state(log):
    return fold(read_events(log))


def test_how_each_question_ended_stands_before_the_steps(state):
    text = trail_text(state)
    asked = records(state, Phase.COMPILE, "question", Question)
    summary = text.split("\n\n")[1].splitlines()
    assert summary[0] == f"{len(asked)} questions"
    assert [line.split()[0] for line in summary[1:]] == [one.question_id for one in asked]
    assert f" → card {CARD.card_id[:8]} {CARD.severity}, rejection 1, unanswered endpoint_down" in summary[1]
    assert summary[-1].endswith(" → no finding insufficient_evidence")


@pytest.mark.parametrize("word", [CARD.question_id, CARD.card_id, CARD.card_id[:8]])
def test_one_question_stands_alone_by_its_id_or_its_cards(state, monkeypatch, word):
    monkeypatch.setattr("review_agent.publish.trail._SHORTEST", 2)  # ids made by hand are short
    text = trail_text(state, [word])
    assert text.split("\n\n")[1].startswith("1 question\n")
    assert text.count("\nquestion ") == 1
    assert text.count("\nfile ") == 1
    assert f"\n  card {CARD.card_id[:8]}" in text
    assert len(text) < len(trail_text(state))


def test_a_kind_or_a_rule_keeps_all_of_its_questions_and_words_add_up(state):
    (one, *_) = records(state, Phase.COMPILE, "question", Question)
    every = trail_text(state).count("\nquestion ")
    assert trail_text(state, [one.kind]).count("\nquestion ") == every
    assert trail_text(state, [one.rule, one.kind]).count("\nquestion ") == every


@pytest.mark.parametrize("word", ["nothing", "", "q"])
def test_a_word_that_names_no_question_is_refused_with_the_kinds_there_are(state, word):
    with pytest.raises(UsageError) as refused:
        trail_text(state, [word])
    assert "cache_key" in refused.value.hint


def test_the_command_narrows_the_text_alone(log, capsys, monkeypatch):
    monkeypatch.setattr(cli, "COMMANDS", ("explain", "cards"))
    for arguments, code, said in (
        (["--only", "cache_key"], 0, "3 questions"),
        (["--only", "auth"], 2, ""),
        (["--only", "cache_key", "--format", "json"], 2, ""),
    ):
        with pytest.raises(SystemExit) as left:
            cli.main(["explain", str(log), *arguments])
        assert int(left.value.code or 0) == code
        assert said in capsys.readouterr().out


@pytest.mark.parametrize(("engine", "said"), [("rules/1", False), ("rules/1+openai:m/1", True)])
def test_only_where_a_model_was_asked_a_kill_may_have_lost_calls(state, engine, said):
    state.started["engine"] = engine
    state.torn = [2, 1]
    assert ("3 requests were open when an attempt was killed" in trail_text(state)) is said

"""The summary of a job: counts that add up, what is unknown said to be, and nothing in it that a page would obey."""

from __future__ import annotations

import re

import pytest
from made_runs import write_run

from review_agent.publish.stage import HIDDEN, shows_cards, stage
from review_agent.publish.summary import summary_markdown, summary_of, summary_text
from review_agent.runlog import fold, read_events
from review_agent.stages.account import document
from review_agent.vocabulary import CheckSummary, FailedFile, Failure, RunStatus

HOSTILE = "a|b <script>x</script> @team #1 \x1b[2J\u202e](http://x) `$(id)`.py"


@pytest.fixture
def whole(tmp_path):
    state = fold(read_events(write_run(tmp_path / ".review-agent")))
    return document(state, state.attempts[-1]), state.started


def made(whole, **changes) -> CheckSummary:
    told, started = whole
    summary = summary_of(told, started, stage=stage(), source="GitHub push", artifact="artifact/x.jsonl", gate="")
    return summary.model_copy(update=changes)


def test_every_outcome_is_counted_once(whole):
    told, _ = whole
    summary = made(whole)
    assert sum(summary.cards.values()) == len(told.outcomes.cards) == 2
    assert sum(summary.no_findings.values()) == len(told.outcomes.no_findings)
    assert sum(summary.skipped.values()) == len(told.outcomes.skipped)
    ends = (summary.rejections, summary.unanswered, summary.suppressed)
    assert ends == tuple(len(getattr(told.outcomes, name)) for name in ("rejections", "unanswered", "suppressed"))
    assert CheckSummary.model_validate(summary.wire()) == summary


def test_where_no_model_was_asked_no_bill_is_unknown(whole):
    for text in (summary_text(made(whole)), summary_markdown(made(whole))):
        assert "no model was asked" in text
        assert "unknown" not in text


def test_the_gate_that_tripped_is_called_so_once(whole):
    text = summary_text(made(whole, gate="gate --fail-on blocking: 1 card"))
    assert re.search(r"^gate +--fail-on blocking: 1 card$", text, re.MULTILINE)


def test_what_is_unknown_is_said_to_be_and_an_incomplete_run_is_no_clean_one(whole):
    told, started = whole
    run = told.run.model_copy(update={"engine": "rules/1+openai:m/0"})
    whole = told.model_copy(update={"run": run}), started
    for text in (summary_text(made(whole)), summary_markdown(made(whole))):
        assert "tokens unknown; cost unknown" in text
        assert (
            "This run is incomplete: it is not a clean review. `review-agent explain RECORD` says what failed" in text
        )
        assert "rule broken: KeyError: 'x'" in text.replace("\\", "")


@pytest.mark.parametrize("status", [status for status in RunStatus if status is not RunStatus.COMPLETE])
def test_a_run_that_did_not_end_says_what_to_do_next(whole, status):
    summary = made(whole)
    summary = summary.model_copy(update={"run": summary.run.model_copy(update={"status": status})})
    closing = summary_text(summary).rstrip().split("\n")[-1]
    assert re.match(rf"This run is {status}: it is not a clean review\. \S.*(?:again|--answers)", closing)


def test_while_the_stage_is_hidden_no_word_of_a_card_stands_in_it(whole):
    told, _ = whole
    assert (stage(), shows_cards(HIDDEN), shows_cards("off")) == (HIDDEN, False, False)
    for text in (summary_text(made(whole)), summary_markdown(made(whole)), str(made(whole).wire())):
        plain = text.replace("\\", "")
        for card in told.outcomes.cards:
            words = (card.claim, card.impact_condition, card.diff_anchor.path, *card.counter_evidence)
            assert not [word for word in words if word in plain]


@pytest.mark.parametrize(
    ("detail", "shown"),
    [
        ("refused: refused: the model refused: SECRETCARD ::error::x", "refused: refused"),
        (
            "malformed: not_schema: the reply does not have its shape: drafts/0/claim: 'SECRETCARD'",
            "malformed: not_schema",
        ),
        ("endpoint_down: server_error: status 500: SECRETCARD", "endpoint_down: server_error"),
        ("SECRETCARD: x", "the record says why"),
    ],
)
def test_of_what_a_model_did_not_answer_the_errors_name_stands_in_it_alone(whole, detail, shown):
    told, started = whole
    failures = (
        Failure(what="compile", name="the model's questions", path="src/a.py", detail=detail),
        Failure(what="search", name="SECRETCARD", path="src/a.py", detail="SECRETCARD: git grep took too long"),
    )
    told = told.model_copy(update={"coverage": told.coverage.model_copy(update={"failures": failures})})
    hidden = made((told, started))
    for text in (summary_text(hidden), summary_markdown(hidden), str(hidden.wire())):
        assert "SECRETCARD" not in text
        assert shown in text.replace("\\", "")
    open_ = summary_of(told, started, stage="comment", source="x", artifact="x", gate="")
    assert "SECRETCARD" in summary_text(open_)


def test_what_it_quotes_is_obeyed_by_no_page_and_no_terminal(whole):
    told, _ = whole
    coverage = told.coverage.model_copy(update={"failed": (FailedFile(path=HOSTILE, detail=HOSTILE),) * 9})
    hostile = made(whole, coverage=coverage, chosen=HOSTILE, policy_source=HOSTILE, source=HOSTILE)
    page = summary_markdown(hostile)
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 3 for row in rows)
    assert "<script" not in page
    assert not re.search(r"@team|#1\b|\]\(http", page)
    assert "and 5 more" in page, "of many failures the first are named"
    for text in (page, summary_text(hostile)):
        assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e]", text)

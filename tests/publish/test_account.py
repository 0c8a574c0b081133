from __future__ import annotations

import pytest

from review_agent.publish.account import account_text, reviewed_text
from review_agent.vocabulary import (
    Coverage,
    Failure,
    Hunk,
    Outcomes,
    ReviewDocument,
    RunIdentity,
    RunStatus,
    Skipped,
    SkipRule,
    Spend,
    Unanswered,
    UnansweredCause,
)


def test_an_incomplete_run_says_what_to_do_next_and_why_nothing_was_asked() -> None:
    complete = document()
    assert "next" not in account_text(complete, ())
    assert "no question applied" in account_text(complete, ())
    unasked = Failure(what="compile", name="the model's questions", path="a.py", detail="endpoint_down: no connection")
    down = document(status=RunStatus.INCOMPLETE, failures=(unasked, unasked))
    text = account_text(down, ())
    assert "no question applied" not in text
    assert "the model gave no answer when asked for its own (2 parts of the change)" in text
    assert "next   run the same command again: only what has no answer is asked again; `review-agent doctor`" in text
    broken = document(status=RunStatus.INCOMPLETE, failures=(unasked.model_copy(update={"what": "search"}),))
    assert "next   `review-agent explain latest`" in account_text(broken, ())
    assert "no question applied" in account_text(broken, ())


@pytest.mark.parametrize(
    ("cause", "engine", "said"),
    [
        (UnansweredCause.ENDPOINT_DOWN, "rules/1+openai:m/1", "run the same command again"),
        (UnansweredCause.MALFORMED, "rules/1+batch:m/1", "mend the answers and give them to the same command"),
        (UnansweredCause.NOT_RECORDED, "rules/1+openai:m/1", "play the run logs that hold these answers"),
    ],
)
def test_what_to_do_next_follows_from_who_gave_no_answer(cause: UnansweredCause, engine: str, said: str) -> None:
    made = document(status=RunStatus.INCOMPLETE)
    missing = Unanswered(kind="unanswered", question_id="q-1", cause=cause, detail="")
    made = made.model_copy(
        update={
            "run": made.run.model_copy(update={"engine": engine}),
            "outcomes": made.outcomes.model_copy(update={"unanswered": (missing,)}),
        }
    )
    assert f"  next   {said}" in account_text(made, ())


def test_questions_that_were_dropped_are_counted_with_their_rule() -> None:
    dropped = [
        skipped("a.py", SkipRule.QUESTION_CAP, "h").model_copy(update={"question_id": f"q{n}"}) for n in range(7)
    ]
    assert ", 7 questions not asked (question_cap) · " in account_text(document(*dropped), ())
    assert "not asked" not in account_text(document(skipped("a.py", SkipRule.BINARY)), ())


def hunk(path: str, name: str) -> Hunk:
    return Hunk(
        hunk_id=name,
        path=path,
        old_path=path,
        old_start=1,
        old_count=1,
        new_start=1,
        new_count=1,
        section="",
        lines=(),
    )


def skipped(path: str, rule: SkipRule, of: str | None = None) -> Skipped:
    return Skipped(kind="skipped", path=path, hunk_id=of, question_id=None, rule=rule, detail="")


def document(
    *skips: Skipped,
    status: RunStatus = RunStatus.COMPLETE,
    by_lines: tuple[str, ...] = (),
    failures: tuple[Failure, ...] = (),
) -> ReviewDocument:
    return ReviewDocument(
        schema_version="1.0",
        run=RunIdentity(
            review_id="r",
            attempt_id="a",
            status=status,
            engine="e",
            policy_hash="p",
            base="b",
            head="h",
            merge_base="m",
        ),
        coverage=Coverage(
            files=3,
            files_examined=1,
            files_skipped=2,
            files_failed=0,
            hunks=4,
            hunks_examined=1,
            hunks_skipped=3,
            hunks_failed=0,
            line_facts_only=by_lines,
            failed=(),
            failures=failures,
        ),
        outcomes=Outcomes(cards=(), no_findings=(), rejections=(), unanswered=(), suppressed=(), skipped=skips),
        spend=Spend(
            questions=0,
            queries=0,
            candidate_files=0,
            files_read=0,
            lines_read=0,
            requests=0,
            prompt_tokens=None,
            completion_tokens=None,
            cost_usd=None,
        ),
    )


HUNKS = [hunk("a.py", "a1"), hunk("a.py", "a2"), hunk("b.py", "b1"), hunk("uv.lock", "l1")]


def test_files_skipped_whole_and_hunks_skipped_in_others_are_told_apart() -> None:
    told = account_text(
        document(
            skipped("uv.lock", SkipRule.LOCK_FILE),
            skipped("b.py", SkipRule.COSMETIC, "b1"),
            skipped("a.py", SkipRule.COSMETIC, "a2"),
        ),
        HUNKS,
    )
    assert "reviewed 1 of 3 files (skipped: uv.lock lock_file, b.py cosmetic), 1 of 4 hunks" in told
    assert "1 of 4 hunks (skipped: 1 cosmetic, 2 in skipped files)" in told
    assert "no question applied" in told


def test_what_failed_is_counted_where_the_reviewed_is() -> None:
    whole = document(skipped("uv.lock", SkipRule.LOCK_FILE), status=RunStatus.INCOMPLETE)
    told = whole.coverage.model_copy(
        update={"files_skipped": 1, "files_failed": 1, "hunks_skipped": 1, "hunks_failed": 2}
    )
    text = account_text(whole.model_copy(update={"coverage": told}), HUNKS)
    assert "reviewed 1 of 3 files (1 failed; skipped: uv.lock lock_file), 1 of 4 hunks" in text
    assert "1 of 4 hunks (2 failed; skipped: 1 in skipped files)" in text
    assert reviewed_text(told) == "reviewed 1 of 3 files (1 failed), 1 of 4 hunks (2 failed)"


def test_an_incomplete_run_never_reads_as_clean() -> None:
    assert "INCOMPLETE: it is not a clean review" in account_text(document(status=RunStatus.INCOMPLETE), HUNKS)


def test_a_long_list_is_counted_not_spelled_out() -> None:
    told = account_text(document(by_lines=tuple(f"{n}.sql" for n in range(9))), HUNKS)
    assert "0.sql, 1.sql, 2.sql, 3.sql and 5 more" in told


def test_a_run_that_waits_is_told_as_no_review_and_counts_nothing_as_clean():
    said = account_text(document(status=RunStatus.WAITING), [])
    assert said == "this run waits for answers: it is no review yet · 0 queries, 0 lines read"


def test_tokens_and_cost_are_told_where_they_are_known():
    whole = document()
    spend = whole.spend.model_copy(update={"prompt_tokens": 12_000, "completion_tokens": 900})
    assert (
        account_text(whole.model_copy(update={"spend": spend}), [])
        .split("\n")[0]
        .endswith("0 lines read, 12,000 tokens in and 900 out, cost unknown")
    )
    paid = spend.model_copy(update={"cost_usd": 0.25})
    assert "out, $0.2500" in account_text(whole.model_copy(update={"spend": paid}), [])


@pytest.mark.parametrize(
    ("engine", "requests", "tokens", "said"),
    [
        ("rules/1+openai:m/1", 3, (None, None), "0 lines read, tokens and cost unknown"),
        ("openai:m/1", 3, (None, None), "0 lines read, tokens and cost unknown"),
        ("rules/1+openai:m/1", 0, (None, None), "0 lines read"),
        ("rules/1", 3, (None, None), "0 lines read"),
        ("rules/1+openai:m/1", 3, (12_000, None), "12,000 tokens in and unknown out, cost unknown"),
        ("rules/1+openai:m/1", 3, (None, 900), "unknown tokens in and 900 out, cost unknown"),
    ],
)
def test_what_a_model_did_not_tell_is_unknown_and_never_nothing(engine, requests, tokens, said):
    whole = document()
    told = {"requests": requests, "prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    made = {"run": whole.run.model_copy(update={"engine": engine}), "spend": whole.spend.model_copy(update=told)}
    assert account_text(whole.model_copy(update=made), []).split("\n")[0].endswith(said)

"""What models cost stands in the ledger call by call; what nobody told is counted, never taken for nothing."""

from __future__ import annotations

from pathlib import Path

from made_runs import calls, write_run

from review_agent.ledger.spending import ModelSpend
from review_agent.ledger.store import Ledger
from review_agent.runlog import RunLog
from review_agent.vocabulary import Phase


def test_the_calls_of_a_run_are_told_by_model_with_what_is_unknown(tmp_path: Path) -> None:
    path = write_run(tmp_path / ".review-agent")
    called, by_hand = Ledger(tmp_path / ".review-agent").run(path.name).calls
    assert called == ModelSpend(
        model="m",
        calls=2,
        requests=1,
        errors={"rate_limited": 1},
        prompt_tokens=1000,
        completion_tokens=50,
        cached_tokens=400,
        prompt_metered=1000,
        cost_usd=0.25,
        unmetered=1,
        unpriced=1,
        median_ms=465.0,
        longest_ms=900,
    )
    unknown = (by_hand.prompt_tokens, by_hand.cached_tokens, by_hand.cost_usd, by_hand.median_ms)
    assert (by_hand.calls, unknown, by_hand.unmetered) == (1, (None,) * 4, 1)


def test_calls_of_an_attempt_that_was_killed_count_like_those_of_the_one_that_went_on(tmp_path: Path) -> None:
    state = tmp_path / ".review-agent"
    path = write_run(state, stop_before=Phase.SYNTHESIZE)
    with RunLog.open(path, "second") as log:
        log.event("phase_started", {}, Phase.SYNTHESIZE)
        log.event("call", calls()[1].wire(), Phase.SYNTHESIZE)
        log.flush()
    ledger = Ledger(state)
    called = ledger.run(path.name).calls[0]
    assert (called.calls, called.prompt_tokens) == (3, 2000)
    live = ledger.export(tmp_path / "live", "jsonl")
    ledger.rebuild()
    assert ledger.export(tmp_path / "again", "jsonl").tables == live.tables


def test_a_run_that_asked_no_model_has_no_calls(tmp_path: Path) -> None:
    path = write_run(tmp_path / ".review-agent", stop_before=Phase.COLLECT)
    assert Ledger(tmp_path / ".review-agent").run(path.name).calls == ()

"""Every figure as counted by hand; what is unknown is null."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_runs import card, sha, write_run
from made_states import decision, varied

from review_agent.journal import Journal
from review_agent.ledger.store import Ledger
from review_agent.metrics import Metrics, measured
from review_agent.rates import rate
from review_agent.vocabulary import Act, Replay, ReplayedHalf, Sample


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / ".review-agent"


def append(state: Path, *records: Any) -> None:
    for record in records:
        Journal(state / "journal.jsonl").append(record.wire() if not isinstance(record, dict) else record)


def rejection(n: int, code: str, layer: str | None, **changes: Any) -> dict[str, Any]:
    wire = decision(n, Act.REJECT, 2 * n).wire()
    return {**wire, "reasonCode": code, "layer": layer, **changes}


def sample(run_file: str, n: int, source: str, share: float) -> Sample:
    return Sample(
        kind="sample",
        sample_id=f"s{n}",
        at="2026-01-03",
        run_file=run_file,
        question_id=f"q{n}",
        source=source,
        share=share,
        card=card(sha("sampled"), n).wire(),
    )


def on_sample(n: int, act: Act) -> dict[str, Any]:
    seen = card(sha("sampled"), n)
    return {**decision(n, act).wire(), "cardId": seen.card_id, "cardVersion": seen.card_version}


def acceptance(found: Metrics) -> dict[str, tuple[int, int, int]]:
    return {one.severity: (one.accepted.hits, one.accepted.of, one.undecided) for one in found.acceptance}


def test_of_nothing_nothing_is_known(state: Path) -> None:
    found = measured(Ledger(state))
    assert not state.exists()
    assert found.accepted == found.evidence == found.scope_inflation == rate(0, 0)
    assert found.accepted.rate is None
    assert (found.recall, found.seconds_to_decide, found.cost.usd, found.reasons) == (None, None, None, ())
    assert [(one.source, one.estimate, one.wrongly.rate) for one in found.audit] == [
        ("no_finding", None, None),
        ("refuted", None, None),
        ("suppressed", None, None),
    ]
    assert acceptance(found) == {"blocking": (0, 0, 0), "important": (0, 0, 0), "suggestion": (0, 0, 0)}


def test_acceptance_counts_what_people_last_said(state: Path) -> None:
    write_run(state, cards=9)
    append(state, decision(0, Act.ACCEPT, 0), decision(1, Act.REJECT, 2), decision(2, Act.NEEDS_PROOF, 3))
    append(state, decision(3, Act.ACCEPT, 4), decision(3, Act.REVOKE, 5))
    append(state, decision(4, Act.ACCEPT, 6), decision(4, Act.DOWNGRADE, 7))
    append(state, decision(5, Act.ACCEPT, 8), decision(5, Act.SUPERSEDE, 9), decision(6, Act.MARK_STALE, 10))
    append(
        state, rejection(7, "deferred", "team", until="2026-01-03"), decision(8, Act.ACCEPT), decision(8, Act.REOPEN)
    )
    found = measured(Ledger(state))
    # Accepted: 0, 4, 5; not: 1, 3; undecided: 2, 7 (lapsed), 8 (undone); 6 was overtaken and counts nowhere.
    assert acceptance(found)["important"] == (3, 5, 3)
    assert (found.accepted, found.undecided) == (rate(3, 5), 3)


def test_reasons_and_scope(state: Path) -> None:
    write_run(state, cards=6)
    append(state, rejection(0, "pre_existing", "edits"), rejection(1, "wrong_anchor", "edits"))
    append(state, rejection(2, "intended", "team"), rejection(3, "pre_existing", None), decision(4, Act.ACCEPT))
    found = measured(Ledger(state))
    assert [(one.layer, one.rejections, one.codes) for one in found.reasons] == [
        ("edits", 2, {"pre_existing": 1, "wrong_anchor": 1}),
        ("team", 1, {"intended": 1}),
        ("unknown", 1, {"pre_existing": 1}),
    ]
    assert found.scope_inflation == rate(3, 5)


def test_a_card_of_several_runs_counts_once(state: Path) -> None:
    write_run(state)
    write_run(state, minute=1)
    append(state, decision(0, Act.ACCEPT))
    assert acceptance(measured(Ledger(state)))["important"] == (1, 1, 1)


def test_evidence_is_complete_where_every_search_was_answered_whole(state: Path) -> None:
    path = write_run(state, cards=3)
    text = path.read_text()
    for old, new in (
        ('"status":"answered"', '"status":"refused"'),
        ('"truncated":false', '"truncated":true'),
        ('"status":"answered"', '"status":"empty"'),
    ):
        text = text.replace(old, new, 1)
    path.write_text(text)
    # Of four questions the first has a refused search which is cut, too; the second's is empty.
    assert measured(Ledger(state)).evidence == rate(3, 4)
    write_run(state, minute=1, cards=3)
    assert measured(Ledger(state)).evidence == rate(4, 4)


def test_recall_is_of_the_newest_replay(state: Path) -> None:
    def replay(found: int, layer: str) -> Replay:
        return Replay(
            kind="replay",
            replay_id=f"r{found}",
            at=f"2026-01-0{found}",
            engine="rules/1",
            policy_hash="p",
            product="1",
            source="s",
            found=found,
            defects=4,
            silent=5,
            clean=6,
            failed=1,
            halves=(
                ReplayedHalf(unit="a:defect", verdict="missed", cards=0, layer=layer),
                ReplayedHalf(unit="b:defect", verdict="found", cards=1, layer=None),
            ),
        )

    append(state, replay(2, "edits"), replay(3, "retrieval"))
    found = measured(Ledger(state)).recall
    assert found is not None
    assert (found.found, found.silent, found.failed) == (rate(3, 4), rate(5, 6), 1)
    assert found.misses_by_layer == {"retrieval": 1}
    assert measured(Ledger(state), since="2026-01-04").recall is None


def test_the_audit_estimates_what_is_silenced_wrongly(state: Path) -> None:
    run = write_run(state, cards=6)
    append(state, *(sample(run.name, n, "no_finding", 0.25) for n in range(4)))
    append(state, sample(run.name, 4, "suppressed", 0.1))
    append(state, on_sample(0, Act.ACCEPT), on_sample(1, Act.REJECT), on_sample(4, Act.REJECT))
    found = measured(Ledger(state))
    of = {one.source: one for one in found.audit}
    assert (of["no_finding"].drawn, of["no_finding"].silenced) == (4, 1)
    assert of["no_finding"].wrongly == rate(1, 2)
    assert of["no_finding"].estimate == 1 / 0.25 * 4 / 2
    assert (of["suppressed"].estimate, of["suppressed"].wrongly) == (0, rate(0, 1))
    assert of["refuted"].estimate is None
    # Samples are in no other figure.
    assert found.accepted == rate(0, 0)
    assert acceptance(found)["important"] == (0, 0, 6)
    other = write_run(state, review=2, minute=1)
    other.write_text(other.read_text().replace('"insufficient_evidence"', '"budget_exhausted"'))
    found = measured(Ledger(state))
    assert {one.source: one for one in found.audit}["no_finding"].silenced == 1, "only what can be drawn is counted"


def test_time_and_cost_are_of_what_says_them(state: Path) -> None:
    write_run(state, cards=3)
    paid = write_run(state, review=2, minute=1)
    paid.write_text(paid.read_text().replace('"costUsd":null', '"costUsd":0.25'))
    append(state, *({**decision(n, Act.ACCEPT).wire(), "seconds": seconds} for n, seconds in enumerate((4, 8, None))))
    found = measured(Ledger(state))
    assert (found.seconds_to_decide, found.timed_decisions) == (6, 2)
    assert (found.cost.usd, found.cost.unknown_runs) == (0.25, 1)
    together = (
        {**decision(n, Act.ACCEPT).wire(), "seconds": 100, "batch": "b", "decisionId": f"b{n}"} for n in range(3)
    )
    append(state, *together, sample(paid.name, 4, "refuted", 0.5), {**on_sample(4, Act.ACCEPT), "seconds": 900})
    found = measured(Ledger(state))
    assert (found.seconds_to_decide, found.timed_decisions) == (8, 3), "an act on several is one; samples are none"
    assert (found.runs, found.incomplete_runs) == (2, 0)


def test_since_leaves_out_what_was_before(state: Path) -> None:
    write_run(state, cards=2)
    append(state, {**decision(0, Act.ACCEPT).wire(), "at": "9999-03-01"}, decision(1, Act.ACCEPT))
    found = measured(Ledger(state), since="9999-02-01T00:00:00.000+00:00")
    assert (found.accepted, found.runs, found.evidence) == (rate(1, 1), 0, rate(0, 0))
    assert found.undecided == 0


@pytest.mark.slow
def test_a_varied_ledger_has_metrics_that_fit_their_schema(state: Path) -> None:
    found = measured(Ledger(varied(state)))
    assert Metrics.model_validate(found.wire()) == found
    assert found.runs == 19

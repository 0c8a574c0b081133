"""Ids, whole or shortened, mean the same cards whether the ledger's file can be had or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_runs import card, sha, write_run

from review_agent.errors import UsageError
from review_agent.journal import Journal
from review_agent.ledger.intake import Told
from review_agent.ledger.lookup import Named, named_in_logs
from review_agent.ledger.store import Ledger
from review_agent.vocabulary import Phase, Sample

SAMPLED = card(sha("sampled"), 0)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    state = tmp_path / ".review-agent"
    write_run(state, review=1, cards=3)
    newest = write_run(state, review=2, cards=2, minute=5)
    write_run(state, review=2, cards=3, minute=9, claim="Now another", stop_before=Phase.VERIFY)
    sample = Sample(
        kind="sample", sample_id="s", at="2026-01-01T00:00:00Z", run_file=newest.name, question_id="q0",
        source="no_finding", share=0.5, card=SAMPLED.wire(),
    )  # fmt: skip
    Journal(state / "journal.jsonl").append(sample.wire())
    return state


def in_logs(state: Path, prefixes: list[str]) -> Any:
    return named_in_logs(state / "runs", Journal(state / "journal.jsonl"), prefixes, Told())


def said(found: list[Named | UsageError]) -> list[Any]:
    return [one.message if isinstance(one, UsageError) else one for one in found]


def test_ids_mean_the_same_cards_with_and_without_the_ledgers_file(state: Path) -> None:
    ids = [card(sha("review", review), n).card_id for review, n in ((1, 0), (1, 2), (2, 1))]
    prefixes = [*ids, ids[0][:9], SAMPLED.card_id, SAMPLED.card_id[:10], "", "zz", "(.*)", ids[1] + "0", ids[0]]
    found = said(Ledger(state).named(prefixes))
    assert found == said(in_logs(state, prefixes))
    assert [one.card["cardId"] for one in found if isinstance(one, Named)] == [
        *ids, ids[0], SAMPLED.card_id, SAMPLED.card_id, ids[0]
    ]  # fmt: skip
    assert found[0].path == "src/f0.py"
    assert found[2].card["claim"].startswith("Removing"), "a phase that did not end does not count"


def test_a_prefix_of_several_cards_names_them(state: Path) -> None:
    ids = sorted(card(sha("review", review), n).card_id for review, n in ((1, 0), (1, 1), (1, 2), (2, 0), (2, 1)))
    short = next(one for one in "0123456789abcdef" if sum(i.startswith(one) for i in ids) > 1)
    (found,), (logged,) = said(Ledger(state).named([short])), said(in_logs(state, [short]))
    count = sum(one.startswith(short) for one in ids)
    assert found.startswith(f"{short!r} means {count} cards: ")
    assert sorted(found.split()) == sorted(logged.split()) or len(found) == len(logged)


def test_a_damaged_log_is_left_out_and_told(state: Path) -> None:
    card_id = card(sha("review", 1), 0).card_id
    path = min((state / "runs").iterdir())
    path.write_bytes(path.read_bytes() + b"[]\n")
    told = Told()
    (found,) = named_in_logs(state / "runs", Journal(state / "journal.jsonl"), [card_id], told)
    assert isinstance(found, UsageError)
    assert told.left_out == [path.name]


def test_a_record_of_the_journal_without_a_kind_names_no_card(state: Path) -> None:
    card_id = card(sha("review", 1), 0).card_id
    Journal(state / "journal.jsonl").append({"cardId": card_id})
    (found,) = in_logs(state, [card_id])
    assert isinstance(found, Named)


def test_without_a_state_folder_no_card_is_known_and_none_is_made(tmp_path: Path) -> None:
    (found,) = Ledger(tmp_path / "none").named(["ab"])
    assert isinstance(found, UsageError)
    assert not (tmp_path / "none").exists()

"""A day of triage takes what its minutes reach; the rest is displaced, said once a day, and never lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from made_runs import write_run

from review_agent.commands.dashboard import _cut_the_day
from review_agent.errors import RecordError
from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.ledger.store import Ledger, QueueFilter
from review_agent.memory.minutes import record, room
from review_agent.policy.model import Queue

pytestmark = pytest.mark.slow

TODAY = datetime.now(UTC).date()
TOMORROW = TODAY + timedelta(days=1)
THREE = Queue(minutes_per_day=3, seconds_per_card=60)


@pytest.mark.parametrize(("minutes", "seconds", "cards"), [(45, 60, 45), (10, 90, 6), (1, 600, 1)])
def test_room_is_whole_cards_and_one_at_least(minutes: int, seconds: int, cards: int) -> None:
    assert room(Queue(minutes_per_day=minutes, seconds_per_card=seconds)) == cards


def test_cards_beyond_the_days_minutes_are_displaced_and_still_there(tmp_path: Path) -> None:
    write_run(tmp_path, cards=5)
    order = [row.card["cardId"] for row in Ledger(tmp_path).queue(QueueFilter(), limit=100).rows]
    made = record(tmp_path, THREE, TODAY)
    assert made is not None
    assert (list(made.shown), list(made.displaced)) == (order[:3], order[3:])
    assert (made.day, made.minutes) == (TODAY.isoformat(), 3.0)
    rows = Ledger(tmp_path).queue(QueueFilter(), limit=100).rows
    assert [row.card["cardId"] for row in rows if row.displaced] == order[3:]
    assert len(rows) == 5


def test_what_yesterday_did_not_reach_comes_up_again_today(tmp_path: Path) -> None:
    write_run(tmp_path, cards=5)
    assert record(tmp_path, THREE, TODAY - timedelta(days=1))
    assert not any(row.displaced for row in Ledger(tmp_path).queue(QueueFilter(), limit=100).rows)
    assert Ledger(tmp_path).queue(QueueFilter(displaced=True)).total == 0
    assert record(tmp_path, THREE, TODAY)
    assert Ledger(tmp_path).queue(QueueFilter(displaced=True)).total == 2


def test_it_is_recorded_once_a_day(tmp_path: Path) -> None:
    write_run(tmp_path, cards=5)
    assert record(tmp_path, THREE, TODAY)
    assert record(tmp_path, THREE, TODAY) is None
    assert record(tmp_path, THREE, TOMORROW)
    assert len(list(Journal(tmp_path / JOURNAL_FILE).read())) == 2


def test_nothing_is_recorded_where_there_is_room_for_all(tmp_path: Path) -> None:
    write_run(tmp_path, cards=3)
    assert record(tmp_path, THREE, TODAY) is None
    assert record(tmp_path / "empty", THREE, TODAY) is None


def test_a_folder_that_cannot_be_written_has_its_whole_queue(tmp_path: Path) -> None:
    write_run(tmp_path, cards=5)
    (tmp_path / JOURNAL_FILE).mkdir()
    with pytest.raises(RecordError):
        record(tmp_path, THREE, TODAY)
    _cut_the_day(SimpleNamespace(state_dir=tmp_path, policy=lambda: (SimpleNamespace(queue=THREE), None)))
    (tmp_path / JOURNAL_FILE).rmdir()
    _cut_the_day(SimpleNamespace(state_dir=tmp_path, policy=lambda: (SimpleNamespace(queue=THREE), None)))
    (one,) = Journal(tmp_path / JOURNAL_FILE).read()
    assert len(one["displaced"]) == 2

"""What is worked out of the whole journal is appended to that very journal, whoever appends meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from decided import act

from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.locking import Lock
from review_agent.memory.appending import appended


def test_it_is_worked_out_again_where_somebody_appended_meanwhile(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL_FILE)
    seen: list[int] = []

    def build(before: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        seen.append(len(before))
        lock = Lock(tmp_path / "lock")
        assert lock.acquire(wait=0), "nobody waits while it is worked out"
        lock.release()
        if len(seen) < 3:
            journal.append(act("accept", f"meanwhile {len(seen)}"))
        return [act("accept", f"c{len(before)}")]

    made = appended(tmp_path, build)
    assert seen == [0, 1, 2]
    assert [one["cardId"] for one in journal.read()] == ["meanwhile 1", "meanwhile 2", "c2"]
    assert [one["cardId"] for one in made] == ["c2"]


def test_nothing_is_written_where_nothing_is_due(tmp_path: Path) -> None:
    assert list(appended(tmp_path, lambda before: [])) == []
    assert not (tmp_path / JOURNAL_FILE).exists()

"""Whether a run has ended is told by its last lines, and by no words that others wrote into them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from review_agent.appendlog import encode
from review_agent.memory.telling import Run

ENDED = {"seq": 2, "type": "run_ended", "data": {"status": "complete"}}
LAST = {"seq": 3, "type": "phase_ended", "data": {}}
SAID = {"seq": 1, "type": "call", "data": {"rawUsage": {"prompt_tokens": 1, "type": "run_ended"}}}


def ended(tmp_path: Path, *records: dict[str, Any], end: bytes = b"") -> bool:
    path = tmp_path / "run.jsonl"
    start = encode({"seq": 0, "type": "run_started", "data": {}})
    path.write_bytes(start + b"".join(map(encode, records)) + end)
    return Run(path, "", {}).ended


@pytest.mark.parametrize(
    ("records", "is_over"),
    [
        ((), False),
        ((SAID,), False),
        ((SAID, LAST), False),
        (({"seq": 1, "type": "answer", "data": {"drafts": [{"type": "run_ended"}]}},), False),
        (({"seq": 1, "type": "answer", "data": {"notes": '"type":"run_ended"'}},), False),
        ((SAID, ENDED), True),
        ((SAID, ENDED, LAST), True),
    ],
)
def test_only_the_event_itself_ends_a_run(tmp_path: Path, records: tuple[dict[str, Any], ...], is_over: bool) -> None:
    assert ended(tmp_path, *records) is is_over


@pytest.mark.parametrize(
    "end", [encode(ENDED)[:-1], encode(ENDED)[:-3], b'"type":"run_ended"\n', b'["type":"run_ended"\n']
)
def test_a_torn_or_foreign_last_line_ends_nothing(tmp_path: Path, end: bytes) -> None:
    assert ended(tmp_path, SAID, end=end) is False
    assert ended(tmp_path, ENDED, end=end) is True


def test_a_long_log_is_told_by_its_end_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("review_agent.memory.telling._END_BYTES", len(encode(ENDED)) + len(encode(LAST)))
    assert ended(tmp_path, SAID, SAID, ENDED, LAST) is True
    assert ended(tmp_path, SAID, SAID, SAID) is False

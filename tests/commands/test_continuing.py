"""A run to go on with is taken at its own word only where that word has the shape of one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_runs import write_run

from review_agent.commands._continuing import begun
from review_agent.errors import RecordError

BAD = [
    {"options": [1]},
    {"options": None},
    {"options": {"exclude": 5}},
    {"options": {"exclude": [5]}},
    {"options": {"exclude": ["[z-a]"]}},
    {"options": {"exclude": ["*a*b*c*d*e"]}},
    {"options": {"exclude": "docs/"}},
    {"engine": 7},
    {"base": None},
    {"head": ["a"]},
    {"policyHash": {}},
    {"memory": 1},
]


def open_run(state: Path, **changes) -> Path:
    """A run that has not ended; ``changes`` are made to what it says of its beginning."""
    path = write_run(state)
    events = [json.loads(line) for line in path.read_text().splitlines()]
    events = [one for one in events if one["type"] != "run_ended"]
    events[0]["data"] = {"memory": "", "product": "0", "options": {}} | events[0]["data"] | changes
    path.write_text("".join(json.dumps({**one, "seq": n}) + "\n" for n, one in enumerate(events)))
    return path


@pytest.mark.parametrize("changes", BAD, ids=str)
def test_a_run_whose_beginning_was_edited_is_an_error_with_its_line(tmp_path: Path, changes) -> None:
    path = open_run(tmp_path / ".review-agent", **changes)
    with pytest.raises(RecordError, match="run_started") as caught:
        begun(tmp_path / ".review-agent", path.stem)
    assert (caught.value.where, caught.value.exit_code) == (f"{path}:1", 2)
    assert caught.value.hint


def test_a_run_as_it_was_written_is_gone_on_with(tmp_path: Path) -> None:
    path = open_run(tmp_path / ".review-agent")
    assert begun(tmp_path / ".review-agent", path.stem).path == path


def test_the_newest_run_is_none_that_plays_a_record_nor_one_that_had_not_begun(tmp_path: Path) -> None:
    state = tmp_path / ".review-agent"
    waiting = open_run(state)
    first = json.loads(waiting.read_text().splitlines()[0])
    later = {**first, "at": "2999-01-01T00:00:00+00:00"}
    started = {"type": "attempt_started", "seq": 1, "at": later["at"], "attemptId": "b" * 32, "data": {}}
    played = {**later, "data": {**first["data"], "plays": True}}
    for name, events in {"played": [played, {**first, **started}], "torn": [later]}.items():
        path = waiting.with_name(f"29990101T000000Z{name}-{'c' * 12}.jsonl")
        path.write_text("".join(json.dumps(one) + "\n" for one in events))
    assert begun(state, "latest").path == waiting

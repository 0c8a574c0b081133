"""The run log goes on where it was left, by whomever; what a phase wrote counts once the phase has ended."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent.errors import RecordError
from review_agent.runlog import (
    Following,
    RunLog,
    fold,
    is_live,
    newest_unfinished,
    read_events,
    run_file_name,
)
from review_agent.vocabulary import Answer, Call, CallError, Event, Phase

REVIEW = "ab" * 32
STARTED = {"reviewId": REVIEW, "engine": "rules/1"}


def new(folder: Path, minute: int = 0, review: str = REVIEW, attempt: str = "one") -> RunLog:
    name = run_file_name(review, datetime(2026, 1, 1, 0, minute, tzinfo=UTC))
    return RunLog.create(folder / "runs" / name, {"reviewId": review}, attempt)


def phase(log: RunLog, of: Phase, *texts: str, end: bool = True) -> None:
    log.event("phase_started", {}, of)
    for text in texts:
        log.event("file", {"text": text}, of)
    if end:
        log.event("phase_ended", {}, of)
    log.flush()


def answer(request: str, detail: str) -> dict[str, object]:
    return Answer(request_id=request, engine="rules/1", failure="endpoint_down", detail=detail).wire()


def test_the_file_name_sorts_by_age_and_names_the_review() -> None:
    name = run_file_name(REVIEW, datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC))
    assert name == "20260102T030405.000006Z-abababababab.jsonl"
    assert run_file_name(REVIEW)[-len("-abababababab.jsonl") :] == "-abababababab.jsonl"


def test_a_new_run_log_begins_with_its_run_and_its_attempt(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        log.event("file", {"text": "not flushed"}, Phase.SNAPSHOT)
    events = list(read_events(log.path))
    assert [(event.seq, event.type, event.attempt) for event in events] == [
        (0, "run_started", "one"),
        (1, "attempt_started", "one"),
    ]
    assert datetime.fromisoformat(events[0].at).utcoffset() is not None


def test_a_run_log_is_not_created_over_another(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        phase(log, Phase.SNAPSHOT, "a")
    with pytest.raises(RecordError, match="already"):
        RunLog.create(log.path, STARTED, "two")
    assert fold(read_events(log.path)).completed == {Phase.SNAPSHOT}
    assert not is_live(log.path)


def test_seq_goes_on_after_the_last_whole_record(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        phase(log, Phase.SNAPSHOT, "a")
    with log.path.open("ab") as file:
        file.write(b'{"seq":99,"torn":')
    with RunLog.open(log.path, "two") as again:
        phase(again, Phase.COMPILE)
    events = list(read_events(log.path))
    assert [event.seq for event in events] == list(range(len(events)))
    assert len(list(log.path.parent.glob("*.torn-*"))) == 1


def test_what_a_phase_wrote_counts_only_from_the_attempt_that_ended_it(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        phase(log, Phase.SNAPSHOT, "a")
        phase(log, Phase.COMPILE, "half", end=False)
    with RunLog.open(log.path, "two") as again:
        phase(again, Phase.COMPILE, "b", "c")
    state = fold(read_events(log.path))
    assert state.completed == {Phase.SNAPSHOT, Phase.COMPILE}
    assert [event.data["text"] for event in state.records[Phase.SNAPSHOT]] == ["a"]
    assert [event.data["text"] for event in state.records[Phase.COMPILE]] == ["b", "c"]
    assert state.attempts == ["one", "two"]


def test_a_phase_begun_again_in_one_attempt_counts_from_its_last_beginning(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        phase(log, Phase.COMPILE, "half", end=False)
        phase(log, Phase.COMPILE, "whole")
    assert [event.data["text"] for event in fold(read_events(log.path)).records[Phase.COMPILE]] == ["whole"]


def test_answers_count_at_once_and_the_first_one_stands(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        log.event("phase_started", {}, Phase.SYNTHESIZE)
        log.event("answer", answer("r1", "first"), Phase.SYNTHESIZE)
        log.flush()
    with RunLog.open(log.path, "two") as again:
        again.event("answer", answer("r1", "second"), Phase.SYNTHESIZE)
        again.event("answer", answer("r2", "other"), Phase.SYNTHESIZE)
        again.flush()
    state = fold(read_events(log.path))
    assert {key: value.detail for key, value in state.answers.items()} == {"r1": "first", "r2": "other"}
    assert state.completed == set()


def test_a_stop_holds_until_the_next_attempt(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        log.event("run_stopped", {"status": "waiting", "detail": "2 pending"}, None)
        log.flush()
    assert fold(read_events(log.path)).stopped == {"status": "waiting", "detail": "2 pending"}
    with RunLog.open(log.path, "two"):
        assert fold(read_events(log.path)).stopped is None


def test_a_log_that_does_not_begin_with_its_run_is_refused() -> None:
    event = Event(seq=0, at="", attempt="a", phase=None, type="file", data={})
    with pytest.raises(RecordError, match="starts with run_started"):
        fold([event])
    with pytest.raises(RecordError, match="no whole event"):
        fold([])


def test_a_line_that_is_no_event_names_file_and_line(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        pass
    with log.path.open("ab") as file:
        file.write(b'{"seq": 2}\n')
    with pytest.raises(RecordError) as caught:
        list(read_events(log.path))
    assert caught.value.where == f"{log.path}:3"


@pytest.mark.parametrize(("order", "line"), [((1, 2), 1), ((0, 2), 2), ((0, 1, 1), 3), ((1, 0, 2), 1)])
def test_events_that_are_missing_or_out_of_order_are_damage(tmp_path: Path, order: tuple[int, ...], line: int) -> None:
    with new(tmp_path) as log:
        phase(log, Phase.SNAPSHOT)
    lines = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(b"".join(lines[n] for n in order))
    with pytest.raises(RecordError, match="missing or out of order") as caught:
        list(read_events(log.path))
    assert caught.value.where == f"{log.path}:{line}"
    assert caught.value.hint


def test_lone_surrogates_in_data_are_kept(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        phase(log, Phase.SNAPSHOT, "\ud800")
    assert fold(read_events(log.path)).records[Phase.SNAPSHOT][0].data == {"text": "\ud800"}


def test_the_newest_unfinished_run_of_the_review_is_found(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    assert newest_unfinished(runs, REVIEW) is None
    logs = [new(tmp_path, minute) for minute in (1, 2, 3)]
    other = new(tmp_path, 4, review="cd" * 32)
    same_start = new(tmp_path, 5, review=REVIEW[:20] + "0" * 44)
    logs[2].event("run_ended", {"status": "complete"}, Phase.RECORD)
    logs[2].flush()
    for log in [*logs, other, same_start]:
        log.close()
    assert newest_unfinished(runs, REVIEW) == logs[1].path


def test_a_run_whose_first_line_is_torn_has_nothing_to_go_on_from(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        pass
    log.path.write_bytes(b'{"seq":0,"type":"run_st')
    assert newest_unfinished(log.path.parent, REVIEW) is None


def test_a_live_run_is_neither_resumed_nor_opened_twice(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        assert is_live(log.path)
        for attempt in (lambda: newest_unfinished(log.path.parent, REVIEW), lambda: RunLog.open(log.path, "two")):
            with pytest.raises(RecordError) as caught:
                attempt()
            assert f"process {os.getpid()}" in caught.value.message
            assert caught.value.where == str(log.path)
            assert caught.value.hint
    assert newest_unfinished(log.path.parent, REVIEW) == log.path
    assert [path.suffix for path in log.path.parent.iterdir()] == [".jsonl"]


def test_a_refused_lock_is_not_a_review_that_is_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    (tmp_path / "runs").mkdir()
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(RecordError, match="Read-only file system") as caught:
        new(tmp_path)
    assert "running" not in caught.value.message


@pytest.mark.parametrize("junk", [b"garbage\n", b"{}\n"])
def test_junk_newer_than_the_unfinished_run_is_passed_over(tmp_path: Path, junk: bytes) -> None:
    with new(tmp_path, 1) as log:
        pass
    (log.path.parent / run_file_name(REVIEW, datetime(2026, 1, 1, 0, 2, tzinfo=UTC))).write_bytes(junk)
    assert newest_unfinished(log.path.parent, REVIEW) == log.path


def test_opening_what_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no such run log"):
        RunLog.open(tmp_path / "none.jsonl", "one")


STEPS = st.lists(st.tuples(st.sampled_from([Phase.SNAPSHOT, Phase.COMPILE]), st.booleans(), st.booleans()), max_size=8)


@pytest.mark.slow
@given(STEPS)
def test_however_often_a_run_is_cut_a_phase_is_whole_or_absent(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Phase, bool, bool]]
) -> None:
    """Each step is a phase that ends or not, in the same attempt or a new one, with a torn tail before a new one."""
    log = new(tmp_path_factory.mktemp("runs"))
    whole: dict[Phase, list[str]] = {}
    for number, (of, ends, cut) in enumerate(steps):
        if cut:
            log.close()
            with log.path.open("ab") as file:
                file.write(b'{"seq":')
            log = RunLog.open(log.path, f"attempt {number}")
        phase(log, of, f"{number}a", f"{number}b", end=ends)
        if ends:
            whole.setdefault(of, [f"{number}a", f"{number}b"])
    log.close()
    state = fold(read_events(log.path))
    assert {of: [event.data["text"] for event in events] for of, events in state.records.items()} == whole


def test_a_writer_interrupted_in_the_middle_of_a_write_goes_on_without_a_gap_or_a_double(tmp_path, monkeypatch):
    path = tmp_path / "run.jsonl"
    with RunLog.create(path, {"reviewId": "r"}, "a1") as log:
        log.event("phase_started", {}, Phase.SNAPSHOT)
        real = os.fsync

        def interrupted(descriptor):
            real(descriptor)
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            log.flush()
        monkeypatch.setattr(os, "fsync", real)
        log.realign()
        log.event("run_stopped", {"status": "interrupted", "detail": "Ctrl-C"}, None)
        log.flush()
    assert [event.type for event in read_events(path)] == [
        "run_started",
        "attempt_started",
        "phase_started",
        "run_stopped",
    ]


@pytest.mark.parametrize(
    ("kind", "data"),
    [("request", {}), ("request", {"requestId": []}), ("answer", {"requestId": "r"}), ("answer", {})],
)
def test_an_event_without_what_its_type_has_is_a_clear_error(kind, data):
    events = [
        Event(seq=seq, at="2026-01-01T00:00:00.000Z", attempt="one", phase=None, type=type_, data=held)
        for seq, (type_, held) in enumerate([("run_started", {}), (kind, data)])
    ]
    with pytest.raises(RecordError, match=rf"event 1 is no {kind} of this version"):
        fold(events)


def test_a_log_is_read_on_from_where_it_was_read_to(tmp_path):
    path = tmp_path / "run.jsonl"
    with RunLog.create(path, {"reviewId": "r"}, "a1") as log:
        following = Following(path)
        assert following.state().completed == set()
        for phase in Phase:
            log.event("phase_started", {}, phase)
            log.event("edit", {"n": phase.value}, phase)
            log.event("phase_ended", {}, phase)
            log.flush()
            assert following.state() == fold(read_events(path))
    with path.open("ab") as file:
        file.write(b'{"half')
    assert following.state() == fold(read_events(path))


def test_a_log_that_is_read_on_names_the_line_that_is_wrong(tmp_path):
    path = tmp_path / "run.jsonl"
    with RunLog.create(path, {"reviewId": "r"}, "a1") as log:
        log.flush()
        following = Following(path)
        lines = following.state().last_seq + 1
    with path.open("ab") as file:
        file.write(b"nonsense\n")
    with pytest.raises(RecordError) as caught:
        following.state()
    assert caught.value.where == f"{path}:{lines + 1}"


def call(request: str, error: CallError | None) -> dict[str, object]:
    return Call(request_id=request, number=1, model="m", error=error, status=None, form="json").wire()


@pytest.mark.parametrize(
    ("events", "torn"),
    [
        ([], []),
        ([("request", {"requestId": "r", "questionId": "q"})], [1]),
        ([("run_stopped", {"status": "waiting", "detail": ""})], []),
        ([("run_stopped", {"status": "interrupted", "detail": ""})], []),
        ([("request", {"requestId": "r", "questionId": "q"}), ("run_stopped", {"status": "interrupted"})], [1]),
        (
            [
                ("request", {"requestId": "r", "questionId": "q"}),
                ("call", call("r", CallError.INTERRUPTED)),
                ("run_stopped", {"status": "interrupted"}),
            ],
            [],
        ),
        (
            [
                ("request", {"requestId": "r", "questionId": "q"}),
                ("call", call("r", None)),
                ("answer", answer("r", "")),
                ("run_stopped", {"status": "interrupted"}),
            ],
            [],
        ),
    ],
    ids=[
        "killed before it asked",
        "killed",
        "waiting",
        "nothing asked",
        "calls not told",
        "calls told",
        "all answered",
    ],
)
def test_calls_may_be_in_no_record_where_an_attempt_had_no_time_to_tell_them(tmp_path: Path, events, torn) -> None:
    with new(tmp_path) as log:
        for kind, data in events:
            log.event(kind, data, None)
        log.flush()
    RunLog.open(log.path, "two").close()
    assert fold(read_events(log.path)).torn == torn


def attempt(log: RunLog, asked: str, told: str) -> None:
    for request in asked:
        log.event("request", {"requestId": request, "questionId": f"q{request}"}, None)
    for request in told:
        log.event("call", call(request, None), None)
        log.event("answer", answer(request, ""), None)
    log.flush()


def test_each_attempt_that_was_killed_is_kept_with_what_it_left_open(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        attempt(log, "abcde", "ab")
    with RunLog.open(log.path, "two"):
        pass  # killed before it asked: what the first left open is not lost twice
    with RunLog.open(log.path, "three") as log:
        attempt(log, "cde", "c")
    with RunLog.open(log.path, "four") as log:
        attempt(log, "de", "de")
    RunLog.open(log.path, "five").close()
    assert fold(read_events(log.path)).torn == [3, 2]


def test_calls_told_as_cut_off_in_one_attempt_say_nothing_of_the_next(tmp_path: Path) -> None:
    with new(tmp_path) as log:
        attempt(log, "a", "")
        log.event("call", call("a", CallError.INTERRUPTED), None)
        log.event("run_stopped", {"status": "interrupted"}, None)
        log.flush()
    with RunLog.open(log.path, "two") as log:
        attempt(log, "a", "")
        log.event("run_stopped", {"status": "interrupted"}, None)
        log.flush()
    RunLog.open(log.path, "three").close()
    assert fold(read_events(log.path)).torn == [1]

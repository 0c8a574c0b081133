"""What a reader may rely on: through kills, torn tails, full disks, and several processes at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent import appendlog
from review_agent.appendlog import AppendLog, InUseError, Lock, RefusedError, read
from review_agent.errors import RecordError, StorageFullError


def append(path: Path, *records: dict[str, Any]) -> None:
    log = AppendLog(path)
    with log.lock():
        log.append(records)


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    home = Path(appendlog.__file__).parents[1]
    return subprocess.run(command, cwd=home, capture_output=True, text=True, check=True, timeout=60)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(), JSON, max_size=3), max_size=5))
def test_what_was_appended_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]
) -> None:
    path = tmp_path_factory.mktemp("log") / "a.jsonl"
    append(path, *records)
    append(path, {"last": True})
    assert list(read(path)) == [*records, {"last": True}]


def test_lone_surrogates_are_written_and_read(tmp_path: Path) -> None:
    append(tmp_path / "a.jsonl", {"text": "\ud800 \udfff", "line": "\u2028"})
    assert list(read(tmp_path / "a.jsonl")) == [{"text": "\ud800 \udfff", "line": "\u2028"}]


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"bytes"], ids=["nan", "set", "bytes"])
def test_what_json_has_no_word_for_is_refused_before_anything_is_written(tmp_path: Path, value: Any) -> None:
    append(tmp_path / "a.jsonl", {"n": 1})
    with pytest.raises(RecordError, match="not JSON"):
        append(tmp_path / "a.jsonl", {"n": 2}, {"type": "x", "value": value})
    assert list(read(tmp_path / "a.jsonl")) == [{"n": 1}]


@pytest.mark.parametrize("tail", [b"{", b'{"n":2}', b"\x00" * 200_000], ids=["start", "whole but no newline", "long"])
def test_a_torn_tail_is_left_out_by_readers_and_moved_aside_by_the_next_writer(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "a.jsonl"
    append(path, {"n": 1})
    offset = path.stat().st_size
    with path.open("ab") as file:
        file.write(tail)
    assert list(read(path)) == [{"n": 1}]
    append(path, {"n": 3})
    assert list(read(path)) == [{"n": 1}, {"n": 3}]
    assert (tmp_path / f"a.jsonl.torn-{offset}").read_bytes() == tail


def test_a_file_that_is_nothing_but_torn_starts_again(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"no newline at all")
    append(tmp_path / "a.jsonl", {"n": 1})
    assert list(read(tmp_path / "a.jsonl")) == [{"n": 1}]


def test_two_tails_torn_at_one_offset_are_both_kept(tmp_path: Path) -> None:
    log = AppendLog(tmp_path / "a.jsonl")
    for tail in (b"one", b"two", b"two"):
        log.path.write_bytes(tail)
        with log.lock():
            moved = log.repair()
            assert moved is not None
            assert moved.read_bytes() == tail
            assert log.repair() is None
    assert sorted(path.name for path in tmp_path.glob("*.torn-*")) == ["a.jsonl.torn-0", "a.jsonl.torn-0-2"]


@pytest.mark.parametrize("line", [b"not json\n", b"[1]\n", b"\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n"])
def test_a_terminated_line_that_is_no_record_names_file_and_line(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n":1}\n' + line + b'{"n":3}\n')
    with pytest.raises(RecordError) as caught:
        list(read(path))
    assert caught.value.where == f"{path}:2"


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(RecordError) as caught:
        list(read(tmp_path / "none.jsonl"))
    assert caught.value.where.endswith("none.jsonl")


def test_a_symbolic_link_is_not_written_through(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("precious")
    (tmp_path / "a.jsonl").symlink_to(target)
    with pytest.raises(RecordError, match="cannot write"):
        append(tmp_path / "a.jsonl", {"n": 1})
    assert target.read_text() == "precious"


def test_appending_without_the_lock_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    log = AppendLog(tmp_path / "a.jsonl")
    with log.lock(shared=True), pytest.raises(RuntimeError, match="exclusive lock"):
        log.append([{"n": 1}])


def test_a_second_writer_learns_who_holds_the_lock(tmp_path: Path) -> None:
    first, second = AppendLog(tmp_path / "a.jsonl"), AppendLog(tmp_path / "a.jsonl")
    with first.lock(), pytest.raises(RecordError, match=f"process {os.getpid()}"), second.lock(wait=0):
        pass
    with second.lock(wait=0):
        second.append([{"n": 1}])
    assert list(read(second.path)) == [{"n": 1}]


def test_readers_share_the_lock_and_shut_a_writer_out(tmp_path: Path) -> None:
    one, two, writer = (Lock(tmp_path / "lock") for _ in range(3))
    assert one.acquire(shared=True, wait=0)
    assert two.acquire(shared=True, wait=0)
    assert not writer.acquire(wait=0)
    one.release()
    two.release()
    assert writer.acquire(wait=0)
    assert not one.acquire(shared=True, wait=0)
    writer.release()


def test_a_transient_lock_leaves_no_file_and_cannot_be_held_twice(tmp_path: Path) -> None:
    first, second = (Lock(tmp_path / "lock", transient=True) for _ in range(2))
    assert first.acquire(wait=0)
    assert not second.acquire(wait=0)
    first.release()
    assert not (tmp_path / "lock").exists()
    assert second.acquire(wait=0)
    second.release()


def test_the_state_folder_keeps_itself_out_of_the_repository(tmp_path: Path) -> None:
    folder = appendlog.state_folder(tmp_path / "a" / ".review-agent")
    assert (folder / ".gitignore").read_text() == "*\n"
    (folder / ".gitignore").write_text("mine\n")
    appendlog.state_folder(folder)
    assert (folder / ".gitignore").read_text() == "mine\n"


# One process forks each writer, so that many can be killed in little time. A writer tells the number of a record only
# after append has returned.
KILLS = """
import os, random, signal, sys, time
from pathlib import Path
from review_agent.appendlog import AppendLog
path, kills = Path(sys.argv[1]), int(sys.argv[2])
chance, number = random.Random(7), 0
for _ in range(kills):
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        log = AppendLog(path)
        with log.lock():
            while True:
                log.append([{"n": number, "fill": "x" * chance.choice([1, 5000, 3000000])}])
                os.write(send, b"%d\\n" % number)
                number += 1
    os.close(send)
    time.sleep(chance.uniform(0.005, 0.04))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    told = b"".join(iter(lambda: os.read(receive, 65536), b""))
    os.close(receive)
    sys.stdout.buffer.write(told)
    number += 1000
"""


def test_every_acknowledged_record_survives_kills_at_random_moments(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    told = [int(line) for line in run(KILLS, path, 25).stdout.split()]
    append(path, {"n": -1})
    kept = [record["n"] for record in read(path)]
    assert told
    assert set(told) <= set(kept)
    assert len(set(kept)) == len(kept)
    assert kept[:-1] == sorted(kept[:-1])


CROWD = """
import os, sys
from pathlib import Path
from review_agent.appendlog import AppendLog
children = []
for writer in range(4):
    if not os.fork():
        log = AppendLog(Path(sys.argv[1]))
        for n in range(25):
            with log.lock():
                log.append([{"writer": writer, "n": n}, {"writer": writer, "n": n, "second": True}])
        os._exit(0)
for _ in range(4):
    assert os.wait()[1] == 0
"""


def test_several_writers_lose_and_mix_nothing(tmp_path: Path) -> None:
    run(CROWD, tmp_path / "a.jsonl")
    records = list(read(tmp_path / "a.jsonl"))
    assert len(records) == 200
    for first, second in zip(records[::2], records[1::2], strict=True):
        assert {**first, "second": True} == second
    for writer in range(4):
        assert [record["n"] for record in records[::2] if record["writer"] == writer] == list(range(25))


# A limit on the size of files refuses a write in the middle of a record, on any machine and for any user.
LIMIT = """
import json, resource, signal, sys
from pathlib import Path
from review_agent.appendlog import AppendLog
from review_agent.errors import StorageFullError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))
log = AppendLog(Path(sys.argv[1]))
with log.lock():
    log.append([{"n": 1, "fill": "x" * 5000}])
    try:
        log.append([{"n": 2}, {"n": 3, "fill": "x" * 9000}])
    except StorageFullError as error:
        print(json.dumps([error.message, error.where, error.hint, log.path.stat().st_size]))
    log.append([{"n": 4}])
"""


def test_a_refused_write_leaves_what_was_acknowledged_and_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    message, where, hint, size = json.loads(run(LIMIT, path).stdout)
    assert "kB free" in message
    assert where == str(path)
    assert "free some space" in hint
    assert size == len(appendlog.encode({"n": 1, "fill": "x" * 5000}))
    assert [record["n"] for record in read(path)] == [1, 4]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("mounting a small disk is not permitted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_really_full_disk_keeps_earlier_records_and_takes_new_ones_once_there_is_room(small_disk: Path) -> None:
    path, filler = small_disk / "a.jsonl", small_disk / "filler"
    append(path, {"n": 1})
    filler.write_bytes(b"x" * 40_000)
    with pytest.raises(StorageFullError, match="kB free there"):
        append(path, *({"n": n, "fill": "y" * 5000} for n in range(2, 12)))
    assert list(read(path)) == [{"n": 1}]
    filler.unlink()
    append(path, {"n": 12})
    assert [record["n"] for record in read(path)] == [1, 12]


def test_a_torn_tail_that_cannot_be_moved_aside_for_want_of_space_is_kept(small_disk: Path) -> None:
    path, filler = small_disk / "a.jsonl", small_disk / "filler"
    append(path, {"n": 1})
    whole = path.read_bytes()
    path.write_bytes(whole + b"t" * 30_000)
    filler.write_bytes(b"x" * 20_000)
    with pytest.raises(StorageFullError):
        append(path, {"n": 2})
    assert path.read_bytes() == whole + b"t" * 30_000
    assert not list(small_disk.glob("*.torn-*"))
    filler.unlink()


def test_only_a_lock_that_is_held_is_in_use(tmp_path: Path) -> None:
    held, refused = AppendLog(tmp_path / "a"), AppendLog(tmp_path / "none" / "b")
    with held.lock(), pytest.raises(InUseError), AppendLog(tmp_path / "a").lock(wait=0):
        pass
    with pytest.raises(RefusedError, match="No such file") as caught, refused.lock(wait=0):
        pass
    assert caught.value.where == str(tmp_path / "none" / "b.lock")


def test_a_shared_lock_needs_no_right_to_write(read_only_disk: Path) -> None:
    lock = Lock(read_only_disk / "lock")
    assert lock.acquire(shared=True, wait=0)
    lock.release()
    with pytest.raises(RefusedError, match="Read-only"):
        lock.acquire(wait=0)


@pytest.fixture
def read_only_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("mounting a disk is not permitted here")
    (folder / "lock").touch()
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("kind", ["link", "dangling", "file"])
def test_what_is_not_a_folder_is_no_state_folder(tmp_path: Path, kind: str) -> None:
    folder, outside = tmp_path / ".review-agent", tmp_path / "outside"
    if kind == "file":
        folder.touch()
    else:
        folder.symlink_to(outside)
    if kind == "link":
        outside.mkdir()
    for use in (appendlog.state_folder, appendlog.has_state_folder):
        with pytest.raises(RecordError, match="symbolic link" if kind != "file" else "not a folder") as caught:
            use(folder)
        assert caught.value.where == str(folder)
        assert "run the same command again" in caught.value.hint
    assert kind != "link" or not list(outside.iterdir())


def test_a_folder_in_the_place_of_a_log_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="Is a directory") as caught:
        list(read(tmp_path))
    assert "move the folder away" in caught.value.hint

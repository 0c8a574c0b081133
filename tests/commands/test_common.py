"""What commands share: a file that an option names is read whole, bounded, or refused with what to do."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path

import pytest

from review_agent.commands import _common as common
from review_agent.errors import StorageFullError, UsageError
from review_agent.outlets import KEPT


def test_a_given_file_or_standard_input_is_read_as_it_is(tmp_path, monkeypatch):
    given = tmp_path / "log"
    given.write_bytes(b"a\r\n\xff")
    assert common.read_given(given, "log", large="cut it") == b"a\r\n\xff"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"from a pipe")))
    assert common.read_given(common.Path("-"), "log", large="cut it") == b"from a pipe"
    monkeypatch.setattr("sys.stdin", None)
    assert common.read_given(common.Path("-"), "log", large="cut it") == b""


def test_a_pipe_that_has_a_name_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(UsageError, match="the diff is no file"):
        common.read_given(tmp_path / "fifo", "diff", large="cut it")


def test_what_cannot_be_read_or_is_too_large_is_refused_with_its_own_hint(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "MOST_GIVEN_BYTES", 2 * 1_048_576)
    large = tmp_path / "large"
    large.write_bytes(bytes(2 * 1_048_576))
    assert len(common.read_given(large, "log", large="cut it")) == 2 * 1_048_576
    large.write_bytes(bytes(2 * 1_048_576 + 1))
    with pytest.raises(UsageError) as refused:
        common.read_given(large, "decisions", large="split the file")
    assert (refused.value.message, refused.value.hint) == ("the decisions came to more than 2 MiB", "split the file")
    with pytest.raises(UsageError) as unread:
        common.read_given(tmp_path, "log", large="cut it")
    assert unread.value.message.startswith("cannot read the log: ")
    assert unread.value.where == str(tmp_path)


@pytest.mark.parametrize("glob", ["[z-a]", "!", "\\"])
def test_a_glob_to_exclude_by_that_is_none_is_refused(glob):
    with pytest.raises(UsageError, match="--exclude"):
        common.check_globs([glob])


def test_a_glob_of_too_many_stars_is_refused_and_told_how_to_write_it():
    common.check_globs(["*a*b*c*d"])
    with pytest.raises(UsageError, match=r"--exclude '\*a\*b\*c\*d\*': it has more than 4 runs of stars") as told:
        common.check_globs(["*a*b*c*d*"])
    assert told.value.hint == "write fewer; `**` counts as one, and --exclude may be repeated"


def test_of_a_glob_that_is_a_comment_it_is_said_that_it_leaves_nothing_out():
    with pytest.raises(UsageError, match="leaves nothing out"):
        common.check_globs(["#foo[1]"])


@pytest.mark.parametrize(
    ("number", "kind", "code"),
    [(errno.ENOSPC, StorageFullError, 3), (errno.EDQUOT, StorageFullError, 3), (errno.EACCES, UsageError, 2)],
)
def test_a_result_that_cannot_be_written_leaves_nothing_and_says_what_is_recorded(
    tmp_path, monkeypatch, number, kind, code
):
    def refused(*_):
        raise OSError(number, os.strerror(number))

    (tmp_path / "out").write_text("before")
    monkeypatch.setattr(Path, "replace", refused)
    was = KEPT.set("the run is recorded")
    with pytest.raises(kind) as told:
        common.emit("after", tmp_path / "out")
    KEPT.reset(was)
    assert told.value.exit_code == code
    assert told.value.hint.endswith("; the run is recorded")
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("out", "before")]

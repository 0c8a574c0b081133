from __future__ import annotations

import os
import subprocess
import sys

import pytest

from review_agent import __version__, cli
from review_agent.errors import SnapshotError, StorageFullError


def test_ctrl_c_while_the_command_line_loads_is_met_like_any_other(monkeypatch, capsys) -> None:
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "import_module", interrupted)
    with pytest.raises(SystemExit) as stop:
        cli.main(["review"])
    assert stop.value.code == 130
    assert "interrupted" in capsys.readouterr().err
    code = "import sys, review_agent.cli; sys.exit('typer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0, "what loads long loads inside the boundary"


@pytest.mark.slow
def test_version_and_help_name_every_command() -> None:
    shown = subprocess.run([sys.executable, "-m", "review_agent.cli", "--help"], capture_output=True, text=True)
    assert shown.returncode == 0
    for name in cli.COMMANDS:
        assert f"\n  {name} " in shown.stdout
    version = subprocess.run([sys.executable, "-m", "review_agent.cli", "--version"], capture_output=True, text=True)
    assert version.stdout == f"review-agent {__version__}\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    shown = subprocess.run([sys.executable, "-m", "review_agent.cli", name, "--help"], capture_output=True, text=True)
    assert shown.returncode == 0
    assert len(shown.stdout.splitlines()) > 4


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (SnapshotError("no such ref", where="r", hint="look"), 2, "no such ref\n  where  r\n  next   look"),
        (StorageFullError("the disk is full"), 3, "the disk is full"),
        (ZeroDivisionError("x"), 70, "a bug in review-agent: ZeroDivisionError: x"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_the_one_error_boundary(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    said: str,
) -> None:
    def fails(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(cli, "_app", lambda: fails)
    with pytest.raises(SystemExit) as stop:
        cli.main(["review"])
    assert stop.value.code == code
    assert said in capsys.readouterr().err


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: object, **kwargs: object) -> None:
        raise SnapshotError("no such ref")

    monkeypatch.setattr(cli, "_app", lambda: fails)
    with pytest.raises(SnapshotError):
        cli.main(["review", "--debug"])


@pytest.mark.parametrize("width", ["60", "78", "80", "81"])
def test_no_line_of_a_help_ends_within_the_programs_name(monkeypatch, capsys, width) -> None:
    monkeypatch.setenv("COLUMNS", width)
    for arguments in ([], ["review"], ["check"], ["replay"], ["init"]):
        with pytest.raises(SystemExit):
            cli.main([*arguments, "--help"])
        shown = capsys.readouterr().out
        assert "review-agent" in shown
        assert not [line for line in shown.splitlines() if line.endswith("review-")]
        assert "\0" not in shown


def _on(stream: str, *arguments: str, to: str = "/dev/full") -> tuple[int, str, str]:
    """Runs it with one stream on a device; the exit code, and what came on stdout and stderr."""
    with open(to, "w") as device:
        into = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: device}
        done = subprocess.run([sys.executable, "-m", "review_agent.cli", *arguments], text=True, **into)
    return done.returncode, done.stdout or "", done.stderr or ""


@pytest.mark.parametrize("line", ["--version", "--help", "schema answer", "policy show", "replay --help"])
def test_a_full_disk_at_standard_output_is_incomplete_whoever_prints(line: str) -> None:
    code, _, said = _on("stdout", *line.split())
    assert code == 3
    assert said == (
        "review-agent: standard output takes no more: No space left on device\n"
        "  next   make room where it goes and run it again\n"
    )


def test_an_error_keeps_its_code_where_standard_error_has_no_room() -> None:
    assert _on("stderr", "bogus") == (2, "", "")


def test_what_is_said_beside_a_result_and_has_no_room_makes_it_incomplete() -> None:
    code = (
        "import sys\nfrom review_agent import cli\ncli._run = lambda *_: print('x', file=sys.stderr) or 0\ncli.main([])"
    )
    with open("/dev/full", "w") as full:
        assert subprocess.run([sys.executable, "-c", code], stderr=full).returncode == 3


def test_what_is_recorded_is_said_where_the_word_of_it_has_no_room() -> None:
    code = (
        "from review_agent import cli, outlets\n"
        "cli._run = lambda *_: outlets.KEPT.set('1 decision is recorded') and print('accepted') or 0\n"
        "cli.main([])"
    )
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3
    assert done.stderr.endswith("next   make room where it goes; 1 decision is recorded\n")


def test_a_reader_that_has_left_changes_no_exit_code() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        command = [sys.executable, "-m", "review_agent.cli", "policy", "show"]
        done = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_without_a_standard_error_nothing_is_said_among_the_results() -> None:
    command = ["bash", "-c", '"$@" 2>&-', "-", sys.executable, "-m", "review_agent.cli", "bogus"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    assert (done.returncode, done.stdout) == (2, "")

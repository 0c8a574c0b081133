from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from review_agent.errors import ProcessError
from review_agent.process import Child, run

PYTHON = sys.executable
ECHO = [PYTHON, "-c", "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line); sys.stdout.flush()"]


def python(code: str, **options):
    return run([PYTHON, "-c", textwrap.dedent(code)], **{"timeout": 20, "max_output": 1_000_000, **options})


def ended(pid: int, within: float = 5.0) -> bool:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (ProcessLookupError, FileNotFoundError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_both_outputs_and_the_code_are_told():
    done = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert (done.returncode, done.stdout, done.stderr, done.truncated) == (3, b"out\n", b"err\n", False)


def test_large_input_and_output_pass_without_deadlock():
    data = b"0123456789abcdef" * 200_000
    done = python("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())", stdin=data, max_output=len(data))
    assert done.stdout == data
    assert not done.truncated


def test_a_command_may_ignore_its_input():
    assert python("print('done')", stdin=b"x" * 1_000_000).stdout == b"done\n"


def test_output_past_the_bound_is_cut_and_the_command_stopped():
    started = time.monotonic()
    done = python("while True: print('y' * 1000)", max_output=5_000)
    assert done.truncated
    assert len(done.stdout) == 5_000
    assert time.monotonic() - started < 15


def test_stderr_is_bounded_without_stopping_the_command():
    done = python("import sys; sys.stderr.write('e' * 1_000_000); print('end')")
    assert done.stdout == b"end\n"
    assert len(done.stderr) == 65_536


def test_only_the_minimal_environment_is_seen(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SECRET_TOKEN", "do-not-hand-on")
    done = python("import os; print(sorted(os.environ))", environment={"EXTRA": "1"})
    names = set(eval(done.stdout)) - {"LC_CTYPE"}
    assert names == {"EXTRA", "HOME", "LC_ALL", "PATH"}


def test_working_folder(tmp_path: Path):
    assert python("import os; print(os.getcwd())", cwd=tmp_path).stdout.decode().strip() == str(tmp_path.resolve())


SPAWN = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open(sys.argv[1], "w").write(str(child.pid))
time.sleep(float(sys.argv[2]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("leader_sleeps", ["60", "0"], ids=["leader alive", "leader gone, output held open"])
def test_a_late_command_is_killed_with_its_children(tmp_path: Path, leader_sleeps: str):
    pid_file = tmp_path / "pid"
    with pytest.raises(ProcessError, match=r"within 1\.5 seconds"):
        run([PYTHON, "-c", SPAWN, str(pid_file), leader_sleeps], timeout=1.5, max_output=100)
    assert ended(int(pid_file.read_text()))


def test_a_missing_command_says_so_and_what_to_do():
    with pytest.raises(ProcessError) as caught:
        run(["no-such-command-here"], timeout=1, max_output=1)
    assert "no-such-command-here" in caught.value.message
    assert "install" in caught.value.hint


def test_a_nul_in_an_argument_is_an_error_of_the_process_room():
    with pytest.raises(ProcessError):
        run(["echo", "a\0b"], timeout=1, max_output=1)


def test_a_child_answers_in_turns_and_closes():
    child = Child(ECHO)
    child.send(b"first\n")
    assert child.receive(6, 10) == b"first\n"
    child.send(b"second\nthird\n")
    assert child.receive_line(10) == b"second\n"
    assert child.receive_line(10) == b"third\n"
    assert child.alive
    child.close()
    assert not child.alive
    child.close()


def test_a_child_that_is_silent_is_given_up():
    child = Child(ECHO)
    child.send(b"no line end")
    with pytest.raises(ProcessError, match=r"within 0\.2 seconds"):
        child.receive(1, 0.2)
    child.kill()
    assert not child.alive


def test_a_child_that_does_not_read_is_given_up():
    child = Child([PYTHON, "-c", "import time; time.sleep(60)"])
    with pytest.raises(ProcessError, match=r"within 0\.3 seconds"):
        child.send(b"x" * 1_000_000, 0.3)
    child.kill()


def test_a_child_that_ended_says_so():
    child = Child([PYTHON, "-c", "print('last')"])
    assert child.receive_line(10) == b"last\n"
    with pytest.raises(ProcessError, match="ended"):
        child.receive(1, 10)
    with pytest.raises(ProcessError, match="ended"):
        child.send(b"x" * 1_000_000, 10)
    child.kill()
    with pytest.raises(ProcessError, match="ended"):
        child.send(b"x", 1)


def test_an_endless_line_is_refused():
    child = Child([PYTHON, "-c", "while True: print('z' * 10_000, end='')"])
    with pytest.raises(ProcessError, match="more than 50000 bytes"):
        child.receive_line(10, limit=50_000)
    child.kill()


def test_a_dropped_child_is_reaped_without_a_warning():
    child = Child(ECHO)
    pid = child.pid
    del child
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


PARENT = f"""
import sys, time
from review_agent.process import Child
child = Child({ECHO!r})
child.send(b"ready\\n")
child.receive_line(10)
print(child.pid, flush=True)
time.sleep(60)
"""


def start_parent() -> tuple[subprocess.Popen[bytes], int]:
    parent = subprocess.Popen(
        [PYTHON, "-c", PARENT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert parent.stdout is not None
    return parent, int(parent.stdout.readline())


def test_a_child_does_not_outlive_a_parent_killed_with_9():
    parent, child = start_parent()
    with parent:
        parent.kill()
    assert ended(child)


def test_ctrl_c_reaches_the_parent_alone():
    parent, child = start_parent()
    os.killpg(parent.pid, signal.SIGINT)
    _, stderr = parent.communicate(timeout=50)
    assert stderr.count(b"Traceback") == 1
    assert ended(child)


def test_a_child_ended_from_another_thread_wakes_the_one_that_waits_for_it():
    for _ in range(10):
        child = Child([PYTHON, "-c", "import time; time.sleep(60)"])
        ending = threading.Timer(0.05, child.end)
        ending.start()
        started = time.monotonic()
        with pytest.raises(ProcessError, match="ended before it had answered"):
            child.receive_line(30)
        ending.join()
        child.kill()
        assert time.monotonic() - started < 10


def test_a_child_that_a_thread_still_waits_for_ends_with_its_parent(tmp_path):
    """As a search in the background whose review has ended before it."""
    code = (
        "import os, threading, time\n"
        "from review_agent.process import run\n"
        f"words = ['sh', '-c', 'echo $$ > {tmp_path}/pid; exec sleep 60']\n"
        "threading.Thread(target=run, args=(words,), kwargs={'timeout': 60, 'max_output': 9}, daemon=True).start()\n"
        f"while not os.path.exists('{tmp_path}/pid'): time.sleep(0.01)\n"
    )
    subprocess.run([PYTHON, "-c", code], check=True, timeout=50)
    assert ended(int((tmp_path / "pid").read_text()))


def test_a_program_is_never_found_in_the_folder_it_runs_in(tmp_path, monkeypatch):
    stolen = tmp_path / "env"
    stolen.write_text("#!/bin/sh\necho stolen\n")
    stolen.chmod(0o755)
    monkeypatch.setenv("PATH", f":.:{os.environ['PATH']}")
    done = run(["env"], cwd=tmp_path, timeout=10, max_output=4096)
    assert b"stolen" not in done.stdout
    assert b"PATH=/" in done.stdout

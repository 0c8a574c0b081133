import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.mark.slow
def test_no_decision_is_lost_or_repeated_by_many_who_decide_and_are_killed() -> None:
    command = [sys.executable, str(BENCH / "deciding.py"), "--no-cost", "--people", "8", "--cards", "100"]
    enough = ("--kills", "16", "--acknowledged", "60", "--holds", "1", "--limit", "900")
    done = subprocess.run([*command, *enough], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| faults | 0 |" in done.stdout


@pytest.mark.slow
def test_a_run_in_which_too_little_happened_does_not_pass() -> None:
    command = [sys.executable, str(BENCH / "deciding.py"), "--no-cost", "--people", "2", "--cards", "50"]
    thin = ("--kills", "16", "--acknowledged", "4000", "--holds", "3", "--limit", "3")
    done = subprocess.run([*command, *thin], capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "acts acknowledged, 4000 wanted" in done.stdout
    assert "kills during ingest, 1 wanted" in done.stdout

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.mark.slow
def test_no_decision_is_lost_or_repeated_by_many_who_decide_and_are_killed() -> None:
    command = [sys.executable, str(BENCH / "deciding.py"), "--no-cost", "--people", "8", "--cards", "100"]
    done = subprocess.run([*command, "--kills", "20", "--tries", "200"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| faults | 0 |" in done.stdout

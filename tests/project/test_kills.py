import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.mark.slow
def test_a_killed_review_loses_nothing_and_ends_the_same() -> None:
    command = [sys.executable, str(BENCH / "kills.py"), "--kills", "10", "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 kills, 0 faults." in done.stdout

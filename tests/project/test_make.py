"""What `make` says while it works: no minute of silence."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_demo_says_what_it_does_before_each_long_step(tmp_path):
    shown = subprocess.run(
        ["make", "-n", "PYTHON=python3", f"VENV={tmp_path / 'none'}", "demo"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    steps = [
        "making a virtual environment",
        "-m venv",
        "installing review-agent",
        "-m pip install",
        "reviewing the demo",
    ]
    places = [shown.index(one) for one in steps]
    assert places == sorted(places)
    assert "--quiet" not in shown
    assert shown.index("Collecting") > places[-2], "what pip takes up is told, a line each"

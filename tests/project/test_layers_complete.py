"""Every module of the package's top has its floor: import-linter passes over one that no layer names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_room_has_a_floor():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    named = {name for layer in contracts[0]["layers"] for name in re.findall(r"review_agent\.(\w+)", layer)}
    rooms = {
        path.stem
        for path in (ROOT / "review_agent").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert rooms - {"__init__"} <= named

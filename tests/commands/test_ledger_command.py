"""``ledger doctor`` and ``ledger rebuild`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_runs import write_run

from review_agent import cli

pytestmark = pytest.mark.slow


@pytest.fixture
def root(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cli, "COMMANDS", ("cards", "decide", "ledger"))
    repo.commit("start")
    return repo.root


def run(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        cli.main(["ledger", *arguments, "--repo", str(root)])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


def test_a_damaged_ledger_is_found_rebuilt_and_then_in_order(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent")
    file = root / ".review-agent" / "ledger.duckdb"
    file.write_bytes(b"garbage" * 500)
    code, out, _ = run(root, capsys, "doctor")
    assert code == 2
    assert out.startswith("problem: the ledger file is damaged")
    assert "ledger rebuild" in out
    assert run(root, capsys, "rebuild") == (0, "the ledger holds 1 run and 2 cards\n", "")
    assert run(root, capsys, "doctor") == (0, "run logs, journal and ledger are in order\n", "")


def test_findings_as_json(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent")
    code, out, _ = run(root, capsys, "doctor", "--format", "json")
    assert code == 0
    assert [set(finding) for finding in json.loads(out)] == [{"level", "what", "where", "next"}]


def test_a_run_log_that_is_left_out_of_a_rebuild_is_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_run(root / ".review-agent")
    path.write_bytes(path.read_bytes() + b"garbage\n")
    code, out, err = run(root, capsys, "rebuild")
    assert (code, out) == (3, "the ledger holds 0 runs and 0 cards\n")
    assert f"{path.name} is left out" in err
    assert "1 run log could not be read" in err

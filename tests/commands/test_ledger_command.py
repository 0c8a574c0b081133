"""``ledger`` from the command line: health, run logs from elsewhere, tables out and in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_runs import write_run

from review_agent import cli
from review_agent.runstate import review_id

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


def test_a_run_log_from_elsewhere_is_taken_in_and_a_forged_one_refused(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    path = write_run(elsewhere / ".review-agent")
    code, out, err = run(root, capsys, "ingest", str(path.parent))
    assert (code, out) == (2, "0 runs added, 1 refused\n")
    assert f"{path} is refused: line 1: run_started lacks" in err
    events = [json.loads(line) for line in path.read_text().splitlines()]
    kept = [one for one in events if one["type"] in ("run_started", "attempt_started")]
    kept[0]["data"] |= {"memory": "", "options": {}}
    kept[0]["data"]["reviewId"] = review_id(kept[0]["data"])
    path.write_text("".join(json.dumps(one) + "\n" for one in kept))
    code, out, err = run(root, capsys, "ingest", str(path))
    assert (code, out) == (0, "1 run added\n")
    assert f"is not compared with git, and its cards say so: commit {kept[0]['data']['head'][:12]}" in err
    assert run(root, capsys, "ingest", str(path), str(path.parent))[:2] == (0, "0 runs added, 2 known already\n")
    code, out, _ = run(root, capsys, "ingest", str(path), "--format", "json")
    assert {name: len(value) for name, value in json.loads(out).items()} == {
        "added": 0,
        "grown": 0,
        "known": 1,
        "refused": 0,
        "uncompared": 1,
        "around": 0,
    }
    assert run(root, capsys, "ingest", str(tmp_path / "none"))[0] == 2


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_an_export_into_a_file_says_that_it_needs_a_folder(root, tmp_path, name, capsys) -> None:
    (tmp_path / "file").write_text("kept")
    code, _, err = run(root, capsys, "export", "--output", str(tmp_path / name))
    assert code == 2
    assert "the export needs a folder, and a file is in its place" in err
    assert "next   name a folder that is new or empty" in err
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_tables_go_out_and_come_back(
    root: Path, tmp_path: Path, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(root / ".review-agent")
    code, out, _ = run(root, capsys, "export", "--output", str(tmp_path / "out"), "--format", format)
    assert code == 0
    assert f"tables in {tmp_path / 'out'}" in out
    assert run(root, capsys, "export", "--output", str(tmp_path / "out"))[0] == 2
    assert run(root, capsys, "import", str(tmp_path / "out"))[0] == 2
    (root / ".review-agent").rename(tmp_path / "before")
    code, told, _ = run(root, capsys, "import", str(tmp_path / "out"))
    assert (code, told.split(" of ")[0]) == (0, out.split(" of ")[0])
    with pytest.raises(SystemExit):
        cli.main(["cards", "list", "--repo", str(root)])
    assert "open" in capsys.readouterr().out

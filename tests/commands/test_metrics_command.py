"""``metrics`` as text and JSON: unknown is said, hostile words are inert."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from made_runs import write_run
from made_states import decision

from review_agent import cli
from review_agent.journal import Journal
from review_agent.vocabulary import Act

SCHEMA = Path(__file__).resolve().parents[2] / "schemas" / "metrics.schema.json"


@pytest.fixture
def root(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cli, "COMMANDS", ("metrics", "cards"))
    repo.commit("start")
    return repo.root


def run(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        cli.main(["metrics", *arguments, "--repo", str(root)])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


def test_what_is_not_known_is_said_and_never_zero(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(root, capsys)
    assert (code, err) == (0, "")
    assert "0%" not in out
    for name in ("cards accepted", "evidence complete", "controlled recall", "cost", "time to decide"):
        assert next(line for line in out.splitlines() if line.startswith(name)).split(name)[1].strip()[:7] == "unknown"
    assert not (root / ".review-agent").exists()


def test_shares_come_with_counts_and_intervals(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent", cards=3)
    journal = Journal(root / ".review-agent" / "journal.jsonl")
    journal.append(decision(0, Act.ACCEPT).wire())
    journal.append({**decision(1, Act.REJECT).wire(), "reasonCode": "evil\x1b[2J", "layer": "synthesis"})
    out = run(root, capsys)[1]
    assert "cards accepted                1 of 2: 50% (9% to 91%), 1 undecided" in out
    assert "  important                   1 of 2: 50% (9% to 91%), 1 undecided" in out
    assert "  blocking                    unknown (none yet), 0 undecided" in out
    assert "  synthesis                   1: evil" in out
    assert "\x1b" not in out


def test_the_json_fits_its_schema(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent")
    code, out, _ = run(root, capsys, "--format", "json", "--since", "2026-01-01")
    found = json.loads(out)
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(found)
    assert (code, found["since"], found["runs"]) == (0, "2026-01-01T00:00:00.000+00:00", 1)
    assert found["recall"] is None


def test_a_date_that_is_none_is_a_mistake(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(root, capsys, "--since", "soon")
    assert code == 2
    assert "'soon' is no date" in err

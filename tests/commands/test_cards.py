"""``cards list`` and ``cards show``: one line a card, and everything about one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_runs import bundle, card, hunk, question, sha, write_run

from review_agent import cli

CARDS = [card(sha("review", 1), n) for n in range(2)]


@pytest.fixture
def root(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cli, "COMMANDS", ("cards", "decide", "ledger"))
    repo.write("a.py", "x = 1\n")
    repo.commit("start")
    return repo.root


def run(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        cli.main([*arguments, "--repo", str(root)])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


def test_a_list_has_one_line_a_card_cut_to_the_page(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent", claim="Removing `tenant.id` makes it so " * 9)
    code, out, err = run(root, capsys, "cards", "list")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[:5] for line in lines] == [
        [one.card_id[:12], "hidden", "important", "cache_key", f"src/f{n}.py:{10 + n}"] for n, one in enumerate(CARDS)
    ]
    assert all(len(line) == 110 and line.endswith("…") for line in lines)


def test_a_list_is_narrowed_by_state_and_by_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent")
    write_run(root / ".review-agent", review=2, minute=1, cards=3)
    run(root, capsys, "decide", CARDS[0].card_id[:9], "accept", "--reviewer", "Ada")
    _, accepted, _ = run(root, capsys, "cards", "list", "--state", "accepted")
    assert [line.split()[0] for line in accepted.splitlines()] == [CARDS[0].card_id[:12]]
    _, of_run, _ = run(root, capsys, "cards", "list", "--run", sha("review", 1)[:8])
    assert len(of_run.splitlines()) == 2


def test_a_list_as_json_holds_card_state_and_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_run(root / ".review-agent")
    _, out, _ = run(root, capsys, "cards", "list", "--format", "json")
    rows = json.loads(out)
    assert [row["card"] for row in rows] == [one.wire() for one in CARDS]
    assert {(row["state"], row["decisions"], row["run"]["runFile"]) for row in rows} == {("hidden", 0, path.name)}


def test_an_empty_list_says_how_cards_come_about(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(root, capsys, "cards", "list")
    assert (code, out) == (0, "")
    assert "review-agent review" in err
    assert not (root / ".review-agent").exists()


def test_one_card_is_shown_with_evidence_and_decisions(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent")
    run(root, capsys, "decide", CARDS[1].card_id, "accept", "--reviewer", "Ada", "--comment", "so it\x1b[2J is")
    code, out, err = run(root, capsys, "cards", "show", CARDS[1].card_id[:9])
    assert (code, err) == (0, "")
    assert "in place 1" in out
    assert "src/f1.py:11" in out
    assert "accept by Ada: so it" in out.splitlines()[-1]
    assert "\x1b" not in out


def test_one_card_as_json_holds_what_it_came_from(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent")
    _, out, _ = run(root, capsys, "cards", "show", CARDS[0].card_id[:9], "--format", "json")
    shown = json.loads(out)
    assert (shown["card"], shown["question"]) == (CARDS[0].wire(), question(0).wire())
    assert (shown["bundle"], shown["hunk"], shown["decisions"]) == (bundle(0).wire(), hunk(0).wire(), [])


def test_a_card_that_is_not_there_is_a_usage_error(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(root, capsys, "cards", "show", "zz")
    assert (code, out) == (2, "")
    assert "cards list" in err

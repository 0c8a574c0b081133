"""``cards list`` and ``cards show``: one line a card, and everything about one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_runs import bundle, card, hunk, question, sha, write_run

from review_agent import cli
from review_agent.commands.cards import State, _wire
from review_agent.vocabulary import CardState

# Each test makes ledgers of its own, and DuckDB takes its time.
pytestmark = pytest.mark.slow

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


def test_a_list_has_two_lines_a_card_cut_to_the_page(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    write_run(root / ".review-agent", claim="Removing `tenant.id` makes it so " * 9)
    code, out, err = run(root, capsys, "cards", "list")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[::2] == [
        f"{one.card_id[:8]}  open  important  cache_key  src/f{n}.py:{10 + n}" for n, one in enumerate(CARDS)
    ]
    assert all(len(line) == 110 and line.startswith("  Removing") and line.endswith("…") for line in lines[1::2])


def test_columns_are_aligned_and_a_long_path_keeps_its_end_and_line(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(root / ".review-agent")
    run(root, capsys, "decide", CARDS[0].card_id, "needs-proof", "--reviewer", "Ada")
    monkeypatch.setattr("review_agent.commands._common.page", lambda: (30, False))
    monkeypatch.setattr("review_agent.commands.cards._ROOM", 8)
    lines = run(root, capsys, "cards", "list")[1].splitlines()
    assert lines[0] == f"{CARDS[0].card_id[:8]}  needs_proof  important  cache_key  …0.py:10"
    assert lines[2] == f"{CARDS[1].card_id[:8]}  open         important  cache_key  …1.py:11"


def test_a_list_has_the_newest_run_first_and_in_it_the_order_of_the_review(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(root / ".review-agent")
    write_run(root / ".review-agent", review=2, minute=1)
    rows = json.loads(run(root, capsys, "cards", "list", "--format", "json")[1])
    assert [(row["run"]["reviewId"], row["card"]["questionId"]) for row in rows] == [
        (sha("review", n), question) for n in (2, 1) for question in ("q0", "q1")
    ]


def test_a_long_list_comes_in_pages_with_the_total(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent", cards=5)
    code, out, err = run(root, capsys, "cards", "list", "--limit", "2")
    assert (code, len(out.splitlines())) == (0, 4)
    assert err == "review-agent: cards 1 to 2 of 5; --offset 2 shows the next\n"
    _, out, err = run(root, capsys, "cards", "list", "--limit", "2", "--offset", "4", "--format", "json")
    assert [row["card"]["questionId"] for row in json.loads(out)] == ["q4"]
    assert err == "review-agent: cards 5 to 5 of 5\n"
    assert len(run(root, capsys, "cards", "list", "--limit", "0")[1].splitlines()) == 10
    assert "--offset 9 is beyond them" in run(root, capsys, "cards", "list", "--offset", "9")[2]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (["--severity", "important", "--severity", "blocking"], 2),
        (["--severity", "blocking"], 0),
        (["--kind", "auth"], 0),
        (["--confidence", "high", "--order", "queue"], 2),
        (["--text", "f1.py"], 1),
        (["--since", "2026-01-02"], 2),
        (["--before", "2026-01-02"], 0),
        (["--since", "0h"], 0),
        (["--owner", "@a"], 1),
        (["--owner", "nobody"], 1),
        (["--owner", "@b", "--text", "f0"], 0),
    ],
)
def test_a_list_is_narrowed_as_the_queue_is(
    root: Path, repo: Any, capsys: pytest.CaptureFixture[str], filters: list[str], found: int
) -> None:
    repo.write("CODEOWNERS", "/src/f1.py @a\n")
    repo.commit("owners")
    write_run(root / ".review-agent")
    code, out, err = run(root, capsys, "cards", "list", *filters)
    assert (code, len(out.splitlines())) == (0, 2 * found)
    assert found or "no card passes these filters; without them there are 2" in err


def test_what_cannot_be_filtered_by_is_a_usage_error(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent")
    assert run(root, capsys, "cards", "list", "--since", "yesterday")[0] == 2
    code, _, err = run(root, capsys, "cards", "list", "--owner", "@a")
    assert code == 2
    assert "owners are unknown" in err


def test_a_list_is_narrowed_by_state_and_by_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent")
    newest = write_run(root / ".review-agent", review=2, minute=1, cards=3)
    run(root, capsys, "decide", CARDS[0].card_id[:9], "accept", "--reviewer", "Ada")
    _, accepted, _ = run(root, capsys, "cards", "list", "--state", "accepted")
    assert [line.split()[0] for line in accepted.splitlines()[::2]] == [CARDS[0].card_id[:8]]
    _, of_run, _ = run(root, capsys, "cards", "list", "--run", sha("review", 1)[:8])
    assert len(of_run.splitlines()) == 4
    opened = run(root, capsys, "cards", "list", "--state", "open")
    assert opened == run(root, capsys, "cards", "list", "--state", "hidden")
    assert len(opened[1].splitlines()) == 8
    latest = run(root, capsys, "cards", "list", "--run", "latest")
    assert latest == run(root, capsys, "cards", "list", "--run", newest.stem)
    assert len(latest[1].splitlines()) == 6


def test_a_run_that_is_not_there_is_a_usage_error(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_run(root / ".review-agent")
    code, out, err = run(root, capsys, "cards", "list", "--run", "nope")
    assert (code, out) == (2, "")
    assert "no run is called 'nope'" in err
    assert path.stem in err.split("next")[1]


def test_a_state_that_no_card_is_in_is_told_with_how_many_are_in_others(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(root / ".review-agent")
    told = run(root, capsys, "cards", "list", "--state", "accepted")
    assert told == (0, "", "review-agent: no card is accepted; 2 are in other states\n")


def test_a_run_without_a_card_is_not_taken_for_all(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent")
    empty = write_run(root / ".review-agent", review=2, cards=0)
    said = "no card of this run; in all there are 2: `review-agent cards list` without --run"
    assert said in run(root, capsys, "cards", "list", "--run", empty.stem)[2]


def test_reviews_without_a_card_are_not_taken_for_no_review(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent", cards=0)
    assert "the reviews here have written none" in run(root, capsys, "cards", "list")[2]


def test_a_list_as_json_holds_card_state_and_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_run(root / ".review-agent")
    _, out, _ = run(root, capsys, "cards", "list", "--format", "json")
    rows = json.loads(out)
    assert [row["card"] for row in rows] == [one.wire() for one in CARDS]
    assert {(row["state"], row["decisions"], row["run"]["runFile"]) for row in rows} == {("hidden", 0, path.name)}


def test_every_state_can_be_asked_for() -> None:
    assert {_wire(state) for state in State} == set(CardState)


def test_an_empty_list_says_how_cards_come_about(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(root, capsys, "cards", "list")
    assert (code, out) == (0, "")
    assert "review-agent review" in err
    assert not (root / ".review-agent").exists()


def test_one_card_is_shown_with_evidence_and_decisions(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(root / ".review-agent")
    run(root, capsys, "decide", CARDS[1].card_id, "accept", "--reviewer", "Ada", "--comment", "so it\x1b[2J is")
    code, out, err = run(root, capsys, "cards", "show", CARDS[1].card_id[:8])
    assert (code, err) == (0, "")
    assert "in place 1" in out
    assert "src/f1.py:11" in out
    assert "callers(quote)" in out
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


@pytest.mark.parametrize(("how", "said"), [("--worktree", "of the work tree"), ("--staged", "of the index")])
def test_evidence_of_what_is_not_committed_names_no_commit(
    repo: Any, capsys: pytest.CaptureFixture[str], how: str, said: str
) -> None:
    repo.write("shop/__init__.py", "")
    repo.write("shop/refund.py", "def refund(order):\n    return order.total\n")
    repo.write("jobs/run.py", "from shop.refund import refund\n\n\ndef run(order):\n    return refund(order)\n")
    repo.commit("start")
    repo.write("shop/refund.py", "def refund(order, currency):\n    return order.total\n")
    repo.git("add", "-A")
    assert run(repo.root, capsys, "review", how)[0] == 0
    (shown,) = json.loads(run(repo.root, capsys, "cards", "list", "--format", "json")[1])
    told = run(repo.root, capsys, "cards", "show", shown["card"]["cardId"])[1]
    assert f"jobs/run.py:5 · caller · {said}" in told
    assert "· commit " not in told

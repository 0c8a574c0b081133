"""``decide`` from the command line: acts, reviewers, reasons, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_runs import card, sha, write_run

from review_agent import cli
from review_agent.journal import Journal

pytestmark = pytest.mark.slow

CARD = card(sha("review", 1), 0).card_id[:10]


@pytest.fixture
def root(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cli, "COMMANDS", ("cards", "decide", "ledger"))
    repo.write("a.py", "x = 1\n")
    repo.commit("start")
    repo.git("config", "user.name", "Ada")
    repo.git("config", "user.email", "ada@example.com")
    write_run(repo.root / ".review-agent")
    return repo.root


def run(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        cli.main(["decide", *arguments, "--repo", str(root)])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


@pytest.mark.slow
def test_every_act_a_person_can_take(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = [
        run(root, capsys, CARD, *act)
        for act in (
            ["accept"],
            ["revoke"],
            ["undo"],
            ["accept"],
            ["downgrade", "--comment", "a suggestion at most"],
            ["undo"],
            ["needs-proof"],
            ["undo"],
            ["reject", "--reason", "other", "--comment", "moved on"],
        )
    ]
    assert [code for code, _, _ in said] == [0] * 9
    assert [out.removeprefix(CARD[:8]).split(",")[0] for _, out, _ in said] == [
        " is accepted",
        " is revoked",
        " is open again",
        " is accepted",
        " is downgraded",
        " is open again",
        " needs proof",
        " is open again",
        " is rejected (other)",
    ]
    records = list(Journal(root / ".review-agent" / "journal.jsonl").read())
    assert {record["reviewer"] for record in records} == {"Ada <ada@example.com>"}
    assert (records[-1]["reasonCode"], records[-1]["comment"]) == ("other", "moved on")


def test_a_decision_as_json_is_the_journal_record(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(root, capsys, CARD, "accept", "--reviewer", "Bob", "--format", "json")
    assert (code, err) == (0, "")
    assert [json.loads(out)] == list(Journal(root / ".review-agent" / "journal.jsonl").read())
    assert json.loads(out)["reviewer"] == "Bob"


@pytest.mark.parametrize(
    ("arguments", "message", "step"),
    [
        (["zzzz", "accept"], "there is no card 'zzzz'", "cards list"),
        ([CARD, "reject"], "needs a reason code", "path_unreachable"),
        ([CARD, "reject", "--reason", "nope"], "no reason code 'nope'", "path_unreachable"),
        ([CARD, "reject", "--reason", "other"], "needs a comment", "--comment"),
        ([CARD, "undo"], f"nothing to undo on {CARD[:8]}: no decision stands", "accept"),
        ([CARD, "revoke"], f"nothing to revoke on {CARD[:8]}: it is open", "accept"),
        ([CARD, "accept", "--reason", "intended"], "goes only with reject", "--comment"),
        ([CARD, "accept", "--reviewer", ""], "needs a reviewer", "--reviewer"),
    ],
)
def test_a_refusal_says_what_happened_and_what_to_do(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str, step: str
) -> None:
    code, out, err = run(root, capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert step in err.split("next")[1]
    assert not (root / ".review-agent" / "journal.jsonl").exists()


def test_an_unknown_act_is_a_usage_error(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(root, capsys, CARD, "approve")
    assert code == 2
    assert "needs-proof" in err


def test_what_a_terminal_would_act_on_is_shown_as_text(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(root, capsys, CARD, "accept", "--reviewer", "Eve\x1b[31m")
    assert "\x1b" not in out
    assert "Eve" in out


def test_undo_says_that_the_card_is_open_again(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(root, capsys, CARD, "accept")
    assert run(root, capsys, CARD, "undo")[1] == f"{CARD[:8]} is open again, by Ada <ada@example.com>\n"


def test_a_reviewer_whom_git_does_not_know_is_told_once(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("review_agent.git.Git.identity", lambda self: "unknown")
    code, out, err = run(root, capsys, CARD, "accept")
    assert (code, out) == (0, f"{CARD[:8]} is accepted, by unknown\n")
    assert err == "review-agent: recorded as `unknown`: set git's user.name or give --reviewer\n"
    assert run(root, capsys, CARD, "undo", "--reviewer", "unknown")[2] == ""
    assert run(root, capsys, CARD, "accept")[2] == "", "it is said once in a day's work"


def test_help_lists_the_reason_codes(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(root, capsys, "--help")
    assert code == 0
    assert "path_unreachable" in out
    assert "intended" in out
    assert "say what in the comment" in out


def test_a_secret_in_a_comment_or_a_name_does_not_reach_the_journal(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "AKIA" + "QWERTYUIOP234567"
    code, out, err = run(root, capsys, CARD, "accept", "--comment", f"seen with {key}", "--reviewer", f"r {key}")
    assert code == 0
    assert key not in out + err + (root / ".review-agent/journal.jsonl").read_text()


def test_a_decision_that_the_reviewer_has_not_seen_is_not_decided_over(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(root, capsys, CARD, "accept", "--decision-seen", "none")[0] == 0
    code, _, err = run(root, capsys, CARD, "revoke", "--decision-seen", "none")
    assert (code, "since you saw it: `accept` by Ada" in err) == (2, True)
    (accepted,) = Journal(root / ".review-agent" / "journal.jsonl").read()
    assert run(root, capsys, CARD, "revoke", "--decision-seen", accepted["decisionId"][:8])[0] == 0

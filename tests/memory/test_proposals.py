"""Suppression for a whole team is proposed as a change of policy, and only that."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from decided import act, reject

from review_agent.cli import main
from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.memory.proposals import changed, policy_diff, proposals
from review_agent.policy.check import check_file
from review_agent.policy.load import load
from review_agent.resources import shipped

TODAY = date(2026, 11, 30)
POLICY = load()
SHIPPED = (shipped("policy") / "queue.yml").read_text(encoding="utf-8")


def finding(n: int) -> dict[str, Any]:
    return {"fingerprint": f"{n:032x}", "evidence": f"{n:032x}", "layer": "team", "path": f"src/f{n}.py"}


def thrice(**changes: Any) -> list[dict[str, Any]]:
    return [reject(f"c{n}", **{**finding(n), **changes}) for n in range(3)]


def test_a_rule_that_is_rejected_for_the_teams_reasons_makes_a_proposal() -> None:
    (one,) = proposals(thrice(), TODAY, POLICY)
    assert (one.rule, len(one.rejections), one.accepted) == ("r", 3, 0)
    assert [decision["cardId"] for decision in one.decisions] == ["c0", "c1", "c2"]


def test_what_speaks_against_it_is_counted() -> None:
    (one,) = proposals([*thrice(), act("accept", "c9", **finding(9))], TODAY, POLICY)
    assert one.accepted == 1


@pytest.mark.parametrize(
    "records",
    [
        thrice()[:2],
        thrice(layer="retrieval", reasonCode="path_unreachable"),
        thrice(until="2026-12-24", reasonCode="deferred"),
        [*thrice(), act("reopen", "c1", **finding(1))],
    ],
    ids=["too few", "not the team's reason", "for a while only", "taken back"],
)
def test_others_make_none(records: list[dict[str, Any]]) -> None:
    assert proposals(records, TODAY, POLICY) == []


def test_one_finding_that_is_rejected_again_and_again_makes_one() -> None:
    again = [reject(f"c{n}", **{**finding(1), "evidence": f"{n:032x}"}) for n in range(3)]
    (one,) = proposals(again, TODAY, POLICY)
    assert len({rejection.fingerprint for rejection in one.rejections}) == 1
    assert len(one.rejections) == 3, "one entry for each evidence"


@pytest.mark.parametrize("text", [SHIPPED, "minutesPerDay: 30\n", "suppressed:\n", "", SHIPPED.rstrip("\n")])
def test_the_changed_policy_is_a_policy_and_proposes_no_more(text: str) -> None:
    made = proposals(thrice(comment='a "hostile": [comment]\n- x'), TODAY, POLICY)
    value, problems = check_file("queue.yml", changed(text, made).encode())
    assert not problems
    assert len(value.suppressed) == 3
    assert value.suppressed[0].why == 'a "hostile": [comment]\n- x'
    assert proposals(thrice(), TODAY, POLICY.model_copy(update={"queue": value})) == []
    further = proposals([reject(f"d{n}", **finding(n)) for n in range(4, 7)], TODAY, POLICY)
    both, problems = check_file("queue.yml", changed(changed(text, made), further).encode())
    assert not problems
    assert len(both.suppressed) == 6


def test_the_diff_applies(repo: Any) -> None:
    made = proposals(thrice(), TODAY, POLICY)
    for current in (None, SHIPPED):
        if current is not None:
            repo.write(".github/review-agent/queue.yml", current)
        repo.write("proposal.diff", policy_diff(current, made))
        repo.git("apply", "proposal.diff")
        text = (repo.root / ".github/review-agent/queue.yml").read_text(encoding="utf-8")
        assert text == changed(current or "", made)


KNOWN = {"fingerprint": "a" * 32, "evidence": "b" * 32, "decision": "d", "reason": "r", "day": "2026-11-29", "why": "w"}
ENTRY = "".join(f"  {name}: {value}\n" for name, value in KNOWN.items())


@pytest.mark.parametrize(
    "text",
    [
        f"suppressed:\n- {ENTRY[2:]}minutesPerDay: 30\n",
        f"# Ours\nminutesPerDay: 30\nsuppressed: [{json.dumps(KNOWN)}]\n",
        f"minutesPerDay: 30\nsuppressed:\n- {ENTRY[2:]}".rstrip("\n"),
        "minutesPerDay: 30\nsuppressed: []",
        "minutesPerDay: 30",
    ],
    ids=["not indented", "one line", "no end", "empty, no end", "none, no end"],
)
def test_the_diff_applies_to_whatever_the_team_wrote(repo: Any, text: str) -> None:
    made = proposals(thrice(comment="ship it \U0001f680"), TODAY, POLICY)
    file = repo.root / ".github/review-agent/queue.yml"
    repo.write(".github/review-agent/queue.yml", text)
    repo.write("proposal.diff", policy_diff(text, made))
    repo.git("apply", "proposal.diff")
    value, problems = check_file("queue.yml", file.read_bytes())
    assert not problems
    assert value.minutes_per_day == 30
    assert [one.why for one in value.suppressed if one.decision != "d"] == ["ship it \U0001f680"] * 3
    assert len(value.suppressed) == (4 if "fingerprint" in text else 3)
    assert file.read_text(encoding="utf-8").startswith("# Ours") is text.startswith("# Ours")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    assert left.value.code == 0
    return capsys.readouterr().out


def test_the_command_shows_the_diff_and_changes_nothing(repo: Any, capsys: pytest.CaptureFixture[str]) -> None:
    repo.commit("base")
    journal = Journal(repo.root / ".review-agent" / JOURNAL_FILE)
    journal.append_many(lambda before: thrice(comment="we \x1b[31mmean\x1b[0m it"))
    before = {path: path.read_bytes() for path in files(repo.root)}
    said = run(capsys, "memory", "propose", "--repo", str(repo.root))
    assert "r: 3 findings rejected for the team's own reasons, 0 accepted" in said
    assert "+++ b/.github/review-agent/queue.yml" in said
    assert "\x1b" not in said
    assert {path: path.read_bytes() for path in files(repo.root)} == before


def files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file() and ".git/" not in str(path)]


def test_list_and_show_tell_what_became_of_a_finding(repo: Any, capsys: pytest.CaptureFixture[str]) -> None:
    repo.commit("base")
    journal = Journal(repo.root / ".review-agent" / JOURNAL_FILE)
    journal.append_many(lambda before: [*thrice(), act("accept", "c9", **finding(9))])
    where = ("--repo", str(repo.root))
    assert len(run(capsys, "memory", "list", *where).splitlines()) == 4
    (line,) = run(capsys, "memory", "list", "--became", "accepted", *where).splitlines()
    assert "accepted" in line
    assert "src/f9.py" in line
    page = run(capsys, "memory", "show", finding(1)["fingerprint"], *where)
    assert "rejected (intended)" in page
    assert "by Ada" in page

"""``decide`` on several cards, from a file, and with proofs: what is said, what is recorded, what is refused."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from made_runs import card, sha, started, write_phases, write_run

from review_agent import cli
from review_agent.adjudication import decide
from review_agent.appendlog import state_folder
from review_agent.journal import Journal
from review_agent.ledger.store import Ledger
from review_agent.runlog import RunLog, run_file_name
from review_agent.vocabulary import Act, Phase

pytestmark = pytest.mark.slow

IDS = [card(sha("review", 1), n).card_id for n in range(3)]
KEY = "AKIA" + "QWERTYUIOP234567"


@pytest.fixture
def root(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cli, "COMMANDS", ("cards", "decide"))
    repo.write("a.py", "x = 1\n")
    repo.commit("start")
    repo.git("config", "user.name", "Ada")
    repo.git("config", "user.email", "ada@example.com")
    write_run(repo.root / ".review-agent", cards=3)
    return repo.root


def run(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        cli.main(["decide", *arguments, "--repo", str(root)])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


def journal(root: Path) -> list[dict[str, Any]]:
    return list(Journal(root / ".review-agent" / "journal.jsonl").read())


def test_several_cards_are_named_and_the_act_stands_anywhere(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(root, capsys, IDS[0][:9], "reject", IDS[1], "--reason", "intended")
    assert code == 0
    assert out.splitlines()[:2] == [f"{one[:8]} is rejected (intended), by Ada <ada@example.com>" for one in IDS[:2]]
    batch = journal(root)[0]["batch"]
    assert out.splitlines()[2] == f"2 cards as one act: `review-agent decide undo --batch {batch}`"
    code, out, _ = run(root, capsys, "undo", "--batch", batch[:8], "--format", "json")
    assert code == 0
    assert json.loads(out) == journal(root)[2:]


def test_a_rule_or_a_finding_picks_the_cards_that_take_the_act(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(root, capsys, IDS[0], "accept")
    code, out, _ = run(root, capsys, "accept", "--rule", "key_component_removed")
    assert (code, len(out.splitlines())) == (0, 3)
    code, _, err = run(root, capsys, "accept", "--rule", "key_component_removed")
    assert code == 2
    assert "no card of the rule 'key_component_removed' takes accept" in err
    code, out, _ = run(root, capsys, "revoke", "--fingerprint", card(sha("review", 1), 2).fingerprint[:8])
    assert (code, out.split()[0]) == (0, IDS[2][:8])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no act is named"),
        (["accept"], "no card is named"),
        ([IDS[0]], "no act is named"),
        ([IDS[0]], f"`review-agent decide {IDS[0]} accept`, or in its place `reject --reason CODE`"),
        (
            [IDS[0][:8], "acept"],
            f"'acept' is no act; `accept` is one\n  next   `review-agent decide {IDS[0][:8]} accept`",
        ),
        (
            [IDS[0][:8], "fly"],
            f"'fly' is no act\n  next   `review-agent decide {IDS[0][:8]} accept`, or in its place `reject",
        ),
        (["reject"], "`review-agent decide CARD reject --reason CODE`"),
        ([IDS[0], "accept", "reject"], "accept and reject are several acts"),
        ([IDS[0], "accept", "--rule", "r"], "cards are picked in one way only"),
        (["accept", "--rule", "r", "--batch", "b"], "cards are picked in one way only"),
        ([IDS[0], IDS[1], "accept", "--card-version", "v"], "a version is that of one card"),
        ([IDS[0], IDS[1], "attach", "--result", "pass"], "a result is attached card by card"),
        ([IDS[0], "accept", "--job", "j"], "not with accept"),
        ([IDS[0], "needs-proof", "--result", "pass"], "no result yet"),
        ([IDS[0], "attach", "--run", "--log", "x"], "gives its own log"),
        (
            [IDS[0], "attach"],
            "how did the job end?\n  next   --result pass (what the card claims does not show) or fail (it does)",
        ),
        ([IDS[0], "attach", "--result", "pass"], "is open: no proof is asked for"),
        ([IDS[0], "reject", "--reason", "deferred", "--until", "soon"], "'soon' is no date"),
        ([IDS[0], "accept", "--card-version", "old"], "has changed since you saw it"),
        ([IDS[0], "accept", "--from", "x"], "name cards and acts themselves"),
        (["--from", "/no/such/file"], "cannot read the decisions"),
        (
            [IDS[0][:3], "accept"],
            f"'{IDS[0][:3]}' is too short to decide by\n  next   give at least 4 characters of an id",
        ),
        ([IDS[0], IDS[1][:1], "accept"], f"'{IDS[1][:1]}' is too short to decide by"),
        (["accept", "--fingerprint", "a"], "'a' is too short to decide by"),
        (["undo", "--batch", "abc"], "'abc' is too short to decide by"),
        ([IDS[0], IDS[1], "reject", "--reason", "rain"], "review-agent: the policy has no reason code 'rain'\n"),
        (
            [IDS[0], IDS[1], "reject"],
            "a rejection needs a reason code\n  next   reason codes of the policy: path_unreachable",
        ),
        (["reject", "--rule", "key_component_removed"], "review-agent: a rejection needs a reason code\n"),
        (["accept", "--rule", "key_component"], "there is no card of the rule 'key_component'"),
        (["undo", "--batch", "abcd"], "there is no card of the batch 'abcd'"),
    ],
)
def test_what_does_not_go_together_is_refused(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    code, out, err = run(root, capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert journal(root) == []


LINES = [
    {"cardId": IDS[0], "act": "accept", "seconds": 3},
    {"cardId": IDS[0], "act": "undo", "comment": f"seen {KEY}"},
    {"cardId": IDS[1], "act": "needs-proof"},
    {"cardId": IDS[2], "act": "reject", "reasonCode": "deferred", "until": "2999-01-01", "reviewer": "Bob"},
]
WRONG = [
    "[1]",
    "{",
    '{"cardId": "zz", "act": "accept"}',
    '{"cardId": "zzzz", "act": "accept"}',
    {"cardId": IDS[0], "act": "supersede"},
    {"cardId": IDS[0], "act": "accept", "verdict": 1},
    '{"act": "accept"}',
]


def written(tmp_path: Path, *lines: Any) -> str:
    path = tmp_path / "list.jsonl"
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines) + "\n")
    return str(path)


def test_a_file_of_decisions_is_told_line_by_line(
    root: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, _ = run(root, capsys, "--from", written(tmp_path, *LINES[:2], "", *WRONG, *LINES[2:]))
    assert code == 2
    said = out.splitlines()
    assert said[0] == f"line 1: {IDS[0][:8]} is accepted, by Ada <ada@example.com>"
    assert [line.split(": refused: ")[0] for line in said if "refused: " in line] == [f"line {n}" for n in range(4, 11)]
    for text in (
        "no JSON object",
        "not JSON",
        "'zz' is too short to decide by (give at least 4 characters of an id",
        "no card 'zzzz'",
        "'supersede' is no act",
        "verdict: Extra",
        "cardId: Field",
    ):
        assert text in out
    assert said[-1] == "4 decisions recorded, 7 refused"
    assert [one["act"] for one in journal(root)] == ["accept", "reopen", "needs_proof", "reject"]
    assert (journal(root)[3]["reviewer"], journal(root)[3]["until"]) == ("Bob", "2999-01-01")
    assert KEY not in (root / ".review-agent/journal.jsonl").read_text()


def test_an_atomic_file_is_taken_whole_or_not_at_all(
    root: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for wrong in (WRONG[0], {"cardId": IDS[1], "act": "revoke"}, {"cardId": "zz", "act": "accept"}):
        code, out, _ = run(root, capsys, "--atomic", "--from", written(tmp_path, *LINES, wrong))
        assert code == 2
        assert "line 1: not recorded, as another line is refused" in out
        assert out.splitlines()[-1] == "0 decisions recorded, 1 refused"
        assert journal(root) == []
    assert run(root, capsys, "--atomic", "--from", written(tmp_path, *LINES))[0] == 0
    assert len(journal(root)) == len(LINES)


def test_decisions_come_from_stdin_and_go_out_as_json(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\n".join(map(json.dumps, LINES[:1])) + "\n[]\n"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    code, out, _ = run(root, capsys, "--from", "-", "--format", "json")
    told = json.loads(out)
    assert (code, told["recorded"], told["refused"]) == (2, 1, 1)
    assert told["lines"][0] == {"line": 1, "decision": journal(root)[0], "refused": None}
    assert "no JSON object" in told["lines"][1]["refused"]["message"]


def test_an_empty_file_is_no_list_of_decisions(root: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(root, capsys, "--from", written(tmp_path, ""))
    assert code == 2
    assert "holds no decision" in err


CATALOG = """
- id: look
  kind: test
  kinds: [cache_key]
  procedure: "git grep -n tenant"
  argv: [git, grep, -n, tenant]
  failCodes: []
  signal: "A line confirms."
- id: by-hand
  kind: manual-check
  kinds: [cache_key]
  procedure: "Look at it."
  signal: "You see."
- id: theirs
  kind: test
  kinds: [cache_key]
  procedure: "sh check.sh"
  argv: [sh, check.sh]
  runsChangedCode: true
  signal: "It fails."
"""


@pytest.fixture
def proving(repo: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Path, str, str]:
    """A repository whose head is reviewed, the card, and a policy with jobs."""
    monkeypatch.setattr(cli, "COMMANDS", ("cards", "decide"))
    repo.write("a.py", f"tenant = '{KEY}'\n")
    repo.write("check.sh", f"touch {tmp_path}/ran; exit 1\n")
    head = repo.commit("head")
    folder = tmp_path / "policy"
    folder.mkdir()
    (folder / "validation-catalog.yml").write_text(CATALOG)
    review = sha("review", 9)
    path = state_folder(repo.root / ".review-agent") / "runs" / run_file_name(review)
    with RunLog.create(path, {**started(review), "head": head}, "attempt") as log:
        write_phases(log, review, 1, "Removing `tenant.id` is seen", list(Phase))
    return repo.root, card(review, 0).card_id, str(folder)


def test_a_proof_is_asked_for_attached_and_comes_back_with_the_card(
    proving: tuple[Path, str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    root, card_id, policy = proving
    with_policy = ("--policy", policy, "--reviewer", "Ada")
    log = tmp_path / "log.txt"
    log.write_bytes(f"failed with {KEY}\n\xff".encode("latin-1"))
    assert run(root, capsys, card_id, "needs-proof", "--job", "nope", *with_policy)[2].count("jobs that do: look") == 1
    out = run(root, capsys, card_id, "needs-proof", "--job", "by-hand", *with_policy)[1]
    assert out == f"{card_id[:8]} needs proof: by-hand, by Ada\n"
    assert (
        "is 'by-hand', not 'look'"
        in run(root, capsys, card_id, "attach", "--job", "look", "--result", "pass", *with_policy)[2]
    )
    code, out, _ = run(root, capsys, "attach", card_id, "--result", "fail", "--log", str(log), *with_policy)
    assert (code, out) == (0, f"{card_id[:8]} is open again: by-hand gave fail, by Ada\n")
    proof = journal(root)[-1]["proof"]
    assert (proof["job"], proof["result"], proof["logBytes"]) == ("by-hand", "fail", log.stat().st_size)
    assert KEY not in json.dumps(journal(root))
    assert "failed with [masked:" in proof["log"]


def test_a_line_of_a_file_may_ask_for_proof_and_bring_it(
    proving: tuple[Path, str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    root, card_id, policy = proving
    lines = [
        {"cardId": card_id, "act": "needs-proof", "proof": {"job": "nope"}},
        {"cardId": card_id, "act": "needs-proof", "proof": {"job": "look", "log": "none yet"}},
        {"cardId": card_id, "act": "attach", "proof": {"job": "look", "result": "fail", "log": f"saw {KEY}"}},
    ]
    code, out, _ = run(root, capsys, "--from", written(tmp_path, *lines), "--policy", policy, "--reviewer", "Ada")
    assert code == 2
    assert "line 1: refused: the catalogue has no job 'nope' (jobs that do: look, by-hand, theirs)" in out
    asked, attached = (one["proof"] for one in journal(root))
    assert (asked["job"], asked["log"]) == ("look", None)
    assert (attached["result"], attached["logBytes"]) == ("fail", len(f"saw {KEY}"))
    assert KEY not in json.dumps(journal(root))


def test_a_job_is_run_and_its_result_attached_only_where_its_code_says_one(
    proving: tuple[Path, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    root, card_id, policy = proving
    with_policy = ("--policy", policy, "--reviewer", "Ada")
    code, out, _ = run(root, capsys, card_id, "needs-proof", "--run", "--job", "look", *with_policy)
    assert (code, out.splitlines()) == (
        0,
        [f"{card_id[:8]} needs proof: look, by Ada", f"{card_id[:8]} is open again: look gave pass, by Ada"],
    )
    proof = journal(root)[-1]["proof"]
    assert proof["log"].startswith("a.py:1:tenant = '[masked:")
    assert run(root, capsys, card_id, "needs-proof", *with_policy)[2] == (
        "review-agent: jobs that settle it: look, by-hand\n"
    )
    assert (
        "the job says pass itself"
        in run(root, capsys, card_id, "attach", "--run", "--job", "look", "--result", "fail", *with_policy)[2]
    )
    assert "is for people" in run(root, capsys, card_id, "attach", "--run", "--job", "by-hand", *with_policy)[2]
    assert len(journal(root)) == 3


def test_a_job_run_without_a_result_leaves_its_request_and_the_way_on(
    proving: tuple[Path, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    root, card_id, policy = proving
    catalog = Path(policy) / "validation-catalog.yml"
    catalog.write_text(CATALOG.replace("failCodes: []", "passCodes: []\n  failCodes: []"))
    with_policy = ("--policy", policy, "--reviewer", "Ada")
    code, out, err = run(root, capsys, card_id, "needs-proof", "--run", "--job", "look", *with_policy)
    assert (code, out.splitlines()[0].startswith("a.py:1:")) == (2, True)
    assert f"the request is recorded: {card_id[:8]} needs proof by look" in err
    assert f"`review-agent decide {card_id[:8]} attach --job look --result pass` (what the card claims does not" in err
    assert "or `--result fail` (it does)" in err
    assert [one["act"] for one in journal(root)] == ["needs_proof"]
    assert run(root, capsys, card_id[:8], "attach", "--job", "look", "--result", "pass", *with_policy)[0] == 0


def test_a_result_by_other_means_and_one_of_a_job_that_the_policy_has_lost_are_attached(
    proving: tuple[Path, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    root, card_id, policy = proving
    with_policy = ("--policy", policy, "--reviewer", "Ada")
    run(root, capsys, card_id, "needs-proof", *with_policy)
    attach = (card_id, "attach", "--result", "fail", *with_policy)
    assert "--job 'by hand' is what you found" in run(root, capsys, *attach)[2]
    assert "no job 'nope'" in run(root, capsys, *attach, "--job", "nope")[2]
    assert run(root, capsys, *attach, "--job", "by hand")[0] == 0
    run(root, capsys, card_id, "needs-proof", "--job", "theirs", *with_policy)
    (Path(policy) / "validation-catalog.yml").write_text(CATALOG[: CATALOG.index("- id: theirs")])
    assert "is 'theirs', not 'by hand'" in run(root, capsys, *attach, "--job", "by hand")[2]
    assert run(root, capsys, *attach)[0] == 0
    assert [one["proof"]["job"] for one in journal(root) if one["act"] == "attach"] == ["by hand", "theirs"]


def test_code_of_the_change_runs_only_where_policy_and_caller_say_so(
    proving: tuple[Path, str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    root, card_id, policy = proving
    asked = (card_id, "needs-proof", "--job", "theirs", "--run", "--policy", policy, "--reviewer", "Ada")
    allow = "--allow-running-changed-code"
    assert "the policy does not allow that" in run(root, capsys, *asked, allow)[2]
    assert journal(root) == []
    (Path(policy) / "jobs.yml").write_text(
        "allowRunningChangedCode: true\nseconds: 20\noutputBytes: 65536\nlogCharacters: 1000\n"
    )
    assert allow in run(root, capsys, *asked)[2]
    assert not (tmp_path / "ran").exists()
    code, out, _ = run(root, capsys, *asked, allow)
    assert (code, "theirs gave fail" in out) == (0, True)
    assert (tmp_path / "ran").exists()


def test_attach_says_which_acts_lead_to_it(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = IDS[0][:8]
    run(root, capsys, name, "accept")
    code, _, err = run(root, capsys, name, "attach", "--result", "pass")
    assert code == 2
    assert f"{name} is accepted: no proof is asked for" in err
    assert f"`review-agent decide {name} undo`, then `review-agent decide {name} needs-proof --job ID`" in err
    for words in (["undo"], ["needs-proof"], ["attach", "--job", "by hand", "--result", "pass"]):
        assert run(root, capsys, name, *words)[0] == 0, words


def test_a_line_without_an_act_says_so(root: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(root, capsys, "--from", written(tmp_path, {"cardId": IDS[0]}))
    assert code == 2
    assert "line 1: refused: it names no act" in out
    assert "None" not in out


def test_a_card_that_moved_since_the_rule_was_listed_refuses_the_whole_act(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Ledger.alike

    def and_meanwhile(self: Ledger, states: Any, **by: str) -> Any:
        listed = real(self, states, **by)
        for act in (Act.ACCEPT, Act.REOPEN):  # it is open again, and has been decided on
            said = {"reason_code": None, "comment": None, "reviewer": "Otto", "policy_reason_codes": ()}
            decide(self.state_dir, IDS[1], act, **said)
        return listed

    monkeypatch.setattr(Ledger, "alike", and_meanwhile)
    code, _, err = run(root, capsys, "accept", "--rule", "key_component_removed")
    assert code == 2
    assert f"1 of 3 cards cannot take it, so none does: {IDS[1][:8]} has been decided on since you saw it" in err
    assert [one["reviewer"] for one in journal(root)] == ["Otto", "Otto"]

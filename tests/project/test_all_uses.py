"""All uses end to end: two commits, `check` in a fresh clone, its artifact taken in elsewhere, decisions, `metrics`.

Every figure is counted by hand, from the change below: four calls that break, one that was adapted, one lock file.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from review_agent.vocabulary import digest

pytestmark = pytest.mark.slow

NAMES = ("price", "stock", "ship", "refund", "tax")
SPACE = "\n" * 9
API = SPACE.join(f"def {name}(order):\n    return order\n" for name in NAMES)
USER = SPACE.join(f"def use_{name}(order):\n    return {name}(order)\n" for name in NAMES[:4])
TILL = "from shop.api import tax\n\n\ndef till(order):\n    return tax(order)\n"
# All five ask for more than they did; of their callers only that of `tax` is adapted.
CHANGED = API.replace("(order)", "(order, place)")


def run(cwd: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The product as a process of its own, in an environment without a home or a CI of the test's."""
    known = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    root = str(Path(__file__).resolve().parents[2])
    return subprocess.run(
        [sys.executable, "-P", "-m", "review_agent.cli", *arguments],
        cwd=cwd,
        env={**known, "HOME": str(cwd), "PYTHONPATH": root, "COLUMNS": "110", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def done(cwd: Path, *arguments: str, **environment: str) -> str:
    ended = run(cwd, *arguments, **environment)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture
def uses(repo, tmp_path) -> SimpleNamespace:
    """Two commits; what CI told of them in a fresh clone; its artifact as it was downloaded; a reviewer's clone."""
    repo.git("branch", "-m", "trunk")
    user = f"from shop.api import {', '.join(NAMES[:4])}\n\n\n{USER}"
    for path, text in (("shop/__init__.py", ""), ("shop/api.py", API), ("shop/user.py", user), ("uv.lock", "1\n")):
        repo.write(path, text)
    repo.write("shop/till.py", TILL)
    # Which findings the audit draws hangs on the policy's hash, and would change the figures by chance.
    repo.write(".github/review-agent/queue.yml", "auditPercent: 0\n")
    base = repo.commit("first")
    repo.git("switch", "-q", "-c", "change")
    repo.write("shop/api.py", CHANGED)
    repo.write("shop/till.py", TILL.replace("tax(order)\n", "tax(order, 'here')\n"))
    repo.write("uv.lock", "2\n")
    head = repo.commit("second")
    runner, desk, download = tmp_path / "runner", tmp_path / "desk", tmp_path / "download"
    for target in (runner, desk):
        repo.git("clone", "-q", str(repo.root), str(target))
    event = {
        "repository": {"default_branch": "trunk"},
        "pull_request": {"number": 7, "base": {"sha": base}, "head": {"sha": head}},
    }
    (tmp_path / "event.json").write_text(json.dumps(event))
    page = tmp_path / "page.md"
    shown = done(
        runner,
        *("check", "--format", "json"),
        GITHUB_ACTIONS="true",
        GITHUB_EVENT_NAME="pull_request",
        GITHUB_EVENT_PATH=str(tmp_path / "event.json"),
        GITHUB_STEP_SUMMARY=str(page),
    )
    shutil.copytree(runner / ".review-agent/artifact", download)
    return SimpleNamespace(desk=desk, download=download, summary=json.loads(shown), page=page.read_text())


def metrics(desk: Path) -> dict[str, Any]:
    return json.loads(done(desk, "metrics", "--format", "json"))


def share(hits: int, of: int) -> tuple[int, int]:
    return hits, of


def counts(figure: dict[str, Any]) -> tuple[int, int]:
    return figure["hits"], figure["of"]


def cards(desk: Path) -> dict[str, str]:
    """Ids of the cards by the function that they are about."""
    listed = json.loads(done(desk, "cards", "list", "--format", "json"))
    rows = listed["cards"] if isinstance(listed, dict) else listed
    found = {}
    for row in rows:
        card = row.get("card", row)
        found[next(name for name in NAMES if f"`{name}`" in card["claim"])] = card["cardId"]
    return found


def by_command(uses: SimpleNamespace, card: str) -> None:
    done(uses.desk, "decide", card, "accept", "--reviewer", "Rita", "--seconds", "20")


def decided(uses: SimpleNamespace, accept: Callable[[SimpleNamespace, str], None]) -> dict[str, Any]:
    """The whole way: ingested, one card accepted by ``accept``, one by command, one rejected, one left; the figures."""
    assert "1 run added" in done(uses.desk, "ledger", "ingest", str(uses.download))
    found = cards(uses.desk)
    assert found.keys() == set(NAMES[:4])
    accept(uses, found["price"])
    done(uses.desk, "decide", found["stock"], "accept", "--reviewer", "Otto")
    done(uses.desk, "decide", found["ship"], "reject", "--reason", "pre_existing", "--reviewer", "Otto")
    return metrics(uses.desk)


def check_figures(figures: dict[str, Any]) -> None:
    assert (figures["runs"], figures["incompleteRuns"]) == (1, 0)
    assert counts(figures["accepted"]) == share(2, 3)
    assert figures["undecided"] == 1
    assert [(row["severity"], counts(row["accepted"]), row["undecided"]) for row in figures["acceptance"]] == [
        ("blocking", share(2, 3), 1),
        ("important", share(0, 0), 0),
        ("suggestion", share(0, 0), 0),
    ]
    assert figures["accepted"]["rate"] == pytest.approx(2 / 3, abs=1e-3)
    assert counts(figures["scopeInflation"]) == share(1, 3), "`pre_existing` is not about the change"
    assert figures["reasons"] == [{"layer": "edits", "rejections": 1, "codes": {"pre_existing": 1}}]
    assert counts(figures["evidence"]) == share(6, 6)
    assert figures["recall"] is None
    assert {row["source"]: row["silenced"] for row in figures["audit"]} == {
        "no_finding": 0,  # the one there was no candidate for is none that can be drawn
        "refuted": 1,
        "suppressed": 0,
    }
    assert figures["cost"] == {"usd": None, "unknownRuns": 1}


def test_what_ci_tells_is_as_counted_by_hand(uses):
    made = uses.summary
    assert (made["pr"], made["source"], made["stage"]) == ("7", "GitHub pull_request", "hidden")
    assert made["run"]["status"] == "complete"
    assert (made["coverage"]["files"], made["coverage"]["filesExamined"], made["coverage"]["filesSkipped"]) == (3, 2, 1)
    assert made["cards"] == {"blocking": 4}
    assert made["noFindings"] == {"no_candidate": 1, "refuted": 1}, "one call was adapted; no release has the old form"
    assert made["skipped"] == {"lock_file": 1}
    assert (made["rejections"], made["unanswered"], made["suppressed"]) == (0, 0, 0)
    assert made["spend"]["questions"] == 6
    assert "## review-agent: complete, 4 cards, pull request 7" in uses.page
    assert "use\\_" not in uses.page
    assert "use_" not in uses.page


def test_from_two_commits_to_metrics_by_command(uses):
    check_figures(figures := decided(uses, by_command))
    assert (figures["timedDecisions"], figures["secondsToDecide"]) == (1, 20)


def test_from_two_commits_to_metrics_in_the_panel(uses, serving, tab):
    def in_the_panel(uses: SimpleNamespace, card: str) -> None:
        page = tab(serving(uses.desk, "--reviewer", "Rita").url)
        for _ in NAMES:
            if card.startswith(page.card()):
                break
            page.press("j")
        assert card.startswith(page.card())
        page.press("a")

    check_figures(figures := decided(uses, in_the_panel))
    assert figures["timedDecisions"] == 1
    assert figures["secondsToDecide"] > 0


def line_of_the_diff(events: list[dict[str, Any]]) -> None:
    files = [event["data"] for event in events if event["type"] == "file"]
    lines = [line for file in files for hunk in file["hunks"] for line in hunk["lines"]]
    next(line for line in lines if line["tag"] == "+")["text"] += "  # a comment that nobody wrote"


def excerpt(events: list[dict[str, Any]]) -> None:
    bundle = next(event["data"] for event in events if event["type"] == "bundle" and event["data"]["evidence"])
    bundle["evidence"][0]["text"] = bundle["evidence"][0]["text"].replace("order", "other")


def quote(events: list[dict[str, Any]]) -> None:
    """The excerpt, the hash of what it reads now, every reference to it, and the versions of the cards."""
    bundle = next(event["data"] for event in events if event["type"] == "bundle" and event["data"]["evidence"])
    one = bundle["evidence"][0]
    one["text"] = one["text"].replace("order", "other")
    false = {**one["ref"], "quoteSha256": hashlib.sha256(f"{one['text']}\n".encode()).hexdigest()}
    events[:] = json.loads(json.dumps(events).replace(json.dumps(one["ref"]), json.dumps(false)))
    for event in events:
        if event["type"] in ("passed", "card"):
            content = {name: value for name, value in event["data"].items() if name != "cardVersion"}
            event["data"]["cardVersion"] = digest(content)[:16]


def no_finding(events: list[dict[str, Any]]) -> None:
    """What was refuted is told for another reason, and the answer with it."""
    told = next(event["data"] for event in events if event["type"] == "no_finding")
    asked = {event["data"]["requestId"]: event["data"]["questionId"] for event in events if event["type"] == "request"}
    for event in events:
        if event["type"] == "answer" and asked[event["data"]["requestId"]] == told["questionId"]:
            told["detail"] = event["data"]["noFinding"]["detail"] = "nobody calls it"


HELD_TOGETHER: dict[str, Callable[[list[dict[str, Any]]], None]] = {
    "a line of the diff": line_of_the_diff,
    "an excerpt": excerpt,
    "a quote and its hash": quote,
    "a no-finding and its answer": no_finding,
}


def forged(lines: list[str], how: str) -> list[str]:
    """The artifact as somebody who wants it otherwise would hand it in."""
    events = [json.loads(line) for line in lines]
    if how == "a claim":
        event = next(event for event in events if event["type"] == "card")
        event["data"]["claim"] = event["data"]["claim"].replace("shop/user.py", "shop/other.py")
    elif how == "the head":
        events[0]["data"]["head"] = "f" * 40
    elif how == "the line":
        events[0]["data"]["line"] = {"of": "branch trunk", "scope": "range"}
    elif how == "a line left out":
        del events[5]
    elif how == "a card less":
        events = [event for event in events if event["type"] != "card"]
        events = [{**event, "seq": n} for n, event in enumerate(events)]
    elif how == "another verdict":
        event = next(event for event in events if event["type"] == "run_ended")
        event["data"]["spend"]["queries"] += 1
    elif how in HELD_TOGETHER:
        HELD_TOGETHER[how](events)
        # Another start makes it another run, so that no log that is here already gives the lie away.
        events[0]["at"] = "2026-01-02T03:04:05.678+00:00"
    return [json.dumps(event, ensure_ascii=False) for event in events]


EVERY_CARD = ("cards", "list", "--state", "accepted", "--state", "rejected", "--state", "open", "--format", "json")
FORGERIES = ("a claim", "the head", "the line", "a line left out", "a card less", "another verdict", *HELD_TOGETHER)


def test_forged_and_repeated_artifacts_change_nothing(uses, tmp_path):
    before = decided(uses, by_command)
    listed = done(uses.desk, *EVERY_CARD)
    runs = uses.desk / ".review-agent/runs"
    held = {path.name: path.read_bytes() for path in runs.glob("*.jsonl")}
    (artifact,) = uses.download.iterdir()
    lines = artifact.read_text(encoding="utf-8").splitlines()
    box = tmp_path / "box"
    box.mkdir()
    for n, how in enumerate(FORGERIES):
        (box / f"{n}.jsonl").write_text("\n".join(forged(lines, how)) + "\n", encoding="utf-8")
    refused = run(uses.desk, "ledger", "ingest", str(box))
    assert refused.returncode == 2
    said = refused.stderr.splitlines()
    for n, how in enumerate(FORGERIES):
        (line,) = [one for one in said if f"{n}.jsonl is refused" in one]
        if how in HELD_TOGETHER:
            assert ("git has it otherwise" in line) == (how != "a no-finding and its answer"), line
            assert ": line " in line, "which line lies"
    again = tmp_path / "again"
    again.mkdir()
    shutil.copy(artifact, again / "20990101T000000.000000Z-another-name.jsonl")
    (again / "cut.jsonl").write_bytes(artifact.read_bytes()[:-40])
    for _ in range(2):
        assert "0 runs added" in done(uses.desk, "ledger", "ingest", str(again), str(artifact))
    assert {path.name: path.read_bytes() for path in runs.glob("*.jsonl")} == held
    assert metrics(uses.desk) == before
    assert done(uses.desk, *EVERY_CARD) == listed
    done(uses.desk, "ledger", "rebuild")
    assert metrics(uses.desk) == before

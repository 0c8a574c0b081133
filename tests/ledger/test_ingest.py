"""Run logs from elsewhere are taken in once, in any order; what does not hold together changes nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_store import dump

from review_agent.appendlog import Lock
from review_agent.demo import build
from review_agent.engines.rules import Rules
from review_agent.errors import UsageError
from review_agent.git import Git
from review_agent.ledger.store import Ledger
from review_agent.pipeline import Asked, Setup, review
from review_agent.policy.load import load
from review_agent.runlog import newest_unfinished
from review_agent.vocabulary import digest

pytestmark = pytest.mark.slow

Edit = Callable[[list[dict[str, Any]]], None]


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run log of a real review."""
    repo = tmp_path_factory.mktemp("demo") / "repo"
    base, head = build(repo)[:2]
    git = Git(repo)
    return review(Setup(git, load(git=git), Rules(), repo / ".review-agent", asked=Asked(base, head))).path


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "other" / ".review-agent")


def events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def written(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in records))
    return path


def first(records: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(one["data"] for one in records if one["type"] == kind)


def everything(ledger: Ledger) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(ledger.runs_dir.glob("*"))}


def test_a_run_log_is_taken_in_once_under_a_name_of_its_content(artifact: Path, ledger: Ledger, tmp_path: Path) -> None:
    evil = tmp_path / "in" / "=..evil\nname.jsonl"
    evil.parent.mkdir()
    shutil.copy(artifact, evil)
    found = ledger.ingest([evil])
    (name,) = found.added
    assert name.startswith(artifact.name[:15])
    assert name.split("-")[1] == artifact.stem.split("-")[1]
    assert (ledger.runs_dir / name).read_bytes() == artifact.read_bytes()
    cards = ledger.cards()
    assert cards
    before = dump(ledger.path), everything(ledger)
    again = ledger.ingest([tmp_path / "in", evil])
    assert (again.added, again.grown, again.known, again.refused) == ([], [], [name, name], [])
    assert (dump(ledger.path), everything(ledger)) == before


def test_ones_own_run_comes_back_as_known(artifact: Path) -> None:
    ledger = Ledger(artifact.parents[1])
    assert ledger.ingest([artifact]).known == [artifact.name]
    assert list(everything(ledger)) == [artifact.name]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0)])
def test_the_longest_version_of_a_killed_run_stays(
    artifact: Path, ledger: Ledger, tmp_path: Path, order: tuple[int, ...]
) -> None:
    data = artifact.read_bytes()
    for n, part in enumerate((data[: len(data) // 3], data[: len(data) // 2], data)):
        (tmp_path / f"{n}.jsonl").write_bytes(part)
    for n in order:
        assert ledger.ingest([tmp_path / f"{n}.jsonl"]).refused == []
    (only,) = everything(ledger).values()
    assert only == data
    live = dump(ledger.path)
    ledger.rebuild()
    assert dump(ledger.path) == live
    assert [run.status for run in ledger.runs()] == ["complete"]


def test_a_partial_run_is_incomplete_and_never_gone_on_with(artifact: Path, ledger: Ledger, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(artifact.read_bytes()[: artifact.stat().st_size // 2])
    (name,) = ledger.ingest([cut]).added
    (run,) = ledger.runs()
    assert (run.status, run.ended_at) == (None, None)
    assert newest_unfinished(ledger.runs_dir, run.review_id) is None
    lock = Lock(ledger.runs_dir / f"{name}.lock", transient=True)
    assert lock.acquire()
    (refused,) = ledger.ingest([artifact]).refused
    assert "just now" in refused.reason
    lock.release()
    assert ledger.ingest([artifact]).grown == [name]


def test_a_run_of_this_clone_is_never_replaced(artifact: Path, ledger: Ledger, tmp_path: Path) -> None:
    half = artifact.read_bytes()[: artifact.stat().st_size // 2]
    ledger.runs_dir.mkdir(parents=True)
    mine = ledger.runs_dir / artifact.name
    mine.write_bytes(half)
    (refused,) = ledger.ingest([artifact]).refused
    assert "is a run of this clone" in refused.reason
    assert mine.read_bytes() == half
    assert newest_unfinished(ledger.runs_dir, events(artifact)[0]["data"]["reviewId"]) == mine


def edited_claim(records: list[dict[str, Any]]) -> None:
    first(records, "card")["claim"] = "Nothing to see here"


def resealed_claim(records: list[dict[str, Any]]) -> None:
    card = first(records, "card")
    card["claim"] = "Nothing to see here"
    card["cardVersion"] = digest({name: value for name, value in card.items() if name != "cardVersion"})[:16]
    records[0]["attempt"] = "another"


def other_head(records: list[dict[str, Any]]) -> None:
    records[0]["data"]["head"] = "f" * 40


def lost_line(records: list[dict[str, Any]]) -> None:
    del records[5]


def lost_bundle(records: list[dict[str, Any]]) -> None:
    asked = first(records, "card")["questionId"]
    gone = next(n for n, one in enumerate(records) if one["type"] == "bundle" and one["data"]["questionId"] == asked)
    del records[gone]
    for seq, one in enumerate(records):
        one["seq"] = seq


def foreign_id(records: list[dict[str, Any]]) -> None:
    first(records, "card")["cardId"] = "0" * 32


def unknown_word(records: list[dict[str, Any]]) -> None:
    first(records, "card")["severity"] = "catastrophic"


def no_first(records: list[dict[str, Any]]) -> None:
    del records[0]


def no_identity(records: list[dict[str, Any]]) -> None:
    del records[0]["data"]["engine"]


def in_future(records: list[dict[str, Any]]) -> None:
    records[0]["at"] = "9999-01-01T00:00:00.000+00:00"


def no_time(records: list[dict[str, Any]]) -> None:
    records[0]["at"] = "../../../etc/passwd"


def no_coverage(records: list[dict[str, Any]]) -> None:
    first(records, "run_ended")["coverage"] = {"files": "many"}


def no_kinds(records: list[dict[str, Any]]) -> None:
    del first(records, "kinds")["asked"]


def one_kind(records: list[dict[str, Any]]) -> None:
    first(records, "kinds")["asked"] = "api_contract"


def odd_line(records: list[dict[str, Any]]) -> None:
    records[0]["data"]["line"] = {"of": 7, "scope": "range"}


def odd_memory(records: list[dict[str, Any]]) -> None:
    records[0]["data"]["remembered"] = {"rejections": 5}


def odd_rejection(records: list[dict[str, Any]]) -> None:
    records[0]["data"]["remembered"] = {"rejections": [{"fingerprint": "f"}]}


def no_memory(records: list[dict[str, Any]]) -> None:
    records[0]["data"]["remembered"] = ["f"]


def no_choice(records: list[dict[str, Any]]) -> None:
    del records[0]["data"]["chosen"]


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (odd_memory, "line 1: remembered: "),
        (odd_rejection, "line 1: remembered: evidence: Field required"),
        (no_memory, "line 1: remembered: it is no memory"),
        (no_choice, "line 1: run_started is of another shape"),
        (no_kinds, "line .*: kinds: it lacks 'asked'"),
        (one_kind, "line .*: kinds: asked is no list"),
        (odd_line, "line 1: run_started is of another shape"),
        (edited_claim, "line .*cardVersion is not that of its content"),
        (other_head, "line 1: its reviewId is not that of the commits"),
        (lost_line, "line 6: events are missing"),
        (lost_bundle, "lacks its question, bundle or hunk"),
        (foreign_id, "its cardId is not that"),
        (unknown_word, "severity: Input should be"),
        (no_first, "first line is not a whole run_started"),
        (no_identity, "line 1: run_started lacks 'engine'"),
        (in_future, "starts in the future"),
        (no_time, "is no time"),
        (no_coverage, "run_ended: files"),
    ],
)
def test_what_does_not_hold_together_is_refused_with_the_reason(
    artifact: Path, ledger: Ledger, tmp_path: Path, edit: Edit, reason: str
) -> None:
    records = events(artifact)
    edit(records)
    found = ledger.ingest([written(tmp_path / "forged.jsonl", records)])
    assert (found.added, found.grown, found.known) == ([], [], [])
    assert [one.source for one in found.refused] == [str(tmp_path / "forged.jsonl")]
    assert re.search(reason, found.refused[0].reason), found.refused[0].reason
    assert everything(ledger) == {}


@pytest.mark.parametrize("edit", [edited_claim, resealed_claim, no_coverage])
def test_a_forged_version_of_a_known_run_changes_nothing(
    artifact: Path, ledger: Ledger, tmp_path: Path, edit: Edit
) -> None:
    ledger.ingest([artifact])
    before = dump(ledger.path), everything(ledger)
    records = events(artifact)
    edit(records)
    (refused,) = ledger.ingest([written(tmp_path / "forged.jsonl", records)]).refused
    assert "differs from it at line" in refused.reason or "came to other cards" in refused.reason
    assert (dump(ledger.path), everything(ledger)) == before


@pytest.mark.parametrize(
    "data", [b"", b"garbage\n", b"{}\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"null\n", b'{"seq":0']
)
def test_what_is_no_run_log_is_refused(ledger: Ledger, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.jsonl").write_bytes(data)
    (refused,) = ledger.ingest([tmp_path / "x.jsonl"]).refused
    assert "no run log" in refused.reason


def test_links_and_pipes_are_not_opened(artifact: Path, ledger: Ledger, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.jsonl").symlink_to(artifact)
    os.mkfifo(folder / "b.jsonl")
    assert [one.reason for one in ledger.ingest([folder]).refused] == ["it is a link or no file"] * 2


def test_a_path_that_is_not_there_is_a_mistake(ledger: Ledger, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        ledger.ingest([tmp_path / "none"])
    with pytest.raises(UsageError, match="holds no run log"):
        ledger.ingest([tmp_path])


INGESTING = """
import sys
from pathlib import Path
from review_agent.ledger.store import Ledger
found = Ledger(Path(sys.argv[1])).ingest([Path(one) for one in sys.argv[2:]])
print(len(found.added), len(found.refused))
"""


def test_processes_that_ingest_the_same_run_at_once_leave_one_of_it(
    artifact: Path, ledger: Ledger, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(artifact.read_bytes()[: artifact.stat().st_size // 2])
    given = ([cut, artifact], [artifact, cut], [artifact], [cut])
    commands = [[sys.executable, "-c", INGESTING, str(ledger.state_dir), *map(str, paths)] for paths in given]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    ends = [one.communicate(timeout=120)[0].split() for one in started]
    assert [one.returncode for one in started] == [0] * 4
    assert sum(int(added) for added, _ in ends) == 1
    assert all(refused == "0" for _, refused in ends)
    assert list(everything(ledger).values()) == [artifact.read_bytes()]
    assert len(ledger.runs()) == 1

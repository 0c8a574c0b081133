"""Every situation of fixtures/hostile gives its account; nothing is lost, run, written, or read from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hostile_oracle import SITUATIONS, UNSEEN, Case, Site, account, by_git, by_run, fingerprint, opened, parsed

from review_agent import cli
from review_agent.commands._rendered import rendered
from review_agent.counting import counted
from review_agent.pipeline import Reviewed
from review_agent.publish.account import reviewed_text
from review_agent.publish.trail import trail_text
from review_agent.runlog import fold, read_events
from review_agent.stages.account import records
from review_agent.vocabulary import FileChange, Phase, ReviewDocument

pytestmark = pytest.mark.slow


def test_there_are_enough() -> None:
    assert len(SITUATIONS) >= 80


@pytest.mark.parametrize("name", SITUATIONS)
def test_situation(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(tmp_path / "site")
    case = SITUATIONS[name].make(site)
    _reset(site, case, monkeypatch)
    before = fingerprint(site.folder)
    with opened() as paths:
        code = _reviewed(site, case)
    shown = capsys.readouterr()
    assert _strays(site, case, paths) == []
    assert fingerprint(site.folder) == before, "something was written beside .review-agent"
    assert code == case.exit_code, shown.err
    _nothing_from_outside(site, shown.out, shown.err)
    if case.error:
        assert shown.out == ""
        assert [words for words in case.error if words not in shown.err] == [], shown.err
        return
    _whole(site, case, parsed(shown.out), tmp_path / "room")


def _reset(site: Site, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """What building set off counts for nothing; the caller's variables and folder are the situation's."""
    for trace in site.sprung.iterdir():
        trace.unlink()
    monkeypatch.setenv("HOME", str(site.folder))
    monkeypatch.chdir(site.folder / case.at)
    for variable, value in case.environment.items():
        monkeypatch.setenv(variable, value)


def _reviewed(site: Site, case: Case) -> int:
    with pytest.raises(SystemExit) as stop:
        cli.main(["review", "--repo", str(site.folder / case.at), "--format", "json", *case.arguments])
    return int(stop.value.code or 0)


def _strays(site: Site, case: Case, paths: list[str]) -> list[str]:
    """What was opened of the situation's folder and is neither the diff that was given, nor the record, nor the edge
    of a shallow clone; of a work tree under review, which is read file by file, only what lies outside."""
    allowed = ("/.review-agent", "/change.diff", "/shallow")
    inside = [path for path in paths if path.startswith(f"{site.folder}/") and not any(one in path for one in allowed)]
    return [path for path in inside if "--worktree" not in case.arguments or path.startswith(f"{site.outside}")]


def _nothing_from_outside(site: Site, *outputs: str) -> None:
    assert list(site.sprung.iterdir()) == [], "a program of the repository ran"
    written = [path for path in site.folder.rglob(".review-agent/**/*") if path.is_file()]
    assert [path for path in written if UNSEEN.encode() in path.read_bytes()] == []
    assert all(UNSEEN not in text for text in outputs)


def _whole(site: Site, case: Case, document: ReviewDocument, room: Path) -> None:
    """The account is the one expected, in every output, and git's own lists are in it without a gap."""
    (log,) = site.folder.rglob(".review-agent/runs/*.jsonl")
    state = fold(read_events(log))
    files = records(state, Phase.SNAPSHOT, "file", FileChange)
    assert account(document, files) == dict(case.files)
    assert document.run.status == case.status
    _counts(document, files)
    _outputs(Reviewed(document, state, log))
    if case.oracle:
        room.mkdir()
        ours, listed = by_run(state), by_git(site, case, document, room)
        # Lines of what is set aside for its size are counted by hunk alone.
        counted = {told.path for told in ours if told.lines is not None}
        assert ours == [told if told.path in counted else told._replace(lines=None) for told in listed]


def _counts(document: ReviewDocument, files: tuple[FileChange, ...]) -> None:
    told = document.coverage
    assert told.files == len(files) == told.files_examined + told.files_skipped + told.files_failed
    hunks = told.hunks_examined + told.hunks_skipped + told.hunks_failed
    assert told.hunks == hunks == sum(len(file.hunks) for file in files)
    assert len({hunk.hunk_id for file in files for hunk in file.hunks}) == hunks


def _outputs(reviewed: Reviewed) -> None:
    told = reviewed.document.coverage
    text = rendered(reviewed, "text")
    assert f"reviewed {told.files_examined} of {counted(told.files, 'file')}" in text
    assert f"{told.hunks_examined} of {counted(told.hunks, 'hunk')}" in text
    assert f"  coverage   {reviewed_text(told)}" in trail_text(reviewed.state)
    outcomes = json.loads(rendered(reviewed, "outcomes"))
    assert outcomes["coverage"] == told.wire()
    assert json.loads(rendered(reviewed, "json"))["coverage"] == told.wire()

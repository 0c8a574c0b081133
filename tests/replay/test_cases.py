"""Folders of cases: what loads, what a case needs, and that a half's repository is the same everywhere."""

from __future__ import annotations

import os
import subprocess

import pytest
from replaycases import CHANGED, YML, make_cases, write

from review_agent.errors import SnapshotError, UsageError
from review_agent.replay.cases import jobs_of_folders
from review_agent.replay.records import Overlay
from review_agent.replay.repositories import build

WHOLE = YML.replace("project: py-shop\n", "")


def test_every_case_below_a_folder_is_found_and_named_by_its_path(tmp_path):
    cases = make_cases(tmp_path, "python/one", "python/two", "deep/er/three")
    names = [job.unit for job in jobs_of_folders([cases])]
    assert names == [f"{name}:{half}" for name in ("deep/er/three", "python/one", "python/two") for half in HALVES]
    assert [job.unit for job in jobs_of_folders([cases / "python/one"])] == ["one:defect", "one:twin"]


HALVES = ("defect", "twin")


def test_a_half_is_two_commits_of_the_overlaid_trees(tmp_path):
    defect, twin = jobs_of_folders([make_cases(tmp_path)])
    made = [build(job.origin, tmp_path / name) for job, name in ((defect, "a"), (defect, "b"), (twin, "c"))]
    assert made[0] == made[1]
    assert made[0][0] == made[2][0]
    shown = git(tmp_path / "a", "show", "--name-only", "--format=%an|%ae|%ad|%s", "--date=iso", "HEAD")
    assert shown.splitlines() == [
        "Replay|replay@localhost|2024-01-02 00:00:00 +0000|head",
        "",
        "README.md",
        "shop/pricing.py",
    ]
    assert (tmp_path / "a/shop/pricing.py").read_text() == CHANGED


def git(folder, *args):
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_removed_files_are_gone_at_head_and_the_users_git_has_no_say(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_DIR", os.fspath(tmp_path / "elsewhere"))
    write(tmp_path / "base", {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    build(Overlay(base=(str(tmp_path / "base"),), head=(), removed=("b.py",)), tmp_path / "repo")
    monkeypatch.delenv("GIT_DIR")
    assert git(tmp_path / "repo", "show", "--name-status", "--format=", "HEAD").split() == ["D", "b.py"]
    with pytest.raises(SnapshotError, match="could not be made"):
        build(Overlay(base=(str(tmp_path / "base"),), head=(), removed=("c.py",)), tmp_path / "other")


def test_a_case_without_a_project_brings_its_whole_base(tmp_path):
    case = tmp_path / "cases/one"
    write(case, {"case.yml": WHOLE, "defect/base/shop/pricing.py": "x = 1\n", "defect/head/shop/pricing.py": CHANGED})
    write(case, {"twin/base/shop/pricing.py": "x = 1\n", "twin/head/shop/pricing.py": "x = 2\n"})
    assert [len(job.origin.base) for job in jobs_of_folders([tmp_path / "cases"])] == [1, 1]


def test_a_case_may_have_no_twin(tmp_path):
    cases = make_cases(tmp_path, yml=YML[: YML.index("twin:")])
    assert [job.half for job in jobs_of_folders([cases])] == ["defect"]


def test_the_content_of_a_half_changes_with_what_its_review_depends_on(tmp_path):
    cases = make_cases(tmp_path)
    before = [job.content for job in jobs_of_folders([cases])]
    assert [job.content for job in jobs_of_folders([cases])] == before
    (cases / "python/one/twin/head/shop/orders.py").write_text("x = 1\n")
    changed = [job.content for job in jobs_of_folders([cases])]
    assert (changed[0], changed[1] != before[1]) == (before[0], True)
    (tmp_path / "projects/py-shop/shop/pricing.py").write_text("y = 1\n")
    assert jobs_of_folders([cases])[0].content != before[0]


@pytest.mark.parametrize(
    ("yml", "said"),
    [
        ("kind: [", "it is not YAML"),
        ("just text", "the file: Input should be"),
        (YML.replace("kind: api_contract", "kind: style"), "kind: Input should be"),
        (YML.replace("evidence: elsewhere", "evidence: nowhere"), "evidence: Input should be"),
        (YML.replace("side: new, start: 6, end: 6", "side: new, start: 0, end: 6"), "defect.lines.0.start"),
        (YML.replace("side: new, start: 6, end: 6", "side: new, start: 6, end: 5"), "defect.lines.0"),
        (YML.replace("  removed: []\n  lines", "  removed: [../etc]\n  lines"), "defect.removed.0"),
        (YML.replace("  removed: []\n  lines", "  removed: [no.py]\n  lines"), "does not have: no.py"),
        (YML.replace("project: py-shop", "project: py-none"), "no folder projects/py-none"),
        (YML + "extra: 1\n", "extra: Extra inputs"),
        (WHOLE, "has no base tree"),
    ],
)
def test_a_case_that_does_not_read_is_named_with_its_key(tmp_path, yml, said):
    cases = make_cases(tmp_path, yml=yml)
    with pytest.raises(UsageError) as told:
        jobs_of_folders([cases])
    assert said in told.value.message
    assert "python/one" in told.value.where


def test_a_folder_without_cases_and_a_name_twice_are_refused(tmp_path):
    with pytest.raises(UsageError, match="no such folder"):
        jobs_of_folders([tmp_path / "none"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"no case\.yml"):
        jobs_of_folders([tmp_path / "empty"])
    cases = make_cases(tmp_path)
    with pytest.raises(UsageError, match="two cases are called python/one:defect"):
        jobs_of_folders([cases, cases])

"""Places on both sides of a change, by the diff's own numbers."""

from __future__ import annotations

import pytest

from review_agent.git import Git
from review_agent.replay.places import counterpart, file_of, hunk_of, meets
from review_agent.replay.records import Place
from review_agent.stages.snapshot import take
from review_agent.vocabulary import Side

OLD = "".join(f"line {number}\n" for number in range(1, 41))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    from conftest import Repo

    repo = Repo(tmp_path_factory.mktemp("places") / "repo")
    repo.write("old.txt", OLD)
    repo.commit("base")
    lines = OLD.splitlines(keepends=True)
    del lines[29]  # line 30 goes
    lines[9:10] = ["ten\n", "ten and a half\n"]  # line 10 becomes two
    (repo.root / "old.txt").unlink()
    repo.write("new.txt", "".join(lines))
    commit = repo.commit("head")
    return take(Git(repo.root), commit=commit, mask=str).files


def place(side, line, path=None):
    return Place(path=path or ("old.txt" if side is Side.OLD else "new.txt"), side=side, start=line, end=line)


@pytest.mark.parametrize(("old", "new"), [(1, 1), (9, 9), (10, 10), (11, 12), (20, 21), (30, 31), (31, 31), (40, 40)])
def test_an_old_line_stands_before_its_head_line(files, old, new):
    assert counterpart(place(Side.OLD, old), files[0]) == place(Side.NEW, new)


@pytest.mark.parametrize(("new", "old"), [(10, 11), (11, 11), (12, 11), (21, 20), (31, 31), (40, 40)])
def test_a_head_line_has_its_old_line(files, new, old):
    assert counterpart(place(Side.NEW, new), files[0]) == place(Side.OLD, old)


def test_a_rename_maps_either_name(files):
    for side in Side:
        for path in ("old.txt", "new.txt"):
            assert file_of(place(side, 10, path), files) is files[0]
    assert file_of(place(Side.NEW, 10, "other.txt"), files) is None
    assert meets(place(Side.OLD, 30), place(Side.NEW, 33, "old.txt"), 3, files)
    assert not meets(place(Side.OLD, 30), place(Side.NEW, 35), 3, files)


def test_places_meet_within_the_slack_and_only_in_their_file(files):
    assert meets(place(Side.NEW, 10), place(Side.NEW, 13), 3, files)
    assert not meets(place(Side.NEW, 10), place(Side.NEW, 14), 3, files)
    assert not meets(place(Side.NEW, 10), place(Side.NEW, 10, "other.txt"), 3, files)
    assert meets(place(Side.NEW, 4, "other.txt"), place(Side.NEW, 4, "other.txt"), 0, files)


def test_the_hunk_of_a_place(files):
    hunks = [hunk_of(place(Side.OLD, line), files[0]) for line in (10, 30, 20)]
    assert hunks == [files[0].hunks[0], files[0].hunks[1], None]

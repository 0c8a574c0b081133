"""The change as a model sees it: every examined line once, with its numbers, in groups of bounded size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent.stages.grouping import grouped, shown
from review_agent.vocabulary import FileChange, FileStatus, Hunk, Line, Side


def file(path: str, *texts: str, old_path: str | None = None) -> FileChange:
    """A file whose one hunk adds these lines from line 10 on."""
    hunks = [(10, texts)] if texts else []
    return FileChange(
        path=path,
        old_path=old_path or path,
        status=FileStatus.MODIFIED,
        old_mode="100644",
        new_mode="100644",
        old_blob="a" * 40,
        new_blob="b" * 40,
        binary=False,
        hunks=tuple(
            Hunk(
                hunk_id=f"{path}#{start}",
                path=path,
                old_path=old_path or path,
                old_start=start,
                old_count=0,
                new_start=start,
                new_count=len(lines),
                section="",
                lines=tuple(Line(tag="+", old=None, new=start + n, text=text) for n, text in enumerate(lines)),
            )
            for start, lines in hunks
        ),
    )


LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=60), max_size=30)


@given(st.lists(LINES, max_size=6), st.integers(200, 2000))
def test_each_examined_line_stands_in_one_group_of_bounded_size(contents: list[list[str]], most: int) -> None:
    files = [file(f"f{n}.py", *lines) for n, lines in enumerate(contents)]
    groups = grouped(files, set(), most)
    whole = "\n".join(group.text for group in groups.all).split("\n")
    for one in files:
        for hunk in one.hunks:
            for line in hunk.lines:
                assert shown(line) in whole
                holder = groups.of(hunk.hunk_id, Side.NEW, line.new or 0)
                assert holder is not None
                assert shown(line) in holder.text
                assert one.path in holder.paths
    assert sum(text.endswith("(modified)") for text in whole) >= sum(bool(one.hunks) for one in files)
    longest = max((len(shown(line).encode()) for one in files for hunk in one.hunks for line in hunk.lines), default=0)
    assert all(len(group.text.encode()) <= most + longest + 100 for group in groups.all)


def test_a_line_carries_the_numbers_of_both_sides() -> None:
    assert shown(Line(tag=" ", old=7, new=9, text="x")) == "     7      9   x"
    assert shown(Line(tag="-", old=7, new=None, text="x")) == "     7        - x"
    assert shown(Line(tag="+", old=None, new=9, text="x")) == "            9 + x"
    assert len(shown(Line(tag="+", old=None, new=9, text="x" * 5000))) < 500


@pytest.mark.parametrize("aside", ["b.py", "b.py#10"])
def test_what_was_set_aside_is_in_no_group(aside: str) -> None:
    groups = grouped([file("a.py", "one"), file("b.py", "two")], {aside}, 10_000)
    assert [group.paths for group in groups.all] == [("a.py",)]
    assert "two" not in groups.all[0].text
    assert groups.of("b.py#10", Side.NEW, 10) is None


def test_a_rename_names_both_paths_and_the_same_change_has_the_same_id() -> None:
    first, again = (grouped([file("b.py", "x", old_path="a.py")], set(), 10_000).all[0] for _ in range(2))
    assert first.text.startswith("=== b.py (modified, was a.py)\n@@ old 10+0 new 10+1\n")
    assert first.group_id == again.group_id


def test_a_hunk_above_the_size_is_cut_and_each_place_finds_its_part() -> None:
    groups = grouped([file("a.py", *(f"line {n} of many" for n in range(200)))], set(), 1000)
    assert len(groups.all) > 5
    last = groups.of("a.py#10", Side.NEW, 209)
    assert last is groups.all[-1]

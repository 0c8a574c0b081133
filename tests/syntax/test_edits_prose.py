"""Edits that need no outline: addresses, links and numbers in texts, and files as wholes."""

import pytest
from differences import change_of

from review_agent.syntax.edits.files import file_edits
from review_agent.syntax.edits.prose import prose_edits
from review_agent.vocabulary import EditOp, FileStatus, Hunk, Side

A, B = "http://a.dev/one", "https://a.dev/one"


def prose(old, new, path="README.md"):
    return [(one.op, one.before, one.after) for one in prose_edits(change_of(old, new, path))]


def test_an_address_that_gave_way_in_a_line_that_else_stayed():
    assert prose(f"see [one]({A}).\n", f"see [one]({B}).\n") == [(EditOp.LINK_CHANGED, A, B)]


def test_addresses_of_a_run_of_lines_stand_together():
    old = "- <http://a.dev/1>\n- <http://a.dev/2>\n"
    (edit,) = prose_edits(change_of(old, old.replace("http:", "https:"), "docs/a.rst"))
    assert edit.facts["links"] == ("http://a.dev/1", "http://a.dev/2")
    assert edit.facts["afterLinks"] == ("https://a.dev/1", "https://a.dev/2")
    assert (edit.start_line, edit.end_line) == (1, 2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"see {A}\n", "look at https://b.dev/two\n"),
        (f"see {A}\n", ""),
        (f"see {A}\n", f"see {B}\nand {A}\n"),
        (f"see {A}.\n", f"see {A}\n"),
    ],
)
def test_an_address_that_went_or_stayed_is_none(old, new):
    assert EditOp.LINK_CHANGED not in [op for op, _, _ in prose(old, new)]


def test_the_same_page_in_another_form_in_a_line_written_anew():
    assert prose(f"see {A}/ first\n", f"look at {B}.html\n") == [(EditOp.LINK_CHANGED, f"{A}/", f"{B}.html")]


@pytest.mark.parametrize("path", ["CHANGELOG.md", "tests/test_a.py", "docs/migration.md"])
def test_tests_and_texts_about_the_past_are_left_alone(path):
    assert prose(f"see {A}\n", f"see {B}\n", path) == []


def test_a_new_link_and_where_it_leads():
    (edit,) = prose_edits(change_of("x\n", "x\nsee [b](../b.md#top)\n", "docs/deep/a.md"))
    assert (edit.op, edit.subject, edit.facts["leads"]) == (EditOp.LINK_ADDED, "../b.md", "docs/b.md")


@pytest.mark.parametrize("link", ["https://a.dev/b.md", "#part", "/b.md", "page", "mailto:a@b.dev"])
def test_other_links_are_none(link):
    assert prose("x\n", f"x\nsee [b]({link})\n") == []


def test_a_link_that_stood_there_before_is_not_new():
    assert prose("see [b](b.md)\n", "look at [b](b.md)\n") == []


def test_the_words_before_a_number_that_changed():
    (edit,) = prose_edits(
        change_of("It needs at least Node 12.3 here.\n", "It needs at least Node 14.0 here.\n", "a.md")
    )
    assert (edit.op, edit.subject) == (EditOp.STATEMENT_CHANGED, "at least Node 12.3")
    assert (edit.facts["was"], edit.facts["now"]) == ("12.3", "14.0")


def test_a_number_without_words_and_two_numbers_are_none():
    assert prose("x = 12\n", "x = 13\n") == []
    assert prose("at least node 12 and npm 3\n", "at least node 14 and npm 6\n") == []
    assert prose("It needs at least Node 12.3\n", "It needs at least Node 14.0\n", "a.py") == []


def moved(old, new, *, hunks=(), status=FileStatus.RENAMED):
    change = change_of("x\n", "x\n", new, old)
    return change.model_copy(update={"status": status, "hunks": hunks, "new_blob": change.old_blob})


def move_of(old, new):
    hunk = Hunk(
        hunk_id="m", path=new, old_path=old, old_start=1, old_count=0, new_start=1, new_count=0, section="", lines=()
    )
    return moved(old, new, hunks=(hunk,))


def test_a_file_that_only_moved_is_anchored_at_its_first_line():
    (edit,) = file_edits([move_of("docs/a.md", "site/a.md")])
    assert (edit.op, edit.subject, edit.after) == (EditOp.FILE_MOVED, "docs/a.md", "site/a.md")
    assert (edit.side, edit.start_line, edit.end_line) == (Side.NEW, 1, 1)


def test_a_module_that_only_moved_is_told_as_one_too():
    found = list(file_edits([move_of("a/x.py", "b/x.py")]))
    assert [one.op for one in found] == [EditOp.MODULE_MOVED, EditOp.FILE_MOVED]


def test_a_removed_file_is_anchored_where_it_stood():
    (edit,) = file_edits([change_of("a\nb\n", None, "run.sh")])
    assert (edit.op, edit.subject, edit.after, edit.side) == (EditOp.FILE_REMOVED, "run.sh", None, Side.OLD)


def test_a_file_without_lines_and_one_that_stayed_give_none():
    assert not list(file_edits([moved("a.bin", "b.bin"), change_of("a\n", "b\n", "c.md")]))


def test_of_a_whole_tree_the_files_nearest_the_root_are_asked_about():
    deep = [move_of(f"a/b/c/{n}.txt", f"z/{n}.txt") for n in range(40)]
    found = list(file_edits([*deep, move_of("top.txt", "z/top.txt")]))
    assert len(found) == 16
    assert found[0].subject == "top.txt"

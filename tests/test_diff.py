from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from drawn import examples
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from review_agent.diff import display_path, parse
from review_agent.errors import DiffError
from review_agent.git import Git
from review_agent.vocabulary import FileChange, FileStatus, Hunk, Side


def same(text: str) -> str:
    return text


def changes(repo, base: str, head: str, mask=same) -> tuple[FileChange, ...]:
    git = Git(repo.root)
    return parse(git.raw_diff(base, head), git.patch(base, head), mask)


def only(repo, base: str, head: str, mask=same) -> FileChange:
    (change,) = changes(repo, base, head, mask)
    return change


def edit(repo, path: str, before: str | bytes, after: str | bytes) -> FileChange:
    repo.write(path, before)
    base = repo.commit("before")
    repo.write(path, after)
    return only(repo, base, repo.commit("after"))


def shown(hunk: Hunk) -> list[str]:
    return [f"{line.tag}{line.text}" for line in hunk.lines]


NUMBERED = "".join(f"line {number}\n" for number in range(1, 31))


def test_every_line_carries_both_numbers(repo):
    after = NUMBERED.replace("line 10\n", "").replace("line 20\n", "line 20\nnew\n")
    first, second = edit(repo, "a.txt", NUMBERED, after).hunks
    assert (first.old_start, first.old_count, first.new_start, first.new_count) == (7, 7, 7, 6)
    assert [(line.tag, line.old, line.new) for line in first.lines] == [
        *((" ", number, number) for number in (7, 8, 9)),
        ("-", 10, None),
        *((" ", number, number - 1) for number in (11, 12, 13)),
    ]
    assert first.changed(Side.OLD) == (10,)
    assert first.changed(Side.NEW) == ()
    assert second.changed(Side.NEW) == (20,)
    assert [line.text for line in second.lines if line.tag == "+"] == ["new"]


def test_added_and_deleted_and_empty_files(repo):
    repo.write("gone.txt", "one\ntwo\n")
    repo.write("kept.txt", "x\n")
    base = repo.commit("before")
    (repo.root / "gone.txt").unlink()
    repo.write("empty.txt", "")
    repo.write("new.txt", "something else\n")
    empty, gone, new = changes(repo, base, repo.commit("after"))
    assert (empty.status, empty.hunks, empty.old_blob, empty.old_mode) == (FileStatus.ADDED, (), None, "000000")
    assert (gone.status, gone.new_blob, gone.path) == (FileStatus.DELETED, None, "gone.txt")
    assert [line.old for line in gone.hunks[0].lines] == [1, 2]
    assert (new.status, new.path, new.old_path) == (FileStatus.ADDED, "new.txt", "new.txt")
    assert (new.hunks[0].old_start, new.hunks[0].old_count, new.hunks[0].new_start) == (0, 0, 1)


def test_a_file_emptied_keeps_its_removed_lines(repo):
    change = edit(repo, "a.txt", "one\n", "")
    assert change.status is FileStatus.MODIFIED
    assert shown(change.hunks[0]) == ["-one"]


def test_renames_with_and_without_an_edit(repo):
    repo.write("plain.txt", "the same\n" * 3)
    repo.write("edited.txt", NUMBERED)
    base = repo.commit("before")
    repo.git("mv", "plain.txt", "a-moved.txt")
    repo.git("mv", "edited.txt", "b-moved.txt")
    repo.write("b-moved.txt", NUMBERED.replace("line 3\n", "line three\n"))
    plain, edited = changes(repo, base, repo.commit("after"))
    assert (plain.status, plain.old_path, plain.path) == (FileStatus.RENAMED, "plain.txt", "a-moved.txt")
    (move,) = plain.hunks
    assert (move.lines, move.old_count, move.new_count) == ((), 0, 0)
    assert (edited.old_path, edited.path) == ("edited.txt", "b-moved.txt")
    assert edited.hunks[0].old_path == "edited.txt"
    assert edited.hunks[0].changed(Side.NEW) == (3,)


def test_copies_are_read_where_git_reports_them(repo):
    repo.write("a.txt", NUMBERED)
    base = repo.commit("before")
    repo.write("b.txt", NUMBERED + "more\n")
    head = repo.commit("after")
    command = ["git", "-C", str(repo.root), "diff-tree", "-r", "--find-copies-harder", "--full-index", base, head]
    raw = subprocess.run([*command, "--raw", "-z", "--no-abbrev"], capture_output=True, check=True).stdout
    patch = subprocess.run([*command, "--patch"], capture_output=True, check=True).stdout
    (copy,) = parse(raw, patch, same)
    assert (copy.status, copy.old_path, copy.path) == (FileStatus.COPIED, "a.txt", "b.txt")
    assert shown(copy.hunks[0])[-1] == "+more"


def test_a_mode_alone(repo):
    repo.write("run.sh", "echo\n")
    base = repo.commit("before")
    (repo.root / "run.sh").chmod(0o755)
    change = only(repo, base, repo.commit("after"))
    assert (change.status, change.old_mode, change.new_mode) == (FileStatus.MODIFIED, "100644", "100755")
    assert change.hunks == ()
    assert change.old_blob == change.new_blob


def test_a_changed_type_has_the_removal_and_the_addition(repo):
    repo.write("a-link", "text\n")
    repo.write("b.txt", "x\n")
    base = repo.commit("before")
    (repo.root / "a-link").unlink()
    (repo.root / "a-link").symlink_to("b.txt")
    repo.write("b.txt", "y\n")
    link, other = changes(repo, base, repo.commit("after"))
    assert (link.status, link.new_mode) == (FileStatus.TYPE_CHANGED, "120000")
    assert [shown(hunk) for hunk in link.hunks] == [["-text"], ["+b.txt"]]
    assert len({hunk.hunk_id for hunk in link.hunks}) == 2
    assert shown(other.hunks[0]) == ["-x", "+y"]


def test_a_submodule_is_a_line_with_its_commit(repo):
    repo.write("a.txt", "x\n")
    base = repo.commit("before")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{base},vendor/lib")
    repo.git("commit", "-q", "-m", "after")
    change = only(repo, base, repo.git("rev-parse", "HEAD"))
    assert (change.path, change.new_mode, change.new_blob) == ("vendor/lib", "160000", base)
    assert shown(change.hunks[0]) == [f"+Subproject commit {base}"]


def test_binary_files_have_no_hunks(repo):
    change = edit(repo, "logo.png", b"\x89PNG\0one", b"\x89PNG\0two")
    assert change.binary
    assert change.hunks == ()


def test_a_missing_line_end_adds_no_line(repo):
    change = edit(repo, "a.txt", "one\ntwo", "one\nthree\nfour")
    assert shown(change.hunks[0]) == [" one", "-two", "+three", "+four"]
    assert edit(repo, "b.txt", "one", "one\n").hunks[0].changed(Side.NEW) == (1,)


def test_only_a_line_feed_ends_a_line(repo):
    change = edit(repo, "a.txt", b"a\r\nb\rc\n", "a\r\nb\rC\x0c\x0b\x85 \n".encode())
    assert shown(change.hunks[0]) == [" a\r", "-b\rc", "+b\rC\x0c\x0b\x85 "]


def test_bytes_that_are_not_utf8_become_replacement_signs(repo):
    change = edit(repo, "a.txt", b"caf\xe9\n", b"caf\xe9s\n")
    assert shown(change.hunks[0]) == ["-caf\ufffd", "+caf\ufffds"]


LOOKALIKES = """\
diff --git a/x b/x
index 1111111..2222222 100644
--- a/x
+++ b/x
@@ -1,2 +1,2 @@
-- old
++ new
Binary files a/x and b/x differ
\\ No newline at end of file

"""


def test_content_that_looks_like_a_patch(repo):
    repo.write("a.txt", LOOKALIKES)
    repo.write("b.txt", "x\n")
    base = repo.commit("before")
    repo.write("a.txt", "".join(f"{line}!\n" for line in LOOKALIKES.splitlines()))
    repo.write("b.txt", "y\n")
    first, second = changes(repo, base, repo.commit("after"))
    assert [line.text for line in first.hunks[0].lines if line.tag == "-"] == LOOKALIKES.splitlines()
    assert [line.text for line in first.hunks[0].lines if line.tag == "+"] == [f"{s}!" for s in LOOKALIKES.splitlines()]
    assert shown(second.hunks[0]) == ["-x", "+y"]


ODD_NAMES = [
    b"a b.txt",
    b"b/x b/y.txt",
    b'quo"te.txt',
    b"tab\there.txt",
    b"new\nline.txt",
    b"back\\slash.txt",
    b"latin-\xe9.txt",
    "grün.txt".encode(),
    b"\xf0\x9f.txt",
    b"--- a",
    b"x -> y",
]


def test_odd_paths_keep_their_bodies(repo):
    def write(name: bytes, text: bytes) -> None:
        target = bytes(repo.root) + b"/" + name
        Path(target.decode("utf-8", "surrogateescape")).parent.mkdir(parents=True, exist_ok=True)
        Path(target.decode("utf-8", "surrogateescape")).write_bytes(text)

    for name in ODD_NAMES:
        write(name, b"old\n")
    base = repo.commit("before")
    for name in ODD_NAMES:
        write(name, b"new " + name.replace(b"\n", b"") + b"\n")
    found = {change.path: shown(change.hunks[0])[-1] for change in changes(repo, base, repo.commit("after"))}
    expected = {
        display_path(name): f"+new {name.replace(bytes([10]), b'').decode('utf-8', 'replace')}" for name in ODD_NAMES
    }
    assert found == expected
    assert "latin-\\xe9.txt" in found


@given(a=st.binary(max_size=9), b=st.binary(max_size=9))
@example(a=b"\xe9", b=rb"\xe9")
@example(a=rb"\x5cxe9", b=rb"\xe9")
@example(a=b"\n", b=rb"\x0a")
def test_no_two_paths_read_alike(a: bytes, b: bytes):
    assert (display_path(a) == display_path(b)) == (a == b)


def test_the_section_names_the_enclosing_function(repo):
    body = "def outer():\n" + "".join(f"    step_{number}()\n" for number in range(12))
    change = edit(repo, "a.py", body, body.replace("step_9()", "step_nine()"))
    assert change.hunks[0].section == "def outer():"


def test_a_section_that_git_cut_ends_at_a_blank(repo):
    long = f"def outer(first='{'x' * 50}', token='sk-{'s' * 40}'):\n"
    body = long + "".join(f"    step_{number}()\n" for number in range(12))
    section = edit(repo, "a.py", body, body.replace("step_9()", "step_nine()")).hunks[0].section
    assert section == f"def outer(first='{'x' * 50}',"


def test_secrets_are_masked_on_both_sides_even_across_lines(repo):
    def mask(text: str) -> str:
        return text.replace("BEGIN\nsecret\nEND", "[masked:key]\n[masked:key]\n[masked:key]").replace("hunter2", "***")

    repo.write("a.txt", "hunter2 = 1\nBEGIN\nsecret\nEND\n")
    base = repo.commit("before")
    repo.write("a.txt", "hunter2 = 1\nBEGIN\nsecret\nEND\nhunter2 = 2\n")
    added = only(repo, base, repo.commit("added"), mask)
    assert shown(added.hunks[0]) == [" [masked:key]", " [masked:key]", " [masked:key]", "+*** = 2"]
    repo.write("a.txt", "hunter2 = 1\nBEGIN\nother\nsecret\nEND\n")
    split = only(repo, base, repo.commit("split"), mask)
    assert shown(split.hunks[0]) == [" *** = 1", " [masked:key]", "+other", " [masked:key]", " [masked:key]"]


def test_a_mask_may_not_change_the_number_of_lines(repo):
    repo.write("a.txt", "one\n")
    base = repo.commit("before")
    repo.write("a.txt", "two\n")
    head = repo.commit("after")
    with pytest.raises(DiffError, match="number of lines"):
        changes(repo, base, head, lambda text: text + "\nmore")


def test_hunk_ids_are_stable_and_distinct(repo):
    repo.write("a.txt", NUMBERED)
    repo.write("b.txt", NUMBERED)
    base = repo.commit("before")
    for path in ("a.txt", "b.txt"):
        repo.write(path, NUMBERED.replace("line 5\n", "five\n").replace("line 25\n", "twenty-five\n"))
    head = repo.commit("after")
    ids = [hunk.hunk_id for change in changes(repo, base, head) for hunk in change.hunks]
    assert len(set(ids)) == 4
    assert all(len(one) == 16 for one in ids)
    assert ids == [hunk.hunk_id for change in changes(repo, base, head) for hunk in change.hunks]


RAW = b":100644 100644 " + b"1" * 40 + b" " + b"2" * 40 + b" M\0a.txt\0"
HEAD = b"diff --git a/a.txt b/a.txt\nindex " + b"1" * 40 + b".." + b"2" * 40 + b" 100644\n--- a/a.txt\n+++ b/a.txt\n"
BODY = b"@@ -1,2 +1,2 @@\n same\n-old\n+new\n"


def test_the_smallest_patch_parses():
    (change,) = parse(RAW, HEAD + BODY, same)
    assert shown(change.hunks[0]) == [" same", "-old", "+new"]


@pytest.mark.parametrize(
    ("raw", "patch"),
    [
        (RAW, b""),
        (b"", HEAD + BODY),
        (RAW, HEAD + BODY + HEAD + BODY),
        (RAW.replace(b"2" * 40, b"3" * 40), HEAD + BODY),
        (RAW, HEAD + BODY.replace(b"+1,2", b"+1,3")),
        (RAW, HEAD + BODY.replace(b"-1,2", b"-1,1")),
        (RAW, HEAD + BODY + b"+one more\n"),
        (RAW, HEAD + BODY[:-1]),
        (RAW, HEAD + BODY.replace(b" same", b"same")),
        (RAW, HEAD + b"@@ -1,x +1,2 @@\n" + BODY),
        (RAW, b"Only in a: b\n" + HEAD + BODY),
        (RAW, HEAD.replace(b"--- a/a.txt", b"=== a/a.txt") + BODY),
        (RAW[:-7], HEAD + BODY),
        (RAW.replace(b" M\0", b" U\0"), HEAD + BODY),
        (RAW.replace(b" M\0", b" R090\0"), HEAD + BODY),
        (b"rubbish\0", HEAD + BODY),
        (RAW, HEAD + b"@@ -0,0 +1 @@\n\\ No newline at end of file\n+x\n"),
    ],
)
def test_what_does_not_fit_is_refused(raw: bytes, patch: bytes):
    with pytest.raises(DiffError):
        parse(raw, patch, same)


LINES = st.lists(
    st.sampled_from(
        [
            b"a",
            b"b",
            b"",
            b"--- a/x",
            b"+++ b/x",
            b"@@ -1 +1 @@",
            b"diff --git a/f b/f",
            b"\\ No newline",
            b"c\r",
            b"\xff",
        ]
    )
    | st.binary(max_size=6).map(lambda data: data.replace(b"\n", b"").replace(b"\0", b"")),
    max_size=25,
)


@st.composite
def file_pairs(draw) -> tuple[bytes, bytes]:
    """A file and an edited version of it, each with or without a last line end."""
    old = draw(LINES)
    new = list(old)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(new)))
        new[at : at + draw(st.integers(0, 3))] = draw(LINES.map(lambda lines: lines[:3]))
    ends = draw(st.tuples(st.booleans(), st.booleans()))
    return tuple(b"\n".join(lines) + b"\n" * end for lines, end in zip((old, new), ends, strict=True))


def split(data: bytes) -> list[str]:
    lines = data.split(b"\n")
    return [line.decode("utf-8", "replace") for line in (lines[:-1] if lines[-1] == b"" else lines)]


def applied(old: list[str], hunks: tuple[Hunk, ...]) -> list[str]:
    """The new lines that the hunks make of the old ones, checking every number on the way."""
    result: list[str] = []
    at = 0
    for hunk in hunks:
        first = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        result += old[at:first]
        at = first
        for line in hunk.lines:
            if line.tag != "+":
                assert (line.old, line.text) == (at + 1, old[at])
                at += 1
            if line.tag != "-":
                result.append(line.text)
                assert line.new == len(result)
    return result + old[at:]


@pytest.mark.slow
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(file_pairs(), min_size=1, max_size=6))
def test_hunks_turn_the_old_lines_into_the_new_and_agree_with_numstat(repo, pairs):
    for number, (old, _) in enumerate(pairs):
        repo.write(f"{number}.txt", old)
    base = repo.commit("before")
    for number, (_, new) in enumerate(pairs):
        repo.write(f"{number}.txt", new)
    head = repo.commit("after")
    found = {change.path: change for change in changes(repo, base, head)}
    numstat = dict(
        reversed(line.rsplit("\t", 1)) for line in repo.git("diff-tree", "-r", "--numstat", base, head).splitlines()
    )
    for number, (old, new) in enumerate(pairs):
        change = found.pop(f"{number}.txt", None)
        assert (change is None) == (old == new)
        if change is not None:
            assert applied(split(old), change.hunks) == split(new)
            counts = [sum(len(hunk.changed(side)) for hunk in change.hunks) for side in (Side.NEW, Side.OLD)]
            assert "{}\t{}".format(*counts) == numstat[change.path]
    assert not found


@given(patch=st.binary(max_size=200) | st.binary(max_size=80).map(lambda junk: HEAD + BODY + junk), raw=st.just(RAW))
def test_damaged_patches_are_errors_never_crashes(raw: bytes, patch: bytes):
    try:
        (change,) = parse(raw, patch, same)
    except DiffError:
        return
    for hunk in change.hunks:
        assert sum(line.tag != "+" for line in hunk.lines) == hunk.old_count
        assert sum(line.tag != "-" for line in hunk.lines) == hunk.new_count

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import pytest
from drawn import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from review_agent.errors import UsageError
from review_agent.patchfile import read

LINE = st.binary(max_size=6).map(lambda one: one.replace(b"\n", b"").replace(b"\0", b""))
CONTENT = st.one_of(
    st.lists(LINE, max_size=30).map(lambda lines: b"".join(line + b"\n" for line in lines)),
    st.lists(LINE, min_size=1, max_size=30).map(b"\n".join),
)


def diff(folder: Path, *flags: str) -> bytes:
    """git's diff of two folders outside any repository."""
    done = subprocess.run(
        ["git", "diff", "--no-index", "--no-color", *flags, "old", "new"],
        cwd=folder,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
    )
    return done.stdout


@settings(max_examples=examples(60))
@given(CONTENT, CONTENT)
def test_every_line_a_patch_shows_stands_at_its_number(tmp_path_factory, old, new):
    folder = tmp_path_factory.mktemp("patch")
    for name, data in (("old", old), ("new", new)):
        (folder / name).mkdir()
        (folder / name / "f").write_bytes(data)
    patch = diff(folder, "--text", "-U2")
    files = read(patch)
    assert len(files) == (old != new)
    for file in files:
        for known, whole in ((file.old, old), (file.new, new)):
            lines = whole.split(b"\n")
            ended = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
            assert all(ended[number - 1] == text for number, text in known.items())


@settings(max_examples=examples(300))
@given(st.binary(max_size=200), st.sampled_from([b"", b"diff --git a/x b/x\n", b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n"]))
def test_any_bytes_are_read_or_refused(data, before):
    with contextlib.suppress(UsageError):
        for file in read(before + data):
            assert file.path is not None or file.old_path is not None


GIT = b"""diff --git a/src/a.py b/src/a.py
index 1111111..2222222 100644
--- a/src/a.py
+++ b/src/a.py
@@ -3,3 +3,3 @@ def f():
 one
-two
+TWO
 three
@@ -10 +10 @@
---- not a header
+++ nor this
"""
AFTER = GIT.count(b"\n") + 1


def one(patch: bytes):
    (file,) = read(patch)
    return file


def test_gaps_are_empty_lines_and_headers_inside_a_hunk_are_lines():
    file = one(GIT)
    assert (file.old_path, file.path) == (b"src/a.py", b"src/a.py")
    assert file.content(file.old) == b"\n\none\ntwo\nthree\n\n\n\n\n--- not a header\n"
    assert file.content(file.new) == b"\n\none\nTWO\nthree\n\n\n\n\n++ nor this\n"


def test_the_last_line_keeps_its_missing_end_on_the_sides_it_belongs_to():
    file = one(
        b"--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file\n"
    )
    assert (file.content(file.old), file.content(file.new)) == (b"a", b"a\nb")


@pytest.mark.parametrize(
    ("patch", "old", "new"),
    [
        (b"--- x.c\t2020-01-01 00:00:00\n+++ x.c\t2020-01-02\n@@ -1 +1 @@\n-a\n+b\n", b"x.c", b"x.c"),
        (b"diff --git x y\nsimilarity index 100%\nrename from x\nrename to y\n", b"x", b"y"),
        (b"diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n", b"x y", b"x y"),
        (b"diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n", None, b"x"),
        (b"diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n", b"x", None),
        (
            b'--- "a/t\\303\\251\\t.py"\n+++ "b/t\\303\\251\\t.py"\n@@ -1 +1 @@\n-a\n+b\n',
            b"t\xc3\xa9\t.py",
            b"t\xc3\xa9\t.py",
        ),
        (b'--- "a/\\777\\x\xff"\n+++ "b/\\777\\x\xff"\n@@ -1 +1 @@\n-a\n+b\n', b"\\777\\x\xff", b"\\777\\x\xff"),
        (b"diff --git i/x w/x\n--- i/x\n+++ w/x\n@@ -1 +1 @@\n-a\n+b\n", b"x", b"x"),
        (b"diff --git x x\n--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", b"x", b"x"),
        (b"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n", None, b"x"),
        (b"From: a\nSubject: x\n\n---\n x | 2 +-\n\n" + GIT.replace(b"src/a.py", b"x") + b"-- \n2.39\n", b"x", b"x"),
    ],
)
def test_names_are_read_from_every_kind_of_header(patch, old, new):
    file = one(patch)
    assert (file.old_path, file.path) == (old, new)


def test_modes_and_binary_files_are_told():
    assert one(b"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n").mode == b"100755"
    binary = one(b"diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n")
    assert binary.content(binary.old) != binary.content(binary.new)
    assert b"\0" in binary.content(binary.new)


@pytest.mark.parametrize(
    ("patch", "said", "line"),
    [
        (b"diff --cc x\n@@@ -1 -1 +1 @@@\n", "combined diff", 1),
        (b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n", "fewer or more lines", 5),
        (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n", "fewer or more lines", 5),
        (b"--- a/x\n+++ b/x\n@@ -999999999 +1 @@\n-a\n+b\n", "beyond line", 3),
        (b"--- a/x\n+++ b/x\n@@ -5 +5 @@\n-a\n+b\n@@ -4 +4 @@\n-a\n+b\n", "before the end", 6),
        (b"--- a/x\n+++ b/x\n@@ -x +1 @@\n", "no line numbers", 3),
        (GIT + b"diff --cc x\n@@@ -1 -1 +1 @@@\n", "combined diff", AFTER),
        (GIT + b"* Unmerged path c.py\n", "unmerged", AFTER),
        (GIT + b"\x1b[1mdiff --git a/c b/c\x1b[m\n", "coloured", AFTER),
        (GIT + b"--- a/c\n+++ b/c\nx\n@@ -1 +1 @@\n-a\n+b\n", "under no file", AFTER + 3),
        (GIT + b"\n  --- a/c\n  +++ b/c\n  @@ -1 +1 @@\n  -a\n  +b\n", "indented", AFTER + 3),
        (GIT + b"\n    diff --git a/c b/c\n", "indented", AFTER + 1),
        (GIT + b"*** c\n--- c\n***************\n*** 1,2 ****\n", "context format", AFTER + 2),
        (GIT + b"diff -r a/c b/c\n1c1\n< a\n---\n> b\n", "plain diff", AFTER + 1),
        (GIT + b"Only in b: c.py\n", "without its text", AFTER),
        (GIT + b"Binary files a/c and b/c differ\n", "without its contents", AFTER),
        (GIT + b"Submodule lib 1111111..2222222:\n  > more\n", "by its commits", AFTER),
        (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n", "more lines than it says", 6),
        (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c\n-d\n", "more lines than it says", 7),
        (b"--- a/x\n+++ b/x\n@@ -0,0 +0,0 @@\n-a\n+b\n", "more lines than it says", 4),
    ],
)
def test_what_is_not_a_diff_is_refused_with_its_line(patch, said, line):
    with pytest.raises(UsageError, match=said) as caught:
        read(patch)
    assert caught.value.where == f"line {line} of it"


@pytest.mark.parametrize(
    "text",
    [
        b"-- \n2.39.5\n",
        b"--\r\n2.39.5\r\n",
        b"\ncommit 1111111\n\n    5d4\n    ***************\n",
        b"--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
        b"From: A <a@b>\n\n- an item\n+ another\n---\n x | 2 +-\n",
    ],
)
def test_what_a_mail_or_a_log_puts_around_a_diff_is_passed_over(text):
    assert read(GIT + text)[0].path == read(GIT)[0].path


@pytest.mark.parametrize("path", [b"../x", b"a/../../x", b"/etc/passwd", b".git/config", b"a/.GIT/x", b"a//b"])
def test_a_path_that_leaves_the_tree_is_refused(path):
    with pytest.raises(UsageError, match="leaves its tree"):
        read(b"--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-a\n+b\n" % (path, path))


def test_a_file_without_a_name_is_refused():
    with pytest.raises(UsageError, match="does not say which file"):
        read(b"diff --git a/x b/longer\nold mode 100644\nnew mode 100755\n")


def test_a_series_of_commits_is_refused():
    with pytest.raises(UsageError, match="twice"):
        read(GIT + GIT)


@pytest.mark.parametrize("text", [b"hello\n", b"\0\xff\n", b"--- a\n+++ b\n", b"Subject: x\n\nno change\n"])
def test_text_without_a_diff_is_no_empty_change(text):
    with pytest.raises(UsageError, match="there is no diff in it"):
        read(text)
    assert read(b" \n\n") == []

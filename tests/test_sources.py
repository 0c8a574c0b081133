from __future__ import annotations

import hashlib

import pytest
from drawn import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from review_agent.errors import SnapshotError
from review_agent.git import Git
from review_agent.sources import Sources
from review_agent.vocabulary import Role, Side


def same(text: str) -> str:
    return text


def sources(repo, commit: str, mask=same, **options) -> Sources:
    return Sources(Git(repo.root), commit, mask, **{"side": Side.NEW, "max_bytes": 10_000, **options})


def test_a_file_comes_from_its_commit_and_not_from_the_checkout(repo):
    repo.write("a.py", "committed\n")
    commit = repo.commit("first")
    repo.write("a.py", "edited since\n")
    repo.write("b.py", "never committed\n")
    found = sources(repo, commit)
    assert found.get("a.py").text == "committed\n"
    assert found.problem("a.py") == ""
    assert (found.get("b.py"), found.problem("b.py")) == (None, "missing")


def test_lines_and_raw_lines_agree(repo):
    repo.write("a.txt", b"one\r\ntwo\x0c\xe2\x80\xa8still two\ncaf\xe9 \xff")
    source = sources(repo, repo.commit("first")).get("a.txt")
    assert source.lines == ("one\r", "two\x0c\u2028still two", "caf\ufffd \ufffd")
    assert source.raw_lines == (b"one\r\n", b"two\x0c\xe2\x80\xa8still two\n", b"caf\xe9 \xff")


def test_every_reason_not_to_read_a_file(repo, tmp_path):
    (tmp_path / "secret").write_text("outside\n")
    repo.write("late-nul.txt", b"x" * 8_000 + b"\0")
    repo.write("binary.bin", b"x" * 7_999 + b"\0")
    repo.write("large.txt", "x" * 10_001)
    repo.write("full.txt", "x" * 10_000)
    (repo.root / "link").symlink_to(tmp_path / "secret")
    first = repo.commit("first")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},lib")
    repo.git("commit", "-q", "-m", "second")
    found = sources(repo, repo.git("rev-parse", "HEAD"))
    found.prefetch(found.paths)
    assert {
        path: found.problem(path) for path in [*found.paths, "absent", "lib/x", "link/x", "/etc/passwd", "../x"]
    } == {
        "binary.bin": "binary",
        "full.txt": "",
        "large.txt": "too_large",
        "late-nul.txt": "",
        "lib": "submodule",
        "link": "symlink",
        "absent": "missing",
        "lib/x": "missing",
        "link/x": "missing",
        "/etc/passwd": "missing",
        "../x": "missing",
    }


def test_a_batch_is_read_once(repo, monkeypatch):
    for number in range(20):
        repo.write(f"{number}.txt", f"text {number % 3}\n")
    git = Git(repo.root)
    found = Sources(git, repo.commit("first"), same, side=Side.NEW, max_bytes=100)
    calls = []
    blobs = git.blobs
    monkeypatch.setattr(git, "blobs", lambda ids, **options: calls.append(list(ids)) or blobs(calls[-1], **options))
    found.prefetch(f"{number}.txt" for number in range(20))
    assert [found.get(f"{number}.txt").text for number in range(20)] == [f"text {number % 3}\n" for number in range(20)]
    assert [len(ids) for ids in calls] == [3]


def test_text_is_masked_after_hashing(repo):
    repo.write("a.txt", "key = hunter2\nother\n")
    commit = repo.commit("first")
    found = sources(repo, commit, lambda text: text.replace("hunter2", "[masked:password]"))
    source = found.get("a.txt")
    assert source.lines == ("key = [masked:password]", "other")
    assert source.raw_lines[0] == b"key = hunter2\n"
    ref = found.ref("a.txt", 1, 1, Role.CONFIG)
    assert ref.quote_sha256 == hashlib.sha256(b"key = hunter2\n").hexdigest()
    assert found.holds(ref)


def test_a_mask_may_not_change_the_number_of_lines(repo):
    repo.write("a.txt", "one\ntwo\n")
    found = sources(repo, repo.commit("first"), lambda text: text.replace("\n", " "))
    for _ in range(2):
        with pytest.raises(SnapshotError, match="number of lines"):
            _ = found.get("a.txt").text


def test_a_reference_says_all_that_is_needed_to_check_it(repo):
    repo.write("a.txt", "one\ntwo\nthree")
    commit = repo.commit("first")
    ref = sources(repo, commit, side=Side.OLD).ref("a.txt", 2, 3, Role.CALLER)
    assert ref.wire() == {
        "path": "a.txt",
        "startLine": 2,
        "endLine": 3,
        "commit": commit,
        "role": "caller",
        "side": "old",
        "blob": repo.git("rev-parse", f"{commit}:a.txt"),
        "quoteSha256": hashlib.sha256(b"two\nthree").hexdigest(),
    }


@pytest.mark.parametrize(("start", "end"), [(0, 1), (2, 1), (1, 4), (4, 4), (-1, -1)])
def test_a_reference_outside_the_file_is_refused(repo, start, end):
    repo.write("a.txt", "one\ntwo\nthree\n")
    found = sources(repo, repo.commit("first"))
    with pytest.raises(ValueError, match="lines 1 to 3"):
        found.ref("a.txt", start, end, Role.USE)
    with pytest.raises(ValueError, match="missing"):
        found.ref("absent.txt", 1, 1, Role.USE)


def test_a_reference_that_is_not_true_does_not_hold(repo):
    repo.write("a.txt", "one\ntwo\n")
    repo.write("b.txt", "one\nother\n")
    (repo.root / "link").symlink_to("a.txt")
    first = repo.commit("first")
    repo.write("a.txt", "ONE\ntwo\n")
    second = repo.commit("second")
    found = sources(repo, second)
    ref = found.ref("a.txt", 2, 2, Role.USE)
    assert found.holds(ref)
    link = Git(repo.root).tree(second)["link"].blob
    for wrong in (
        {"path": "b.txt"},
        {"path": "absent"},
        {"start_line": 1},
        {"end_line": 3},
        {"start_line": 0},
        {"commit": first},
        {"side": Side.OLD},
        {"blob": Git(repo.root).tree(first)["a.txt"].blob},
        {"quote_sha256": hashlib.sha256(b"two").hexdigest()},
        {
            "path": "link",
            "blob": link,
            "start_line": 1,
            "end_line": 1,
            "quote_sha256": hashlib.sha256(b"a.txt").hexdigest(),
        },
    ):
        assert not found.holds(ref.model_copy(update=wrong)), wrong


def test_the_empty_tree_is_a_side_without_files(repo):
    repo.commit("first")
    found = sources(repo, Git(repo.root).empty_tree(), side=Side.OLD)
    assert list(found.paths) == []
    assert found.problem("a.txt") == "missing"


@pytest.mark.slow
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=60).map(lambda data: data.replace(b"\0", b"\n")))
def test_any_text_splits_the_same_way_twice(repo, data):
    repo.write("a.txt", data)
    found = sources(repo, repo.commit("example"))
    source = found.get("a.txt")
    assert b"".join(source.raw_lines) == data
    assert [line.removesuffix(b"\n").decode("utf-8", "replace") for line in source.raw_lines] == list(source.lines)
    for number in range(1, len(source.lines) + 1):
        assert found.holds(found.ref("a.txt", number, number, Role.USE))

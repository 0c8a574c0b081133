from __future__ import annotations

import hashlib
import io
import json
import os
from pathlib import Path

import pytest

from review_agent import cli

pytestmark = pytest.mark.slow

API = "def price(sku):\n    return 1\n\n\ndef other():\n    return 2\n"
USER = "from shop.api import price\n\n\n\n\ndef total(skus):\n    return sum(price(sku) for sku in skus)\n"


@pytest.fixture
def shop(repo):
    repo.write("shop/__init__.py", "")
    repo.write("shop/api.py", API)
    repo.write("shop/user.py", USER)
    repo.commit("first")
    repo.write("shop/api.py", API.replace("price", "cost"))
    return repo


def run(capsys, monkeypatch, repo: Path, *args: str, stdin: bytes = b"") -> tuple[int, dict]:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    with pytest.raises(SystemExit) as stop:
        cli.main(["review", "--repo", str(repo), "--format", "json", *args])
    shown = capsys.readouterr()
    return int(stop.value.code or 0), json.loads(shown.out) if shown.out else {"error": shown.err}


def git_bytes(root: Path) -> str:
    made = hashlib.sha256()
    for path in sorted((root / ".git").rglob("*")):
        made.update(str(path).encode())
        made.update(path.read_bytes() if path.is_file() else b"")
    return made.hexdigest()


def essence(document: dict) -> list[tuple]:
    return [(card["claim"], card["diffAnchor"]["startLine"]) for card in document["outcomes"]["cards"]]


def test_the_work_tree_gives_the_cards_of_its_commit_and_leaves_the_repository_alone(shop, capsys, monkeypatch):
    before = git_bytes(shop.root)
    code, document = run(capsys, monkeypatch, shop.root, "--worktree")
    assert git_bytes(shop.root) == before
    assert code == 0
    assert len(essence(document)) == 1
    (check,) = {
        v["commandOrProcedure"] for v in document["outcomes"]["cards"][0]["verification"] if v["kind"] == "static-query"
    }
    assert check.endswith(" --untracked")
    patch = shop.git("diff").encode() + b"\n"
    _, piped = run(capsys, monkeypatch, shop.root, "--diff", "-", stdin=patch)
    shop.git("add", "-A", "shop")
    before = git_bytes(shop.root)
    _, index = run(capsys, monkeypatch, shop.root, "--staged")
    assert git_bytes(shop.root) == before
    shop.git("commit", "-q", "-m", "second")
    _, committed = run(capsys, monkeypatch, shop.root, "--commit", "HEAD")
    assert essence(document) == essence(piped) == essence(index) == essence(committed)


def test_a_diff_alone_concludes_nothing(shop, capsys, monkeypatch, tmp_path):
    patch = tmp_path / "x.patch"
    patch.write_bytes(shop.git("diff", "-U100").encode() + b"\n")
    (tmp_path / "empty").mkdir()
    code, document = run(capsys, monkeypatch, tmp_path / "empty", "--no-repo", "--diff", str(patch))
    assert code == 0
    assert document["outcomes"]["cards"] == []
    assert {one["code"] for one in document["outcomes"]["noFindings"]} == {"insufficient_evidence"}
    assert all("the patch alone is known" in one["detail"] for one in document["outcomes"]["noFindings"])
    assert (tmp_path / "empty/.review-agent/runs").is_dir()


def test_what_is_left_out_by_name_is_told(shop, capsys, monkeypatch):
    shop.write("docs/a.md", "x\n")
    code, document = run(capsys, monkeypatch, shop.root, "--worktree", "--exclude", "shop/", "--exclude", "*.rst")
    assert code == 0
    assert [(one["path"], one["rule"]) for one in document["outcomes"]["skipped"]] == [("shop/api.py", "excluded")]
    again = run(capsys, monkeypatch, shop.root, "--worktree")[1]
    assert again["run"]["reviewId"] != document["run"]["reviewId"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--no-repo"], "--diff"),
        (["--staged", "--worktree"], "exclude each other"),
        (["--diff", "/nowhere/x.patch"], "cannot read the diff"),
        (["--worktree", "--exclude", "!a"], "leaves nothing out"),
        (["--worktree", "--exclude", "["], "--exclude '[' is no glob: its bracket is not closed"),
        (["--commit", "HEAD~1..HEAD"], "next   `--base HEAD~1 --head HEAD` reviews a range"),
        (["--commit", "HEAD~1...HEAD"], "next   `--base HEAD~1 --head HEAD` reviews a range"),
        (["--commit", "feature.."], "next   `--base feature --head HEAD` reviews a range"),
        (["--worktree", "--head", "HEAD"], "a head of its own"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(shop, capsys, monkeypatch, args, said):
    code, document = run(capsys, monkeypatch, shop.root, *args)
    assert code == 2
    assert said in document["error"]
    assert os.listdir(shop.root).count(".review-agent") <= 1


@pytest.mark.parametrize("command", [["review", "--commit", "HEAD"], ["replay", "--commits", "HEAD"]])
def test_a_result_that_cannot_be_written_is_said_before_the_work(shop, capsys, monkeypatch, command):
    monkeypatch.setattr("review_agent.git.Git.__init__", lambda *_: pytest.fail("work began"))
    for output, said in ((shop.root / "none" / "out", "there is no such folder"), (shop.root, "this is a folder")):
        with pytest.raises(SystemExit) as stop:
            cli.main([*command, "--repo", str(shop.root), "--output", str(output)])
        assert stop.value.code == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert said in shown.err
        assert str(output) in shown.err
        assert "next   name a file in a folder that can be written" in shown.err


def test_every_command_says_the_same_of_a_result_that_cannot_be_written(shop, capsys):
    shop.commit("second")
    for command in (["review", "--commit", "HEAD"], ["explain"], ["cards", "list"]):
        with pytest.raises(SystemExit):
            cli.main([*command, "--repo", str(shop.root), "--output", str(shop.root / "none/out")])
        if command[0] == "review":
            with pytest.raises(SystemExit):
                cli.main([*command, "--repo", str(shop.root)])
            capsys.readouterr()
            continue
        told = capsys.readouterr().err
        assert "cannot write the result: there is no such folder\n" in told
        assert "next   name a file in a folder that can be written" in told


def test_a_text_that_is_no_diff_is_called_so_in_the_products_own_words(shop, capsys, monkeypatch):
    code, document = run(capsys, monkeypatch, shop.root, "--diff", "-", stdin=b"hello\n")
    assert code == 2
    assert "there is no diff in it" in document["error"]
    assert "--allow-empty" not in document["error"]


@pytest.mark.parametrize(
    ("option", "said", "hint"),
    [("--staged", "nothing is staged", "`git add`"), ("--worktree", "the work tree holds no change", "--commit")],
)
def test_nothing_to_review_says_what_to_do(shop, capsys, option, said, hint):
    shop.git("checkout", "-q", "--", ".")
    with pytest.raises(SystemExit) as stop:
        cli.main(["review", "--repo", str(shop.root), option])
    assert stop.value.code == 0
    told = capsys.readouterr().err
    assert said in told
    assert hint in told


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--base", "HEAD", "--head", "HEAD~2"], "did you mean --base HEAD~2 --head HEAD?"),
        (["--base", "HEAD", "--head", "HEAD"], "are one commit"),
        (["--commit", "HEAD~1"], "changes no file"),
        (["--base", "HEAD~2", "--head", "HEAD~1"], "the commit between HEAD~2 and HEAD~1 leaves"),
        (["--base", "HEAD~3"], "the 3 commits between HEAD~3 and HEAD leave every file as it was"),
    ],
)
@pytest.mark.parametrize("command", ["review", "preview"])
def test_a_range_or_a_commit_without_a_change_says_why(repo, capsys, monkeypatch, command, asked, said):
    monkeypatch.setattr(cli, "COMMANDS", (command,))
    for text in ("a", "b"):
        repo.write("a.txt", text)
        repo.commit(text)
    repo.commit("empty")
    repo.write("a.txt", "a")
    repo.commit("back")
    with pytest.raises(SystemExit) as stop:
        cli.main([command, "--repo", str(repo.root), *asked])
    assert stop.value.code == 0
    told = capsys.readouterr().err
    assert "so nothing was reviewed" in told
    assert said in told


def test_a_repository_of_one_commit_is_not_told_of_a_commit_before_it(repo, capsys, monkeypatch):
    repo.write("a.txt", "a")
    repo.commit("first")
    for branch in ("main", "trunk"):
        repo.git("branch", "-m", branch)
        with pytest.raises(SystemExit) as stop:
            cli.main(["review", "--repo", str(repo.root)])
        told = capsys.readouterr().err
        assert stop.value.code == 2
        assert "--commit HEAD reviews this first commit" in told
        assert "HEAD~1" not in told


def test_what_is_staged_is_reviewed_without_a_word(shop, capsys):
    shop.git("add", "-A")
    with pytest.raises(SystemExit):
        cli.main(["review", "--repo", str(shop.root), "--staged"])
    assert capsys.readouterr().err == ""


def test_explain_shows_no_more_of_an_id_than_tells_it(shop, capsys):
    shop.commit("second")
    base = shop.git("rev-parse", "HEAD~1")
    for arguments in (["review", "--base", base], ["explain", "latest"]):
        with pytest.raises(SystemExit):
            cli.main([*arguments, "--repo", str(shop.root)])
    said = capsys.readouterr().out.partition("compared")[2].partition("\n")[0]
    assert base[:12] in said
    assert base[:13] not in said


def test_a_word_that_an_option_does_not_know_is_told_without_jargon(shop, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["cards", "list", "--repo", str(shop.root), "--state", "foo"])
    assert stop.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("review-agent: --state: 'foo' is not one of 'open'")
    assert "\n  where  review-agent cards list\n  next   `review-agent cards list --help`" in told
    assert "Value error" not in told


@pytest.mark.parametrize(
    ("arguments", "said", "where"),
    [
        (["review", "--fail-on", "rain"], "--fail-on: 'rain' is not one of", "review-agent review"),
        (["cards", "list", "--limit", "-4"], "--limit: ", "review-agent cards list"),
        (["review", "--rain"], "no such option: --rain", "review-agent review"),
        (["rain"], "no such command 'rain'", "review-agent"),
        (["explain", "a", "--output"], "option '--output' requires an argument", "review-agent explain"),
    ],
)
def test_every_error_of_the_command_line_is_said_as_errors_are(capsys, arguments, said, where):
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"review-agent: {said}")
    assert lines[1:] == [f"  where  {where}", f"  next   `{where} --help` tells what it takes"]


def test_a_folder_that_is_no_repository_is_named_whole(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        cli.main(["review"])
    assert f"\n  where  {tmp_path}\n" in capsys.readouterr().err

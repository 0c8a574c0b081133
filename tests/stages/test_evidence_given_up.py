"""What was given up while evidence was collected is told, and the run is incomplete: no clock settles a question."""

import json

import evidence_room
import pytest
from evidence_room import Room, ask, policy

from review_agent.cli import main
from review_agent.errors import GitError, ProcessError
from review_agent.git import Git
from review_agent.stages.evidence import collect
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import Side

SHOP = {
    "shop/prices.py": "def total(items):\n    return sum(items)\n",
    "shop/jobs.py": "from shop.prices import total\n\nprint(total([1]))\n",
}


class Late(Parser):
    """Gives up every text that names one word."""

    def _exchange(self, request):
        if "print" in request["text"]:
            return {"given up": "not parsed within 120 seconds"}
        return super()._exchange(request)


def collected(room, *plan, parser=None):
    failures = []
    bundles = collect(
        [room.question(*plan)],
        snapshot=room.snapshot,
        git=room.git,
        old=room.sources[Side.OLD],
        new=room.sources[Side.NEW],
        parser=parser or evidence_room.parser(),
        policy=policy(),
        failed=failures.append,
    )
    return list(bundles), failures


def test_nothing_is_told_where_nothing_was_given_up(repo):
    room = Room(repo, SHOP)
    assert collected(room, ask("callers", "total", "shop/prices.py"))[1] == []


def test_a_file_that_the_parser_gave_up_is_told_once(repo):
    room = Room(repo, SHOP)
    query = ask("callers", "total", "shop/prices.py")
    with Late() as parser:
        _, failures = collected(room, query, query, parser=parser)
    (failure,) = failures
    assert (failure.what, failure.name, failure.path) == ("file", "new", "shop/jobs.py")
    assert "not parsed within 120 seconds" in failure.detail


def test_a_file_above_the_size_is_no_failure(repo):
    room = Room(repo, SHOP)
    with Parser(max_bytes=45) as parser:
        assert collected(room, ask("callers", "total", "shop/prices.py"), parser=parser)[1] == []


def test_history_that_git_was_too_late_with_is_told_and_what_git_refuses_is_not(repo, monkeypatch):
    room = Room(repo, SHOP)
    query = ask("history", "1-2", "shop/prices.py", side=Side.OLD)

    def refuses(*args, **options):
        raise GitError("git blame failed: no such blob")

    def is_late(*args, **options):
        raise GitError("git did not answer within 120 seconds and was given up") from ProcessError("late")

    monkeypatch.setattr(Git, "blame", refuses)
    assert collected(room, query)[1] == []
    monkeypatch.setattr(Git, "blame", is_late)
    (failure,) = collected(room, query)[1]
    assert (failure.what, failure.path) == ("search", "shop/prices.py")


def test_a_search_that_fails_makes_the_run_incomplete(repo, tmp_path, monkeypatch, capsys):
    for text in (SHOP["shop/prices.py"], "def total(items, tax):\n    return sum(items) * tax\n"):
        repo.write("shop/jobs.py", SHOP["shop/jobs.py"])
        repo.write("shop/prices.py", text)
        commit = repo.commit("next")

    def is_late(*args, **options):
        raise GitError("git did not answer within 120 seconds and was given up") from ProcessError("late")

    monkeypatch.setattr(Git, "grep", is_late)
    asked = ["review", "--commit", commit, "--repo", str(repo.root), "--format", "json"]
    with pytest.raises(SystemExit) as left:
        main(asked)
    assert left.value.code == 3
    document = json.loads(capsys.readouterr().out)
    assert document["run"]["status"] == "incomplete"
    assert {one["what"] for one in document["coverage"]["failures"]} == {"search"}
    assert "`total`" in document["coverage"]["failures"][0]["name"]

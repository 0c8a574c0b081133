"""What was given up while evidence was collected is told, and the run is incomplete: no clock settles a question."""

import json

import evidence_room
import pytest
from evidence_room import Room, ask, policy

from review_agent.cli import main
from review_agent.errors import GitError, ProcessError
from review_agent.git import Git
from review_agent.stages import evidence
from review_agent.stages.evidence import collect
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import QueryStatus, Side

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
    return collected_of(room, [room.question(*plan)], parser)


def collected_of(room, questions, parser=None):
    failures = []
    bundles = collect(
        questions,
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


BAD_GLOBS = ("!", "\\", "a\\", "!\\", "[z-a]", "src/[z-a].py")
BAD_PATHS = ("../api.py", "a/../../b", "..", "/etc/passwd", "/", ":(bogus)x", ":!shop", ":/", ":", "a\0b")


@pytest.mark.parametrize(
    "query",
    [*(ask("path", one) for one in BAD_GLOBS), *(ask("text", "total", one) for one in BAD_PATHS)],
    ids=lambda query: ascii(f"{query.kind.value} {query.name} {query.path}"),
)
def test_a_query_that_cannot_be_run_costs_itself_alone(repo, query):
    room = Room(repo, SHOP)
    ((bundle,), failures) = collected(room, query, ask("callers", "total", "shop/prices.py"))
    refused, answered = bundle.queries
    assert (refused.status, answered.status) == (QueryStatus.FAILED, QueryStatus.ANSWERED)
    assert "review-agent-git" not in refused.note
    assert (query.path or query.name) in refused.note
    assert failures == []


@pytest.mark.parametrize("query", [ask("path", "shop/*.py"), ask("path", "/shop/[a-p]*"), ask("text", "total", "shop")])
def test_globs_and_folders_are_looked_into(repo, query):
    ((bundle,), failures) = collected(Room(repo, SHOP), query)
    assert bundle.queries[0].status is QueryStatus.ANSWERED
    assert "shop/prices.py" in {one.ref.path for one in bundle.evidence}
    assert failures == []


def test_a_bug_met_on_one_question_costs_its_evidence_alone(repo, monkeypatch):
    room = Room(repo, SHOP)

    def broken(run, answer, allowance):
        raise KeyError("scope")

    monkeypatch.setattr(evidence, "direct", broken)
    questions = [room.question(ask("path", "*.py")), room.question(*[ask("callers", "total", "shop/prices.py")] * 2)]
    ((lost, kept), failures) = collected_of(room, questions)
    assert [one.status for one in lost.queries] == [QueryStatus.FAILED]
    assert "KeyError" in lost.queries[0].note
    assert {one.status for one in kept.queries} == {QueryStatus.ANSWERED}
    (failure,) = failures
    assert (failure.what, failure.name, failure.path) == ("search", "r", room.anchor_path)
    assert "a bug of ours: KeyError: 'scope'" in failure.detail


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

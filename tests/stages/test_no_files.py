"""A link is never followed, and what takes its place is code like any other."""

from __future__ import annotations

import pytest
from conftest import Repo

from review_agent.engines.rules import Rules
from review_agent.git import Git
from review_agent.pipeline import Asked, Setup, review
from review_agent.policy.load import load
from review_agent.runlog import read_events
from review_agent.vocabulary import ReviewDocument

pytestmark = pytest.mark.slow

USER = "from a import f\n\n\ndef g():\n    return f(1)\n"


def reviewed(repo: Repo) -> tuple[ReviewDocument, set[str]]:
    setup = Setup(
        git=Git(repo.root),
        policy=load(),
        engine=Rules(),
        state_dir=repo.root / ".review-agent",
        asked=Asked(base="HEAD~1", head="HEAD"),
    )
    done = review(setup)
    return done.document, {str(one.data["op"]) for one in read_events(done.path) if one.type == "edit"}


@pytest.fixture
def linked(repo: Repo) -> Repo:
    """``a.py`` is a link, ``c.py`` uses it."""
    (repo.root / "a.py").symlink_to("x")
    repo.write("c.py", USER)
    repo.commit("a link")
    return repo


def test_a_file_that_takes_the_place_of_a_link_is_examined_and_the_link_is_skipped(linked: Repo) -> None:
    (linked.root / "a.py").unlink()
    linked.write("a.py", "from c import nothing_there\n\n\ndef f(a, b):\n    return a.b\n")
    linked.commit("a file")
    document, edits = reviewed(linked)
    assert [card.rule for card in document.outcomes.cards] == ["name_does_not_exist"]
    (skip,) = document.outcomes.skipped
    assert (skip.rule, skip.path) == ("symlink", "a.py")
    assert skip.hunk_id
    coverage = document.coverage
    assert (coverage.files_examined, coverage.hunks_examined, coverage.hunks_skipped) == (1, 1, 1)
    assert "symbol_added" in edits


def test_a_file_whose_place_a_link_takes_is_examined_by_lines_as_the_link_may_lead_to_all_it_held(repo: Repo) -> None:
    repo.write("a.py", "def f(a):\n    return a\n")
    repo.write("c.py", USER)
    repo.commit("a file")
    (repo.root / "a.py").unlink()
    (repo.root / "a.py").symlink_to("elsewhere/a.py")
    repo.commit("a link")
    document, edits = reviewed(repo)
    assert document.outcomes.cards == ()
    assert [skip.rule for skip in document.outcomes.skipped] == ["symlink"]
    assert (document.coverage.hunks_examined, document.coverage.hunks_skipped) == (1, 1)
    assert edits == {"lines_changed"}


def test_a_link_that_leads_elsewhere_is_no_code_on_either_side(linked: Repo) -> None:
    (linked.root / "a.py").unlink()
    (linked.root / "a.py").symlink_to("y")
    linked.commit("another link")
    document, edits = reviewed(linked)
    (skip,) = document.outcomes.skipped
    assert (skip.rule, skip.hunk_id, edits) == ("symlink", None, set())
    assert document.coverage.files_examined == 0


def test_a_submodule_that_becomes_a_file_is_examined(repo: Repo) -> None:
    repo.write("c.py", USER)
    first = repo.commit("start")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},a.py")
    repo.git("commit", "-q", "-m", "a submodule")
    repo.git("rm", "-q", "--cached", "a.py")
    repo.write("a.py", "def f(a, b):\n    return a.b\n")
    repo.commit("a file")
    document, edits = reviewed(repo)
    assert "symbol_added" in edits
    assert {skip.rule for skip in document.outcomes.skipped} == {"submodule"}

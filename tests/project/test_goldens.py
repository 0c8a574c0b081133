"""What a person sees of the demo, kept in pairs: the text and the data it was made from. `make goldens` writes both."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from review_agent.commands._rendered import rendered
from review_agent.demo import build
from review_agent.engines.rules import Rules
from review_agent.git import Git
from review_agent.pipeline import Asked, Reviewed, Setup, review
from review_agent.policy.load import load
from review_agent.publish.trail import trail_text
from review_agent.runlog import fold, read_events

pytestmark = pytest.mark.slow

GOLDENS = Path(__file__).parents[1] / "goldens"


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Reviewed:
    repo = tmp_path_factory.mktemp("demo") / "repo"
    base, head = build(repo)
    git = Git(repo)
    return review(Setup(git, load(git=git), Rules(), repo / ".review-agent", asked=Asked(base, head)))


def check(name: str, text: str) -> None:
    path = GOLDENS / name
    if os.environ.get("UPDATE_GOLDENS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path} differs: look at it, then `make goldens`"


def test_review_text(reviewed: Reviewed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    check("demo.txt", rendered(reviewed, "text"))


def test_review_outcomes(reviewed: Reviewed) -> None:
    check("demo.outcomes.json", rendered(reviewed, "outcomes"))


def test_trail(reviewed: Reviewed) -> None:
    state = fold(read_events(reviewed.path))
    check("demo.trail.txt", trail_text(state))

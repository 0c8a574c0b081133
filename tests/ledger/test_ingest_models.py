"""Runs that a model had a part in: it may answer otherwise in each, and no artifact is refused for that."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Repo
from test_endings import Scripted, asks, draft, drafts, question, run
from test_endings import site as site

from review_agent.engines.rules import Rules
from review_agent.engines.rules_first import RulesFirst
from review_agent.ledger.store import Ledger

pytestmark = pytest.mark.slow


def test_two_runs_of_one_review_whose_model_answered_otherwise_are_both_taken_in(site: Repo, tmp_path: Path) -> None:
    talks = Scripted(compile=asks(question()), synthesize=drafts(draft()))
    silent = Scripted(compile=asks(question()))
    runs = [run(site, RulesFirst(one, Rules(), 9), tmp_path / name) for name, one in (("a", talks), ("b", silent))]
    first, second = (one.document for one in runs)
    assert first.run.review_id == second.run.review_id
    assert (len(first.outcomes.cards), len(second.outcomes.cards)) == (1, 0)
    found = Ledger(tmp_path / "c" / ".review-agent").ingest([one.path for one in runs])
    assert (len(found.added), found.refused) == (2, [])

"""Runs that a model had a part in: it may answer otherwise in each, and no artifact is refused for that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Repo
from test_amending import INVENTED, mending
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


@pytest.mark.parametrize(
    ("kind", "changes", "reason"),
    [
        ("refused_draft", {"reasons": ["x"]}, "refused_draft: reasons.0: "),
        ("refused_draft", {"questionId": None}, "refused_draft: questionId: "),
        ("context", {"text": 5}, "context: text: "),
    ],
)
def test_what_explain_could_not_read_is_refused_with_its_line(
    site: Repo, tmp_path: Path, kind: str, changes: dict[str, Any], reason: str
) -> None:
    words = mending({"drafts": [INVENTED]}, {"drafts": [draft()]})
    done = run(site, RulesFirst(Scripted(compile=asks(question()), synthesize=words), Rules(), 9))
    assert Ledger(tmp_path / "a" / ".review-agent").ingest([done.path]).refused == []
    records = [json.loads(line) for line in done.path.read_text().splitlines()]
    next(one["data"] for one in records if one["type"] == kind).update(changes)
    forged = tmp_path / "forged.jsonl"
    forged.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in records))
    (refused,) = Ledger(tmp_path / "b" / ".review-agent").ingest([forged]).refused
    assert reason in refused.reason

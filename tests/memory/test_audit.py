"""A share of what was kept silent is shown as cards that nothing gives away, that nobody posts and nobody counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from review_agent import cli
from review_agent.adjudication import decide
from review_agent.engines.rules import Rules
from review_agent.git import Git
from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.ledger.store import Ledger, QueueFilter
from review_agent.memory.audit import draw
from review_agent.pipeline import Asked, Reviewed, Setup, review
from review_agent.policy.load import load
from review_agent.policy.model import Policy
from review_agent.publish.card_page import card_page
from review_agent.stages.contract import sealed
from review_agent.vocabulary import Act, CardState, Confidence, ReviewEvidenceCard, Sample

pytestmark = pytest.mark.slow

MODULE = '"""Orders."""\n\n\ndef {name}({parameters}):\n    return order.total\n'
CALL = "from shop.{name} import {name}\n\n\ndef run(order):\n    return {name}({arguments})\n"


def shop(repo: Any) -> None:
    """``broken`` and ``rejected`` end in cards, ``adapted`` as refuted: its call was adapted."""
    for name in ("broken", "rejected", "adapted"):
        repo.write(f"shop/{name}.py", MODULE.format(name=name, parameters="order"))
        repo.write(f"jobs/{name}_job.py", CALL.format(name=name, arguments="order"))
    repo.write("shop/__init__.py", "")
    repo.commit("base")
    repo.git("switch", "-q", "-c", "feature")
    for name in ("broken", "rejected", "adapted"):
        repo.write(f"shop/{name}.py", MODULE.format(name=name, parameters="order, currency"))
    repo.write("jobs/adapted_job.py", CALL.format(name="adapted", arguments='order, "EUR"'))
    repo.commit("change")


def policy(percent: int) -> Policy:
    shipped = load()
    return shipped.model_copy(update={"queue": shipped.queue.model_copy(update={"audit_percent": percent})})


def reviewed(repo: Any, percent: int) -> Reviewed:
    state = repo.root / ".review-agent"
    return review(Setup(Git(repo.root), policy(percent), Rules(), state, asked=Asked("main", "feature")))


def take(state: Path, card_id: str, act: Act) -> None:
    reason, codes = "intended" if act is Act.REJECT else None, load().reason_codes
    decide(state, card_id, act, reason_code=reason, comment=None, reviewer="Ada", policy_reason_codes=codes)


def samples(state: Path) -> list[Sample]:
    records = Journal(state / JOURNAL_FILE).read()
    return [Sample.model_validate(record) for record in records if record["kind"] == "sample"]


@pytest.fixture
def audited(repo: Any) -> tuple[Any, Reviewed]:
    """A branch with a rejected finding, reviewed once more with every silent outcome drawn."""
    shop(repo)
    first = reviewed(repo, 0)
    (card,) = [card for card in first.document.outcomes.cards if "`rejected`" in card.claim]
    take(repo.root / ".review-agent", card.card_id, Act.REJECT)
    return repo, reviewed(repo, 100)


def test_what_was_silenced_enters_the_queue_unmarked_and_is_marked_once_decided(audited: Any) -> None:
    repo, run = audited
    state = repo.root / ".review-agent"
    drawn = samples(state)
    assert {one.source for one in drawn} == {"suppressed", "refuted"}
    assert all(one.share == 1.0 for one in drawn)
    ids = {one.card["cardId"] for one in drawn}
    rows = {row.card["cardId"]: row for row in Ledger(state).queue(QueueFilter(), limit=100).rows}
    assert ids < set(rows)
    assert {row.audit for row in rows.values()} == {None}
    look(state, rows, ids)
    for one in drawn:
        act = Act.ACCEPT if one.source == "refuted" else Act.REJECT
        take(state, one.card["cardId"], act)
        row = Ledger(state).card(one.card["cardId"]).row
        assert row.audit == one.source
        assert row.state is (CardState.ACCEPTED if act is Act.ACCEPT else CardState.REJECTED)
    assert run.document.run.status == "complete"


def test_deciding_on_the_command_line_tells_of_a_sample_afterwards(
    audited: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    repo, run = audited
    card_id = str(samples(repo.root / ".review-agent")[0].card["cardId"])
    own = run.document.outcomes.cards[0].card_id
    for one in (own, card_id):
        with pytest.raises(SystemExit):
            cli.main(["decide", one, "accept", "--reviewer", "Ada <ada@example.com>", "--repo", str(repo.root)])
        err = " ".join(capsys.readouterr().err.split())
        assert (f"{one[:8]} was a sample of the blind audit" in err) is (one == card_id)
    many = repo.root.parent / "decisions.jsonl"
    lines = [{"cardId": one, "act": act} for one in (own, card_id) for act in ("reopen", "accept")]
    many.write_text("".join(json.dumps(one) + "\n" for one in lines))
    with pytest.raises(SystemExit):
        cli.main(["decide", "--from", str(many), "--reviewer", "Ada <ada@example.com>", "--repo", str(repo.root)])
    err = " ".join(capsys.readouterr().err.split())
    assert err.count("was a sample of the blind audit") == 1


def look(state: Path, rows: Any, ids: set[str]) -> None:
    """Samples are cards in every respect that a reader sees: shape, evidence, checks, no decision from before."""
    for card_id in rows:
        detail = Ledger(state).card(card_id)
        card = ReviewEvidenceCard.model_validate(detail.row.card)
        assert card.verification
        assert card.supporting_refs
        assert card_id not in ids or detail.earlier == []
        parts = (detail.row.card, detail.question, detail.bundle, detail.hunk, detail.decisions)
        page = card_page(*parts, state="hidden", width=110, color=False)
        assert "sample" not in page
        assert "audit" not in page


def test_a_sample_is_no_finding_of_the_run_and_so_is_never_posted(audited: Any) -> None:
    repo, run = audited
    drawn = samples(repo.root / ".review-agent")
    found = run.document.outcomes.cards
    assert not {one.card["cardId"] for one in drawn} & {card.card_id for card in found}
    assert not {one.card["fingerprint"] for one in drawn} & {card.fingerprint for card in found}
    published = json.dumps(run.document.wire())
    assert not any(one.card["cardId"] in published for one in drawn)


def test_no_field_of_a_sample_holds_what_no_card_would(audited: Any) -> None:
    repo, run = audited
    for one in samples(repo.root / ".review-agent"):
        sample, by = ReviewEvidenceCard.model_validate(one.card), policy(100)
        assert sample == sealed(sample, by), "what is computed of a card is computed alike"
        assert (sample.confidence is Confidence.HIGH) is (not sample.uncertainty), "as the contract has it"
        for name in ("kind", "schema_version", "pr", "model_may_post", "confidence"):
            assert getattr(sample, name) in {getattr(card, name) for card in run.document.outcomes.cards}, name


def test_a_decision_on_a_sample_suppresses_and_reopens_nothing(audited: Any) -> None:
    repo, run = audited
    state = repo.root / ".review-agent"
    for one in samples(state):
        take(state, one.card["cardId"], Act.ACCEPT)
    again = reviewed(repo, 100)
    assert again.document.outcomes == run.document.outcomes


def test_the_draw_follows_from_the_review_alone_and_is_made_once(audited: Any) -> None:
    repo, run = audited
    state = repo.root / ".review-agent"
    before = (state / JOURNAL_FILE).read_bytes()
    assert draw(state, [run.path], policy(100)) == []
    assert reviewed(repo, 100).document.outcomes == run.document.outcomes
    assert (state / JOURNAL_FILE).read_bytes() == before
    every = {one.card["cardId"] for one in samples(state)}
    for percent in (0, 50, 100):
        (state / JOURNAL_FILE).unlink(missing_ok=True)
        drawn = {one.card["cardId"] for one in draw(state, [run.path], policy(percent))}
        assert drawn <= every
        assert len(drawn) == {0: 0, 50: len(drawn), 100: len(every)}[percent]

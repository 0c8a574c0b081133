"""What is remembered of a finding follows from people's decisions, and from nothing else."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from decided import act, over, reject

from review_agent.memory.verdicts import Memory, Word, recall, standing, verdicts
from review_agent.vocabulary import CardState

TODAY = date(2026, 11, 30)


def is_rejected(*records: dict[str, Any], evidence: str = "e1", today: date = TODAY) -> bool:
    return recall(records, today).verdict("f", evidence) is not None


def test_a_rejection_is_remembered_with_what_it_was_made_on() -> None:
    (one,) = recall([reject()], TODAY).rejections
    assert (one.fingerprint, one.evidence, one.reason_code, one.day) == ("f", "e1", "intended", "2026-11-29")
    assert is_rejected(reject())
    assert not is_rejected(reject(), evidence="e2")
    assert not is_rejected(reject(evidence=None)), "what it stood on is not known"


@pytest.mark.parametrize("name", ["accept", "needs_proof"])
def test_other_decisions_are_no_rejections(name: str) -> None:
    assert not is_rejected(act(name))


def test_a_rejection_that_was_undone_or_lapsed_is_forgotten() -> None:
    assert not is_rejected(reject(), act("reopen"))
    assert is_rejected(reject(until="2026-12-01"))
    assert not is_rejected(reject(until="2026-11-30"))


def test_it_outlives_its_card() -> None:
    assert is_rejected(reject(), over("c1", "c2"))
    assert is_rejected(reject(), over("c1"))


def test_each_evidence_that_was_rejected_is_remembered_until_the_finding_is_accepted() -> None:
    twice = [reject(), over("c1", "c2"), reject("c2", evidence="e2")]
    assert is_rejected(*twice)
    assert is_rejected(*twice, evidence="e2")
    accepted = [reject(), over("c1", "c2"), act("accept", "c2", evidence="e2")]
    assert not is_rejected(*accepted)
    assert is_rejected(*accepted, act("reopen", "c2"))


def test_the_latest_of_two_rejections_counts() -> None:
    (one,) = recall([reject(), reject("c2", reasonCode="deferred")], TODAY).rejections
    assert one.card_id == "c2"


def test_a_sample_of_the_blind_audit_is_no_finding() -> None:
    sample = {"kind": "sample", "card": {"cardId": "c1"}}
    assert not is_rejected(sample, reject())
    assert verdicts([sample, reject()], TODAY) == {}


def test_only_what_the_change_could_have_is_in_the_digest() -> None:
    assert recall([reject()], TODAY, {"b.py"}).digest == ""
    assert recall([reject()], TODAY, {"a.py"}).digest == recall([reject()], TODAY).digest != ""
    assert recall([reject(path=None)], TODAY, {"b.py"}).digest, "an older decision does not say where"


def test_the_digest_is_of_the_verdicts_alone_and_empty_without_any() -> None:
    assert recall([], TODAY).digest == recall([act("accept")], TODAY).digest == ""
    more = [reject(), act("accept", "c9", fingerprint="g"), over("c1", "c2")]
    assert recall(more, TODAY).digest == recall([reject()], TODAY).digest
    assert Memory(round=1).digest


def test_memory_is_the_same_after_its_way_through_a_run_log() -> None:
    memory = recall([reject()], TODAY)
    assert Memory.of(memory.wire()) == memory
    assert Memory.of({}) == Memory()


@pytest.mark.parametrize(
    ("records", "word", "reason"),
    [
        ([act("accept")], Word.ACCEPTED, None),
        ([act("accept"), act("downgrade")], Word.ACCEPTED, None),
        ([act("accept"), act("revoke")], Word.REJECTED, "revoked"),
        ([act("accept"), over("c1")], Word.FIXED, None),
        ([over("c1")], Word.STALE, None),
        ([act("needs_proof")], Word.OPEN, None),
        ([reject()], Word.REJECTED, "intended"),
        ([reject(until="2026-11-30")], Word.OPEN, None),
        ([reject(), act("reopen")], Word.OPEN, None),
        ([reject(), over("c1", "c2")], Word.OPEN, None),
        ([reject(), over("c1", "c2"), over("c2")], Word.STALE, None),
        ([act("accept"), over("c2", "c1")], Word.ACCEPTED, None),
        ([over("c1", "c2"), act("accept", "c2"), over("c2")], Word.FIXED, None),
        ([over("c1", "c2"), over("c2", "c1")], Word.OPEN, None),
    ],
)
def test_what_became_of_a_finding(records: list[dict[str, Any]], word: Word, reason: str | None) -> None:
    verdict = verdicts(records, TODAY)["f"]
    assert (verdict.word, verdict.reason) == (word, reason)
    assert len(verdict.decisions) == len(records)


def test_a_superseded_card_stands_as_the_one_that_stands_for_it() -> None:
    records = [act("accept"), over("c2", "c1"), over("c3", "c2"), over("c4"), over("c5", "c6"), over("c6", "c5")]
    states = standing(records, TODAY)
    assert [states[f"c{n}"].value for n in range(1, 5)] == ["accepted", "accepted", "accepted", "stale"]
    assert states["c5"] is states["c6"] is CardState.SUPERSEDED, "a circle ends"
    assert standing([over("c1", "c2")], TODAY) == {"c1": CardState.HIDDEN}

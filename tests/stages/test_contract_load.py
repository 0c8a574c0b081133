"""Evidence bears load: what the rules conclude without a ref tells whether it may be listed."""

import logging

from judging import CASE, codes, judged, true_draft
from truecards import world

from review_agent.kinds import KINDS
from review_agent.vocabulary import ChangeKind, ContractCode, Draft


class Concluding:
    """A kind that concludes the true card where ``needs`` of its supporting refs are in the bundle."""

    kind = ChangeKind.CACHE_KEY

    def __init__(self, *needs):
        self.needs = needs

    def settle(self, question, bundle):
        draft = Draft.model_validate(true_draft())
        here = [ref for ref in draft.supporting_refs if any(ref == one.ref for one in bundle.evidence)]
        if any(draft.supporting_refs[index] not in here for index in self.needs):
            return ()
        return (draft.model_copy(update={"supporting_refs": tuple(here)}),)


class Failing(Concluding):
    def settle(self, question, bundle):
        if len(bundle.evidence) < len(world().cases[CASE][1].evidence):
            raise RuntimeError("a bug on a part of a bundle")
        return super().settle(question, bundle)


def by_rule(draft):
    """The verdict on a draft that answers a question of one of the built-in rules."""
    question = world().cases[CASE][0].model_copy(update={"rule": "handler_swallows"})
    return judged(draft, question=question)[0]


def test_a_card_passes_when_every_ref_is_needed(monkeypatch):
    monkeypatch.setitem(KINDS._loaded, ChangeKind.CACHE_KEY, Concluding(0, 1, 2, 3))
    assert by_rule(true_draft()).kind == "card"


def test_what_could_not_be_checked_does_not_pass(monkeypatch, caplog):
    monkeypatch.setitem(KINDS._loaded, ChangeKind.CACHE_KEY, Failing(0))
    caplog.set_level(logging.DEBUG, logger="review_agent")
    verdict = by_rule(true_draft())
    assert codes(verdict) == {ContractCode.EVIDENCE_NOT_LOAD_BEARING}
    assert [reason.detail for reason in verdict.reasons] == [
        "could not be checked: RuntimeError: a bug on a part of a bundle"
    ]
    assert [(one.levelno, one.exc_info is not None) for one in caplog.records] == [(logging.DEBUG, True)]


def test_a_ref_without_which_the_same_is_concluded_is_refused(monkeypatch):
    monkeypatch.setitem(KINDS._loaded, ChangeKind.CACHE_KEY, Concluding(0, 1, 3))
    verdict = by_rule(true_draft())
    assert codes(verdict) == {ContractCode.EVIDENCE_NOT_LOAD_BEARING}
    assert [reason.detail for reason in verdict.reasons] == [
        "shop/cache.py:3 changes nothing: the same is concluded without it"
    ]


def test_a_conclusion_that_needs_none_of_its_refs_is_refused(monkeypatch):
    monkeypatch.setitem(KINDS._loaded, ChangeKind.CACHE_KEY, Concluding())
    details = [reason.detail for reason in by_rule(true_draft()).reasons]
    assert len(details) == 5
    assert details[-1] == "the same is concluded without any of the supporting refs"


def test_nothing_is_said_of_a_draft_that_the_rules_do_not_conclude(monkeypatch):
    monkeypatch.setitem(KINDS._loaded, ChangeKind.CACHE_KEY, Concluding())
    reworded = {**true_draft(), "severity": "important"}
    assert by_rule(reworded).kind == "card"

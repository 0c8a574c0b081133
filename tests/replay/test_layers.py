"""Each layer is blamed for a case that was broken on purpose in that layer, and for no other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from replaycases import API, halves, reviewed, with_budget, with_kind

from review_agent.kinds.api_contract import ApiContract
from review_agent.kinds.base import unsettled
from review_agent.replay.alarms import explained
from review_agent.replay.judging import judged
from review_agent.replay.records import CLEAN, Expected, Place
from review_agent.replay.trail import trail
from review_agent.runlog import fold, read_events
from review_agent.stages import questions
from review_agent.stages.account import document
from review_agent.vocabulary import ChangeKind, ContractCode, NoFindingCode, Severity, Side

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return halves(tmp_path_factory.mktemp("cases"))


def test_the_case_is_found_and_its_twin_left_silent_where_nothing_is_broken(pair, tmp_path):
    defect, twin = (reviewed(half, tmp_path) for half in pair)
    assert (defect.verdict, twin.verdict) == ("found", "silent")
    assert defect.miss is None
    assert [(card.mark, card.kind, card.beside_defect) for card in defect.cards] == [("hit", API, False)]
    assert (tmp_path.parent / defect.run_log).name == "python.one.defect.jsonl"


def test_edits_where_no_edit_is_found_at_the_defect(pair, tmp_path, monkeypatch):
    real = questions.edits

    def without(change, **told):
        return [edit for edit in real(change, **told) if edit.path != "shop/pricing.py"]

    monkeypatch.setattr(questions, "edits", without)
    miss = reviewed(pair[0], tmp_path).miss
    assert miss is not None
    assert (miss.layer, miss.why) == ("edits", "no edit at shop/pricing.py:6")


def test_edits_where_all_that_is_known_is_that_lines_changed(pair, tmp_path, monkeypatch):
    real = questions.edits

    def by_lines(change, **told):
        return real(change, **{**told, "old": None, "new": None})

    monkeypatch.setattr(questions, "edits", by_lines)
    miss = reviewed(pair[0], tmp_path).miss
    assert miss is not None
    assert miss.layer == "edits"
    assert "only the fact that lines changed" in miss.why


def test_edits_where_the_file_was_set_aside(pair, tmp_path):
    miss = reviewed(pair[0], tmp_path, with_budget(blob_bytes=60)).miss
    assert miss is not None
    assert miss.layer == "edits"
    assert "too_large" in miss.why


def test_questions_where_the_kind_is_disabled(pair, tmp_path):
    miss = reviewed(pair[0], tmp_path, with_kind(enabled=False)).miss
    assert miss is not None
    assert miss.layer == "questions"
    assert "kind api_contract asks nothing" in miss.why
    assert "parameter_added" in miss.why


def test_questions_where_a_cap_left_it_out(pair, tmp_path):
    miss = reviewed(pair[0], tmp_path, with_budget(questions_per_run=0)).miss
    assert miss is not None
    assert miss.layer == "questions"
    assert "capped" in miss.why
    assert "required_parameter_added" in miss.why


def test_retrieval_where_the_budget_allows_no_look(pair, tmp_path):
    miss = reviewed(pair[0], tmp_path, with_budget(candidate_files=0)).miss
    assert miss is not None
    assert miss.layer == "retrieval"
    assert "in no evidence: shop/orders.py:10" in miss.why
    assert miss.question_id


def test_synthesis_where_the_settling_concludes_wrongly(pair, tmp_path, monkeypatch):
    wrong = unsettled(NoFindingCode.REFUTED, "somebody says so")
    monkeypatch.setattr(ApiContract, "settle", lambda self, question, bundle: wrong)
    miss = reviewed(pair[0], tmp_path).miss
    assert miss is not None
    assert miss.layer == "synthesis"
    assert "refuted: somebody says so; the proof was in its bundle" in miss.why


def test_synthesis_where_the_engine_gives_no_answer(pair, tmp_path, monkeypatch):
    def broken(self, question, bundle):
        raise ValueError("no")

    monkeypatch.setattr(ApiContract, "settle", broken)
    result = reviewed(pair[0], tmp_path)
    assert result.miss is not None
    assert (result.status, result.miss.layer) == ("incomplete", "synthesis")
    assert "engine_failed" in result.miss.why


def test_contract_where_the_severity_is_not_allowed(pair, tmp_path):
    miss = reviewed(pair[0], tmp_path, with_kind(severities=(Severity.SUGGESTION,))).miss
    assert miss is not None
    assert miss.layer == "contract"
    assert miss.codes == (ContractCode.SEVERITY_NOT_ALLOWED,)


def cut(bundle):
    queries = tuple(one.model_copy(update={"truncated": True}) for one in bundle.queries)
    return bundle.model_copy(update={"queries": queries})


def alarms(pair, tmp_path, expected, change=lambda card: card, lose=lambda bundle: bundle):
    """The defect half's cards, held against another expectation than its own."""
    result = reviewed(pair[0].model_copy(update={"expected": expected}), tmp_path)
    state = fold(read_events(tmp_path / result.run_log.rpartition("/")[2]))
    whole = document(state, "")
    cards = tuple(map(change, whole.outcomes.cards))
    way = trail(state, whole)
    way = replace(way, bundles={name: lose(bundle) for name, bundle in way.bundles.items()})
    return explained(judged(cards, expected, way.files), cards, way)


def test_a_false_alarm_from_a_whole_bundle_is_the_synthesis(pair, tmp_path):
    (card,) = alarms(pair, tmp_path, Expected(answer=CLEAN))
    assert (card.mark, card.layer) == ("false_alarm", "synthesis")


def test_a_false_alarm_in_an_unrelated_hunk_is_the_questions(pair, tmp_path):
    place = Place(path="README.md", side=Side.NEW, start=5, end=5)
    (card,) = alarms(pair, tmp_path, Expected(answer="defect", kinds=(API,), places=(place,)))
    assert (card.mark, card.beside_defect, card.layer) == ("false_alarm", True, "questions")


def test_a_false_alarm_after_a_cut_search_is_the_retrieval(pair, tmp_path):
    (card,) = alarms(pair, tmp_path, Expected(answer=CLEAN), lose=cut)
    assert card.layer == "retrieval"
    assert "was cut" in card.why


def test_a_false_alarm_about_what_the_hunk_does_not_hold_is_the_edits(pair, tmp_path):
    def other(card):
        return card.model_copy(update={"effect": card.effect.model_copy(update={"subject": "refund"})})

    (card,) = alarms(pair, tmp_path, Expected(answer=CLEAN), change=other)
    assert card.layer == "edits"
    assert "refund" in card.why


def test_the_right_place_under_another_kind_is_told_apart_and_is_no_hit(pair, tmp_path):
    other = pair[0].expected.model_copy(update={"kinds": (ChangeKind.AUTH,)})
    result = reviewed(pair[0].model_copy(update={"expected": other}), tmp_path)
    assert result.verdict == "other_kind"
    assert [card.mark for card in result.cards] == ["other_kind"]
    assert result.miss is not None
    assert result.miss.layer == "questions"


@pytest.mark.parametrize(("line", "verdict"), [(3, "found"), (9, "found"), (2, "missed")])
def test_a_card_hits_within_three_lines(pair, tmp_path, line, verdict):
    place = Place(path="shop/pricing.py", side=Side.NEW, start=line, end=line)
    near = pair[0].expected.model_copy(update={"places": (place,)})
    assert reviewed(pair[0].model_copy(update={"expected": near}), tmp_path).verdict == verdict

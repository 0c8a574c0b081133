"""The rules engine: one answer a request, and a broken rule costs its own question only."""

import logging

import pytest

from review_agent import __version__
from review_agent.engines import rules
from review_agent.kinds.base import draft, unsettled
from review_agent.stages.synthesis import requests
from review_agent.vocabulary import (
    Bundle,
    ChangeKind,
    EffectOp,
    EngineRole,
    Evidence,
    EvidenceSpend,
    NoFindingCode,
    Question,
    Role,
    Severity,
    Side,
    SourceRef,
    UnansweredCause,
)


class Fake:
    """A kind whose answer is given, or raised."""

    kind = ChangeKind.ERROR_HANDLING

    def __init__(self, settled=None):
        self.settled = settled

    def settle(self, question, bundle):
        if isinstance(self.settled, Exception):
            raise self.settled
        return self.settled


def ref(path, line, role):
    return SourceRef(
        path=path,
        start_line=line,
        end_line=line,
        commit="c" * 40,
        role=role,
        side=Side.NEW,
        blob="b" * 40,
        quote_sha256="a" * 64,
    )


@pytest.fixture
def question():
    return Question(
        question_id="q-1",
        kind=ChangeKind.ERROR_HANDLING,
        rule="fake",
        hunk_id="h-1",
        path="src/shop/pricing.py",
        change="a guard went",
        precondition="it is needed",
        consequence="it fails",
        refuted_if=("it is not needed",),
        anchor=ref("src/shop/pricing.py", 10, Role.DIFF),
        plan=(),
        edits=(),
        risk=50,
    )


def bundle(question, *, near_change=False):
    caller = ref("src/shop/api.py", 41, Role.CALLER)
    evidence = Evidence(ref=caller, query=0, origin="hit", text="quote()", facts=(), near_change=near_change)
    spent = EvidenceSpend(queries=0, candidate_files=0, files_read=0, lines_read=0)
    return Bundle(question_id=question.question_id, evidence=(evidence,), queries=(), left_out=(), spent=spent)


def answers(monkeypatch, settled, *questions, near_change=False):
    monkeypatch.setattr(rules, "KINDS", {ChangeKind.ERROR_HANDLING: Fake(settled)})
    asked = requests(questions, [bundle(one, near_change=near_change) for one in questions])
    return asked, list(rules.Rules().answer(asked))


def a_draft(question):
    return draft(
        question,
        claim="Removing `order` hides it.",
        op=EffectOp.REMOVED,
        subject="order",
        severity=Severity.IMPORTANT,
        support=[ref("src/shop/api.py", 41, Role.CALLER)],
        impact="An order is missing.",
        counter=("A test would refute this.",),
    )


def test_it_says_which_product_version_answers_and_in_which_role():
    assert rules.Rules().identity == f"rules/{__version__}"
    assert rules.Rules().roles == {EngineRole.SYNTHESIZE}


def test_drafts_go_out_as_wire_data_under_the_id_of_the_request(monkeypatch, question):
    (asked,), (answer,) = answers(monkeypatch, (a_draft(question),), question)
    assert answer.request_id == asked.request_id
    assert answer.drafts == (a_draft(question).wire(),)
    assert answer.no_finding is None
    assert answer.failure is None


def test_a_draft_that_rests_on_the_change_alone_is_insufficient_evidence(monkeypatch, question):
    _, (answer,) = answers(monkeypatch, (a_draft(question),), question, near_change=True)
    assert answer.drafts == ()
    assert answer.no_finding is not None
    assert answer.no_finding["code"] == "insufficient_evidence"


def test_a_no_finding_keeps_its_code_and_what_is_missing(monkeypatch, question):
    reason = unsettled(NoFindingCode.INSUFFICIENT_EVIDENCE, "not resolved", missing=("definition of `f`",))
    _, (answer,) = answers(monkeypatch, reason, question)
    assert answer.no_finding == {
        "code": "insufficient_evidence",
        "detail": "not resolved",
        "missing": ["definition of `f`"],
        "refs": [],
    }


def test_a_rule_that_raises_is_an_unanswered_question_with_the_reason_and_a_log_entry(monkeypatch, question, caplog):
    with caplog.at_level(logging.DEBUG, logger=rules.__name__):
        _, (answer,) = answers(monkeypatch, ValueError("no such fact"), question)
    assert answer.failure is UnansweredCause.ENGINE_FAILED
    assert answer.detail == "rule fake: ValueError: no such fact"
    assert caplog.records[0].exc_info is not None


def test_a_kind_without_rules_is_unanswered(monkeypatch, question):
    other = question.model_copy(update={"kind": ChangeKind.CACHE_KEY})
    _, (answer,) = answers(monkeypatch, (a_draft(question),), other)
    assert answer.failure is UnansweredCause.ENGINE_FAILED
    assert "cache_key" in answer.detail


def test_an_empty_settlement_is_not_taken_for_a_no_finding(monkeypatch, question):
    _, (answer,) = answers(monkeypatch, (), question)
    assert answer.failure is UnansweredCause.ENGINE_FAILED


def test_every_request_gets_its_own_answer(monkeypatch, question):
    other = question.model_copy(update={"question_id": "q-2"})
    asked, given = answers(monkeypatch, (a_draft(question),), question, other)
    assert [answer.request_id for answer in given] == [request.request_id for request in asked]

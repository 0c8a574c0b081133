from __future__ import annotations

from review_agent.stages.synthesis import no_finding, requests, unanswered, unlooked
from review_agent.vocabulary import (
    Answer,
    Bundle,
    ChangeKind,
    Evidence,
    EvidenceSpend,
    NoFinding,
    Question,
    Role,
    Side,
    SourceRef,
    Unanswered,
    UnansweredCause,
)

REF = SourceRef(
    path="a.py",
    start_line=3,
    end_line=3,
    commit="c" * 40,
    role=Role.DIFF,
    side=Side.NEW,
    blob="b" * 40,
    quote_sha256="0",
)
USE = REF.model_copy(update={"path": "b.py", "role": Role.USE})


def question(name: str) -> Question:
    return Question(
        question_id=name,
        kind=ChangeKind.API_CONTRACT,
        rule="required_parameter_added",
        hunk_id="h",
        path="a.py",
        change="c",
        precondition="p",
        consequence="q",
        refuted_if=("r",),
        anchor=REF,
        plan=(),
        edits=(),
        risk=1,
    )


def bundle(name: str, *evidence: Evidence) -> Bundle:
    spent = EvidenceSpend(queries=0, candidate_files=0, files_read=0, lines_read=0)
    return Bundle(question_id=name, evidence=evidence, queries=(), left_out=(), spent=spent)


def test_one_request_a_question_with_an_id_made_of_what_is_asked() -> None:
    questions, bundles = [question("q-1"), question("q-2")], [bundle("q-2"), bundle("q-1")]
    first = requests(questions, bundles)
    assert [request.question_id for request in first] == ["q-1", "q-2"]
    assert first == requests(questions, bundles)
    found = Evidence(ref=USE, query=0, origin="hit", text="x", facts=())
    other = requests(questions, [bundle("q-1", found), bundle("q-2")])
    assert first[0].request_id != other[0].request_id
    assert first[1].request_id == other[1].request_id


def test_a_no_finding_keeps_only_refs_that_were_retrieved() -> None:
    found = bundle("q-1", Evidence(ref=USE, query=0, origin="hit", text="x", facts=()))
    data = {"code": "refuted", "detail": "d", "refs": [USE.wire(), REF.wire()]}
    outcome = no_finding(question("q-1"), found, data)
    assert isinstance(outcome, NoFinding)
    assert outcome.refs == (USE,)
    assert (outcome.path, outcome.line) == ("a.py", 3)


def test_an_unknown_code_is_unanswered_never_a_default() -> None:
    outcome = no_finding(question("q-1"), bundle("q-1"), {"code": "looks_fine", "detail": "d"})
    assert isinstance(outcome, Unanswered)
    assert outcome.cause is UnansweredCause.MALFORMED


def test_silence_and_failure_are_told_apart() -> None:
    silent = unanswered(question("q-1"), None)
    failed = unanswered(
        question("q-1"), Answer(request_id="r", engine="e", failure=UnansweredCause.ENDPOINT_DOWN, detail="503")
    )
    assert (silent.cause, failed.cause) == (UnansweredCause.ENGINE_FAILED, UnansweredCause.ENDPOINT_DOWN)
    assert failed.detail == "503"


def test_a_draft_that_no_refuter_looked_at_is_unanswered_by_the_cause_alone_whatever_its_words_say() -> None:
    left = unlooked(question("q-1"), UnansweredCause.MALFORMED, "money_spent: so the model wrote")
    assert (left.cause, left.detail) == (
        UnansweredCause.MALFORMED,
        "the refuter gave no answer: malformed: money_spent: so the model wrote",
    )
    bare = unlooked(question("q-1"), UnansweredCause.ENGINE_FAILED, "")
    assert (bare.cause, bare.detail) == (UnansweredCause.ENGINE_FAILED, "the refuter gave no answer: engine_failed")

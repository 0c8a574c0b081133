import json

import pytest

from review_agent.appendlog import encode
from review_agent.errors import UsageError
from review_agent.masking import Masker
from review_agent.stages.listening import listen
from review_agent.vocabulary import (
    Answer,
    Bundle,
    Call,
    ChangeKind,
    EngineRole,
    EvidenceSpend,
    Pending,
    Question,
    Request,
    Role,
    Side,
    SourceRef,
    SynthesizePayload,
    UnansweredCause,
    Usage,
)

REF = SourceRef(
    path="a.py", start_line=1, end_line=1, commit="c", role=Role.DIFF, side=Side.NEW, blob="b", quote_sha256="0"
)
QUESTION = Question(
    question_id="q",
    kind=ChangeKind.AUTH,
    rule="r",
    hunk_id="h",
    path="a.py",
    change="c",
    precondition="p",
    consequence="q",
    refuted_if=(),
    anchor=REF,
    plan=(),
    edits=(),
    risk=1,
)
BUNDLE = Bundle(
    question_id="q",
    evidence=(),
    queries=(),
    left_out=(),
    spent=EvidenceSpend(queries=0, candidate_files=0, files_read=0, lines_read=0),
)
MASK = Masker([("pin", r"pin-\d+")])


def request(name: str) -> Request:
    payload = SynthesizePayload(question=QUESTION, bundle=BUNDLE)
    return Request(request_id=name, role=EngineRole.SYNTHESIZE, question_id="q", payload=payload)


def silence(name: str, detail: str = "none", **more) -> Answer:
    return Answer(request_id=name, engine="e", no_finding={"code": "no_candidate", "detail": detail}, **more)


class Sends:
    identity, roles = "e", frozenset({EngineRole.SYNTHESIZE})

    def __init__(self, *sent) -> None:
        self.sent = sent

    def answer(self, requests):
        for one in self.sent:
            if isinstance(one, Exception):
                raise one
            yield one


def heard(*sent, asked=("a", "b")):
    return list(listen(Sends(*sent), [request(name) for name in asked], MASK))


def test_the_first_answer_to_a_request_counts_and_is_masked() -> None:
    one, two = heard(silence("a", "pin-77"), silence("a", "again"))
    assert one[0] == "answer"
    assert one[1].no_finding["detail"] == "[masked:pin]"
    assert two[0] == "stray_answer"


def test_what_nobody_asked_for_is_kept_and_counts_for_nothing() -> None:
    assert [name for name, _ in heard(silence("z"), None, {"requestId": "a"}, "a", silence("a"))] == [
        *["stray_answer"] * 4,
        "answer",
    ]


def test_a_promise_counts_once_and_only_for_what_was_asked() -> None:
    found = heard(Pending(request_id="a"), Pending(request_id="a"), Pending(request_id="z"))
    assert [name for name, _ in found] == ["pending", "stray_answer", "stray_answer"]


def test_an_engine_that_never_ends_is_heard_no_longer() -> None:
    class Endless(Sends):
        def answer(self, requests):
            while True:
                yield silence("z")

    found = list(listen(Endless(), [request("a")], MASK))
    assert found[-1][0] == "engine_failed"
    assert len(found) == 101


def test_an_engine_that_raises_costs_what_it_had_not_answered() -> None:
    found = heard(silence("a"), ValueError("pin-12 \x1b[2J"))
    assert [name for name, _ in found] == ["answer", "engine_failed"]
    assert found[1][1] == {"detail": "ValueError: [masked:pin] \\x1b[2J"}


def test_an_error_that_a_person_can_mend_goes_on() -> None:
    with pytest.raises(UsageError):
        heard(UsageError("no key"))


NESTED: dict = {}
for _ in range(5_000):
    NESTED = {"claim": NESTED}


@pytest.mark.parametrize(
    "bad",
    [
        silence("a", "x" * 2_000_000),
        Answer(request_id="a", engine="e", drafts=tuple([{}] * 65)),
        Answer.model_construct(
            request_id="a", engine="e", drafts=(NESTED,), no_finding=None, failure=None, detail="", usage=None
        ),
    ],
    ids=["large", "many drafts", "deep"],
)
def test_what_no_record_can_hold_is_malformed(bad: Answer) -> None:
    ((name, answer),) = heard(bad)
    assert name == "answer"
    assert answer.failure is UnansweredCause.MALFORMED
    assert answer.detail


@pytest.mark.parametrize("odd", [float("nan"), {1, 2}, "\ud800", b"\xff"])
def test_an_answer_that_is_kept_can_be_written_and_read(odd: object) -> None:
    ((_, answer),) = heard(Answer(request_id="a", engine="e", drafts=({"effect": odd},)))
    assert Answer.model_validate(json.loads(encode(answer.wire()))) == answer


def test_what_cost_less_than_nothing_is_unknown() -> None:
    usage = Usage(prompt_tokens=-5, completion_tokens=1, cached_tokens=None, cost_usd=0.1)
    ((_, answer),) = heard(silence("a", usage=usage))
    assert answer.usage is None


def call(**changes) -> Call:
    known = {
        "request_id": "a",
        "number": 1,
        "model": "m",
        "error": None,
        "status": 200,
        "usage": None,
        "form": "schema",
    }
    return Call(**{**known, **changes})


@pytest.mark.parametrize("depth", [3, 200, 260, 400, 900])
def test_what_a_server_says_of_usage_is_kept_as_deep_as_a_record_can_be(depth: int) -> None:
    ((name, kept),) = heard(call(raw_usage={"x": json.loads("[" * depth + "]" * depth)}))
    assert name == "call"
    assert (kept.raw_usage is None) == (depth > 250)
    assert Call.model_validate(json.loads(encode(kept.wire()))) == kept


def test_a_secret_is_masked_before_a_text_is_cut() -> None:
    ((_, kept),) = heard(call(detail="x" * 297 + "pin-1234567", model="m" * 298 + "pin-12"))
    assert "pin-" not in kept.detail + kept.model
    ((_, failed),) = heard(ValueError("x" * 285 + "pin-1234567"), asked=())
    ((_, stray),) = heard({"x" * 293: "pin-1234567"}, asked=())
    assert "pin-" not in failed["detail"] + stray["unreadable"]

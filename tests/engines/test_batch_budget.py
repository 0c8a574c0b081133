"""A batch keeps the run's budget: what has no room is not written, and who answers when changes nothing of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from asking import compile_, synthesize
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from review_agent.engines.batch import Batch
from review_agent.engines.messages import prompt
from review_agent.engines.spend import MARGIN, Amount
from review_agent.engines.tokens import counted_tokens
from review_agent.policy.load import load
from review_agent.policy.model import Policy
from review_agent.policy.model_engine import EngineBudget, Price
from review_agent.vocabulary import (
    AmendPayload,
    Answer,
    Call,
    CallError,
    Pending,
    RefusedDraft,
    Request,
    UnansweredCause,
    digest,
)

ASKED = [synthesize(n) for n in range(6)]
NONE = {"drafts": [], "noFinding": {"code": "no_candidate", "detail": "d", "missing": [], "defeatedBy": []}}
SHIPPED = load()
MOST = SHIPPED.engine.max_tokens
LARGE = 10_000_000
PRICES = (Price(model="batch:m", from_="2020-01-01", prompt=1.0, completion=2.0),)


def bounded(*, prices: tuple[Price, ...] = (), **limits: float) -> Policy:
    budget = EngineBudget(
        **{"prompt_tokens": LARGE, "completion_tokens": LARGE, "cost_usd": 1000.0, "seconds": 1, **limits}
    )
    engine = SHIPPED.engine.model_copy(update={"budget": budget})
    return SHIPPED.model_copy(update={"engine": engine, "prices": prices})


def reserved(request: Request) -> int:
    """Tokens of a prompt with the margin: what it reserves."""
    return int(prompt(request, SHIPPED).size * MARGIN) + 1


def by_server(request: Request, *, sent: int | None, reply: int | None, raw: Any = None, **body: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": sent, "completion_tokens": reply, **(raw or {})}
    message = {"choices": [{"message": {"content": json.dumps(NONE)}, "finish_reason": "stop"}], "usage": usage, **body}
    return {"custom_id": request.request_id, "response": {"status_code": 200, "body": message}, "error": None}


def by_hand(request: Request, content: Any = NONE) -> dict[str, Any]:
    return {"custom_id": request.request_id, "content": content}


def amended(request: Request) -> Request:
    payload = AmendPayload(refused=(RefusedDraft(draft={"claim": "c"}, reasons=("r",)),), **dict(request.payload))
    return request.model_copy(update={"request_id": digest(payload.wire()), "payload": payload})


@dataclass
class Run:
    """A run over several attempts, as the pipeline keeps it: what is recorded is not asked again."""

    policy: Policy
    folder: Path
    calls: list[Call] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)
    written: list[list[str]] = field(default_factory=list)
    batch: Batch | None = None

    def attempt(self, *stages: list[Request], lines: list[dict[str, Any]] | None = None, killed: int = LARGE) -> None:
        """One attempt by a new engine, with these answers; ``killed``: after so many records."""
        given_ = self.folder / "answers.jsonl"
        given_.write_text("".join(json.dumps(one) + "\n" for one in lines or ()))
        self.batch = Batch(self.policy, model="m", folder=self.folder / "batch", answers=[given_])
        self.batch.begin(list(self.calls), torn=(3,))
        for requests in stages:
            due = [one for one in requests if one.request_id not in self.answers]
            for sent in self.batch.answer(due) if due else ():
                if not killed:
                    return
                killed -= 1
                self._take(sent)
            self.written.append([said for file in self.batch.written for said in ids(file)])
            if self.batch.written:
                return

    def _take(self, sent: Any) -> None:
        if isinstance(sent, Call):
            self.calls.append(sent)
        elif isinstance(sent, Answer):
            self.answers.setdefault(sent.request_id, sent)

    @property
    def outcome(self) -> dict[str, Any]:
        return {name: (one.failure, one.detail, one.no_finding) for name, one in self.answers.items()}

    @property
    def spent(self) -> Amount:
        assert self.batch is not None
        return self.batch.budget.spent


def ids(file: Path) -> list[str]:
    return [json.loads(line)["custom_id"] for line in file.read_text().splitlines()]


def first(count: int) -> int:
    """Prompt tokens with room for so many of the requests and not for one more."""
    return sum(map(reserved, ASKED[:count])) + reserved(ASKED[0]) // 2


@pytest.mark.parametrize(
    ("limits", "cause", "key"),
    [
        ({"prompt_tokens": first(2)}, UnansweredCause.TOKENS_SPENT, "promptTokens"),
        ({"completion_tokens": 2 * MOST.synthesize + 1}, UnansweredCause.TOKENS_SPENT, "completionTokens"),
        ({"cost_usd": (first(2) + 4 * MOST.synthesize) / 1e6}, UnansweredCause.MONEY_SPENT, "costUsd"),
    ],
)
def test_only_the_first_that_there_is_room_for_are_written(tmp_path, limits, cause, key) -> None:
    batch = Batch(bounded(prices=PRICES, **limits), model="m", folder=tmp_path)
    sent = list(batch.answer(ASKED))
    wanted = [one.request_id for one in ASKED]
    assert [one.request_id for one in sent if isinstance(one, Pending)] == wanted[:2]
    assert [said for file in batch.written for said in ids(file)] == wanted[:2]
    refused = [one for one in sent if isinstance(one, Answer)]
    assert [one.request_id for one in refused] == wanted[2:]
    assert {one.failure for one in refused} == {cause}
    assert key in refused[0].detail
    assert batch.budget.spent == Amount()


def test_without_any_room_no_file_is_written_and_nothing_waits(tmp_path) -> None:
    batch = Batch(bounded(prompt_tokens=1), model="m", folder=tmp_path / "batch")
    assert [one.failure for one in batch.answer(ASKED)] == [UnansweredCause.TOKENS_SPENT] * len(ASKED)
    assert batch.written == []
    assert not (tmp_path / "batch").exists()


def test_a_request_is_asked_whatever_money_is_left_where_no_price_is_known(tmp_path) -> None:
    batch = Batch(bounded(cost_usd=0.0), model="m", folder=tmp_path)
    assert all(isinstance(one, Pending) for one in batch.answer(ASKED))


def test_a_server_settles_by_its_usage_and_a_hand_by_what_it_wrote(tmp_path) -> None:
    run = Run(bounded(prices=PRICES), tmp_path)
    run.attempt(ASKED[:2], lines=[by_server(ASKED[0], sent=100, reply=10), by_hand(ASKED[1])])
    words = counted_tokens(json.dumps(NONE, ensure_ascii=False))
    whole = Amount(100 + prompt(ASKED[1], SHIPPED).size, 10 + words)
    assert (run.spent.prompt, run.spent.completion) == (whole.prompt, whole.completion)
    assert run.spent.dollars == pytest.approx((whole.prompt + 2 * whole.completion) / 1e6)
    told, untold = run.calls
    assert told.raw_usage == {"prompt_tokens": 100, "completion_tokens": 10}
    assert (untold.usage, untold.raw_usage["countedHere"]["completion"]) == (None, words)


def test_what_earlier_attempts_read_counts_the_same_when_the_run_goes_on(tmp_path) -> None:
    odd = by_server(ASKED[2], sent=None, reply=70_000, raw={"countedHere": {"prompt": 0}})
    cut = by_server(ASKED[3], sent=None, reply=None, choices=[{"finish_reason": "length"}])
    expired = {"custom_id": ASKED[4].request_id, "response": None, "error": {"code": "batch_expired"}}
    lines = [by_server(ASKED[0], sent=100, reply=10), by_hand(ASKED[1]), odd, cut, expired]
    run = Run(bounded(prices=PRICES), tmp_path)
    run.attempt(ASKED[:5], [compile_()], lines=lines)
    assert run.calls[4].error is CallError.OTHER_STATUS
    sizes = [prompt(ASKED[n], SHIPPED).size for n in (1, 2)]
    assert run.spent.prompt == 100 + sum(sizes) + reserved(ASKED[3])
    later = Run(run.policy, tmp_path, calls=run.calls)
    later.attempt([compile_()])
    assert (later.spent.prompt, later.spent.completion) == (run.spent.prompt, run.spent.completion)
    assert later.spent.dollars == pytest.approx(run.spent.dollars)


def test_what_a_server_counts_beyond_its_reservation_is_taken_from_later_stages_and_from_none_that_was_asked(
    tmp_path,
) -> None:
    again = [amended(one) for one in ASKED[:2]]
    limits = bounded(prompt_tokens=sum(map(reserved, (*ASKED[:2], *again))))
    run = Run(limits, tmp_path)
    run.attempt(ASKED[:2])
    run.attempt(ASKED[:2], lines=[by_server(ASKED[0], sent=LARGE, reply=1)])
    assert run.written == [[one.request_id for one in ASKED[:2]], [ASKED[1].request_id]]
    run.attempt(ASKED[:2], again, lines=[by_server(ASKED[1], sent=1, reply=1)])
    assert [run.answers[one.request_id].failure for one in again] == [UnansweredCause.TOKENS_SPENT] * 2


def test_what_is_left_over_is_had_by_the_next_stage(tmp_path) -> None:
    again = [amended(one) for one in ASKED[:2]]
    run = Run(bounded(completion_tokens=2 * MOST.synthesize), tmp_path)
    run.attempt(ASKED, again, lines=[by_hand(one) for one in ASKED])
    refused = [name for name, one in run.answers.items() if one.failure is UnansweredCause.TOKENS_SPENT]
    assert refused == [one.request_id for one in (*ASKED[2:], again[1])]
    assert run.written[-1] == [again[0].request_id]


@pytest.mark.parametrize("killed", range(9))
def test_what_had_no_room_has_none_when_a_killed_run_goes_on_with_what_answers_left_over(tmp_path, killed) -> None:
    lines = [by_server(one, sent=50, reply=20) for one in ASKED]
    run = Run(bounded(prompt_tokens=first(2)), tmp_path)
    run.attempt(ASKED, lines=lines, killed=killed)
    run.attempt(ASKED, lines=lines)
    refused = {name for name, one in run.answers.items() if one.failure is UnansweredCause.TOKENS_SPENT}
    assert refused == {one.request_id for one in ASKED[2:]}


def test_an_answer_to_what_had_no_room_is_told_as_not_asked_for(tmp_path) -> None:
    run = Run(bounded(prompt_tokens=first(1)), tmp_path)
    run.attempt(ASKED[:2], lines=[by_hand(one) for one in ASKED[:2]])
    assert run.batch is not None
    (notice,) = run.batch.notices
    assert notice.startswith("1 answer not asked for now")
    assert "budget" in notice


def test_a_run_that_waits_for_days_has_its_time_still(tmp_path, monkeypatch) -> None:
    run = Run(bounded(seconds=1), tmp_path)
    now = iter(range(0, LARGE, 86_400))
    monkeypatch.setattr("time.monotonic", lambda: float(next(now)))
    run.attempt(ASKED[:3])
    run.attempt(ASKED[:3], lines=[by_hand(ASKED[0])])
    assert len(run.written[-1]) == 2


SAID = st.sampled_from(["hand", "long", "told", "beyond", "sent", "nothing", "expired", "nonsense"])


def said(request: Request, how: str) -> dict[str, Any]:
    return {
        "hand": by_hand(request),
        "long": by_hand(request, {**NONE, "notes": "word " * 4_000}),
        "told": by_server(request, sent=50, reply=20),
        "beyond": by_server(request, sent=20_000, reply=9_000),
        "sent": by_server(request, sent=9_000, reply=None),
        "nothing": by_server(request, sent=None, reply=None),
        "expired": {"custom_id": request.request_id, "response": None, "error": {"code": "batch_expired"}},
        "nonsense": by_hand(request, "no JSON"),
    }[how]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    says=st.lists(SAID, min_size=6, max_size=6),
    portions=st.lists(st.integers(0, 3), min_size=6, max_size=6),
    kills=st.lists(st.one_of(st.integers(0, 8), st.just(LARGE)), max_size=3),
    room=st.integers(0, 6),
)
def test_outcomes_are_the_same_in_one_go_in_portions_and_after_kills(tmp_path, says, portions, kills, room) -> None:
    """Of two stages, the second of which has what the first has left over."""
    again = [amended(one) for one in ASKED]
    lines = [said(one, how) for one, how in zip(ASKED, says, strict=True)]
    policy = bounded(prompt_tokens=first(room), completion_tokens=room * MOST.synthesize + 500, prices=PRICES)
    whole = Run(policy, tmp_path)
    whole.attempt(ASKED, again, lines=lines)

    parts = Run(policy, tmp_path)
    for number, portion in enumerate(range(4)):
        for killed in kills[number : number + 1]:
            parts.attempt(ASKED, again, lines=_upto(lines, portions, portion), killed=killed)
        parts.attempt(ASKED, again, lines=_upto(lines, portions, portion))
    assert parts.outcome == whole.outcome
    assert parts.written[-1] == whole.written[-1]


def _upto(lines: list[dict[str, Any]], portions: list[int], last: int) -> list[dict[str, Any]]:
    return [line for line, portion in zip(lines, portions, strict=True) if portion <= last]

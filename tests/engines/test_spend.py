"""Budgets: reserved before, settled after, never exceeded on the way."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent.engines.completions import Tokens
from review_agent.engines.prices import cost, most, price_of, version
from review_agent.engines.spend import Amount, Budget, Reservation, earlier_spend
from review_agent.policy.model_engine import EngineBudget, Price
from review_agent.vocabulary import Call, CallError, UnansweredCause, Usage

LIMITS = EngineBudget(prompt_tokens=10_000, completion_tokens=5_000, cost_usd=1.0, seconds=10)
PRICE = Price(model="m", from_="2026-01-01", prompt=10.0, cached=1.0, completion=20.0)


def free(prompt: int, completion: int) -> float:
    return 0.0


def call(error: CallError | None = None, usage: Usage | None = None, milliseconds: int = 100) -> Call:
    return Call(
        request_id="r",
        number=1,
        model="m",
        error=error,
        status=None,
        usage=usage,
        milliseconds=milliseconds,
        form="json",
    )


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


ACTS = st.lists(
    st.tuples(
        st.integers(0, 4000),
        st.integers(0, 2500),
        st.floats(0, 1),
        st.sampled_from(["all", "none", "untold", "refused"]),
    ),
    max_size=40,
)


@given(ACTS, st.integers(1, 5))
def test_what_is_spent_and_in_flight_never_exceeds_a_budget(acts, at_once: int) -> None:
    budget = Budget(LIMITS)
    open_: list[tuple[Reservation, float, str]] = []
    spent = Amount()
    for counted, completion, share, how in acts:
        got = budget.reserve(counted, completion, lambda prompt, reply: most(PRICE, prompt, reply))
        if isinstance(got, Reservation):
            assert got.most.prompt > counted
            open_.append((got, share, how))
        whole = spent + sum((one.most for one, _, _ in open_), Amount())
        assert whole.prompt <= LIMITS.prompt_tokens
        assert whole.completion <= LIMITS.completion_tokens
        assert whole.dollars <= LIMITS.cost_usd + 1e-9
        if len(open_) >= at_once:
            held, share, how = open_.pop(0)
            told = Tokens(int(held.counted * share), int(held.most.completion * share)) if how == "all" else Tokens()
            error = CallError.RATE_LIMITED if how == "refused" else None
            before = budget.spent
            budget.settle(held, told, cost(PRICE, told), error)
            spent = budget.spent
            if how == "refused":
                assert spent == before
            elif how != "all":
                assert spent == before + held.most
    assert budget.in_flight == len(open_)


def test_a_server_that_counts_more_than_we_do_widens_the_margin() -> None:
    budget = Budget(LIMITS)
    first = budget.reserve(1000, 10, free)
    budget.settle(first, Tokens(1500, 5), None, None)
    second = budget.reserve(1000, 10, free)
    assert first.most.prompt == 1151
    assert second.most.prompt >= 1500
    assert budget.spent == Amount(1500, 5)


@pytest.mark.parametrize(
    ("counted", "completion", "dollars", "cause"),
    [
        (9000, 1, 0.0, UnansweredCause.TOKENS_SPENT),
        (1, 5001, 0.0, UnansweredCause.TOKENS_SPENT),
        (1, 1, 1.01, UnansweredCause.MONEY_SPENT),
    ],
)
def test_what_is_used_up_is_named(counted: int, completion: int, dollars: float, cause: UnansweredCause) -> None:
    assert Budget(LIMITS).reserve(counted, completion, lambda prompt, reply: dollars) is cause


def test_time_counts_only_while_answers_are_waited_for() -> None:
    clock = Clock()
    budget = Budget(LIMITS, clock=clock)
    budget.start()
    clock.now = 4
    budget.stop()
    clock.now = 1000
    budget.start()
    clock.now = 1005
    assert budget.seconds_left == pytest.approx(1)
    clock.now = 1006
    assert budget.reserve(1, 1, free) is UnansweredCause.TIME_SPENT


def test_what_earlier_attempts_spent_is_known_or_taken_for_the_most() -> None:
    known = call(usage=Usage(prompt_tokens=5, completion_tokens=None, cached_tokens=None, cost_usd=0.5))
    unknown = Amount(100, 10, 0.25)
    calls = [known, call(CallError.RESET), call(CallError.RATE_LIMITED), call()]
    spent, seconds = earlier_spend(calls, lambda model: unknown, 2)
    assert spent == Amount(5 + 2 * 100, 10 + 2 * 10, 0.5 + 2 * 0.25)
    assert seconds == pytest.approx(0.2)
    budget = Budget(LIMITS)
    budget.earlier(Amount(10_000, 0), 4.0)
    assert budget.reserve(1, 1, free) is UnansweredCause.TOKENS_SPENT
    assert budget.seconds_left == pytest.approx(6.0)


def test_the_price_of_a_day_is_the_newest_that_has_begun() -> None:
    later = PRICE.model_copy(update={"from_": "2026-06-01"})
    prices = (later, PRICE)
    assert price_of(prices, "m", date(2026, 5, 31)) == PRICE
    assert price_of(prices, "m", date(2026, 6, 1)) == later
    assert price_of(prices, "m", date(2025, 12, 31)) is None
    assert price_of(prices, "n", date(2026, 6, 1)) is None
    assert version(later) == "m@2026-06-01"
    assert version(None) is None


def test_a_cost_is_known_only_where_price_and_counts_are() -> None:
    assert cost(PRICE, Tokens(1_000_000, 0, 500_000)) == pytest.approx(5.5)
    assert cost(PRICE.model_copy(update={"cached": None}), Tokens(1_000_000, 0, 500_000)) == pytest.approx(10)
    assert cost(PRICE, Tokens(5, None)) is None
    assert cost(None, Tokens(5, 5)) is None
    assert most(PRICE, 1_000_000, 1_000_000) == pytest.approx(30)

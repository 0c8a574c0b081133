"""What a run may still spend: every call reserves the most it can cost before it is made, so that what is in flight
never exceeds a budget; afterwards it is settled by what the server says.

Without a word from the server the reservation stands as spent. Tokens of a prompt are counted before it is sent, by a
count that may not be the model's own: a margin is added, and grows where a server counts more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from review_agent.engines.completions import Tokens
from review_agent.engines.failures import UNCHARGED
from review_agent.policy.model_engine import EngineBudget
from review_agent.vocabulary import Call, CallError, UnansweredCause

__all__ = ["MARGIN", "Amount", "Budget", "Reservation", "earlier_spend", "no_room"]

MARGIN = 1.15
"""On tokens as they are counted here: the model's own count may be larger."""
_GROWN = 1.05
_KEYS = {
    UnansweredCause.TOKENS_SPENT: "promptTokens and completionTokens",
    UnansweredCause.MONEY_SPENT: "costUsd",
    UnansweredCause.TIME_SPENT: "seconds",
}


@dataclass(frozen=True)
class Amount:
    prompt: int = 0
    completion: int = 0
    dollars: float = 0.0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.prompt + other.prompt, self.completion + other.completion, self.dollars + other.dollars)

    def __sub__(self, other: Amount) -> Amount:
        return self + Amount(-other.prompt, -other.completion, -other.dollars)


@dataclass(frozen=True)
class Reservation:
    """The most that a call may cost; ``counted``: its prompt's tokens by our own count, without the margin."""

    most: Amount
    counted: int


class Budget:
    """One run's budget. Every method may be called from any thread."""

    def __init__(self, policy: EngineBudget, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._policy, self._clock = policy, clock
        self._lock = threading.Lock()
        self._spent, self._held, self._in_flight = Amount(), Amount(), 0
        self._margin = MARGIN
        self._seconds, self._since = 0.0, None  # type: float, float | None

    @property
    def spent(self) -> Amount:
        """What is settled."""
        with self._lock:
            return self._spent

    @property
    def in_flight(self) -> int:
        """Calls whose reservation is not settled: what they leave over may yet be had."""
        with self._lock:
            return self._in_flight

    def start(self) -> None:
        """The clock runs while answers are waited for; a review's other work is not the engine's time."""
        self._since = self._clock()

    def stop(self) -> None:
        self._seconds, self._since = float(self._policy.seconds) - self.seconds_left, None

    @property
    def seconds_left(self) -> float:
        running = 0.0 if self._since is None else self._clock() - self._since
        return self._policy.seconds - self._seconds - running

    def earlier(self, spent: Amount, seconds: float) -> None:
        """Counts what earlier attempts of the run spent."""
        with self._lock:
            self._spent += spent
            self._seconds += seconds

    def reserve(
        self, counted: int, completion: int, dollars: Callable[[int, int], float]
    ) -> Reservation | UnansweredCause:
        """Room for a call whose prompt has ``counted`` tokens, and whose reply at most ``completion``; ``dollars``
        prices both. What is used up, where there is no room."""
        with self._lock:
            prompt = int(counted * self._margin) + 1
            most = Amount(prompt, completion, dollars(prompt, completion))
            refused = self._lacks(self._spent + self._held + most)
            if refused is not None:
                return refused
            self._held += most
            self._in_flight += 1
            return Reservation(most, counted)

    def _lacks(self, whole: Amount) -> UnansweredCause | None:
        if self.seconds_left <= 0:
            return UnansweredCause.TIME_SPENT
        if whole.prompt > self._policy.prompt_tokens or whole.completion > self._policy.completion_tokens:
            return UnansweredCause.TOKENS_SPENT
        return UnansweredCause.MONEY_SPENT if whole.dollars > self._policy.cost_usd else None

    def settle(self, reservation: Reservation, tokens: Tokens, dollars: float | None, error: CallError | None) -> None:
        """Gives back what was not used. What the server does not tell stands as reserved, unless the call was turned
        away before a model saw it."""
        most = reservation.most
        if error in UNCHARGED and not tokens.told:
            used = Amount()
        else:
            used = Amount(
                most.prompt if tokens.prompt is None else tokens.prompt,
                most.completion if tokens.completion is None else tokens.completion,
                most.dollars if dollars is None else dollars,
            )
        with self._lock:
            self._held -= most
            self._spent += used
            self._in_flight -= 1
            if tokens.prompt is not None and reservation.counted and tokens.prompt > most.prompt:
                self._margin = max(self._margin, _GROWN * tokens.prompt / reservation.counted)


def earlier_spend(calls: Sequence[Call], most_of: Callable[[str], Amount], concurrency: int) -> tuple[Amount, float]:
    """What recorded calls came to, and about how long they took.

    ``most_of`` a model: what a call of it is taken to have come to where a model may have worked on it and nobody told.
    """
    whole, milliseconds = Amount(), 0
    for call in calls:
        milliseconds += call.milliseconds or 0
        told, unknown = call.usage, most_of(call.model)
        if told is None:
            whole += Amount() if call.error in UNCHARGED else unknown
            continue
        whole += Amount(
            unknown.prompt if told.prompt_tokens is None else told.prompt_tokens,
            unknown.completion if told.completion_tokens is None else told.completion_tokens,
            unknown.dollars if told.cost_usd is None else told.cost_usd,
        )
    return whole, milliseconds / 1000 / concurrency


def no_room(cause: UnansweredCause) -> str:
    """Why a request was not asked whose most there was no room for, and what to do about it."""
    said = f"the run's budget has no room for another call ({cause.value})"
    if cause not in _KEYS:
        return said
    set_by = f"it is set by {_KEYS[cause]} of budget in engine.yml"
    return f"{said}: {set_by}, and a new run of the same command has its own"

"""Which requests of a batch a run has room for in its budget, and what their answers come to.

Requests are asked stage by stage. Of one stage each reserves its most, in order, before any answer is read, and while
the stage lasts none counts for more than it reserved. So what is written and what is refused follows from sizes alone,
not from which answers are there already: a run that goes on finds room for all that it has asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from review_agent.engines.batch_lines import Brought
from review_agent.engines.completions import Tokens
from review_agent.engines.earlier import largest_by
from review_agent.engines.failures import UNCHARGED
from review_agent.engines.messages import prompt
from review_agent.engines.prices import cost, most, price_of
from review_agent.engines.replies import MOST_BYTES
from review_agent.engines.spend import Amount, Budget, Reservation
from review_agent.engines.tokens import counted_tokens
from review_agent.policy.model import Policy
from review_agent.policy.model_engine import Price
from review_agent.vocabulary import (
    AmendPayload,
    Call,
    CallError,
    EngineRole,
    Request,
    UnansweredCause,
    canonical,
)

__all__ = ["PRICED", "Room"]

PRICED = "batch:"
"""Before a model's name in prices.yml: what it costs in a batch, which is not what a call costs."""
_COUNTED = "countedHere"
"""In a call's rawUsage: what counts against the budget where the usage told does not say it."""
_MOST_RAW = 1_500  # with the count beside it less than the record keeps


@dataclass(frozen=True)
class _Came:
    """What an answer came to in ``whole``, and what of it lies ``within`` its reservation; ``stage`` "": any."""

    whole: Amount
    within: Amount
    stage: str = ""


class Room:
    """The budget of one run, all its attempts together. ``model`` is priced as it is in a batch.

    Seconds are none of it: who answers a file may take days, and no clock is started here.
    """

    def __init__(self, policy: Policy, model: str) -> None:
        self._policy, self._model = policy, model
        self.budget = Budget(policy.engine.budget)
        self._held: dict[str, Reservation] = {}
        self._recorded: dict[str, _Came] = {}
        self._over: defaultdict[str, Amount] = defaultdict(Amount)

    def begin(self, calls: Sequence[Call]) -> None:
        """Counts what earlier attempts recorded: of each request its last call, as a kill before its answer was
        recorded has the same answer read again."""
        self._recorded = {call.request_id: self._came(call) for call in calls}
        for came in self._recorded.values():
            self._count(came)

    def reserve(self, requests: Sequence[Request]) -> dict[str, UnansweredCause]:
        """Reserves for each request, in order, the most it can come to; what is used up, by the id of each request
        that there is no room for. What earlier stages came to beyond their reservations counts from now on."""
        now = {_stage(request) for request in requests}
        for stage in self._over.keys() - now:
            self.budget.earlier(self._over.pop(stage), 0.0)
        refused = {}
        for request in requests:
            if request.request_id not in self._held and (cause := self._reserve(request)) is not None:
                refused[request.request_id] = cause
        return refused

    def settle(self, request: Request, line: Brought, error: CallError | None) -> dict[str, Any] | None:
        """Counts what a request's answer came to; returns the server's words on usage as they are recorded, beside
        them our own count where it is needed when the run goes on."""
        held, stage = self._held.pop(request.request_id), _stage(request)
        raw = {name: said for name, said in (line.raw_usage or {}).items() if name != _COUNTED} or None
        if error in UNCHARGED and not line.tokens.told:
            self.budget.settle(held, line.tokens, None, error)
            return raw
        tokens = _tokens(line, held)
        came = self._within(tokens, held.most.prompt, held.most.completion, stage)
        self.budget.settle(held, Tokens(came.within.prompt, came.within.completion), came.within.dollars, error)
        self._over[stage] += came.whole - came.within
        if tokens == line.tokens and came.whole == came.within:
            return raw
        kept = raw if raw is not None and len(canonical(raw)) <= _MOST_RAW else {}
        return {**kept, _COUNTED: _wire(tokens, held, stage)}

    def _reserve(self, request: Request) -> UnansweredCause | None:
        if (came := self._recorded.pop(request.request_id, None)) is not None:
            self._count(came, back=True)
        asked, price = prompt(request, self._policy), self._price
        got = self.budget.reserve(asked.size, asked.max_tokens, lambda sent, reply: most(price, sent, reply))
        if isinstance(got, UnansweredCause):
            return got
        self._held[request.request_id] = got
        return None

    def _count(self, came: _Came, *, back: bool = False) -> None:
        within, over = came.within, came.whole - came.within
        self.budget.earlier(Amount() - within if back else within, 0.0)
        self._over[came.stage] += Amount() - over if back else over

    @property
    def _price(self) -> Price | None:
        return price_of(self._policy.prices, f"{PRICED}{self._model}", datetime.now(UTC).date())

    def _within(self, tokens: Tokens, most_prompt: int, most_completion: int, stage: str) -> _Came:
        price = self._price
        whole = Amount(tokens.prompt or 0, tokens.completion or 0, cost(price, tokens) or 0.0)
        dollars = min(whole.dollars, most(price, most_prompt, most_completion))
        return _Came(
            whole, Amount(min(whole.prompt, most_prompt), min(whole.completion, most_completion), dollars), stage
        )

    def _came(self, call: Call) -> _Came:
        """What a recorded call came to."""
        told, counted = call.usage, (call.raw_usage or {}).get(_COUNTED)
        if told is None and call.error in UNCHARGED:
            return _Came(Amount(), Amount())
        if counted is not None:
            tokens = Tokens(counted["prompt"], counted["completion"], told.cached_tokens if told else None)
            return self._within(tokens, counted["mostPrompt"], counted["mostCompletion"], counted["stage"])
        if told is not None and told.prompt_tokens is not None and told.completion_tokens is not None:
            whole = Amount(told.prompt_tokens, told.completion_tokens, told.cost_usd or 0.0)
        else:
            whole = self._largest()
        return _Came(whole, whole)

    def _largest(self) -> Amount:
        """The most that any call comes to: of a record that lacks what was counted."""
        sent, limits = largest_by(self._policy), self._policy.engine.max_tokens
        reply = max(getattr(limits, role.value) for role in EngineRole)
        return Amount(sent, reply, most(self._price, sent, reply))


def _stage(request: Request) -> str:
    """What is asked together: a refuter and the ablations, a second request apart from the first."""
    if isinstance(request.payload, AmendPayload):
        return "amend"
    return (EngineRole.REFUTE if request.role is EngineRole.ABLATE else request.role).value


def _tokens(line: Brought, held: Reservation) -> Tokens:
    """What the server told; where it did not, our count of the prompt and of the reply's own text. Of a reply without
    text the reservation stands."""
    told, said = line.tokens, line.said
    words = counted_tokens(said[:MOST_BYTES]) if isinstance(said, str) else held.most.completion
    sent = held.counted if isinstance(said, str) else held.most.prompt
    return Tokens(
        sent if told.prompt is None else told.prompt,
        words if told.completion is None else told.completion,
        told.cached,
    )


def _wire(tokens: Tokens, held: Reservation, stage: str) -> dict[str, Any]:
    return {
        "stage": stage,
        "prompt": tokens.prompt,
        "completion": tokens.completion,
        "mostPrompt": held.most.prompt,
        "mostCompletion": held.most.completion,
    }

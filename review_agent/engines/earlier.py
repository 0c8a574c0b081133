"""What earlier attempts of a run came to: as it is recorded, and for what nobody told the most that it can have been.

A run may be killed again and again with calls in flight. What those cost is in no record, so each is taken for the
largest call there is: by this policy, by what the record knows, and by the requests that are asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import get_args

from review_agent.engines.failures import UNCHARGED
from review_agent.engines.messages import prompt, system
from review_agent.engines.prices import most, price_of
from review_agent.engines.spend import MARGIN, Amount, earlier_spend
from review_agent.engines.tokens import counted_tokens
from review_agent.policy.model import Policy
from review_agent.vocabulary import Call, ContextItem, EngineRole, Request

__all__ = ["Earlier", "largest_by"]

_BYTES_PER_TOKEN = 3
_TEXTS = len(get_args(ContextItem.model_fields["label"].annotation))


class Earlier:
    """``models``: those that are asked, in order; ``torn``: of each attempt that was killed, how many requests it left
    open."""

    def __init__(self, policy: Policy, models: Sequence[str], calls: Sequence[Call], torn: Sequence[int]) -> None:
        self._policy, self._models, self._calls = policy, models, calls
        self._lost = sum(min(policy.engine.concurrency, left) for left in torn)
        known = [call.usage.prompt_tokens or 0 for call in calls if call.usage and call.error not in UNCHARGED]
        self._prompt = max([largest_by(policy) if self._guesses else 0, *known])

    def spent(self) -> tuple[Amount, float]:
        """Tokens, dollars and seconds."""
        spent, seconds = earlier_spend(self._calls, self._most_of, self._policy.engine.concurrency)
        dearest = max(map(self._most_of, self._models), key=lambda one: one.dollars)
        for _ in range(self._lost):  # whoever was asked
            spent += dearest
        return spent, seconds

    def grown(self, requests: Sequence[Request]) -> Amount:
        """What is to be counted beside, now that these are asked: what was lost is among what is asked again."""
        if not self._guesses:
            return Amount()
        before, _ = self.spent()
        sizes = (int(MARGIN * prompt(request, self._policy).size) + 1 for request in requests)
        self._prompt = max([self._prompt, *sizes])
        return self.spent()[0] - before

    @property
    def _guesses(self) -> bool:
        """Whether there is a call of whose prompt nobody told the tokens."""
        return bool(self._lost) or any(
            call.error not in UNCHARGED if call.usage is None else call.usage.prompt_tokens is None
            for call in self._calls
        )

    def _most_of(self, model: str) -> Amount:
        limits = self._policy.engine.max_tokens
        completion = max(getattr(limits, role.value) for role in EngineRole)
        price = price_of(self._policy.prices, model, datetime.now(UTC).date())
        return Amount(self._prompt, completion, most(price, self._prompt, completion))


def largest_by(policy: Policy) -> int:
    """Tokens of a prompt with all that policy lets it hold but evidence: what every role is told, a full group of the
    change, and each text that is said about it."""
    engine = policy.engine
    varying = (engine.group_bytes + _TEXTS * engine.context_bytes) // _BYTES_PER_TOKEN
    return int(MARGIN * (counted_tokens(system(policy)) + varying)) + 1

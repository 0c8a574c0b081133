"""What tokens cost, by the policy's price list: unknown where the model is not on it, never nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from review_agent.engines.completions import Tokens
from review_agent.policy.model_engine import Price
from review_agent.vocabulary import Usage

__all__ = ["cost", "most", "price_of", "usage", "version"]

_MILLION = 1_000_000


def price_of(prices: Sequence[Price], model: str, day: date) -> Price | None:
    """The price of a model on a UTC day: the newest entry that has begun; null where there is none."""
    begun = [one for one in prices if one.model == model and one.from_ <= day.isoformat()]
    return max(begun, key=lambda one: one.from_, default=None)


def version(price: Price | None) -> str | None:
    """The name of an entry in a record: the day it is from."""
    return None if price is None else f"{price.model}@{price.from_}"


def cost(price: Price | None, tokens: Tokens) -> float | None:
    """US dollars; null where the price or a count is unknown."""
    if price is None or tokens.prompt is None or tokens.completion is None:
        return None
    cached = min(tokens.cached or 0, tokens.prompt)
    for_cached = price.prompt if price.cached is None else price.cached
    paid = (tokens.prompt - cached) * price.prompt + cached * for_cached + tokens.completion * price.completion
    return paid / _MILLION


def most(price: Price | None, prompt: int, completion: int) -> float:
    """The most that a call may cost: nothing of it from a cache. 0 where the price is unknown, as money bounds nothing
    then."""
    if price is None:
        return 0.0
    dearest = max(price.prompt, price.cached or 0.0)
    return (prompt * dearest + completion * price.completion) / _MILLION


def usage(price: Price | None, tokens: Tokens) -> Usage | None:
    """What a call used, as it is recorded; null where the server told nothing."""
    if not tokens.told:
        return None
    return Usage(
        prompt_tokens=tokens.prompt,
        completion_tokens=tokens.completion,
        cached_tokens=tokens.cached,
        cost_usd=cost(price, tokens),
    )

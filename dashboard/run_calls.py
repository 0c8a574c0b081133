"""What a run's calls to models came to: by model, with what went wrong and what nobody told."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.tables import section, table
from dashboard.tree import Node, el
from dashboard.words import count, label, span
from review_agent.ledger.spending import ModelSpend

__all__ = ["calls"]

_HEADS = ["model", "calls#", "requests#", "tokens in#", "of them cached#", "tokens out#", "cost#", "time", "went wrong"]


def calls(spent: Sequence[ModelSpend]) -> Node | None:
    """A row a model; nothing where no model was asked."""
    if not spent:
        return None
    unknown = [text for one in spent for text in _unknown(one)]
    more = [el("p.none", text) for text in unknown]
    return section("Calls to models", table(_HEADS, [_row(one) for one in spent], none=""), *more)


def _row(one: ModelSpend) -> Node:
    cost = None if one.cost_usd is None else f"${one.cost_usd:.4f}"
    took = one.median_ms is not None and one.longest_ms is not None
    return el(
        "tr",
        el("td", one.model),
        el("td.n", f"{one.calls:,}"),
        el("td.n", f"{one.requests:,}"),
        *(el("td.n", _known(number)) for number in (one.prompt_tokens, one.cached_tokens, one.completion_tokens)),
        el("td.n", cost or "unknown"),
        el("td", f"{span((one.median_ms or 0) / 1000)} median, {span((one.longest_ms or 0) / 1000)} longest" * took),
        el("td", ", ".join(f"{label(name)} {number:,}" for name, number in one.errors.items()) or "nothing"),
    )


def _known(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _unknown(one: ModelSpend) -> list[str]:
    """What is not in the sums, so that a sum is not taken for all."""
    found = []
    if one.unmetered and one.prompt_tokens is not None:
        found.append(f"{one.model}: {count(one.unmetered, 'call')} told no tokens; theirs are not in the sum.")
    if one.unpriced and one.cost_usd is not None:
        found.append(f"{one.model}: {count(one.unpriced, 'call')} of unknown cost; theirs is not in the sum.")
    return found

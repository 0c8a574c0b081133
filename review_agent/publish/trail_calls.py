"""What a run's calls to models came to, in the lines that ``explain`` shows of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from review_agent.counting import counted
from review_agent.publish.safe import terminal
from review_agent.vocabulary import Call

__all__ = ["call_lines"]


def call_lines(calls: Sequence[Call]) -> list[str]:
    """One line a model; what is unknown is said beside what is known, never counted as nothing."""
    models = sorted({call.model for call in calls})
    return [_line(model, [call for call in calls if call.model == model]) for model in models]


def _line(model: str, calls: Sequence[Call]) -> str:
    parts = [f"{counted(len(calls), 'call')} of {counted(len({call.request_id for call in calls}), 'request')}"]
    errors = Counter(call.error.value for call in calls if call.error is not None)
    parts += [f"failed: {', '.join(f'{name} {number}' for name, number in sorted(errors.items()))}"] if errors else []
    used = [call.usage for call in calls if call.usage is not None]
    inward, cached = _sum(one.prompt_tokens for one in used), _sum(one.cached_tokens for one in used)
    if inward is None:
        parts.append("tokens unknown")
    else:
        of_them = "" if cached is None else f" ({cached:,} cached)"
        parts.append(f"{inward:,} tokens in{of_them}, {_sum(one.completion_tokens for one in used) or 0:,} out")
        parts += [f"{counted(len(calls) - len(used), 'call')} told no tokens"] if len(used) < len(calls) else []
    costs = [one.cost_usd for one in used if one.cost_usd is not None]
    parts.append(f"${sum(costs):.4f}" if costs else "cost unknown")
    return terminal(f"  model      {model} · {' · '.join(parts)}")


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None

"""What a run's calls to models came to, in the lines that ``explain`` shows of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from review_agent.counting import counted
from review_agent.publish.safe import terminal
from review_agent.vocabulary import Call

__all__ = ["call_lines"]


def call_lines(calls: Sequence[Call], torn: int = 0) -> list[str]:
    """One line a model; what is unknown is said beside what is known, never counted as nothing.

    ``torn``: how many requests killed attempts left open, to each of which a call may have been in flight.
    """
    models = sorted({call.model for call in calls})
    lines = [_line(model, [call for call in calls if call.model == model]) for model in models]
    if torn:
        open_ = counted(torn, "request was", "requests were")
        lines.append(f"  model      {open_} open when an attempt was killed: calls in flight then are in no record")
    return lines


def _line(model: str, calls: Sequence[Call]) -> str:
    parts = [f"{counted(len(calls), 'call')} of {counted(len({call.request_id for call in calls}), 'request')}"]
    errors = Counter(call.error.value for call in calls if call.error is not None)
    parts += [f"failed: {', '.join(f'{name} {number}' for name, number in sorted(errors.items()))}"] if errors else []
    used = [call.usage for call in calls if call.usage is not None]
    inward, outward = [one.prompt_tokens for one in used], [one.completion_tokens for one in used]
    if not _known(inward) and not _known(outward):
        parts.append("tokens unknown")
    else:
        cached = _known(one.cached_tokens for one in used)
        of_them = f" ({sum(cached):,} cached)" if cached else ""
        parts.append(f"{_sum(inward)} tokens in{of_them}, {_sum(outward)} out")
        parts += [f"{counted(len(calls) - len(used), 'call')} told no tokens"] if len(used) < len(calls) else []
    costs = [one.cost_usd for one in used if one.cost_usd is not None]
    least = "at least " if len(costs) < len(used) else ""
    parts.append(f"{least}${sum(costs):.4f}" if costs else "cost unknown")
    return terminal(f"  model      {model} · {' · '.join(parts)}")


def _known(values: Iterable[int | None]) -> list[int]:
    return [value for value in values if value is not None]


def _sum(values: Sequence[int | None]) -> str:
    """What is known of tokens, in words that tell whether it is all."""
    known = _known(values)
    if not known:
        return "unknown"
    return f"{'at least ' if len(known) < len(values) else ''}{sum(known):,}"

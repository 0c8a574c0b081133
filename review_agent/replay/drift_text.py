"""The drift report as text: who answered then and now, and each changed outcome with what it was."""

from __future__ import annotations

from collections import Counter

from review_agent.counting import counted
from review_agent.publish.safe import terminal
from review_agent.replay.drift import Drift
from review_agent.replay.product import Identity

__all__ = ["drift_text"]


def drift_text(drift: Drift) -> str:
    """All changes one by one. Ends with a newline."""
    lines = [f"drift against the baseline: {counted(len(drift.changes), 'changed outcome')} in {drift.compared} halves"]
    lines += _who(drift.before, drift.after)
    counts = Counter(change.what for change in drift.changes)
    lines += [f"  {', '.join(f'{number} {what}' for what, number in counts.most_common())}"] if counts else []
    unit = ""
    for change in drift.changes:
        if change.unit != unit:
            unit = change.unit
            lines.append(terminal(unit))
        about = f" · {change.key}" if change.key else ""
        lines.append(terminal(f"  {change.what}{about}"))
        lines.append(terminal(f"    {change.before or '∅'} → {change.after or '∅'}"))
    return "\n".join(lines) + "\n"


def _who(before: Identity, after: Identity) -> list[str]:
    """What decides outcomes and is another now; what is the same is said in one line."""
    pairs = [
        ("engine", before.engine, after.engine),
        ("policy", before.policy_hash[:12], after.policy_hash[:12]),
        ("product", before.product, after.product),
        ("source", before.source[:12], after.source[:12]),
    ]
    changed = [f"  {name:8} {old} → {new}" for name, old, new in pairs if old != new]
    same = [f"{name} {old}" for name, old, new in pairs if old == new]
    return [*changed, f"  the same: {', '.join(same)}"] if same else changed

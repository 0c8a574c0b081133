"""The review as data: the whole document, and its outcomes alone."""

from __future__ import annotations

from review_agent.publish import safe
from review_agent.vocabulary import ReviewDocument

__all__ = ["json_text", "outcomes_text"]


def json_text(document: ReviewDocument) -> str:
    """The document as indented JSON with its last newline."""
    return safe.json_text(document.wire())


def outcomes_text(document: ReviewDocument) -> str:
    """What replays byte for byte: no times, no costs, no attempt id, nothing of how long or how often it ran."""
    data = document.wire()
    run = {name: value for name, value in data["run"].items() if name not in ("attemptId", "status")}
    return safe.json_text({**{name: data[name] for name in ("schemaVersion", "coverage", "outcomes")}, "run": run})

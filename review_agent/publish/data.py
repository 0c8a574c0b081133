"""The review as data: the whole document, and its outcomes alone."""

from __future__ import annotations

import json
from typing import Any

from review_agent.vocabulary import ReviewDocument

__all__ = ["json_text", "outcomes_text"]


def json_text(document: ReviewDocument) -> str:
    """The document as indented JSON with its last newline."""
    return _text(document.wire())


def outcomes_text(document: ReviewDocument) -> str:
    """What replays byte for byte: no times, no costs, no attempt id, nothing of how long or how often it ran."""
    data = document.wire()
    run = {name: value for name, value in data["run"].items() if name not in ("attemptId", "status")}
    return _text({**{name: data[name] for name in ("schemaVersion", "coverage", "outcomes")}, "run": run})


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"

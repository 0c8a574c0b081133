"""What can come of a call instead of an answer: what a status says, what is tried again, how a question ends by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from review_agent.vocabulary import CallError, UnansweredCause

__all__ = ["CAUSES", "ENDPOINT", "FINAL", "ONCE_MORE", "UNCHARGED", "Fault", "of_status", "plain", "words"]

_LONGEST = 300

_STATUSES = {
    400: CallError.BAD_REQUEST,
    401: CallError.UNAUTHORIZED,
    403: CallError.UNAUTHORIZED,
    404: CallError.NOT_FOUND,
    408: CallError.REQUEST_TIMEOUT,
    409: CallError.CONFLICT,
    413: CallError.BAD_REQUEST,
    422: CallError.BAD_REQUEST,
    425: CallError.CONFLICT,
    429: CallError.RATE_LIMITED,
}

CAUSES = {
    CallError.BAD_REQUEST: UnansweredCause.ENGINE_FAILED,
    CallError.UNAUTHORIZED: UnansweredCause.ENDPOINT_DOWN,
    CallError.NOT_FOUND: UnansweredCause.ENDPOINT_DOWN,
    CallError.REQUEST_TIMEOUT: UnansweredCause.ENDPOINT_DOWN,
    CallError.CONFLICT: UnansweredCause.ENDPOINT_DOWN,
    CallError.RATE_LIMITED: UnansweredCause.ENDPOINT_DOWN,
    CallError.SERVER_ERROR: UnansweredCause.ENDPOINT_DOWN,
    CallError.OTHER_STATUS: UnansweredCause.ENDPOINT_DOWN,
    CallError.UNREACHABLE: UnansweredCause.ENDPOINT_DOWN,
    CallError.RESET: UnansweredCause.ENDPOINT_DOWN,
    CallError.TOO_SLOW: UnansweredCause.ENDPOINT_DOWN,
    CallError.INTERRUPTED: UnansweredCause.ENDPOINT_DOWN,
    CallError.REFUSED: UnansweredCause.REFUSED,
    CallError.TRUNCATED: UnansweredCause.MALFORMED,
    CallError.EMPTY: UnansweredCause.MALFORMED,
    CallError.TOO_LARGE: UnansweredCause.MALFORMED,
    CallError.NOT_JSON: UnansweredCause.MALFORMED,
    CallError.NOT_SCHEMA: UnansweredCause.MALFORMED,
}
"""How a question ends whose last call failed so."""

ENDPOINT = frozenset(error for error, cause in CAUSES.items() if cause is UnansweredCause.ENDPOINT_DOWN)
"""What says that nobody answers there; some in a row, and no more is asked."""

FINAL = frozenset(
    {
        CallError.BAD_REQUEST,
        CallError.UNAUTHORIZED,
        CallError.NOT_FOUND,
        CallError.OTHER_STATUS,
        CallError.REFUSED,
        CallError.TOO_LARGE,
        CallError.INTERRUPTED,
    }
)
"""What a second try would only meet again."""

ONCE_MORE = frozenset({CallError.TRUNCATED, CallError.EMPTY, CallError.NOT_JSON, CallError.NOT_SCHEMA})
"""What a model said badly: it is asked once more, with another seed, and no further time, as each try costs in full."""

UNCHARGED = frozenset(
    {
        CallError.BAD_REQUEST,
        CallError.UNAUTHORIZED,
        CallError.NOT_FOUND,
        CallError.CONFLICT,
        CallError.RATE_LIMITED,
        CallError.OTHER_STATUS,
        CallError.UNREACHABLE,
    }
)
"""What was turned away before a model saw it: without a word of usage it counts as nothing against the budget."""


@dataclass(frozen=True)
class Fault:
    """A call that gave no answer, and why, in plain words of bounded length."""

    error: CallError
    detail: str


def of_status(status: int) -> CallError:
    """The error of a status that is no success; a redirection is none either, as nothing is sent on elsewhere."""
    return CallError.SERVER_ERROR if 500 <= status <= 599 else _STATUSES.get(status, CallError.OTHER_STATUS)


def words(said: Any) -> str:
    """What a server wrote in the place of a text, as one; of what is nested without end only that."""
    try:
        return said if isinstance(said, str) else str(said or "")
    except RecursionError:
        return "what is nested too deeply"


def plain(text: str) -> str:
    """Text of a server in one line that a record can hold and a terminal can show."""
    line = " ".join(text[: 4 * _LONGEST].split())
    shown = ascii(line)[1:-1]
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."

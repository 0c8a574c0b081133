"""The identity of a finding without line numbers: it survives rebases, renames and shifted lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from review_agent.vocabulary import digest

__all__ = ["evidence", "of"]

_QUOTES = re.compile(r"'''|\"\"\"|'|`")


def of(rule: str, path: str, scope: str, tokens: Sequence[str], ordinal: int) -> str:
    """The fingerprint, 32 hex digits.

    ``path`` is the base path where the file exists there, ``scope`` the enclosing symbol's qualified name, ``tokens``
    the anchor's, ``ordinal`` tells findings apart that are alike in all of these. Layout and the choice of quotes do
    not count.
    """
    text = _QUOTES.sub('"', "".join("".join(tokens).split()))
    return digest([rule, path, scope, text, ordinal])[:32]


def evidence(card: Mapping[str, Any]) -> str:
    """Digest, 32 hex digits, of what a card on the wire stands on: the roles and quotes of its supporting refs.

    Neither where the lines stand nor in which order they are listed counts, so that it survives a rename and shifted
    lines; a changed line of evidence gives another one.
    """
    return digest(sorted([ref["role"], ref["quoteSha256"]] for ref in card["supportingRefs"]))[:32]

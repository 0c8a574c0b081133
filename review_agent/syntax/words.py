r"""Names within a text, by a pattern. ``\b`` and ``\w`` know no ``$``, which JavaScript, TypeScript and Java have in
names: ``\b`` before ``$pos`` or behind ``user$`` finds none of them, and takes the ``pos`` of ``$pos`` for a name.
"""

from __future__ import annotations

import re

__all__ = ["whole_name", "words_in"]

_WITH_DOLLAR = frozenset({"javascript", "typescript", "tsx", "java"})
_WORD = re.compile(r"[^\W\d]\w*")
_DOLLAR_WORD = re.compile(r"(?:[^\W\d]|\$)[\w$]*")


def whole_name(name: str, language: str = "") -> str:
    """The pattern of a name that is not part of a longer one. Without a language that has ``$`` in names, a ``$``
    beside a name without one is a sign that puts its value into a text, as in a shell's or a template's ``$name``.
    """
    part = r"\w$" if "$" in name or language in _WITH_DOLLAR else r"\w"
    return rf"(?<![{part}]){re.escape(name)}(?![{part}])"


def words_in(text: str, language: str) -> list[str]:
    """The names of a text in order, as its language spells names."""
    return (_DOLLAR_WORD if language in _WITH_DOLLAR else _WORD).findall(text)

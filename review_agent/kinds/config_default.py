"""``config_default``: what applies where nobody chose changed, or a key has one name here and another there."""

from __future__ import annotations

from review_agent.kinds.rulebook import Book, BookKind
from review_agent.vocabulary import ChangeKind

__all__ = ["ConfigDefault"]


class ConfigDefault(BookKind):
    """Defaults, fallbacks and keys against the callers and configuration files that rely on them."""

    kind = ChangeKind.CONFIG_DEFAULT
    in_tests = False
    rules = Book(
        "config_default_fallbacks",
        "config_default_keys",
        "config_default_values",
        "config_default_fields",
        "config_default_helpers",
        "config_default_filled",
    )

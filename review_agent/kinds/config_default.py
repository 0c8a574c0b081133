"""``config_default``: what applies where nobody chose changed, or a key has one name here and another there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds import (
    config_default_fallbacks,
    config_default_fields,
    config_default_filled,
    config_default_helpers,
    config_default_keys,
    config_default_values,
)
from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.rulebook import book, raised, settled
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import Bundle, ChangeKind, Edit, Question

__all__ = ["ConfigDefault"]

_RULES = book(
    *config_default_fallbacks.RULES,
    *config_default_keys.RULES,
    *config_default_values.RULES,
    *config_default_fields.RULES,
    *config_default_helpers.RULES,
    *config_default_filled.RULES,
)


class ConfigDefault:
    """Defaults, fallbacks and keys against the callers and configuration files that rely on them."""

    kind = ChangeKind.CONFIG_DEFAULT

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(_RULES, [edit for edit in edits if not in_test(edit.path)])

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        return settled(_RULES, question, bundle)

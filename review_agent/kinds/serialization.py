"""``serialization``: what is written for others to read. Its rules stand in the files beside this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.rulebook import book, raised, settled
from review_agent.kinds.serialization_codecs import RULES as CODECS
from review_agent.kinds.serialization_escapes import RULES as ESCAPES
from review_agent.kinds.serialization_keys import RULES as KEYS
from review_agent.kinds.serialization_positions import RULES as POSITIONS
from review_agent.kinds.serialization_readers import RULES as READERS
from review_agent.kinds.serialization_sequence import RULES as SEQUENCE
from review_agent.kinds.serialization_shape import RULES as SHAPE
from review_agent.vocabulary import Bundle, ChangeKind, Edit, Question

__all__ = ["Serialization"]

_RULES = book(*KEYS, *READERS, *CODECS, *ESCAPES, *POSITIONS, *SEQUENCE, *SHAPE)


class Serialization:
    kind = ChangeKind.SERIALIZATION

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(_RULES, edits)

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        return settled(_RULES, question, bundle)

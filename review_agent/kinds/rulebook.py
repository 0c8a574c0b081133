"""A kind as a list of rules: each rule names the edits it wakes on, raises its question and settles it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from review_agent.kinds.base import Seed, Settled
from review_agent.vocabulary import Bundle, Edit, EditOp, Question

__all__ = ["Rule", "book", "raised"]


@dataclass(frozen=True)
class Rule:
    """``raises`` makes the seed of one edit (null: no question), given all edits of the same sequence."""

    name: str
    ops: frozenset[EditOp]
    raises: Callable[[Edit, Sequence[Edit]], Seed | None]
    settle: Callable[[Question, Bundle], Settled]


def book(*rules: Rule) -> Mapping[str, Rule]:
    """Rules by name, in the order given."""
    return {rule.name: rule for rule in rules}


def raised(rules: Mapping[str, Rule], edits: Sequence[Edit]) -> Iterator[Seed]:
    """The seeds of all rules, in the order of the edits."""
    for edit in edits:
        for rule in rules.values():
            seed = rule.raises(edit, edits) if edit.op in rule.ops else None
            if seed is not None:
                yield seed

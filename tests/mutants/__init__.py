"""Mutants of true cards: each takes a card that passes, makes it wrong in one way, and says which code must tell.

A mutator yields nothing for a card that it cannot make wrong in its way. What is judged may be several drafts; the
last of them is the mutant.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from review_agent.policy.model import Policy
from review_agent.sources import Sources
from review_agent.stages.contract import judge
from review_agent.vocabulary import (
    Bundle,
    ContractCode,
    Hunk,
    Question,
    Rejection,
    ReviewEvidenceCard,
    Side,
    Snapshot,
)

__all__ = ["MUTATORS", "Card", "Data", "Mutant", "mutants", "mutator", "of_kind", "texts", "verdict"]

Data = dict[str, Any]


@dataclass(frozen=True)
class Card:
    """A true card with all that it is judged by."""

    question: Question
    bundle: Bundle
    draft: Data
    snapshot: Snapshot
    policy: Policy
    sources: dict[Side, Sources]

    @property
    def file(self):
        return next(
            file for file in self.snapshot.files if any(hunk.hunk_id == self.question.hunk_id for hunk in file.hunks)
        )

    @property
    def hunk(self) -> Hunk:
        return next(hunk for hunk in self.file.hunks if hunk.hunk_id == self.question.hunk_id)

    @property
    def anchor_side(self) -> Side:
        return Side(self.draft["diffAnchor"]["side"])


@dataclass(frozen=True)
class Mutant:
    kind: str
    code: ContractCode
    card: Card
    drafts: tuple[Any, ...]


Mutator = Callable[[Card], Iterator[tuple[ContractCode, Card, tuple[Any, ...]]]]
MUTATORS: dict[str, Mutator] = {}


def mutants(card: Card) -> Iterator[Mutant]:
    for kind in MUTATORS:
        yield from of_kind(kind, card)


def of_kind(kind: str, card: Card) -> Iterator[Mutant]:
    for code, changed, drafts in MUTATORS[kind](card):
        yield Mutant(kind, code, changed, drafts)


def verdict(mutant: Mutant) -> ReviewEvidenceCard | Rejection:
    card = mutant.card
    return judge(
        card.question,
        card.bundle,
        mutant.drafts,
        snapshot=card.snapshot,
        policy=card.policy,
        review_id="r" * 64,
        sources=card.sources,
        seen=set(),
    )[-1]


def mutator(code: ContractCode):
    """Registers a function that yields changed drafts, or (draft, card) where the card's surroundings change too."""

    def register(make):
        def run(card: Card):
            for made in make(card, copy.deepcopy(card.draft)):
                draft, around = made if isinstance(made, tuple) else (made, card)
                yield code, around, (draft,)

        MUTATORS[make.__name__] = run
        return make

    return register


def texts(draft: Data, old: str, new: str, field: str = "claim") -> Iterator[Data]:
    if old in draft[field]:
        yield {**draft, field: draft[field].replace(old, new, 1)}


from mutants import forms, places, sayings  # noqa: E402, F401  each registers its mutators

"""Which pieces of evidence a request shows, and so which its answer may cite."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import Evidence, Resolution

__all__ = ["citable"]

# Hits that are shown of one query: who reads forty lines that call a function reads none of them.
_HITS = 12

_Numbered = tuple[int, Evidence]


def citable(evidence: Sequence[Evidence]) -> frozenset[int]:
    """The numbers, from 1 on, of what is shown: all that was read, and of each query twelve hits at the most.

    Those that are known to be what was asked for come before the others, the product's own before its tests'.
    """
    kept: set[int] = set()
    for _, found in groupby(enumerate(evidence, 1), key=lambda one: one[1].query):
        places = list(found)
        kept |= {number for number, one in places if one.origin == "read"}
        kept |= {number for number, _ in sorted((one for one in places if one[1].origin == "hit"), key=_worth)[:_HITS]}
    return frozenset(kept)


def _worth(one: _Numbered) -> tuple[bool, bool, bool, int]:
    number, evidence = one
    resolved = any(getattr(fact, "resolution", None) is Resolution.RESOLVED for fact in evidence.facts)
    return not resolved, evidence.near_change, in_test(evidence.ref.path), number

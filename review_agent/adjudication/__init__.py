"""A person's decisions on cards: checked against state, version and policy under the lock, then appended.

``deciding`` records, ``checks`` refuses, ``words`` says how.
"""

from __future__ import annotations

from review_agent.adjudication.checks import NONE_SEEN, Intent
from review_agent.adjudication.deciding import Told, decide, decide_each, decide_many
from review_agent.adjudication.words import lapse, standing, state_of, state_word, typed

__all__ = [
    "NONE_SEEN",
    "Intent",
    "Told",
    "decide",
    "decide_each",
    "decide_many",
    "lapse",
    "standing",
    "state_of",
    "state_word",
    "typed",
]

"""A falsifiable question and its evidence plan."""

from __future__ import annotations

from review_agent.vocabulary.base import Record
from review_agent.vocabulary.change import Edit, SourceRef
from review_agent.vocabulary.codes import ChangeKind, QueryKind, Side

__all__ = [
    "COMPILED",
    "PlanQuery",
    "Question",
]

COMPILED = "compiled:"
"""How the rule of a question begins that a model asked, as a compiler; its change kind follows."""


class PlanQuery(Record):
    """One typed query of an evidence plan.

    ``name`` is what is looked for; ``path`` and ``scope`` say where the name is at home (the defining file and the
    qualified scope inside it, such as its class), so that imports and receivers can be resolved against it. A text
    query's ``scope`` may be ``calls`` or ``functions``: what its hits are a part of is told then, as far as parsed; or
    ``words``: the text counts only where it stands as a whole word.
    """

    kind: QueryKind
    name: str
    path: str = ""
    scope: str = ""
    side: Side = Side.NEW


class Question(Record):
    """Falsifiable: a change, a precondition, a consequence, and what would refute it."""

    question_id: str
    kind: ChangeKind
    rule: str
    hunk_id: str
    path: str
    change: str
    precondition: str
    consequence: str
    refuted_if: tuple[str, ...]
    anchor: SourceRef
    plan: tuple[PlanQuery, ...]
    edits: tuple[Edit, ...]
    risk: int

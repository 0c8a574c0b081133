"""What shows that nothing else makes lasting what a function wrote: for the rules of ``persistence_commit``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from review_agent.kinds.base import Found, found
from review_agent.kinds.callers import worst_first
from review_agent.kinds.holds import holds
from review_agent.kinds.persistence_commit_card import Proof, arguments_of, stated, strength_of
from review_agent.kinds.storing import commits, root_of, strength
from review_agent.vocabulary import Bundle, CallFact, Edit, EditOp, QueryKind, Question, UseFact

__all__ = ["closed_by", "made_by", "proof_of"]

_UNDOES = re.compile(r"[\"'`]\s*ROLLBACK\b", re.IGNORECASE)
_ENDS = frozenset({"close", "end", "release", "rollback"})
# Functions by which whoever uses the object ends what several others wrote.
_FINISHES = re.compile(r"commit|close|exit|flush|save|end|done|finish|transaction|stop", re.IGNORECASE)
# Without an option these begin a transaction at the first write.
_OPENS_TRANSACTIONS = re.compile(
    r"=\s*(?:await\s+)?(?:sqlite3|psycopg2?|pymysql|mariadb)\.connect\((?!.*(?:autocommit|isolation_level))"
)


def proof_of(question: Question, bundle: Bundle, commit: str, callers: Iterable[Found[CallFact]]) -> Proof:
    edit = question.edits[0]
    beside = [one for one in found(bundle, CallFact, QueryKind.SIBLINGS) if not one.evidence.near_change]
    if edit.op is EditOp.HELD_REMOVED:
        kept = [one for one in beside if one.fact.scope != edit.scope and holds(one.fact.held, edit.subject)]
        return Proof(sibling=next(iter(kept), None), callers=_outside(question, callers)[:1], undone=None)
    last = commit.rpartition(".")[2]
    same = [one for one in beside if one.fact.callee == commit and stated(one) == (strength(commit) == 0)]
    other = [one for one in same if one.fact.scope != edit.scope or edit.op is EditOp.EXIT_ADDED]
    undone = [
        one
        for one in beside
        if one.fact.scope == edit.scope
        and (one.fact.callee.rpartition(".")[2].lower() in _ENDS or _UNDOES.search(arguments_of(one)))
    ]
    return Proof(
        sibling=next(iter(other), None) if last else None,
        callers=_outside(question, callers)[:2],
        undone=next(iter(undone), None),
    )


def _outside(question: Question, callers: Iterable[Found[CallFact]]) -> tuple[Found[CallFact], ...]:
    return tuple(one for one in worst_first(question, callers) if not one.evidence.near_change)


def made_by(edit: Edit, bundle: Bundle) -> Found[UseFact] | None:
    """Where the connection of an object is made, with a driver that commits nothing by itself."""
    if strength_of(edit) != 3:
        return None
    made = [one for one in found(bundle, UseFact, QueryKind.LIFETIME) if one.fact.use == "write"]
    beside = [one.fact for one in found(bundle, CallFact, QueryKind.SIBLINGS) if strength(one.fact.callee) == 3]
    if any(_FINISHES.search(one.scope.rpartition(".")[2]) for one in beside):
        return None
    if len(made) != 1 or made[0].evidence.near_change:
        return None
    return made[0] if _OPENS_TRANSACTIONS.search(made[0].evidence.text) else None


def closed_by(bundle: Bundle, commit: str) -> Found[CallFact] | None:
    """Where the connection is closed or rolled back."""
    beside = found(bundle, CallFact, QueryKind.SIBLINGS)
    ends = [one for one in beside if one.fact.callee.rpartition(".")[2].lower() in _ENDS]
    ends = [one for one in ends if root_of(one.fact.callee) == root_of(commit)]
    return next((one for one in ends if not one.evidence.near_change and not commits(one.fact.preceded_by, 3)), None)

"""What tells users of a library that something they may use is not there as it was: its change log."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import Found, Unsettled, ask, every, place, unsettled
from review_agent.syntax.edits.prose import HISTORY
from review_agent.vocabulary import Bundle, Edit, EditOp, NoFindingCode, PlanQuery, QueryKind, Question, UseFact

__all__ = ["announced", "asks_what_is_told", "notes_of"]

# How a change log tells users that something they may use is not there as it was.
_ENDS = re.compile(
    r"remov|renam|deprecat|break|drop|no longer|replac|instead|chang|incompatib|now (?:takes|requires|returns)",
    re.IGNORECASE,
)
# How it tells of the members of a type without naming each.
_MEMBERS = r"\b(?:methods?|functions?|members?|parameters?|arguments?|signatures?|attributes?)\b"
_NOTES = re.compile(r"\.(?:md|rst|txt|adoc)$|(?:^|/)[A-Z]+$")


def notes_of(edits: Sequence[Edit]) -> list[Edit]:
    """What the change itself writes into a change log."""
    return [one for one in edits if one.op is EditOp.LINES_CHANGED and _is_log(one.path)]


def _is_log(path: str) -> bool:
    return HISTORY.search(path) is not None and _NOTES.search(path) is not None


def asks_what_is_told(notes: Sequence[Edit], home: str) -> tuple[PlanQuery, ...]:
    """The query for what these notes say: of the type of a member, whose members a note may take together."""
    scope, _, name = home.rpartition(".")
    return tuple(ask(QueryKind.TEXT, _last(scope) or name, path=one.path, scope="words") for one in notes[:1])


def announced(question: Question, bundle: Bundle, home: str) -> Unsettled | None:
    """A line of a change log that tells of it, or in a note of this change of the members of its type."""
    scope, _, name = home.rpartition(".")
    own = [one for one in _logged(bundle, name) if one.evidence.near_change or _ENDS.search(one.evidence.text)]
    notes = notes_of(question.edits)
    speaks = re.compile(rf"{_MEMBERS}|\b{re.escape(name)}\b", re.IGNORECASE)
    of_type = [one for one in _logged(bundle, _last(scope)) if _in(notes, one) and speaks.search(one.evidence.text)]
    told = own or of_type
    if not told:
        return None
    return unsettled(NoFindingCode.REFUTED, f"{place(told[0].ref)} tells users of it", refs=[told[0].ref])


def _logged(bundle: Bundle, name: str) -> list[Found[UseFact]]:
    hits = every(bundle, UseFact, QueryKind.TEXT, name) if name else ()
    return [one for one in hits if HISTORY.search(one.ref.path)]


def _in(notes: Sequence[Edit], one: Found[UseFact]) -> bool:
    line = one.ref.start_line
    return any(note.path == one.ref.path and note.start_line <= line <= note.end_line for note in notes)


def _last(scope: str) -> str:
    return scope.rpartition(".")[2]

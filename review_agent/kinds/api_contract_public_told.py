"""What tells users of a library that something they may use is not there as it was: its change log."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.api_contract_public_card import GONE
from review_agent.kinds.base import Found, Unsettled, ask, every, place, unsettled
from review_agent.syntax.edits.prose import HISTORY
from review_agent.vocabulary import Bundle, Edit, EditOp, NoFindingCode, PlanQuery, QueryKind, Question, UseFact

__all__ = ["announced", "asks_what_is_told", "notes_of"]

# How a change log tells users that something they may use is not there as it was.
_ENDS = re.compile(
    r"remov|renam|deprecat|break|drop|no longer|replac|instead|chang|incompatib|now (?:takes|requires|returns)",
    re.IGNORECASE,
)
# How it tells that they take or give something else, which is no end of theirs.
_TURNS = re.compile(
    r"\b(?:tak|accept|requir|return|rais|expect|order|keyword|positional|async|await)\w*", re.IGNORECASE
)
# How it tells of what came beside them.
_COMES = re.compile(r"^\W*(?:\w+ ){0,3}?(?:add(?:s|ed|ing)?|new|introduc\w*|support(?:s|ed)?)\b", re.IGNORECASE)
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
    notes = notes_of(question.edits)
    own = [one for one in _logged(bundle, name) if _in(notes, one) or _tells(one)]
    of_type = [one for one in _logged(bundle, _last(scope)) if _in(notes, one)]
    goes = question.edits[0].op in GONE
    told = own or [one for one in of_type if _speaks(one.evidence.text, name, goes=goes)]
    if not told:
        return None
    return unsettled(NoFindingCode.REFUTED, f"{place(told[0].ref)} tells users of it", refs=[told[0].ref])


def _tells(one: Found[UseFact]) -> bool:
    """Whether a line that names a member says that it ends, or stands beside the change and tells of no coming."""
    said = one.evidence.text
    return _ENDS.search(said) is not None or (one.evidence.near_change and _COMES.search(said) is None)


def _speaks(note: str, name: str, *, goes: bool) -> bool:
    """Whether a note about a type means a member of it: by its name, or all of them by what becomes of them."""
    if re.search(rf"\b{re.escape(name)}\b", note):
        return True
    turns = not goes and _TURNS.search(note) is not None and _COMES.search(note) is None
    return re.search(_MEMBERS, note, re.IGNORECASE) is not None and (turns or _ENDS.search(note) is not None)


def _logged(bundle: Bundle, name: str) -> list[Found[UseFact]]:
    hits = every(bundle, UseFact, QueryKind.TEXT, name) if name else ()
    return [one for one in hits if HISTORY.search(one.ref.path)]


def _in(notes: Sequence[Edit], one: Found[UseFact]) -> bool:
    line = one.ref.start_line
    return any(note.path == one.ref.path and note.start_line <= line <= note.end_line for note in notes)


def _last(scope: str) -> str:
    return scope.rpartition(".")[2]

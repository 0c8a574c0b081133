"""Rules of ``auth`` about a change that steers its own review: files that reviewers obey, and words to the reviewer.

No engine is asked about them: an engine that obeys such words would say that there are none. What they come to is the
same in every run: a person is shown the lines, and nothing of them was obeyed.
"""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.kinds.base import Seed, Unsettled, code, counted, number, seed, text, unsettled
from review_agent.kinds.rulebook import Book, Rule
from review_agent.vocabulary import Bundle, Edit, EditOp, NoFindingCode, Question

__all__ = ["RULES", "STEERING", "settle"]

_SHOWN = 6  # so many places are told with their line; more are counted
_LONGEST = 160
_FILES = "instructions_changed"
_WORDS = "reviewer_addressed"
_IN_FORCE = "What the protected side says stays in force until the change is merged"


def _raise_files(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    return _first(edit, edits, _FILES, f"{code(edit.subject)}, which steers reviewers, is changed by what is reviewed")


def _raise_words(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    return _first(edit, edits, _WORDS, f"the change speaks to its reviewer in {code(edit.path)} line {edit.start_line}")


def _first(edit: Edit, edits: Sequence[Edit], rule: str, change: str) -> Seed | None:
    """One question for all edits of the op: a change cannot crowd out others by saying it often."""
    like = [one for one in edits if one.op is edit.op]
    if like[0] is not edit:
        return None
    return seed(
        edit,
        rule,
        change=change,
        precondition="a reviewer, or a tool that reviews, obeys what stands there",
        consequence="the change decides by itself how it is reviewed",
        refuted_if=("it is the product's own text or a fixture, and is meant for nobody who reviews this change",),
        plan=(),
        others=like[1:],
    )


def _settle_files(question: Question, bundle: Bundle | None = None) -> Unsettled:
    said = "this change alters what steers reviewers"
    missing = "a person who has read the new text as its reader will obey it"
    return _shown(question, said, missing)


def _settle_words(question: Question, bundle: Bundle | None = None) -> Unsettled:
    said = "this change speaks to whoever reviews it; none of it was obeyed"
    return _shown(question, said, "the author's word on what it is for")


def _shown(question: Question, said: str, missing: str) -> Unsettled:
    edits = question.edits
    total = max(len(edits), number(edits[0], "total") or 0)
    told = [_line(edit) for edit in edits[:_SHOWN]]
    more = [f"and {counted(total - len(told), 'further place')}"] if total > len(told) else []
    return unsettled(
        NoFindingCode.NEEDS_HUMAN_CONTEXT, f"{said}: {'; '.join([*told, *more])}. {_IN_FORCE}", missing=(missing,)
    )


def _line(edit: Edit) -> str:
    """Where, why it counts, and the line itself, which is text of the change and shown as such."""
    line = " ".join((edit.after or edit.before or "").split())
    cut = line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
    quoted = f" {code(cut)}" if cut else ""
    path = edit.path if edit.side == "new" else edit.old_path
    return f"{path}:{edit.start_line} ({text(edit, 'why')}){quoted}"


RULES = (
    Rule(_FILES, frozenset({EditOp.INSTRUCTIONS_CHANGED}), _raise_files, _settle_files),
    Rule(_WORDS, frozenset({EditOp.REVIEWER_ADDRESSED}), _raise_words, _settle_words),
)
STEERING = Book("auth_steering")


def settle(question: Question) -> Unsettled:
    """How a question of these rules ends, whatever the engine."""
    return _settle_files(question) if question.rule == _FILES else _settle_words(question)

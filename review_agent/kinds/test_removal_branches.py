"""A test, or a part of one, that goes together with the branch of the code which it was there for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from review_agent.kinds.base import Unsettled, code, texts, unsettled
from review_agent.kinds.functions import function_of
from review_agent.kinds.tested import last, subjects_of
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import Edit, EditOp, NoFindingCode, Question

__all__ = ["takes_branch", "went_with"]

# What takes a way through a function out of it.
_WAYS = frozenset({EditOp.GUARD_REMOVED, EditOp.HANDLER_REMOVED, EditOp.ENTRY_REMOVED, EditOp.FALLBACK_REMOVED})
_PARTS = _WAYS | {EditOp.CALL_REMOVED, EditOp.BLOCK_REMOVED, EditOp.KEY_REMOVED, EditOp.PARAMETER_REMOVED}
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_PLAIN = frozenset(
    """if else elif return throw raise new not and or is in none null nil true false undefined error err errors len
    self this for case switch break continue const let var def func void int string bool""".split()  # noqa: SIM905
)


def takes_branch(one: Edit, edit: Edit) -> bool:
    """Whether an edit takes something out of a function that a test which went was about."""
    about = {last(name) for name in subjects_of(edit)}
    return one.op in _PARTS and not in_test(one.path) and last(function_of(one) or one.scope) in about


def went_with(question: Question) -> Unsettled | None:
    """Why what went is no loss, or not known to be one: the change takes out the way that it was there for."""
    edit = question.edits[0]
    gone, kept = _arguments(edit, gone=True), _arguments(edit, gone=False)
    parts = [one for one in question.edits[1:] if takes_branch(one, edit)]
    for one in parts if gone else ():
        shared = sorted(_words([one.before or one.subject]) & _words(gone) - _words(kept))
        if shared:
            return unsettled(
                NoFindingCode.REFUTED,
                f"the change takes {snippet(one.before or one.subject)} out of {code(last(one.scope))}, for which "
                f"{code(edit.subject)} gave {code(shared[0])}",
            )
    ways = [one for one in parts if one.op in _WAYS]
    if not gone or not ways or edit.op is not EditOp.ASSERTION_REMOVED:
        return None
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"the change takes {snippet(ways[0].before or ways[0].subject)} out of {code(last(ways[0].scope))} together "
        "with the call that was asserted",
        missing=("whether the call took another way than that",),
    )


def _arguments(edit: Edit, *, gone: bool) -> list[str]:
    """How the test called what it was about: in the calls that went, or in those that it still makes."""
    names = {last(name) for name in subjects_of(edit)}
    went = texts(edit, "callsGone") if edit.op is EditOp.ASSERTION_REMOVED else texts(edit, "texts")
    found = went if gone else [one for one in texts(edit, "texts") if one not in went]
    split = (one.partition("(") for one in found)
    return [given for callee, _, given in split if last(callee) in names]


def _words(said: Iterable[str]) -> set[str]:
    return {word for one in said for word in _WORD.findall(one) if len(word) > 1 and word.lower() not in _PLAIN}

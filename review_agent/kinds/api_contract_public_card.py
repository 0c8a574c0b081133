"""What a card says to those who use a library from outside: what was released, what shows it, what they meet now."""

from __future__ import annotations

from collections.abc import Mapping

from review_agent.kinds.api_contract_public_shown import Shown
from review_agent.kinds.base import code, draft, text
from review_agent.kinds.functions import split
from review_agent.kinds.languages import compiled
from review_agent.vocabulary import Draft, Edit, EditOp, EffectOp, HistoryFact, Question, Severity

__all__ = ["DUNDERS", "GONE", "TAKEN", "card_of", "home_of", "said_of"]

GONE = frozenset({EditOp.SYMBOL_REMOVED, EditOp.SYMBOL_RENAMED})
TAKEN = frozenset(
    {
        EditOp.PARAMETER_ADDED,
        EditOp.PARAMETER_REMOVED,
        EditOp.PARAMETER_RENAMED,
        EditOp.PARAMETERS_REORDERED,
        EditOp.PARAMETER_TIGHTENED,
    }
)
DUNDERS = frozenset({"__init__", "__call__", "__new__"})


def home_of(edit: Edit) -> str:
    """The qualified name of what people outside use."""
    if edit.op in GONE:
        return text(edit, "qualname") or edit.subject
    if edit.op is EditOp.ABSTRACT_MEMBER_ADDED:
        return text(edit, "owner")
    return text(edit, "function") or edit.scope


def said_of(home: str) -> str:
    """A qualified name as people write it: a constructor by its class."""
    scope, name = split(home)
    return scope if name in DUNDERS and scope else home


def card_of(question: Question, told: HistoryFact, line: Shown) -> Draft:
    edit = question.edits[0]
    home = said_of(home_of(edit))
    new = text(edit, "newName")
    act, op = _act(edit, home)
    return draft(
        question,
        claim=f"{act} breaks code outside that uses what {code(told.release)} released, {code(told.declared[:110])}: "
        f"{line[0]}, and {_meets(edit, home)}.",
        op=op,
        subject=edit.subject,
        to=new if op is EffectOp.RENAMED else None,
        severity=Severity.IMPORTANT,
        support=[line[1]],
        impact=f"Another project moves on from {code(told.release)} to this change and {_uses(edit, home)}.",
        counter=(
            f"An alias, an overload or a note of deprecation that {code(told.release)} carried would refute this; the "
            "declaration before the change and the definitions at head were read and have none.",
        ),
        uncertainty=(f"Who uses {code(home)} outside this repository cannot be seen from here.",),
    )


def _act(edit: Edit, home: str) -> tuple[str, EffectOp]:
    name, of = code(edit.subject), f" of {code(home)}"
    new = code(text(edit, "newName"))
    acts: Mapping[EditOp, tuple[str, EffectOp]] = {
        EditOp.SYMBOL_REMOVED: (f"Removing {code(home)}", EffectOp.REMOVED),
        EditOp.SYMBOL_RENAMED: (f"Renaming {code(home)} to {new}", EffectOp.RENAMED),
        EditOp.PARAMETER_ADDED: (f"Adding the required parameter {name}{of}", EffectOp.ADDED),
        EditOp.PARAMETER_REMOVED: (f"Removing the parameter {name}{of}", EffectOp.REMOVED),
        EditOp.PARAMETER_RENAMED: (f"Renaming the parameter {name}{of} to {new}", EffectOp.RENAMED),
        EditOp.PARAMETERS_REORDERED: (f"Reordering the parameters{of}", EffectOp.REORDERED),
        EditOp.PARAMETER_TIGHTENED: (f"Changing the parameter {name}{of}, which {_tightened(edit)}", EffectOp.CHANGED),
        EditOp.ABSTRACT_MEMBER_ADDED: (f"Adding {name} to {code(home)}", EffectOp.ADDED),
        EditOp.RESULT_TYPE_CHANGED: (
            f"Changing the result{of} from {code(edit.before or '')} to {code(edit.after or '')}",
            EffectOp.CHANGED,
        ),
    }
    return acts[edit.op]


def _tightened(edit: Edit) -> str:
    return "has no default any more" if text(edit, "how") == "lost_default" else "is only taken by keyword now"


def _meets(edit: Edit, home: str) -> str:
    if edit.op is EditOp.ABSTRACT_MEMBER_ADDED:
        fails = "cannot be made any more" if edit.language == "python" else "does not compile any more"
        return f"a type there that implements {code(home)} without {code(edit.subject)} {fails}"
    if edit.op in GONE:
        return f"what names {code(home)} there {_missing(edit)}"
    if edit.op is EditOp.RESULT_TYPE_CHANGED:
        return "what takes the old result there does not compile"
    return f"a call written for that signature {'does not compile' if compiled(edit) else _refused(edit)}"


def _missing(edit: Edit) -> str:
    if compiled(edit):
        return "does not compile"
    if edit.language == "javascript":
        return "gets `undefined`"
    return "raises `AttributeError`" if "." in home_of(edit) else "raises `ImportError`"


def _refused(edit: Edit) -> str:
    if edit.op is EditOp.PARAMETERS_REORDERED:
        return "hands over its arguments in the wrong places"
    return "raises `TypeError`"


def _uses(edit: Edit, home: str) -> str:
    if edit.op is EditOp.ABSTRACT_MEMBER_ADDED:
        return "implements it"
    if edit.op in (EditOp.PARAMETER_RENAMED, EditOp.PARAMETER_REMOVED) and edit.language == "python":
        return f"passes {code(edit.subject)}"
    return "uses it as it was"

"""Rules of ``incomplete_change`` about a function's documentation: parameters, defaults and errors that it lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    code,
    draft,
    found,
    listed,
    number,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.languages import BY_PLACE
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

# Characters of a line that are enough to find it again.
_ENOUGH = 120
# Names that a claim lists.
_MOST = 6

Write = Callable[[Question, Found[UseFact]], Draft]


def _raise(rule: str, change: str, consequence: str, edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    line = text(edit, "docText")
    alike = _alike(edit, edits)
    if not line or not function_of(edit) or alike[0].edit_id != edit.edit_id:
        return None
    name = called(function_of(edit))[1]
    return seed(
        edit,
        rule,
        change=change.format(subject=code(edit.subject), name=code(name)),
        precondition=f"the documentation of {code(name)} stayed as it was",
        consequence=consequence.format(subject=code(edit.subject), name=code(name)),
        refuted_if=("the documentation was changed along", f"the documentation of {code(name)} means something else"),
        plan=(ask(QueryKind.TEXT, line[:_ENOUGH].strip(), path=edit.path),),
        others=alike[1:],
        risk=3,
    )


def _alike(edit: Edit, edits: Sequence[Edit]) -> list[Edit]:
    """The same omission in all functions of the file: one question covers them, asked where most lies between."""
    same = [one for one in edits if (one.op, one.path, one.subject) == (edit.op, edit.path, edit.subject)]
    return sorted(same, key=lambda one: (-abs((number(one, "docLine") or 0) - one.start_line), one.start_line))


def _elsewhere(question: Question, does: str) -> str:
    """The other functions of the file with the same omission, in a sentence."""
    names = dict.fromkeys(called(function_of(one))[1] for one in question.edits[1:])
    others = [name for name in names if name != _name(question)][:_MOST]
    return f"; the documentation of {listed(others)} {does} it too" if others else ""


def _settle(write: Write, question: Question, bundle: Bundle) -> Settled:
    line = _documented(question, bundle)
    return line if isinstance(line, Unsettled) else (write(question, line),)


def _documented(question: Question, bundle: Bundle) -> Found[UseFact] | Unsettled:
    """The line of documentation as it stands at head, away from what the diff shows by itself."""
    edit = question.edits[0]
    line = number(edit, "docLine")
    hits = [one for one in found(bundle, UseFact, QueryKind.TEXT) if one.ref.path == edit.path]
    here = next((one for one in hits if one.ref.start_line == line), None)
    if here is None:
        missing = f"`{edit.path}` line {line}; {searched(bundle, QueryKind.TEXT)}"
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE, "the line of documentation was not read", missing=(missing,)
        )
    if here.evidence.near_change:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(here.ref)} stands in the lines of context that the diff shows; nothing outside them bears it out",
            missing=("a place outside the change that goes by the old documentation",),
            refs=[here.ref],
        )
    return here


def _name(question: Question) -> str:
    return called(function_of(question.edits[0]))[1]


def _left_card(question: Question, line: Found[UseFact]) -> Draft:
    edit, name, became = question.edits[0], _name(question), text(question.edits[0], "newName")
    did = f"Renaming {code(edit.subject)} to {code(became)}" if became else f"Removing {code(edit.subject)}"
    return draft(
        question,
        claim=f"{did} in the signature of {code(name)} leaves its documentation behind: {place(line.ref)} still lists "
        f"{code(edit.subject)}, which the signature does not have{_elsewhere(question, 'lists')}.",
        op=EffectOp.RENAMED if became else EffectOp.REMOVED,
        subject=edit.subject,
        to=became or None,
        severity=Severity.SUGGESTION,
        support=[line.ref],
        impact=_followed(edit, name),
        counter=(f"A parameter {code(edit.subject)} that {code(name)} takes by other means would refute this.",),
    )


def _followed(edit: Edit, name: str) -> str:
    if edit.language in BY_PLACE:
        return f"Whoever writes a call of {code(name)} by that text puts an argument where none or another is taken."
    return f"Whoever writes a call of {code(name)} by that text passes a keyword and gets `TypeError`."


def _missing_card(question: Question, line: Found[UseFact]) -> Draft:
    edit, name = question.edits[0], _name(question)
    others = texts(edit, "documented")
    every = f"every other parameter ({listed(others[:_MOST])})" if len(others) > 1 else code(others[0])
    return draft(
        question,
        claim=f"Adding {code(edit.subject)} to {code(name)} leaves its documentation short of it: the list around "
        f"{place(line.ref)} has an entry for {every} and none for {code(edit.subject)}{_elsewhere(question, 'lacks')}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[line.ref],
        impact=f"Whoever looks up how to call {code(name)}, there or in pages made from it, does not learn what "
        f"{code(edit.subject)} is for.",
        counter=(
            f"A word on {code(edit.subject)} elsewhere in the same documentation would refute this; it has none.",
        ),
    )


def _default_card(question: Question, line: Found[UseFact]) -> Draft:
    edit, name = question.edits[0], _name(question)
    return draft(
        question,
        claim=f"Changing the default of {code(edit.subject)} in {code(name)} from {snippet(edit.before or '')} to "
        f"{snippet(edit.after or '')} leaves its documentation behind: {place(line.ref)} still states "
        f"{snippet(edit.before or '')}.",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[line.ref],
        impact=f"A caller leaves {code(edit.subject)} out because of what it reads there, and gets another value.",
        counter=(f"A body of {code(name)} that puts the documented value in place would refute this.",),
    )


def _error_card(question: Question, line: Found[UseFact]) -> Draft:
    edit, name = question.edits[0], _name(question)
    return draft(
        question,
        claim=f"Removing {snippet(edit.before or '')} from {code(name)} leaves its documentation behind: "
        f"{place(line.ref)} still lists {code(edit.subject)}, and nothing else in {code(edit.path)} raises it.",
        op=EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[line.ref],
        impact=f"A caller that counts on the documented error of {code(name)} waits for one that does not come.",
        counter=(f"A function that {code(name)} calls and that raises {code(edit.subject)} would refute this.",),
        uncertainty=(f"What {code(name)} calls in other files was not followed for {code(edit.subject)}.",),
    )


def _rule(name: str, op: EditOp, change: str, consequence: str, write: Write) -> Rule:
    return Rule(name, frozenset({op}), partial(_raise, name, change, consequence), partial(_settle, write))


RULES = (
    _rule(
        "documented_parameter_left",
        EditOp.DOC_PARAMETER_LEFT,
        "{name} no longer takes {subject}",
        "its documentation lists a parameter that a call cannot pass",
        _left_card,
    ),
    _rule(
        "documented_parameter_missing",
        EditOp.DOC_PARAMETER_MISSING,
        "{name} takes a new parameter {subject}",
        "its documentation lists every other parameter and not this one",
        _missing_card,
    ),
    _rule(
        "documented_default_left",
        EditOp.DOC_DEFAULT_LEFT,
        "{subject} of {name} has another default",
        "its documentation states the value of before",
        _default_card,
    ),
    _rule(
        "documented_error_left",
        EditOp.DOC_ERROR_LEFT,
        "{name} does not raise {subject} itself any more",
        "its documentation promises an error that does not come",
        _error_card,
    ),
)

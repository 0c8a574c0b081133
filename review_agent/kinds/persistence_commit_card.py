"""What a lost commit is told by: the write before it, how lasting it was, and what shows that nothing else commits."""

from __future__ import annotations

import re
from dataclasses import dataclass

from review_agent.kinds.base import (
    Found,
    code,
    draft,
    place,
    text,
    texts,
)
from review_agent.kinds.functions import function_of
from review_agent.kinds.storing import callee_of, first_write, root_of, strength
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    CallFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    Question,
    Severity,
    SourceRef,
    UseFact,
)

__all__ = ["COMMITS", "Proof", "arguments_of", "card", "commit_of", "stated", "strength_of", "written"]

# Objects by which changes of loaded records are stored without a call for each.
COMMITS = re.compile(r"[\"'`]\s*(?:COMMIT|RELEASE SAVEPOINT)\b", re.IGNORECASE)
_SAVES = re.compile(r"^(?:save\w*|persist|store|merge)$")
_CHANGES = re.compile(
    r"^(?:set|add|append|update|mark|change|remove|put|assign|cancel|close|apply|enable|disable|push)"
)
_TRACKING = re.compile(r"(?:^|[._])(?:session|em|entity_?manager|db_?context|uow)$", re.IGNORECASE)


def commit_of(edit: Edit) -> str:
    """The callee that made it lasting; a block that holds a connection commits it at its end."""
    if edit.op is EditOp.HELD_REMOVED:
        return f"{edit.subject}.commit"
    if edit.op is EditOp.EXIT_ADDED:
        return next((one for one in texts(edit, "skips") if strength(one) >= 2), edit.subject)
    return edit.subject


def strength_of(edit: Edit) -> int:
    """How lasting it was: a statement COMMIT is a commit, whatever runs it."""
    stated = COMMITS.search(" ".join(texts(edit, "arguments"))) is not None
    return 3 if stated else strength(commit_of(edit))


def written(edit: Edit) -> str:
    """The write that stands before the commit, as written; for tracking sessions also an attribute that is set."""
    if edit.op is EditOp.HELD_REMOVED:
        return first_write(texts(edit, "acts"), edit.subject)
    receiver = text(edit, "receiver")
    if _SAVES.match(text(edit, "name")):
        return _changed(edit, {receiver, *texts(edit, "arguments")})
    write = first_write(texts(edit, "callsBefore"), receiver)
    if write or not _TRACKING.search(receiver):
        return write
    set_before = [one for one in texts(edit, "setsBefore") if not one.startswith(("self.", "this."))]
    return set_before[-1] if set_before else ""


def _changed(edit: Edit, objects: set[str]) -> str:
    """What was last changed of the objects that a save stores."""
    sets = [one for one in texts(edit, "setsBefore") if root_of(one) in objects]
    calls = [one for one in texts(edit, "callsBefore") if root_of(callee_of(one)) in objects]
    calls = [one for one in calls if _CHANGES.match(callee_of(one).rpartition(".")[2])]
    return next(iter([*calls[-1:], *sets[-1:]]), "")


@dataclass(frozen=True)
class Proof:
    """What shows that nothing else commits: a like function that does, callers that do not, where it is made."""

    sibling: Found[CallFact] | None
    callers: tuple[Found[CallFact], ...]
    undone: Found[CallFact] | None
    made: Found[UseFact] | None = None

    @property
    def refs(self) -> list[SourceRef]:
        beside = [one.ref for one in (self.sibling, self.undone, self.made) if one is not None]
        return [*beside, *(one.ref for one in self.callers)]


def arguments_of(one: Found[CallFact]) -> str:
    return " ".join(argument.text for argument in one.fact.arguments)


def stated(one: Found[CallFact]) -> bool:
    return COMMITS.search(arguments_of(one)) is not None


def card(question: Question, commit: str, proof: Proof) -> Draft:
    edit = question.edits[0]
    function = function_of(edit)
    passed = edit.op is EditOp.EXIT_ADDED
    done = first_write(texts(edit, "acts"), root_of(commit)) if passed else written(edit)
    write = callee_of(done)
    replaced = f" by {code(text(edit, 'newCallee'))}" if edit.op is EditOp.CALL_REPLACED else ""
    if passed:
        op, subject = EffectOp.ADDED, edit.after or ""
        start = f"Adding the exit with {code(subject)} in front of {code(commit)} lets {code(function)} leave"
    elif edit.op is EditOp.HELD_REMOVED:
        op, subject = EffectOp.REMOVED, edit.subject
        start = f"Removing the block on {code(edit.subject)} lets {code(function)} return"
    else:
        shown = code(commit) if strength(commit) else snippet(edit.before or commit)
        op, subject = EffectOp.CHANGED if replaced else EffectOp.REMOVED, edit.subject
        start = f"{'Replacing' if replaced else 'Removing'} {shown}{replaced} lets {code(function)} return"
    named = "commit" if edit.op is EditOp.HELD_REMOVED else code(commit.rpartition(".")[2])
    return draft(
        question,
        claim=f"{start} {_unfinished(edit, code(write))}: {_said(edit, commit, proof)}.",
        op=op,
        subject=subject,
        to=text(edit, "newCallee") or None if replaced else None,
        severity=Severity.BLOCKING if strength_of(edit) == 3 else Severity.IMPORTANT,
        support=proof.refs,
        impact=_impact(edit),
        counter=(f"A {named} by the callers or by what {code(function)} calls would refute this; none is seen.",),
    )


def _unfinished(edit: Edit, write: str) -> str:
    if strength_of(edit) == 3:
        return f"without committing what {write} wrote"
    if _saves(edit):
        return f"without storing what {write} changed"
    return f"before what {write} wrote is on the disk"


def _saves(edit: Edit) -> bool:
    return _SAVES.match(commit_of(edit).rpartition(".")[2]) is not None


def _impact(edit: Edit) -> str:
    if _saves(edit):
        return "The next request or a restart loads the object again: it has the old values, and nobody was told."
    if strength_of(edit) == 3:
        return "The connection is closed or given back to its pool after the call: the database rolls the change back."
    return "The process or machine stops shortly after the call: the file has less than was acknowledged."


def _said(edit: Edit, commit: str, proof: Proof) -> str:
    parts = []
    if proof.sibling is not None:
        one = proof.sibling
        inside = f"in {code(one.fact.scope)} does it itself" if one.fact.scope else "does it itself"
        where = "runs only further down" if one.fact.scope == edit.scope else inside
        shown = f"{code(one.fact.callee)} inside such a block" if edit.op is EditOp.HELD_REMOVED else code(commit)
        parts.append(f"{shown} at {place(one.ref)} {where}")
    if proof.undone is not None:
        own = proof.undone.fact.scope == edit.scope
        instead = "instead" if own else f"in {code(proof.undone.fact.scope)} without a commit"
        parts.append(f"{place(proof.undone.ref)} runs {code(proof.undone.fact.callee)} {instead}")
    if proof.made is not None:
        made = f"{code(proof.made.fact.text)} is made at {place(proof.made.ref)}"
        parts.append(f"{made} with no option to commit by itself")
    for one in proof.callers:
        scope = f" in {code(one.fact.scope)}" if one.fact.scope else ""
        parts.append(f"the caller at {place(one.ref)}{scope} does not do it either")
    return ", and ".join(parts)

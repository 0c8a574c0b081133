"""Rules of ``persistence``: what made a write lasting went, or a new exit passes it over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    code,
    draft,
    every,
    found,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.failures import of_callee
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.storing import callee_of, commits, first_write, root_of, self_committing, strength
from review_agent.kinds.wording import number
from review_agent.syntax.holding import hold_kind
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
    SourceRef,
    UseFact,
)

__all__ = ["RULES"]

_FAILING = re.compile(r"^(?:raise|throw|panic|abort)\b|\b[eE]rr(?:[A-Z]\w*)?\b|[eE]rror|Exception|\breject\b")
_TRANSACTIONAL = re.compile(r"atomic|transaction|commit", re.IGNORECASE)
# Objects by which changes of loaded records are stored without a call for each.
_TRACKING = re.compile(r"(?:^|[._])(?:session|em|entity_?manager|db_?context|uow)$", re.IGNORECASE)


def _written(edit: Edit) -> str:
    """The write that stands before the commit, as written; for tracking sessions also an attribute that is set."""
    receiver = text(edit, "receiver")
    write = first_write(texts(edit, "callsBefore"), receiver)
    if write or not _TRACKING.search(receiver):
        return write
    set_before = [one for one in texts(edit, "setsBefore") if not one.startswith(("self.", "this."))]
    return set_before[-1] if set_before else ""


def _raise_lost(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    name = text(edit, "name") or edit.subject
    weaker = edit.op is EditOp.CALL_REPLACED and strength(text(edit, "newName")) >= strength(name)
    kept = edit.op is EditOp.CALL_REMOVED and (number(edit, "remaining") or 0) > 0
    if in_test(edit.path) or not strength(name) or weaker or kept or not edit.scope:
        return None
    write = _written(edit)
    if not write or (text(edit, "deferred") and not write):
        return None
    return _seed_of(
        edit, "commit_lost", write, f"{code(edit.subject)} no longer runs in {code(function_of(edit))}", edits
    )


def _raise_passed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    skipped = next((one for one in texts(edit, "skips") if strength(one) >= 2), "")
    write = first_write(texts(edit, "acts"), root_of(skipped))
    if in_test(edit.path) or not skipped or not write or _FAILING.search(edit.after or ""):
        return None
    return _seed_of(
        edit, "commit_passed_over", write, f"a new exit of {code(function_of(edit))} passes {code(skipped)} over", edits
    )


def _seed_of(edit: Edit, rule: str, write: str, change: str, edits: Sequence[Edit]) -> Seed:
    commit = _commit(edit)
    return seed(
        edit,
        rule,
        change=change,
        precondition=f"{code(callee_of(write))} writes before it, and nothing else makes that lasting",
        consequence="what was written is undone or lost, although the caller was told it is stored",
        refuted_if=(
            f"every caller of {code(function_of(edit))} commits",
            "a transaction around commits at its end",
            "the connection commits each statement by itself",
            f"what {code(function_of(edit))} still calls commits",
        ),
        plan=_plan(edit, commit, write),
        others=[
            one for one in edits if one.path == edit.path and one.scope == edit.scope and one.edit_id != edit.edit_id
        ][:12],
    )


def _commit(edit: Edit) -> str:
    """The callee that made it lasting."""
    if edit.op is EditOp.EXIT_ADDED:
        return next((one for one in texts(edit, "skips") if strength(one) >= 2), edit.subject)
    return edit.subject


def _plan(edit: Edit, commit: str, write: str) -> tuple[PlanQuery, ...]:
    scope, name = called(function_of(edit))
    receiver, origin = root_of(commit), callee_of(text(edit, "origin"))
    plan = [
        ask(QueryKind.DEFINITION, function_of(edit).rpartition(".")[2], path=edit.path, scope=scope),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
    ]
    if receiver:
        plan.append(ask(QueryKind.SIBLINGS, commit, path=edit.path, scope=edit.scope))
    owner = function_of(edit).rpartition(".")[0]
    if receiver.startswith(("self.", "this.")) or (receiver.count(".") == 1 and owner):
        plan.append(ask(QueryKind.LIFETIME, receiver.partition(".")[2], path=edit.path, scope=owner))
    elif origin:
        plan.append(ask(QueryKind.DEFINITION, origin, path=edit.path, scope=edit.scope))
    if strength(commit) == 3:
        plan.append(ask(QueryKind.TEXT, "utoCommit" if edit.language == "java" else "utocommit"))
        if edit.language == "python":
            plan.append(ask(QueryKind.TEXT, "isolation_level"))
    plan += [ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in _inside(edit, write)]
    return tuple(plan[:8])


def _inside(edit: Edit, write: str) -> tuple[str, ...]:
    """Callees that can commit themselves: the write, and what stands in the commit's place."""
    new = text(edit, "newCallee")
    callees = [one for one in (new, callee_of(write)) if one and root_of(one) in ("", "self", "this", "s", "r")]
    return tuple(dict.fromkeys(callees))[:2]


@dataclass(frozen=True)
class Proof:
    """What shows that nothing else commits: a like function that does, callers that do not, where it is made."""

    sibling: Found[CallFact] | None
    callers: tuple[Found[CallFact], ...]
    undone: Found[CallFact] | None

    @property
    def refs(self) -> list[SourceRef]:
        beside = [one for one in (self.sibling, self.undone) if one is not None]
        return [one.ref for one in (*beside, *self.callers)]


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    commit = _commit(edit)
    least = strength(commit)
    why = _committed(question, bundle, commit, least)
    if why is not None:
        return why
    calls = callers_of(bundle, edit)
    covered = [one for one in calls if _covers(one.fact, least)]
    if calls and len(covered) == len(calls):
        detail = f"every resolved caller of {code(function_of(edit))} commits, {place(covered[0].ref)} first"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in covered])
    proof = _proof(question, bundle, commit, [one for one in calls if one not in covered])
    if not proof.refs:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"whether something else commits what {code(function_of(edit))} writes is not established",
            missing=(f"a caller of {code(function_of(edit))} or a like function (searched: {searched(bundle)})",),
        )
    return (_card(question, commit, proof),)


def _covers(call: CallFact, least: int) -> bool:
    held = any(hold_kind(one) == "transaction" for one in call.held)
    decorated = any(_TRANSACTIONAL.search(one) for one in call.decorators)
    return held or decorated or bool(commits(call.followed_by, least))


def _committed(question: Question, bundle: Bundle, commit: str, least: int) -> Unsettled | None:
    """What still makes it lasting: the function itself, what it calls, what stands around it, the connection."""
    edit = question.edits[0]
    name = function_of(edit).rpartition(".")[2]
    own = [one for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name) if one.ref.path == edit.path]
    own = [one for one in own if one.fact.qualname == function_of(edit)]
    for one in own if edit.op is not EditOp.EXIT_ADDED else ():
        again = commits(one.fact.calls, least)
        if again:
            return unsettled(NoFindingCode.REFUTED, f"{code(name)} still calls {code(again)}", refs=[one.ref])
        if "(" in _written(edit) and callee_of(_written(edit)) not in one.fact.calls:
            gone = f"{code(callee_of(_written(edit)))} no longer runs in {code(name)} either"
            return unsettled(NoFindingCode.NO_CANDIDATE, gone, refs=[one.ref])
    for one in own:
        around = [*one.fact.decorators, *(held for held in one.fact.takes if hold_kind(held) == "transaction")]
        around = [held for held in around if hold_kind(held) == "transaction" or _TRANSACTIONAL.search(held)]
        if around:
            return unsettled(NoFindingCode.REFUTED, f"{code(around[0])} around it commits at its end", refs=[one.ref])
    for callee in _inside(edit, _written(edit)):
        inner = of_callee(bundle, callee)
        again = commits(inner.fact.calls, least) if inner is not None else ""
        if inner is not None and again:
            return unsettled(NoFindingCode.REFUTED, f"{code(callee)} calls {code(again)} itself", refs=[inner.ref])
    return _automatic(edit, bundle)


def _automatic(edit: Edit, bundle: Bundle) -> Unsettled | None:
    told = [one for one in every(bundle, UseFact, QueryKind.TEXT) if not one.fact.in_test]
    told = [one for one in told if self_committing(one.evidence.text)]
    if told:
        return unsettled(
            NoFindingCode.REFUTED, f"{place(told[0].ref)} lets each statement commit by itself", refs=[told[0].ref]
        )
    if self_committing(text(edit, "origin")):
        return unsettled(NoFindingCode.REFUTED, "the connection commits each statement by itself")
    return None


def _proof(question: Question, bundle: Bundle, commit: str, callers: Iterable[Found[CallFact]]) -> Proof:
    edit = question.edits[0]
    beside = [one for one in found(bundle, CallFact, QueryKind.SIBLINGS) if not one.evidence.near_change]
    last = commit.rpartition(".")[2]
    same = [one for one in beside if one.fact.callee == commit]
    other = [one for one in same if one.fact.scope != edit.scope or edit.op is EditOp.EXIT_ADDED]
    undone = [
        one
        for one in beside
        if one.fact.scope == edit.scope and one.fact.callee.rpartition(".")[2].lower() in ("rollback", "close")
    ]
    outside = [one for one in worst_first(question, callers) if not one.evidence.near_change]
    return Proof(
        sibling=next(iter(other), None) if last else None,
        callers=tuple(outside[:2]),
        undone=next(iter(undone), None),
    )


def _card(question: Question, commit: str, proof: Proof) -> Draft:
    edit = question.edits[0]
    function = function_of(edit)
    passed = edit.op is EditOp.EXIT_ADDED
    done = first_write(texts(edit, "acts"), root_of(commit)) if passed else _written(edit)
    write = callee_of(done)
    replaced = f" by {code(text(edit, 'newCallee'))}" if edit.op is EditOp.CALL_REPLACED else ""
    if passed:
        op, subject = EffectOp.ADDED, edit.after or ""
        start = f"Adding {code(subject)} in front of {code(commit)} lets {code(function)} leave"
    else:
        op, subject = EffectOp.CHANGED if replaced else EffectOp.REMOVED, edit.subject
        start = f"{'Replacing' if replaced else 'Removing'} {code(commit)}{replaced} lets {code(function)} return"
    lasting = "without committing" if strength(commit) == 3 else "before it is on the disk"
    return draft(
        question,
        claim=f"{start} {lasting} what {code(write)} wrote: {_said(edit, commit, proof)}.",
        op=op,
        subject=subject,
        to=text(edit, "newCallee") or None if replaced else None,
        severity=Severity.BLOCKING if strength(commit) == 3 else Severity.IMPORTANT,
        support=proof.refs,
        impact=_impact(commit),
        counter=(
            f"A {code(commit.rpartition('.')[2])} by the callers or by what {code(function)} calls would refute this; "
            "none is seen.",
        ),
    )


def _impact(commit: str) -> str:
    if strength(commit) == 3:
        return "The connection is closed or given back to its pool after the call: the database rolls the change back."
    return "The process or machine stops shortly after the call: the file has less than was acknowledged."


def _said(edit: Edit, commit: str, proof: Proof) -> str:
    parts = []
    if proof.sibling is not None:
        one = proof.sibling
        where = (
            "runs only further down" if one.fact.scope == edit.scope else f"in {code(one.fact.scope)} does it itself"
        )
        parts.append(f"{code(commit)} at {place(one.ref)} {where}")
    if proof.undone is not None:
        parts.append(f"{place(proof.undone.ref)} runs {code(proof.undone.fact.callee)} instead")
    for one in proof.callers:
        scope = f" in {code(one.fact.scope)}" if one.fact.scope else ""
        parts.append(f"the caller at {place(one.ref)}{scope} does not do it either")
    return ", and ".join(parts)


RULES = (
    Rule("commit_lost", frozenset({EditOp.CALL_REMOVED, EditOp.CALL_REPLACED}), _raise_lost, _settle),
    Rule("commit_passed_over", frozenset({EditOp.EXIT_ADDED}), _raise_passed, _settle),
)

"""Rules of ``persistence``: what made a write lasting went, or a new exit passes it over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from review_agent.kinds.base import (
    Seed,
    Settled,
    Unsettled,
    ask,
    code,
    every,
    found,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.failures import of_callee
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of, made_of
from review_agent.kinds.persistence_commit_card import (
    COMMITS,
    card,
    commit_of,
    strength_of,
    written,
)
from review_agent.kinds.persistence_commit_proof import closed_by, made_by, proof_of
from review_agent.kinds.persistence_transaction import runs_transaction
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.storing import callee_of, commits, first_write, root_of, self_committing, strength
from review_agent.kinds.wording import number
from review_agent.syntax.holding import hold_kind
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Edit,
    EditOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    UseFact,
)

__all__ = ["RULES"]

_CALLEES = re.compile(r"([A-Za-z_][\w.]*)\(")
_FAILING = re.compile(r"^(?:raise|throw|panic|abort)\b|\b[eE]rr(?:[A-Z]\w*)?\b|[eE]rror|Exception|\breject\b")
_CONNECTION = re.compile(r"(?:^|[._])(?:conn?|connection|db|database)$", re.IGNORECASE)
# At the end of a block on these, and of no other, the transaction is committed.
_COMMITS_AT_END = re.compile(r"^(?:sqlite3|psycopg2?)\.connect\(|connect\(")
_TRANSACTIONAL = re.compile(r"atomic|transaction|commit", re.IGNORECASE)


def _raise_lost(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    name = text(edit, "name") or edit.subject
    weaker = edit.op is EditOp.CALL_REPLACED and strength(text(edit, "newName")) >= strength(name)
    kept = edit.op is EditOp.CALL_REMOVED and (number(edit, "remaining") or 0) > 0
    stated = COMMITS.search(" ".join(texts(edit, "arguments"))) is not None
    write = written(edit)
    if (
        in_test(edit.path)
        or not edit.scope
        or not write
        or not (stated or (strength(name) and not weaker and not kept))
    ):
        return None
    return _seed_of(
        edit, "commit_lost", write, f"{code(edit.subject)} no longer runs in {code(function_of(edit))}", edits
    )


def _raise_left(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    plain = re.fullmatch(r"[\w.]+", edit.subject) is not None and edit.language == "python"
    connection = _CONNECTION.search(edit.subject) is not None and text(edit, "hold") == "transaction"
    write = written(edit)
    if in_test(edit.path) or not (plain and connection) or not write:
        return None
    change = f"{code(function_of(edit))} no longer runs in a block on {code(edit.subject)}"
    return _seed_of(edit, "commit_block_lost", write, change, edits)


def _raise_passed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    skipped = next((one for one in texts(edit, "skips") if strength(one) >= 2), "")
    write = first_write(texts(edit, "acts"), root_of(skipped))
    if in_test(edit.path) or not skipped or not write or _FAILING.search(edit.after or ""):
        return None
    if not _is_begun(edit, root_of(skipped)):
        return None
    if _commits_itself(edit, edits, skipped):
        return None
    return _seed_of(
        edit, "commit_passed_over", write, f"a new exit of {code(function_of(edit))} passes {code(skipped)} over", edits
    )


def _is_begun(edit: Edit, receiver: str) -> bool:
    """Whether what commits was in use in front of the exit: a local name may be given its value only behind it."""
    own = re.fullmatch(r"[A-Za-z_$][\w$]*", receiver) is not None and receiver not in ("self", "this")
    return not own or any(re.search(whole_name(receiver), one) for one in texts(edit, "acts"))


def _commits_itself(edit: Edit, edits: Sequence[Edit], skipped: str) -> bool:
    """Whether the new exit makes it lasting by what it gives back, or by a call that came with it in front."""
    least = strength(skipped)
    come = [
        one.subject
        for one in edits
        if one.op is EditOp.CALL_ADDED and one.scope == edit.scope and edit.start_line - 4 <= one.start_line
        if one.start_line <= edit.end_line
    ]
    return bool(commits([*_CALLEES.findall(edit.after or ""), *come], least))


def _seed_of(edit: Edit, rule: str, write: str, change: str, edits: Sequence[Edit]) -> Seed:
    commit = commit_of(edit)
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
        plan=_plan(edit, commit, write, edits),
        others=[
            one for one in edits if one.path == edit.path and one.scope == edit.scope and one.edit_id != edit.edit_id
        ][:12],
    )


def _plan(edit: Edit, commit: str, write: str, edits: Sequence[Edit]) -> tuple[PlanQuery, ...]:
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
    if strength_of(edit) == 3:
        plan.append(ask(QueryKind.TEXT, "utoCommit" if edit.language == "java" else "utocommit"))
        if edit.language == "python":
            plan.append(ask(QueryKind.TEXT, "isolation_level"))
    plan += [ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in _inside(edit, write, edits)]
    return tuple(plan[:8])


def _inside(edit: Edit, write: str, edits: Sequence[Edit]) -> tuple[str, ...]:
    """Callees that can commit themselves: what stands in the commit's place, and the write."""
    come = [one.subject for one in edits if one.op is EditOp.CALL_ADDED and one.scope == edit.scope]
    own = ("", "self", "this") if edit.language != "go" else ("", *(root_of(one) for one in come if root_of(one)))
    callees = [one for one in (text(edit, "newCallee"), *come, callee_of(write)) if one and root_of(one) in own]
    return tuple(dict.fromkeys(callees))[:2]


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    commit = commit_of(edit)
    least = strength_of(edit)
    why = _committed(question, bundle, commit, least)
    if why is not None:
        return why
    calls = callers_of(bundle, edit)
    covered = [one for one in calls if _covers(one.fact, least)]
    if calls and len(covered) == len(calls):
        detail = f"every resolved caller of {code(function_of(edit))} commits, {place(covered[0].ref)} first"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in covered])
    if edit.op is EditOp.HELD_REMOVED and not _COMMITS_AT_END.search(made_of(bundle, edit.subject.rpartition(".")[2])):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"that a block on {code(edit.subject)} commits at its end is not established",
            missing=(f"where {code(edit.subject)} is made",),
        )
    proof = proof_of(question, bundle, commit, [one for one in calls if one not in covered])
    if not proof.refs and not _perhaps_covered(edit, bundle, least):
        proof = replace(proof, made=made_by(edit, bundle), undone=closed_by(bundle, commit))
    if not proof.refs:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"whether something else commits what {code(function_of(edit))} writes is not established",
            missing=(f"a caller of {code(function_of(edit))} or a like function (searched: {searched(bundle)})",),
        )
    return (card(question, commit, proof),)


def _perhaps_covered(edit: Edit, bundle: Bundle, least: int) -> bool:
    """Whether a call that is only perhaps one of this function commits."""
    calls = every(bundle, CallFact, QueryKind.CALLERS)
    return any(_covers(one.fact, least) for one in calls if not one.fact.in_test)


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
        if "(" in written(edit) and callee_of(written(edit)) not in one.fact.calls:
            gone = f"{code(callee_of(written(edit)))} no longer runs in {code(name)} either"
            return unsettled(NoFindingCode.NO_CANDIDATE, gone, refs=[one.ref])
    runner = next((callee for one in own for callee in one.fact.calls if runs_transaction(callee)), "")
    begun = any(callee_of(one) == runner for one in texts(edit, "callsBefore"))
    if runner and not begun and edit.op is not EditOp.EXIT_ADDED:
        return unsettled(NoFindingCode.REFUTED, f"{code(runner)} runs it in a transaction of its own")
    for one in own:
        around = [*one.fact.decorators, *(held for held in one.fact.takes if hold_kind(held) == "transaction")]
        around = [held for held in around if hold_kind(held) == "transaction" or _TRANSACTIONAL.search(held)]
        if around:
            return unsettled(NoFindingCode.REFUTED, f"{code(around[0])} around it commits at its end", refs=[one.ref])
    if any(re.match(r"(?:sqlite3|psycopg2?)\.connect\(", held) for one in own for held in one.fact.takes):
        return unsettled(NoFindingCode.REFUTED, "the block on the connection commits at its end")
    for callee in (*_inside(edit, written(edit), question.edits), callee_of(text(edit, "origin"))):
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


RULES = (
    Rule("commit_lost", frozenset({EditOp.CALL_REMOVED, EditOp.CALL_REPLACED}), _raise_lost, _settle),
    Rule("commit_block_lost", frozenset({EditOp.HELD_REMOVED}), _raise_left, _settle),
    Rule("commit_passed_over", frozenset({EditOp.EXIT_ADDED}), _raise_passed, _settle),
)

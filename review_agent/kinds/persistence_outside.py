"""A rule of ``persistence``: a statement of a transaction that now runs outside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    code,
    draft,
    found,
    place,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.failures import of_callee
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.persistence_transaction import BEGIN_TEXT
from review_agent.kinds.rulebook import Rule
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
    QueryKind,
    Question,
    Severity,
)

__all__ = ["RULES"]

_POOLS = re.compile(
    r"(?:^|[._])(?:db|pool|database|engine|knex|prisma|sequelize|conn|connection|client|_db)$", re.IGNORECASE
)
_TX = re.compile(
    r"(?:^|[._])(?:tx|trx|txn|t|transaction|client|session|cur|cursor|conn|connection|manager|uow)$", re.IGNORECASE
)


def _pair(edit: Edit) -> tuple[str, str]:
    """(transaction, other connection) where a statement changed from the one to the other."""
    if edit.op is EditOp.CALL_REPLACED and text(edit, "name") == text(edit, "newName"):
        return text(edit, "receiver"), text(edit, "newReceiver")
    if edit.op is EditOp.ARGUMENT_CHANGED:
        return edit.before or "", edit.after or ""
    return "", ""


def _raise_outside(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    tx, pool = _pair(edit)
    if in_test(edit.path) or not tx or tx == pool or not _TX.search(tx) or not _POOLS.search(pool):
        return None
    if not re.fullmatch(r"[\w.]+", tx) or not re.fullmatch(r"[\w.]+", pool):
        return None
    callee = text(edit, "newCallee") or edit.subject
    name = called(function_of(edit))[1]
    return seed(
        edit,
        "statement_outside_transaction",
        change=f"{code(callee)} in {code(function_of(edit))} now runs on {code(pool)} instead of {code(tx)}",
        precondition=f"{code(function_of(edit))} has a transaction open on {code(tx)}",
        consequence="the statement is not undone with the others, and does not see what they wrote",
        refuted_if=(f"no transaction runs on {code(tx)}", f"{code(pool)} is the same connection"),
        plan=(
            ask(QueryKind.SIBLINGS, f"{tx}.{text(edit, 'name')}", path=edit.path, scope=edit.scope),
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=called(function_of(edit))[0]),
            ask(QueryKind.DEFINITION, callee, path=edit.path, scope=edit.scope),
        ),
    )


def _settle_outside(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    tx = _pair(edit)[0]
    beside = [one for one in found(bundle, CallFact, QueryKind.SIBLINGS) if one.fact.scope == edit.scope]
    ends = [one for one in beside if one.fact.callee.rpartition(".")[2].lower() in ("commit", "rollback", "release")]
    ends += [one for one in beside if any(BEGIN_TEXT.search(a.text) or "COMMIT" in a.text for a in one.fact.arguments)]
    held = [one for one in beside if any(hold_kind(item) == "transaction" for item in one.fact.held)]
    if not beside:
        return unsettled(NoFindingCode.NO_CANDIDATE, f"nothing else in {code(function_of(edit))} runs on {code(tx)}")
    if not ends and not held and not re.search(r"(?:^|\.)(?:tx|trx|txn|transaction)$", tx):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"that a transaction is open on {code(tx)} is not established",
            missing=(f"the begin or commit on {code(tx)}",),
        )
    outside = [one for one in [*ends, *held, *beside] if not one.evidence.near_change]
    callee = text(edit, "newCallee") or edit.subject
    definition = of_callee(bundle, callee)
    runs = definition if definition is not None and not definition.evidence.near_change else None
    if not outside and runs is None:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"the transaction on {code(tx)} is seen only next to the change",
            missing=(f"another use of {code(tx)}",),
        )
    return (_outside_card(question, outside[:1], runs),)


def _outside_card(question: Question, outside: Sequence[Found[CallFact]], runs: Found[DefinitionFact] | None) -> Draft:
    edit = question.edits[0]
    tx, pool = _pair(edit)
    callee = text(edit, "newCallee") or edit.subject
    parts = [f"{place(one.ref)} calls {code(one.fact.callee)} on the open transaction" for one in outside]
    if runs is not None:
        parts.append(f"{code(callee)} ({place(runs.ref)}) runs on what it is given")
    replaced = edit.op is EditOp.CALL_REPLACED
    return draft(
        question,
        claim=f"Replacing {code(tx)} by {code(pool)} for {code(callee)} takes one statement of "
        f"{code(function_of(edit))} out of the transaction: {', and '.join(parts)}.",
        op=EffectOp.CHANGED,
        subject=edit.subject if replaced else tx,
        to=text(edit, "newCallee") if replaced else pool,
        severity=Severity.IMPORTANT,
        support=[*(one.ref for one in outside), *([runs.ref] if runs else [])],
        impact="A later step fails and the rest is rolled back: this one row stays. Under load it waits for a second "
        "connection while the first is held.",
        counter=(f"A {code(pool)} that is the connection of the transaction would refute this; nothing binds it so.",),
    )


RULES = (
    Rule(
        "statement_outside_transaction",
        frozenset({EditOp.CALL_REPLACED, EditOp.ARGUMENT_CHANGED}),
        _raise_outside,
        _settle_outside,
    ),
)

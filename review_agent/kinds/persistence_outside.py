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
from review_agent.kinds.callers import worst_first
from review_agent.kinds.failures import of_callee
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of
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
    SourceRef,
    UseFact,
)

__all__ = ["RULES"]

_POOLS = re.compile(
    r"(?:^|[._])(?:db|pool|database|engine|knex|prisma|sequelize|conn|connection|client|_db)$", re.IGNORECASE
)
_OPTIONS = frozenset({"transaction", "session", "trx", "tx", "connection", "client"})
_OPTION = re.compile(r"\b(transaction|session|trx|tx)\b\s*:?\s*([A-Za-z_][\w.]*)?\s*[,}]")
_ENDS = re.compile(r"[\"'`]\s*(?:COMMIT|ROLLBACK)\b", re.IGNORECASE)
_TX_ONLY = re.compile(r"(?:\w+\.)*(?:tx|trx|txn|transaction)")
_NAMED = re.compile(r"[\w.]+")
_OPENS = re.compile(r"transaction|begin|start_?session|connect$", re.IGNORECASE)
_TX = re.compile(
    r"(?:^|[._])(?:tx|trx|txn|t|transaction|client|session|cur|cursor|conn|connection|manager|uow)$", re.IGNORECASE
)


def _pair(edit: Edit) -> tuple[str, str]:
    """(transaction, other connection) where a statement changed from the one to the other; no other one where the
    option that named the transaction went."""
    if edit.op is EditOp.CALL_REPLACED:
        same = text(edit, "name") == text(edit, "newName")
        was, now = text(edit, "receiver"), text(edit, "newReceiver")
        if same and was.partition(".")[2] and was.partition(".")[2] == now.partition(".")[2]:
            # Models hang on the connection: `tx.entry.create` and `prisma.entry.create`.
            return was.partition(".")[0], now.partition(".")[0]
        return (was, now) if same else ("", "")
    before, after = edit.before or "", edit.after or ""
    option = _OPTION.search(before)
    keyed = (text(edit, "key") or text(edit, "keyword")) in _OPTIONS
    if edit.op in (EditOp.ENTRY_REMOVED, EditOp.ARGUMENT_REMOVED):
        plain = _TX_ONLY.fullmatch(before) is not None
        return (before if keyed or plain else (option[2] or option[1]) if option else "", "")
    if option and not _OPTION.search(after):
        return option[2] or option[1], ""
    return before, after


def _raise_outside(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    tx, pool = _pair(edit)
    fits = bool(tx) and tx != pool and _TX.search(tx) is not None and (not pool or _POOLS.search(pool) is not None)
    same = [one for one in edits if (one.path, one.scope) == (edit.path, edit.scope)]
    whole = any(_goes_whole(one) for one in same)
    if in_test(edit.path) or whole or not fits or not (_NAMED.fullmatch(tx) and _NAMED.fullmatch(pool or tx)):
        return None
    callee = text(edit, "newCallee") or text(edit, "call") or edit.subject
    name = called(function_of(edit))[1]
    return seed(
        edit,
        "statement_outside_transaction",
        change=f"{code(callee)} in {code(function_of(edit))} no longer runs on {code(tx)}",
        precondition=f"{code(function_of(edit))} has a transaction open on {code(tx)}",
        consequence="the statement is not undone with the others, and does not see what they wrote",
        refuted_if=(f"no transaction runs on {code(tx)}", "it gets the same connection in another way"),
        others=[one for one in same if one.op is EditOp.PARAMETER_REMOVED and one.subject == tx],
        plan=(
            ask(QueryKind.SIBLINGS, f"{tx}.{text(edit, 'name')}", path=edit.path, scope=edit.scope),
            ask(QueryKind.USES_INSIDE, tx, path=edit.path, scope=edit.scope),
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=called(function_of(edit))[0]),
            ask(QueryKind.DEFINITION, callee, path=edit.path, scope=edit.scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=called(function_of(edit))[0]),
        ),
    )


def _goes_whole(edit: Edit) -> bool:
    """Whether an edit takes the transaction itself away: then every statement runs outside it."""
    if edit.op is EditOp.HELD_REMOVED:
        return text(edit, "hold") == "transaction"
    return edit.op is EditOp.CALL_REMOVED and _OPENS.search(text(edit, "name")) is not None


def _settle_outside(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    tx = _pair(edit)[0]
    name = called(function_of(edit))[1]
    beside = [one for one in found(bundle, CallFact, QueryKind.SIBLINGS) if one.fact.scope == edit.scope]
    uses = [one for one in found(bundle, UseFact, QueryKind.USES_INSIDE) if one.fact.use != "write"]
    given = _given(question, bundle) if not beside and not uses else ()
    if given:
        return (_outside_card(question, given, None),)
    if not beside and not uses:
        return unsettled(NoFindingCode.NO_CANDIDATE, f"nothing else in {code(function_of(edit))} runs on {code(tx)}")
    own = [one.fact for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name)]
    begins = next((one for fact in own for one in (*fact.calls, *fact.takes) if _OPENS.search(one)), "")
    ends = [one for one in beside if _ends(one)]
    held = [one for one in beside if any(hold_kind(item) == "transaction" for item in one.fact.held)]
    if not (ends or held or begins or re.search(r"(?:^|\.)(?:tx|trx|txn|transaction)$", tx)):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"that a transaction is open on {code(tx)} is not established",
            missing=(f"the begin or commit on {code(tx)}",),
        )
    outside = [place_of(one) for one in [*ends, *held, *beside] if not one.evidence.near_change]
    outside += [place_of(one) for one in uses if not one.evidence.near_change]
    callee = text(edit, "newCallee") or text(edit, "call") or edit.subject
    definition = of_callee(bundle, callee)
    runs = definition if definition is not None and not definition.evidence.near_change else None
    if not outside and runs is None:
        calls = [one for one in worst_first(question, callers_of(bundle, edit)) if not one.evidence.near_change]
        outside = [(one.ref, f"{place(one.ref)} calls {code(name)} for all or nothing") for one in calls]
    if not outside and runs is None:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"the transaction on {code(tx)} is seen only next to the change",
            missing=(f"another use of {code(tx)}",),
        )
    return (_outside_card(question, outside[:1], runs),)


Step = tuple[SourceRef, str]


def _given(question: Question, bundle: Bundle) -> tuple[Step, ...]:
    """Where a caller in the file ends the transaction that it handed to the function before, and still opens."""
    edit = question.edits[0]
    if not question.edits[1:]:
        return ()
    scopes = {one.fact.scope for one in callers_of(bundle, edit) if one.ref.path == edit.path and one.fact.scope}
    beside = [one for one in found(bundle, CallFact, QueryKind.SIBLINGS) if one.fact.scope in scopes]
    begun = {one.fact.scope for one in beside if _begins(one)}
    ended = [one for one in beside if one.fact.scope in begun and _ends(one) and not _begins(one)]
    ended.sort(key=lambda one: "rollback" not in f"{one.fact.callee} {_written(one)}".lower())
    calls = [one for one in callers_of(bundle, edit) if one.fact.scope in begun]
    for end in ended:
        if not end.evidence.near_change and calls and not end.fact.callee.endswith(".release"):
            shown = f" with {code(_written(end))}" if _written(end) else ""
            within = f"{code(end.fact.scope)} calls {code(called(function_of(edit))[1])} inside its transaction"
            ends = f"{place(end.ref)} runs {code(end.fact.callee)}{shown}"
            return ((end.ref, f"{within}, and {ends}, which no longer covers it"),)
    return ()


def _written(one: Found[CallFact]) -> str:
    return " ".join(argument.text for argument in one.fact.arguments)


def _begins(one: Found[CallFact]) -> bool:
    named = one.fact.callee.rpartition(".")[2].lower() in ("begin", "begintransaction", "start_transaction")
    return named or BEGIN_TEXT.search(_written(one)) is not None


def place_of(one: Found[CallFact] | Found[UseFact]) -> Step:
    """A step that runs on the transaction still, and how a claim names it."""
    said = one.fact.callee if isinstance(one.fact, CallFact) else one.fact.text
    verb = "calls" if isinstance(one.fact, CallFact) else "still uses"
    return one.ref, f"{place(one.ref)} {verb} {code(said)} in the open transaction"


def _ends(one: Found[CallFact]) -> bool:
    stated = any(BEGIN_TEXT.search(arg.text) or _ENDS.search(arg.text) for arg in one.fact.arguments)
    return stated or one.fact.callee.rpartition(".")[2].lower() in ("commit", "rollback", "release")


def _outside_card(question: Question, outside: Sequence[Step], runs: Found[DefinitionFact] | None) -> Draft:
    edit = question.edits[0]
    tx, pool = _pair(edit)
    callee = text(edit, "newCallee") or text(edit, "call") or edit.subject
    parts = [said for _, said in outside]
    if runs is not None:
        parts.append(f"{code(callee)} ({place(runs.ref)}) runs on what it is given")
    replaced = edit.op is EditOp.CALL_REPLACED
    start = f"Replacing {code(tx)} by {code(pool)} for" if pool else f"Removing {code(tx)} from"
    subject = edit.subject if replaced else (edit.before or edit.subject) if not pool else tx
    return draft(
        question,
        claim=f"{start} {code(callee)} takes one statement of {code(function_of(edit))} out of the transaction: "
        f"{', and '.join(parts)}.",
        op=EffectOp.CHANGED if pool else EffectOp.REMOVED,
        subject=subject if edit.op is not EditOp.ENTRY_REMOVED else edit.subject,
        to=(text(edit, "newCallee") if replaced else pool) if pool else None,
        severity=Severity.IMPORTANT,
        support=[*(ref for ref, _ in outside), *([runs.ref] if runs else [])],
        impact="A later step fails and the rest is rolled back: this one row stays. Under load it waits for a second "
        "connection while the first is held.",
        counter=("A connection that is the one of the transaction would refute this; nothing binds it so.",),
    )


RULES = (
    Rule(
        "statement_outside_transaction",
        frozenset({EditOp.CALL_REPLACED, EditOp.ARGUMENT_CHANGED, EditOp.ARGUMENT_REMOVED, EditOp.ENTRY_REMOVED}),
        _raise_outside,
        _settle_outside,
    ),
)

"""Rules of ``persistence`` about which rows a statement reaches: a condition that scoped it went."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    code,
    draft,
    found,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.binding import bind
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import called, function_of, own_definitions
from review_agent.kinds.holds import callers_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import flag, snippet
from review_agent.syntax.edits.sql import conditions, tables
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
    CallFact,
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

__all__ = ["RULES", "SCOPES", "passing", "tests"]

_NAME = re.compile(r"[A-Za-z_]\w*")
_COLUMN = re.compile(r"[\"`\[]?(?:\w+[\"`\]]?\.)?[\"`\[]?([A-Za-z_]\w*)")
_NOT_COLUMNS = frozenset({"not", "exists", "lower", "upper", "date", "coalesce", "and", "or", "null", "true"})
_TESTS = re.compile(r"[!=]==?|<>|\bis\b|\bin\b|\.equals\(|\bnot\b|assert|Unauthorized|Forbidden|NotFound")
# Names by which rows belong to somebody, or are set apart.
SCOPES = re.compile(
    r"tenant|owner|user|account|org|customer|compan|workspace|project|team|shop|store|site|client|member|author|group|"
    r"delet|active|archiv|status|enabled|publish|visible|hidden|revoked|expire|version|state|region|branch|realm|(?:_|^)id$",
    re.IGNORECASE,
)


def column_of(condition: str) -> str:
    """The column that a condition is about."""
    names = [one for one in _COLUMN.findall(condition) if one.lower() not in _NOT_COLUMNS]
    return names[0] if names else ""


def _lost(edit: Edit) -> tuple[str, str]:
    """(condition, column) of the first condition that went without one on the same column in its place."""
    kept = {column_of(one).lower() for one in texts(edit, "conditionsAdded")}
    kept |= {column_of(one).lower() for one in conditions(edit.after or "")}
    for one in texts(edit, "conditionsRemoved"):
        column = column_of(one)
        if column and column.lower() not in kept and (SCOPES.search(column) or flag(edit, "whereRemoved")):
            return one, column
    return "", ""


def _bound(edit: Edit, edits: Sequence[Edit], column: str) -> str:
    """The name whose value the condition took: of an argument that went with it, else the column's own."""
    gone = [
        one.before or ""
        for one in edits
        if one.op in (EditOp.ARGUMENT_REMOVED, EditOp.ARGUMENT_CHANGED) and one.scope == edit.scope
    ]
    names = [name for before in gone if before[:1] not in "\"'`fr" for name in _NAME.findall(before)]
    near = [one for one in names if len(one) > 2 and _near_name(one, column)]
    return min(near, key=lambda one: (one != column, near.index(one)), default=column)


def _near_name(name: str, column: str) -> bool:
    one, other = name.replace("_", "").lower(), column.replace("_", "").lower()
    return one in other or other in one


def _raise_lost(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    condition, column = _lost(edit)
    verb, table = text(edit, "verb"), edit.subject
    if in_test(edit.path) or not column or verb not in ("SELECT", "UPDATE", "DELETE", "WITH"):
        return None
    scope, name = called(function_of(edit))
    plan = [ask(QueryKind.PRODUCERS, column, path=edit.path)]
    if edit.scope:
        plan += [
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            ask(QueryKind.USES_INSIDE, _bound(edit, edits, column), path=edit.path, scope=edit.scope),
        ]
    return seed(
        edit,
        "condition_lost",
        change=f"the {verb} of {code(table)} lost its condition {code(condition)}",
        precondition=f"{code(table)} has rows with another {code(column)}, which the statement must not reach",
        consequence="it reads or changes rows of others, or rows that were set apart",
        refuted_if=(
            f"{code(column)} is tested elsewhere on the way",
            f"other statements on {code(table)} do without it",
            f"the other conditions already decide on {code(column)}",
        ),
        plan=plan,
        others=[one for one in edits if one.op in _ARGUMENTS and one.scope == edit.scope and one.path == edit.path][:8],
    )


_ARGUMENTS = (EditOp.ARGUMENT_REMOVED, EditOp.ARGUMENT_CHANGED)


def _settle_lost(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    condition, column = _lost(edit)
    uses = found(bundle, UseFact, QueryKind.USES_INSIDE)
    keys = [one for one in found(bundle, UseFact, QueryKind.PRODUCERS) if one.fact.scope == edit.scope]
    keys = [one for one in keys if one.fact.use != "sql" and one.ref.path == edit.path]
    tested = [one for one in (*uses, *keys) if tests(one, question)]
    if tested:
        detail = f"{place(tested[0].ref)} tests {code(tested[0].fact.text)} by itself"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[tested[0].ref])
    with_it, without = _statements(question, bundle, column)
    given = passing(question, bundle, column, uses)
    if len(without) > len(with_it) and not given:
        return unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"other statements on {code(edit.subject)} do without {code(column)}; {place(without[0].ref)} is one",
            refs=[without[0].ref],
        )
    if not with_it and not given:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"whether rows of {code(edit.subject)} differ in {code(column)} for the callers is not established",
            missing=(f"another statement on {code(column)}, or a caller that passes it; {searched(bundle)}",),
        )
    return (_lost_card(question, condition, column, with_it[:1], given[:1]),)


def tests(one: Found[UseFact], question: Question) -> bool:
    """Whether a use inside the function compares the value, outside the statement that changed."""
    edit = question.edits[0]
    inside = edit.start_line <= one.ref.start_line <= edit.end_line
    line = one.evidence.text.partition("#")[0]
    return not inside and _TESTS.search(line) is not None and re.search(r"\bif\b|\bassert\b", line) is not None


def _statements(question: Question, bundle: Bundle, column: str) -> tuple[list[Found[UseFact]], list[Found[UseFact]]]:
    """Other statements on the same table that have the condition, or store the column; and those that do without."""
    edit = question.edits[0]
    told = [
        one for one in found(bundle, UseFact, QueryKind.PRODUCERS) if one.fact.use == "sql" and not one.fact.in_test
    ]
    same = [
        one for one in told if set(tables(one.fact.text)) & set(texts(edit, "tables")) and not one.evidence.near_change
    ]
    with_it = [one for one in same if _has(one.fact.text, column)]
    with_it += [one for one in same if one not in with_it and _stores(one.fact.text, column)]
    verb = text(edit, "verb")
    without = [one for one in same if one not in with_it and one.fact.text.upper().startswith(verb)]
    order = {id(one): number for number, one in enumerate(worst_first(question, [*with_it, *without]))}
    return sorted(with_it, key=lambda one: (not _has(one.fact.text, column), order[id(one)])), without


def _has(statement: str, column: str) -> bool:
    return any(column_of(one).lower() == column.lower() for one in conditions(statement))


def _stores(statement: str, column: str) -> bool:
    stores = re.match(r"\s*(?:INSERT|UPDATE|CREATE)\b", statement, re.IGNORECASE) is not None
    return stores and re.search(whole_name(column), statement, re.IGNORECASE) is not None


def passing(
    question: Question, bundle: Bundle, column: str, uses: Iterable[Found[UseFact]]
) -> list[tuple[Found[CallFact], str, str]]:
    """Callers that still pass a value for the column, which the function no longer uses: (call, parameter, value)."""
    edit = question.edits[0]
    own = own_definitions(bundle, edit)
    if not own:
        return []
    takes = next((one.name for one in own[0].parameters if _near_name(one.name, column) and len(one.name) > 1), "")
    if not takes or any(one.fact.text.split(".")[0] == takes for one in uses if one.fact.use != "write"):
        return []
    calls = [one for one in worst_first(question, callers_of(bundle, edit)) if not one.evidence.near_change]
    bound = [(one, bind(own[0], one.fact, edit.language)) for one in calls]
    return [(one, takes, given.bound[takes]) for one, given in bound if given.known and takes in given.bound]


def _lost_card(
    question: Question,
    condition: str,
    column: str,
    with_it: Sequence[Found[UseFact]],
    given: Sequence[tuple[Found[CallFact], str, str]],
) -> Draft:
    edit = question.edits[0]
    verb, table = text(edit, "verb"), edit.subject
    within = f" in {code(function_of(edit))}" if function_of(edit) else ""
    parts = []
    for one in with_it:
        kept = "keeps it" if _has(one.fact.text, column) else f"stores a {code(column)} of its own for each row"
        parts.append(f"{place(one.ref)} {kept}{_in(one.fact.scope)}")
    for call, takes, value in given:
        parts.append(f"{place(call.ref)} still passes {snippet(value)} for {code(takes)}, which nothing uses")
    return draft(
        question,
        claim=f"Removing the condition {code(condition)} lets the {verb} on {code(table)}{within} reach rows of any "
        f"{code(column)}: {', and '.join(parts)}.",
        op=EffectOp.REMOVED,
        subject=condition,
        severity=Severity.BLOCKING if verb in ("UPDATE", "DELETE") else Severity.IMPORTANT,
        support=[*(one.ref for one in with_it), *(call.ref for call, _, _ in given)],
        impact=_impact(verb, table),
        counter=(f"A test of {code(column)} before or after the statement would refute this; none is seen.",),
    )


def _in(scope: str) -> str:
    return f" in {code(scope)}" if scope else ""


def _impact(verb: str, table: str) -> str:
    if verb in ("UPDATE", "DELETE"):
        return f"Two owners or states share {code(table)}: one request overwrites or erases what belongs to another."
    return f"Somebody asks for an entry of {code(table)} that is another's or was set apart, and it is handed over."


RULES = (Rule("condition_lost", frozenset({EditOp.SQL_CHANGED}), _raise_lost, _settle_lost),)

"""A rule of ``persistence`` about columns: one that went from a statement or a table, and is still read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
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
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.holds import callers_of
from review_agent.kinds.languages import SCRIPTS
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.edits.sql import columns, tables
from review_agent.syntax.roles import words_of
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
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
    Side,
    UseFact,
)

__all__ = ["RULES"]

_LISTS = frozenset({"columns", "column", "cols", "fields", "field", "select", "projection"})
_STATEMENT = re.compile(r"\b(?:SELECT|INSERT|RETURNING)\b|\.(?:select|only|values)\(", re.IGNORECASE)
_SHAPES = re.compile(r"\s*(?:CREATE|ALTER|DROP)\b", re.IGNORECASE)
_STORES = re.compile(r"\s*(?:INSERT|UPDATE|REPLACE)\b", re.IGNORECASE)
_DROPS = re.compile(r"\bDROP\s+COLUMN\s+(?:IF\s+EXISTS\s+)?[\"`\[]?(\w+)", re.IGNORECASE)
_DROP_COLUMN = re.compile(r"^(?:drop_?column|remove_?column|dropColumns?)$", re.IGNORECASE)
_STRING = re.compile(r"[\"'`](\w+)[\"'`]")
_MIGRATIONS = re.compile(r"(?:^|/)(?:migrations?|versions|alembic|db/migrate|flyway|liquibase)/", re.IGNORECASE)


def _gone(edit: Edit) -> tuple[str, str]:
    """(column, table) that an edit takes away; the table is "" where the edit does not tell."""
    if edit.op is EditOp.SQL_CHANGED:
        kept = set(texts(edit, "columnsAdded"))
        lost = [one for one in texts(edit, "columnsRemoved") if one not in kept]
        starred = re.search(r"SELECT\s+(?:\w+\.)?\*", edit.after or "", re.IGNORECASE)
        return (lost[0] if lost and not starred else "", edit.subject)
    if edit.op is EditOp.DEFAULT_CHANGED:
        return _from_list(edit), ""
    if edit.op is EditOp.COMPONENT_REMOVED:
        named = _is_list(text(edit, "target"))
        quoted = _STRING.fullmatch(edit.subject)
        return (quoted[1] if named and quoted else "", "")
    return _dropped(edit)


def _is_list(target: str) -> bool:
    """Whether a name says that it lists columns."""
    words = words_of(target.rpartition(".")[2])
    return bool(words) and words[-1] in _LISTS


def _from_list(edit: Edit) -> str:
    if text(edit, "carrier") != "constant" or not _is_list(edit.subject):
        return ""
    before, after = (re.findall(r"\w+", value or "") for value in (edit.before, edit.after))
    return next((one for one in before if one not in after), "")


def _dropped(edit: Edit) -> tuple[str, str]:
    """A column dropped by a new call of a migration."""
    arguments = " ".join(texts(edit, "arguments"))
    sql = _DROPS.search(arguments)
    if sql:
        return sql[1], next(iter(tables(arguments)), "")
    names = _STRING.findall(arguments)
    if _DROP_COLUMN.match(text(edit, "name")) and len(names) > 1:
        return names[1], names[0]
    return "", ""


def _raise_gone(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    column, table = _gone(edit)
    if in_test(edit.path) or len(column) < 2 or column.lower() in ("id", "the", "count"):
        return None
    downgrade = edit.scope.rpartition(".")[2].lower() in ("downgrade", "down", "undo", "reverse")
    if downgrade:
        return None
    scope, name = called(function_of(edit))
    plan = [ask(QueryKind.PRODUCERS, column, path=edit.path)]
    if edit.scope:
        plan += [
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            ask(QueryKind.USES_INSIDE, column, path=edit.path, scope=edit.scope),
        ]
    if edit.op in (EditOp.DEFAULT_CHANGED, EditOp.COMPONENT_REMOVED):
        listed = text(edit, "target") or edit.subject
        plan.append(ask(QueryKind.USES_INSIDE, listed.rpartition(".")[2], path=edit.path))
    elif not edit.scope and not edit.path.endswith(".sql"):
        plan.append(ask(QueryKind.USES_INSIDE, column, path=edit.path))
    return seed(
        edit,
        "column_gone_still_read",
        change=f"{code(column)} went from {code(table) if table else 'the list of columns'}",
        precondition=f"other code still reads {code(column)} from what comes back or from the table",
        consequence="the read fails, or goes on with nothing",
        refuted_if=(f"nothing reads {code(column)} any more", "another statement still gives it"),
        plan=plan,
    )


def _settle_gone(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    column, table = _gone(edit)
    uses = [one for one in found(bundle, UseFact, QueryKind.PRODUCERS) if not one.fact.in_test]
    uses += [one for one in found(bundle, UseFact, QueryKind.USES_INSIDE) if one.fact.use in ("key_read", "attribute")]
    if not table and not any(_STATEMENT.search(one.text) for one in bundle.evidence):
        return unsettled(NoFindingCode.NO_CANDIDATE, f"no statement is seen to be made of the list of {code(column)}")
    uses = [one for one in uses if not one.evidence.near_change]
    readers = (
        _dropping_readers(uses, column, table) if _is_schema(edit) else _row_readers(question, bundle, uses, column)
    )
    if readers:
        first = worst_first(question, readers)[0]
        return (_gone_card(question, column, table, first),)
    through = [] if _is_schema(edit) else _member_readers(bundle, edit, column)
    if through:
        return (_member_card(question, column, table, *through[0]),)
    return blocked(bundle, QueryKind.PRODUCERS) or unsettled(
        NoFindingCode.NO_CANDIDATE,
        f"nothing is seen to read {code(column)} any more; searched: {searched(bundle, QueryKind.PRODUCERS)}",
    )


def _is_schema(edit: Edit) -> bool:
    return edit.op is EditOp.CALL_ADDED or text(edit, "verb") in ("CREATE", "ALTER", "DROP")


def _dropping_readers(uses: Sequence[Found[UseFact]], column: str, table: str) -> list[Found[UseFact]]:
    """Statements that still name the column of the table."""
    statements = [one for one in uses if one.fact.use == "sql" and not _MIGRATIONS.search(one.ref.path)]
    statements = [
        one for one in statements if not re.match(r"\s*(?:CREATE|ALTER|DROP)\b", one.fact.text, re.IGNORECASE)
    ]
    word = re.compile(whole_name(column), re.IGNORECASE)
    return [one for one in statements if word.search(one.fact.text) and (not table or table in tables(one.fact.text))]


def _row_readers(
    question: Question, bundle: Bundle, uses: Sequence[Found[UseFact]], column: str
) -> list[Found[UseFact]]:
    """Reads of the column by key where the statement's rows come to; of an INSERT, statements that give it."""
    edit = question.edits[0]
    if text(edit, "verb") in ("INSERT", "REPLACE"):
        return _stored_nowhere(edit, uses, column)
    keys = [one for one in uses if one.fact.use == "key_read"]
    given = [one for one in uses if one.fact.use == "sql" and column in columns(one.fact.text)]
    given = [one for one in given if one.fact.text.upper().startswith("SELECT")]
    name = called(function_of(edit))[1]
    own = [one.fact for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name)]
    called_here = {one.rpartition(".")[2] for fact in own for one in fact.calls}
    receivers = {(one.ref.path, one.fact.scope) for one in callers_of(bundle, edit)}
    close = [one for one in keys if one.fact.scope == edit.scope and one.ref.path == edit.path and edit.scope]
    close += [one for one in keys if one.ref.path == edit.path and one.fact.scope.rpartition(".")[2] in called_here]
    close += [one for one in keys if (one.ref.path, one.fact.scope) in receivers]
    if close:
        return close
    elsewhere = {one.ref.path for one in given}
    return [one for one in keys if one.ref.path == edit.path and edit.path not in elsewhere]


def _member_readers(bundle: Bundle, edit: Edit, column: str) -> list[tuple[Found[CallFact], Found[UseFact]]]:
    """Reads of the column as a member of what a caller got from the function of the statement."""
    if text(edit, "verb") != "SELECT":
        return []
    named = [one for one in every(bundle, UseFact) if one.ref.side is Side.NEW]
    set_there = {(one.ref.path, one.fact.scope) for one in named if one.fact.use == "write"}
    uses = [one for one in named if one.fact.use not in _NO_READ and not one.evidence.near_change]
    uses = [one for one in uses if (one.ref.path, one.fact.scope) not in set_there]
    return [
        (call, use)
        for call in callers_of(bundle, edit)
        for use in uses
        for name in call.fact.targets
        if (use.ref.path, use.fact.scope) == (call.ref.path, call.fact.scope)
        and use.ref.start_line > call.ref.end_line
        and re.match(rf"{re.escape(name)}[?!]*\.{whole_name(column)}", use.fact.text)
    ]


def _member_card(question: Question, column: str, table: str, call: Found[CallFact], use: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    name, of = called(function_of(edit))[1], f" of {code(table)}" if table else ""
    return draft(
        question,
        claim=f"Removing the column {code(column)}{of} from what {code(name)} selects leaves {code(use.fact.text)} in "
        f"{place(use.ref)} without a value: {place(call.ref)} gets {code(next(iter(call.fact.targets)))} from there.",
        op=EffectOp.REMOVED,
        subject=column,
        severity=Severity.IMPORTANT,
        support=[use.ref, call.ref],
        impact="The row comes back without that column, and what is decided or shown by it changes silently."
        if edit.language in SCRIPTS
        else "The read fails, or goes on with an empty value.",
        counter=(f"Another value for {code(column)} between the two lines would refute this; none is set there.",),
    )


def _stored_nowhere(edit: Edit, uses: Sequence[Found[UseFact]], column: str) -> list[Found[UseFact]]:
    """Statements that give a column of the table which no other statement stores any more."""
    same = [one for one in uses if one.fact.use == "sql" and set(tables(one.fact.text)) & set(texts(edit, "tables"))]
    stored = [
        one
        for one in same
        if re.match(r"\s*(?:INSERT|UPDATE|REPLACE)\b", one.fact.text, re.IGNORECASE)
        and column in columns(one.fact.text)
    ]
    reads = [one for one in same if one.fact.text.upper().lstrip().startswith("SELECT")]
    return [] if stored else [one for one in reads if re.search(whole_name(column), one.fact.text)]


def _gone_card(question: Question, column: str, table: str, reader: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    of = f" of {code(table)}" if table else ""
    still = "names it in its statement" if reader.fact.use == "sql" else f"still reads {code(reader.fact.text)}"
    within = f" in {code(reader.fact.scope)}" if reader.fact.scope else ""
    stored = text(edit, "verb") in ("INSERT", "REPLACE")
    what = "storing" if stored else "column"
    dropped = edit.op is EditOp.CALL_ADDED
    start = f"Adding {code(edit.subject)} for" if dropped else "Removing"
    return draft(
        question,
        claim=f"{start} the {what} {code(column)}{of} leaves a reader behind: {place(reader.ref)} {still}{within}.",
        op=EffectOp.ADDED if dropped else EffectOp.REMOVED,
        subject=edit.subject if dropped else column,
        severity=Severity.IMPORTANT,
        support=[reader.ref],
        impact="New rows have nothing there, and what is shown or computed from them changes silently."
        if stored
        else "The next run of that code fails with an unknown name, or goes on with an empty value.",
        counter=(f"Another statement that gives {code(column)} to this reader would refute this; none is seen.",),
    )


# Naming a member without reading it.
_NO_READ = frozenset({"definition", "write", "key_write", "key_tag", "sql", "import", "parameter", "keyword", "export"})

RULES = (
    Rule(
        "column_gone_still_read",
        frozenset({EditOp.SQL_CHANGED, EditOp.DEFAULT_CHANGED, EditOp.COMPONENT_REMOVED, EditOp.CALL_ADDED}),
        _raise_gone,
        _settle_gone,
    ),
)

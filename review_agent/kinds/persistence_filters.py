"""A rule of ``persistence``: a lookup through an object mapper or a repository that lost the filter which scoped it."""

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
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import called, function_of, own_definitions
from review_agent.kinds.persistence_conditions import SCOPES, passing, tests
from review_agent.kinds.persistence_moved import moved, tells_only, values_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
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

__all__ = ["RULES"]

_FILTERS = re.compile(
    r"^(?:filter\w*|get|get_or_404|get_object_or_404|get_or_none|exclude|(?:and_?|or_?)?where\w*|find\w*|first\w*|"
    r"update\w*|delete\w*|remove\w*|destroy|count\w*|aggregate|select|eq|match|exists\w*|query\w*)$",
    re.IGNORECASE,
)
_WHERE = re.compile(r"where|filter|query|criteria|condition|scope", re.IGNORECASE)
_COMPARED = re.compile(r"\.(\w+)\s*(?:==|\.is_\(|\.in_\()")
_NARROWER = re.compile(r"^(?P<base>\w+?)And(?P<tail>[A-Z]\w*)$")
_PRIVILEGED = re.compile(r"admin|staff|superuser|internal|system", re.IGNORECASE)
_ERASES = re.compile(r"delet|updat|remov|destroy", re.IGNORECASE)


def column_of_filter(edit: Edit) -> str:
    """The column by which a lookup was filtered; "" where the edit is about something else."""
    if edit.op is EditOp.ENTRY_REMOVED:
        placed = _FILTERS.match(text(edit, "call").rpartition(".")[2]) or _WHERE.search(text(edit, "target"))
        key = text(edit, "key") or edit.subject
        return key.rpartition(".")[2] if placed and SCOPES.search(key) else ""
    if edit.op is EditOp.CALL_REPLACED:
        was, now = text(edit, "name"), text(edit, "newName")
        narrower = _NARROWER.match(was)
        lost = was[len(now) :] if was.startswith(now) else ""
        tail = re.match(r"And([A-Z]\w*)$", lost)
        return tail[1][:1].lower() + tail[1][1:] if narrower and tail else ""
    if not _FILTERS.match(text(edit, "name")):
        return ""
    if edit.op is EditOp.ARGUMENT_REMOVED and text(edit, "keyword"):
        keyword = text(edit, "keyword").partition("__")[0]
        return keyword if SCOPES.search(keyword) or keyword in ("user", "created_by") else ""
    compared = _COMPARED.search(edit.before or "")
    kept = edit.op is EditOp.ARGUMENT_CHANGED and compared is not None and compared[1] in (edit.after or "")
    return compared[1] if compared and not kept and SCOPES.search(compared[1]) else ""


def _lookup(edit: Edit) -> str:
    if edit.op is EditOp.ENTRY_REMOVED:
        return text(edit, "call") or text(edit, "target")
    return text(edit, "newCallee") or edit.subject


def _raise_lost(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    column, lookup = column_of_filter(edit), _lookup(edit)
    added = [one for one in edits if one.scope == edit.scope and one.op in (EditOp.ARGUMENT_ADDED, EditOp.CALL_ADDED)]
    added = [one for one in added if not tells_only(one.subject)]
    came = any(column in f"{one.after} {text(one, 'keyword')} {one.subject}" for one in added)
    if in_test(edit.path) or not column or came or not function_of(edit):
        return None
    scope, name = called(function_of(edit))
    plan = [
        ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ask(QueryKind.USES_INSIDE, column, path=edit.path, scope=edit.scope),
    ]
    plan += [
        ask(QueryKind.USES_INSIDE, name, path=edit.path, scope=edit.scope)
        for name in dict.fromkeys(one.rpartition(".")[2] for one in values_of(edit))
        if name != column
    ]
    if "." in lookup:
        plan.append(ask(QueryKind.SIBLINGS, lookup, path=edit.path, scope=edit.scope))
    if edit.language == "python":
        plan.append(ask(QueryKind.TEXT, f"{column}=", path="*.py"))
    return seed(
        edit,
        "filter_lost",
        change=f"{code(lookup)} in {code(function_of(edit))} no longer filters by {code(column)}",
        precondition=f"there are records with another {code(column)}, which this caller must not reach",
        consequence="records of others, or such as were set apart, are read or changed",
        refuted_if=(
            f"{code(column)} is tested before or after",
            "what it was filtered by is still given to the lookup, or to a check before it",
            "the function serves those who may see everything",
            "like lookups do without it",
        ),
        plan=plan,
    )


def _settle_lost(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    column = column_of_filter(edit)
    own = own_definitions(bundle, edit)
    may = next((one for fact in own for one in (*fact.decorators, fact.qualname) if _PRIVILEGED.search(one)), "")
    uses = found(bundle, UseFact, QueryKind.USES_INSIDE)
    tested = [one for one in found(bundle, UseFact, QueryKind.USES_INSIDE, column) if tests(one, question)]
    if may or tested:
        said = f"{code(may)} serves those who may see everything" if may else f"{place(tested[0].ref)} tests it"
        return unsettled(NoFindingCode.REFUTED, said, refs=[one.ref for one in tested[:1]])
    kept = moved(question, bundle, _lookup(edit))
    if kept is not None:
        return kept
    with_it, without = _like(question, bundle, column)
    given = passing(question, bundle, column, uses)
    if len(without) > len(with_it) and not given:
        return unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"like lookups do without {code(column)}; {place(without[0].ref)} is one",
            refs=[without[0].ref],
        )
    if not with_it and not given:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"whether {code(column)} scopes lookups like this one is not established",
            missing=(f"a like lookup that filters by {code(column)}; {searched(bundle)}",),
        )
    return (_lost_card(question, column, with_it[:1], given[:1]),)


Place = Found[CallFact] | Found[UseFact]


def _like(question: Question, bundle: Bundle, column: str) -> tuple[list[Place], list[Place]]:
    """Lookups on the same thing elsewhere that filter by the column, and those that do not."""
    edit = question.edits[0]
    word = re.compile(rf"(?<![a-z]){re.escape(column)}", re.IGNORECASE)
    beside = [one for one in found(bundle, CallFact, QueryKind.SIBLINGS) if not one.evidence.near_change]
    beside = [one for one in beside if _FILTERS.match(one.fact.callee.rpartition(".")[2])]
    filters = [(one, _written(one.fact)) for one in beside]
    with_it: list[Place] = [one for one, said in filters if word.search(said)]
    without: list[Place] = [one for one, said in filters if not word.search(said)]
    model = _model(edit)
    lines = [one for one in found(bundle, UseFact, QueryKind.TEXT) if not one.evidence.near_change]
    lines = [one for one in lines if not one.fact.in_test]
    named = [one for one in lines if model and re.search(whole_name(model), one.evidence.text)]
    with_it += [one for one in worst_first(question, named) if not any(two.ref == one.ref for two in with_it)]
    return with_it, without


def _written(call: CallFact) -> str:
    return " ".join([call.callee, *(f"{one.keyword or ''} {one.text}" for one in call.arguments)])


def _model(edit: Edit) -> str:
    """The class that a Python lookup is on: ``Invoice`` of ``Invoice.objects.filter``, or its first argument."""
    first = edit.subject.partition(".")[0]
    if first[:1].isupper():
        return first
    arguments = texts(edit, "arguments")
    return arguments[0] if arguments and re.fullmatch(r"[A-Z]\w*", arguments[0]) else ""


def _lost_card(
    question: Question, column: str, with_it: Sequence[Place], given: Sequence[tuple[Found[CallFact], str, str]]
) -> Draft:
    edit = question.edits[0]
    lookup = _lookup(edit)
    parts = [f"{place(one.ref)} filters by it{_within(one)}" for one in with_it]
    parts += [f"{place(one.ref)} still passes {snippet(value)} for {code(name)}, unused" for one, name, value in given]
    replaced = edit.op is EditOp.CALL_REPLACED
    return draft(
        question,
        claim=f"{'Replacing' if replaced else 'Removing'} {_shown(edit, column)} lets {code(lookup)} in "
        f"{code(function_of(edit))} reach records of any {code(column)}: {', and '.join(parts)}.",
        op=EffectOp.CHANGED if replaced else EffectOp.REMOVED,
        subject=edit.subject if replaced or edit.op is EditOp.ENTRY_REMOVED else (edit.before or edit.subject),
        to=text(edit, "newCallee") if replaced else None,
        severity=Severity.BLOCKING if _ERASES.search(f"{lookup} {edit.after or ''}") else Severity.IMPORTANT,
        support=[*(one.ref for one in with_it), *(one.ref for one, _, _ in given)],
        impact="Somebody names the key of a record that is another's or was set apart: it is handed over or changed.",
        counter=(f"A test of {code(column)} before or after the lookup would refute this; none is seen.",),
    )


def _shown(edit: Edit, column: str) -> str:
    if edit.op is EditOp.CALL_REPLACED:
        return f"{code(edit.subject)} by {code(text(edit, 'newCallee'))}"
    keyword = text(edit, "keyword")
    return code(f"{keyword}={edit.before}") if keyword else f"the filter {snippet(edit.before or column)}"


def _within(one: Place) -> str:
    return f" in {code(one.fact.scope)}" if one.fact.scope else ""


RULES = (
    Rule(
        "filter_lost",
        frozenset({EditOp.ARGUMENT_REMOVED, EditOp.ARGUMENT_CHANGED, EditOp.ENTRY_REMOVED, EditOp.CALL_REPLACED}),
        _raise_lost,
        _settle_lost,
    ),
)

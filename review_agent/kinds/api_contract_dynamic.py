"""A rule of ``api_contract``: a member renamed or removed that is met by its name at run time."""

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
    found,
    place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.settings import distinctive
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

_TEMPLATE = re.compile(r"\.(?:html?|j2|jinja2?|tmpl|gohtml|tpl|mustache|hbs|ejs|ftl|jsp|txt\.tmpl|vue|xml)$")
_ASIDE = re.compile(r"(?i)(?:^|/)(?:docs?|changelog\w*|examples?)(?:/|\.)|\.(?:md|rst|txt)$")
_BY_NAME = (
    r"(?:getattr|hasattr|setattr|delattr|attrgetter|methodcaller|MethodByName|FieldByName|getMethod|getDeclaredMethod|"
    r"getDeclaredField|getField|invokeMethod|patch\.object|url_for|reverse|rpc|call_command|import_string)\("
)


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    name = edit.subject
    kind = text(edit, "symbolKind")
    if (
        kind not in ("method", "function", "field", "variable", "constant")
        or not distinctive(name)
        or name.startswith("__")
    ):
        return None
    new = text(edit, "newName")
    queries = [ask(QueryKind.TEXT, f'"{name}"'), ask(QueryKind.TEXT, f"'{name}'"), ask(QueryKind.TEXT, f".{name}")]
    return seed(
        edit,
        "renamed_met_by_name",
        change=f"{code(name)} became {code(new)}" if new else f"{code(name)} went",
        precondition=f"something meets {code(name)} by its name at run time",
        consequence="it finds nothing under that name",
        refuted_if=("nothing outside the change names it as text",),
        plan=queries,
        risk=-35,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    name = question.edits[0].subject
    hits = [
        one
        for one in found(bundle, UseFact, QueryKind.TEXT)
        if not one.fact.in_test and not one.evidence.near_change and not _ASIDE.search(one.ref.path)
    ]
    meeting = [one for one in hits if _meets(name, one)]
    if meeting:
        return (_card(question, meeting[0]),)
    return blocked(bundle, QueryKind.TEXT) or unsettled(
        NoFindingCode.NO_CANDIDATE,
        f"nothing is seen to meet {code(name)} by its name; searched: {searched(bundle)}",
        refs=[one.ref for one in hits[:2]],
    )


def _meets(name: str, one: Found[UseFact]) -> bool:
    line, own = one.evidence.text, re.escape(name)
    if _TEMPLATE.search(one.ref.path):
        # A chart's templates are given the chart's own values, nothing of the program's.
        if re.search(r"\.(?:Values|Chart|Release)\.", line):
            return False
        return re.search(rf"(?:\{{\{{|\{{%|<%|\$\{{)[^}}%]*\.{own}\b", line) is not None
    return re.search(rf"{_BY_NAME}[^)]*[\"'](?:[\w.]*\.)?{own}[\"']", line) is not None


def _card(question: Question, one: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    name, new = edit.subject, text(edit, "newName")
    did = f"Renaming {code(name)} to {code(new)}" if new else f"Removing {code(name)}"
    return draft(
        question,
        claim=f"{did} strands {place(one.ref)}, which meets {code(name)} by its name at run time and finds "
        "nothing there.",
        op=EffectOp.RENAMED if new else EffectOp.REMOVED,
        subject=name,
        to=new or None,
        severity=Severity.IMPORTANT,
        support=[one.ref],
        impact="Control reaches that line with an object of the changed type; no tool that follows names warns of it.",
        counter=(f"Another type that still has {code(name)} would refute this, if it is the one met there.",),
        uncertainty=("Which type is met there at run time was not followed.",),
    )


RULES = (Rule("renamed_met_by_name", frozenset({EditOp.SYMBOL_RENAMED, EditOp.SYMBOL_REMOVED}), _raise, _settle),)

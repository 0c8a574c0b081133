"""A rule of ``serialization``: what goes into a path is escaped as what goes into a query."""

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
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.testfiles import in_test
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
)

__all__ = ["RULES"]

# How each library escapes a part of a path, and how the value of a query, in which a space is a plus sign.
_PATHS = frozenset({"PathEscape", "quote", "encodePath", "encodePathSegment", "urlPathSegmentEscaper"})
_QUERIES = frozenset({"QueryEscape", "quote_plus", "urlFormParameterEscaper"})
_FORMS = re.compile(r"(?:^|\.)URLEncoder\.encode$")
# A line that puts a path together.
_PATH = re.compile(
    r"\b(?:path|filepath|posixpath|urls?)\.(?:Join|join|JoinPath|resolve)\(|urljoin\(|JoinPath\(|(?i:\bpath\b\s*[:=])|"
    r"[\"'`][^\"'`?]*/[\"'`]\s*[+%]|\+\s*[\"'`]/|[\"'`]/[^\"'`?=]*\{"
)
_QUERY = re.compile(r"[?&]\w+=|(?i:query|params?)\b")


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    now = text(edit, "newCallee")
    to_query = text(edit, "newName") in _QUERIES or _FORMS.search(now) is not None
    if in_test(edit.path) or text(edit, "name") not in _PATHS or not to_query or not function_of(edit):
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        "path_escaped_as_query",
        change=f"{code(name)} escapes by {code(now)} where it did by {code(edit.subject)}",
        precondition="what it gives goes into a path",
        consequence="a space comes as a plus sign, which a path does not take back: another name is asked for",
        refuted_if=("what it gives goes into a query or a form", "no value can have a space or a plus sign"),
        plan=(ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),),
        risk=10,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS) if not one.fact.in_test]
    queries = [one for one in calls if _QUERY.search(one.evidence.text)]
    paths = [one for one in calls if one not in queries and _PATH.search(one.evidence.text)]
    outside = [one for one in worst_first(question, paths) if not one.evidence.near_change]
    if outside and not queries:
        return (_card(question, name, outside[0]),)
    if queries:
        return unsettled(NoFindingCode.REFUTED, f"{place(queries[0].ref)} puts it into a query", refs=[queries[0].ref])
    return blocked(bundle, QueryKind.CALLERS) or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"no caller of {code(name)} is seen to build a path; searched: {searched(bundle)}",
        missing=(f"where what {code(name)} gives goes",),
        refs=[one.ref for one in calls[:2]],
    )


def _card(question: Question, name: str, call: Found[CallFact]) -> Draft:
    edit = question.edits[0]
    now = text(edit, "newCallee")
    return draft(
        question,
        claim=f"Replacing {code(edit.subject)} by {code(now)} in {code(name)} turns a space into a plus sign: "
        f"{place(call.ref)} puts the result into a path, where a plus sign stays one.",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        to=now,
        severity=Severity.IMPORTANT,
        support=[call.ref],
        impact=f"A name with a blank in it goes through {code(call.fact.scope or name)}; the server looks for another "
        "one and finds nothing.",
        counter=(
            f"A server that reads plus signs in paths as blanks would refute this; {code(edit.subject)} wrote none.",
        ),
    )


RULES = (Rule("path_escaped_as_query", frozenset({EditOp.CALL_REPLACED}), _raise, _settle),)

"""What a test asked for over HTTP: whether the path is served still, and by another test asked for."""

from __future__ import annotations

import re

from review_agent.kinds.base import Found, Settled, code, draft, every, place, text, unsettled
from review_agent.kinds.tested import routes_of
from review_agent.kinds.wording import snippet
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

__all__ = ["settle_route"]

# Lines of a test within which what it asks for is its own.
_TEST_LINES = 60
# Lines that tie a path to what serves it.
SERVES = re.compile(
    r"(?i)@\w|\.(?:get|post|put|delete|patch|route|handle\w*|use|all|path|group|any)\(|\b(?:path|re_path|url|route)\(|"
    r"Mapping\(|HandleFunc\("
)


def settle_route(question: Question, bundle: Bundle) -> Settled | None:
    """A test that went through HTTP: the path that it asked for is served still, and no other test asks for it."""
    edit = question.edits[0]
    for route in routes_of(edit)[:1]:
        hits = every(bundle, UseFact, QueryKind.TEXT, route)
        results = [one for one in bundle.queries if one.query.kind is QueryKind.TEXT and one.query.name == route]
        if not results or results[0].truncated:
            return None
        served = [one for one in hits if not one.fact.in_test and SERVES.search(one.evidence.text)]
        tests = [one for one in hits if one.fact.in_test and not _in_own(one, edit)]
        if tests:
            return unsettled(
                NoFindingCode.REFUTED, f"{place(tests[0].ref)} asks for {code(route)} still", refs=[tests[0].ref]
            )
        outside = [one for one in served if not one.evidence.near_change]
        if outside:
            return (_route_card(question, route, outside[0]),)
    return None


def _in_own(one: Found[UseFact], edit: Edit) -> bool:
    """Whether a hit lies on the lines of the test itself, where that stands still."""
    ours = edit.op is EditOp.TEST_SKIPPED and one.ref.path == edit.path
    return ours and edit.start_line <= one.ref.start_line <= edit.start_line + _TEST_LINES


def _route_card(question: Question, route: str, served: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    skipped = edit.op is EditOp.TEST_SKIPPED
    how = (
        f"Skipping {code(edit.subject)} by {snippet(text(edit, 'by'))}" if skipped else f"Deleting {code(edit.subject)}"
    )
    return draft(
        question,
        claim=f"{how} leaves {code(route)} without a test: {place(served.ref)} serves it still, and no other test at "
        "head asks for it.",
        op=EffectOp.WEAKENED if skipped else EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[served.ref],
        impact="A later change breaks its status or its answer; every remaining test passes and the fault ships.",
        counter=(
            f"A test elsewhere that asks for {code(route)} would refute this; the search of all files found none.",
        ),
    )

"""What only one test asserted: a string or a member that the code under it gives still."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import Found, code, draft, every, number, place, text, texts
from review_agent.kinds.test_removal_calls import expects
from review_agent.kinds.tested import Life, failures_expected, last
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["lost_failure", "lost_value"]

_IMPORTS = re.compile(r"^\s*(?:from|import|package|use)\b|\brequire\(|\bfrom\s+[\"']")


def lost_value(question: Question, bundle: Bundle, alive: Sequence[Life]) -> Draft | None:
    """A value that only this test asserted, and the place in the code under it that gives it still."""
    edit = question.edits[0]
    for value in texts(edit, "only"):
        results = [one for one in bundle.queries if one.query.kind is QueryKind.TEXT and one.query.name == value]
        hits = every(bundle, UseFact, QueryKind.TEXT, value)
        tests = [one for one in hits if one.fact.in_test and not _in_own(one, edit)]
        for one in alive:
            home = one.home
            made = [hit for hit in hits if home is not None and _gives(hit, home)]
            if made and home is not None and not tests and results and not results[0].truncated:
                return _value_card(question, value, one, made[0])
    return None


def _in_own(one: Found[UseFact], edit: Edit) -> bool:
    """Whether a hit lies on the lines of a test that stands still, and is skipped."""
    last_line = number(edit, "until") or 0
    return one.ref.path == edit.path and edit.start_line <= one.ref.start_line <= last_line


def _gives(hit: Found[UseFact], home: Found[DefinitionFact]) -> bool:
    comment = hit.evidence.text.strip().startswith(("#", "//", "*", "/*"))
    return hit.ref.path == home.ref.path and not hit.evidence.near_change and not comment


def _value_card(question: Question, value: str, alive: Life, made: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    skipped = edit.op is EditOp.TEST_SKIPPED
    how = (
        f"Skipping {code(edit.subject)} by {snippet(text(edit, 'by'))}" if skipped else f"Deleting {code(edit.subject)}"
    )
    assert alive.home is not None
    return draft(
        question,
        claim=f"{how} leaves the {code(value)} of {code(last(alive.subject))} to no test: {place(made.ref)} gives it "
        f"still, and no other test at head names it.",
        op=EffectOp.WEAKENED if skipped else EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[alive.home.ref, made.ref] if alive.home.ref != made.ref else [made.ref],
        impact=f"A later change loses that case of {place(alive.home.ref)}; every remaining test passes.",
        counter=(f"A test elsewhere that names {code(value)} would refute this; the search found none.",),
    )


def lost_failure(edit: Edit, bundle: Bundle, one: Life) -> str:
    """The failure of a subject that only this test expected: the subject still raises it, no other test names it."""
    for failure in failures_expected(edit)[:1]:
        raised = {last(name) for name in (one.home.fact.raises if one.home else ())}
        hits = [
            hit
            for hit in every(bundle, UseFact, QueryKind.TEXT, last(failure))
            if hit.fact.in_test and not _IMPORTS.search(hit.evidence.text)
        ]
        asked = [hit for hit in bundle.queries if hit.query.kind is QueryKind.TEXT]
        whole = bool(asked) and not any(hit.truncated for hit in asked)
        if last(failure) in raised and whole and not hits and not any(expects(hit) for hit in one.tests):
            return last(failure)
    return ""

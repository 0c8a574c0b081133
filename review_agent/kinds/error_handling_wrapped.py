"""A Go error that was wrapped and that a helper now prints: who looks for it by ``errors.Is`` finds it no more."""

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
    texts,
    unsettled,
)
from review_agent.kinds.functions import function_of
from review_agent.syntax.testfiles import in_test
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

__all__ = ["raise_unwrapped", "settle_unwrapped"]

_VERB = re.compile(r"%[-+# 0]*[\d.*]*([a-zA-Z])")
_SENTINEL = re.compile(r"(?:\w+\.)?([Ee]rr[A-Z]\w*)")


def _sentinel(edit: Edit) -> str:
    """The named error that the old text wrapped and the new one prints, "" for none."""
    before, after = text(edit, "beforeText"), text(edit, "afterText")
    verbs = _VERB.findall(before.replace("%%", ""))
    parts = texts(edit, "beforeComponents")
    if "w" not in verbs or "%w" in after or len(verbs) != len(parts):
        return ""
    named = _SENTINEL.fullmatch(parts[verbs.index("w")])
    return named[1] if named and named[0] in texts(edit, "afterComponents") else ""


def raise_unwrapped(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    sentinel = _sentinel(edit)
    if edit.language != "go" or in_test(edit.path) or not sentinel or not function_of(edit):
        return None
    if not text(edit, "maker") or any(
        one.op is EditOp.RAISE_TYPE_CHANGED and one.hunk_id == edit.hunk_id for one in edits
    ):
        return None
    return seed(
        edit,
        "raise_type_changed_uncaught",
        change=f"{code(function_of(edit))} prints {code(sentinel)} into its error where it wrapped it",
        precondition=f"somebody looks for {code(sentinel)} in what comes from it",
        consequence="that test fails, and the failure is taken for any other",
        refuted_if=(f"nobody tests for {code(sentinel)}", f"{code(sentinel)} is wrapped on another way"),
        plan=(ask(QueryKind.TEXT, sentinel),),
    )


def settle_unwrapped(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    sentinel = _sentinel(edit)
    hits = [one for one in found(bundle, UseFact, QueryKind.TEXT) if _is_code(one, sentinel)]
    asked = re.compile(rf"errors\.Is\([^,]+,\s*(?:\w+\.)?{sentinel}\s*\)")
    tests = [one for one in hits if asked.search(one.evidence.text) and not one.evidence.near_change]
    others = [
        one
        for one in hits
        if not asked.search(one.evidence.text)
        and not re.search(rf"\b{sentinel}\s*(?:error\s*)?=", one.evidence.text)
        and not (one.ref.path == edit.path and edit.start_line <= one.ref.start_line <= edit.end_line)
    ]
    if tests and not others:
        return (_card(question, sentinel, tests[0]),)
    stopped = blocked(bundle, QueryKind.TEXT)
    if stopped is not None:
        return stopped
    if not tests:
        where = searched(bundle, QueryKind.TEXT)
        return unsettled(NoFindingCode.NO_CANDIDATE, f"nobody tests for {code(sentinel)}; searched: {where}")
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{place(others[0].ref)} names {code(sentinel)} as well; which of them {place(tests[0].ref)} meets is open",
        missing=(f"where the error tested in {place(tests[0].ref)} comes from",),
        refs=[others[0].ref, tests[0].ref],
    )


def _is_code(one: Found[UseFact], sentinel: str) -> bool:
    """Whether a line of a Go file, no test, names the error in its code."""
    said = one.evidence.text.split("//")[0]
    return (
        one.ref.path.endswith(".go") and not in_test(one.ref.path) and re.search(rf"\b{sentinel}\b", said) is not None
    )


def _card(question: Question, sentinel: str, test: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    before, after = text(edit, "beforeText"), text(edit, "afterText")
    within = code(function_of(edit))
    return draft(
        question,
        claim=f"Changing {code(before)} to {code(after)} for the error of {within} leaves {code(sentinel)} in its text "
        f"alone: the test for it in {place(test.ref)} is never true again.",
        op=EffectOp.CHANGED,
        subject=before,
        to=after,
        severity=Severity.IMPORTANT,
        support=[test.ref],
        impact=f"{within} comes to the case of {code(sentinel)}: what is written behind that test is left out, and the "
        "failure is taken for any other.",
        counter=(f"Another place that gives {code(sentinel)} would refute this; no line outside tests names it.",),
    )

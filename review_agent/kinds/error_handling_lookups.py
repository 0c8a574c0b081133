"""Half of a rule of ``error_handling``: a lookup or pointer that can miss is used without a test (the other half,
results of functions, is in ``error_handling_absent``)."""

from __future__ import annotations

import re
from posixpath import dirname

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
    same_place,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.exceptions import last
from review_agent.kinds.functions import function_of
from review_agent.syntax.edits.optionals import ORIGIN
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EffectOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["raise_lookup", "settle_lookup"]

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_STORED = re.compile(r"([A-Za-z_][\w.]*)\s*:?=[^=]")
_TEMPLATE = re.compile(r"\.(?:html?|j2|jinja2?|tmpl|tpl|mako)$")
# A shorter or plainer name stands for many things in one repository.
_TELLING = re.compile(r"(?=.{6,})(?:\w+_\w+|[a-z]+[A-Z]\w*)")


def raise_lookup(edit: Edit) -> Seed | None:
    """The question of one unguarded use; null where nothing in it has a name to look for.

    Most pointers in Go are there by construction. One whose origin is not known is asked about only where it was kept
    as a pointer under its own name, so that others can be seen to test it.
    """
    if text(edit, "origin") == ORIGIN:
        return None
    plan = _plan(edit)
    bare = text(edit, "origin") == "pointer" and not text(edit, "producer")
    if not plan or (bare and last(_kept(edit)).lower() != last(edit.subject).lower()):
        return None
    return seed(
        edit,
        "missing_value_dereferenced",
        change=f"{code(edit.subject)} is taken apart without a test, though it comes from where it can be missing",
        precondition=f"something else shows that {code(edit.subject)} can be missing",
        consequence=f"{code(function_of(edit) or edit.path)} fails there",
        refuted_if=("it is always there", "a test before it makes sure"),
        plan=plan,
    )


def _plan(edit: Edit) -> list[PlanQuery]:
    plan = []
    source, kept = _source(edit), _kept(edit)
    if source:
        plan.append(ask(QueryKind.USES_INSIDE, source, path=edit.path))
    if "." in source:
        plan.append(ask(QueryKind.CALLERS, source, path=edit.path, scope=edit.scope))
    if kept and "." not in kept and edit.scope:
        plan.append(ask(QueryKind.USES_INSIDE, kept, path=edit.path, scope=edit.scope))
    if _TELLING.fullmatch(last(kept)):
        plan.append(ask(QueryKind.TEXT, last(kept)))
    return plan


def _source(edit: Edit) -> str:
    """The name of what can miss, where it has one: the container of a lookup, else the value itself."""
    base = text(edit, "producer") if text(edit, "origin") == "dict_get" else edit.subject
    return base if _NAME.fullmatch(base) else ""


def _kept(edit: Edit) -> str:
    """The name under which the changed line keeps what it took, "" where it keeps nothing."""
    stored = _STORED.match(edit.after or "")
    return stored[1] if stored else ""


def settle_lookup(question: Question, bundle: Bundle) -> Settled:
    """A card where another place tests the same value, or still tests what this one is kept as."""
    edit = question.edits[0]
    guarded = _guarded(question, bundle)
    if guarded:
        return (_guarded_card(question, guarded[0]),)
    tested = _tested(question, bundle)
    if tested:
        return (_tested_card(question, tested[0]),)
    stopped = blocked(bundle, QueryKind.USES_INSIDE) if _source(edit) else None
    return stopped or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"that {code(edit.subject)} can be missing here is shown nowhere: no other place tests it before it uses it",
        missing=(f"what makes sure of {code(edit.subject)}, or a place where it is missing",),
    )


def _uses(question: Question, bundle: Bundle, kind: QueryKind | None = None) -> list[Found[UseFact]]:
    """Uses outside tests and outside the change."""
    uses = found(bundle, UseFact, kind)
    return [one for one in uses if not one.fact.in_test and not same_place(question, one.ref)]


def _guarded(question: Question, bundle: Bundle) -> list[Found[UseFact]]:
    """Other places where the same value is used under a test of it."""
    edit, source = question.edits[0], _source(question.edits[0])
    wanted = f" in {last(source)}" if text(edit, "origin") == "dict_get" else last(source)
    return [
        one
        for one in _uses(question, bundle)
        if source and one.fact.guarded_by and one.fact.text.startswith(source) and wanted in one.fact.guarded_by
    ]


def _tested(question: Question, bundle: Bundle) -> list[Found[UseFact]]:
    """Places that test what the changed line keeps for being missing: in its function, its package, or a template."""
    edit, kept = question.edits[0], last(_kept(question.edits[0]))
    if not kept:
        return []
    none = re.compile(rf"{whole_name(kept)}\s*(?:is not|is|!=|==)\s*(?:None|none|nil|null)\b")
    field = re.compile(rf"\.{re.escape(kept)}\s*[!=]=\s*nil\b")
    found_inside = [one for one in _uses(question, bundle, QueryKind.USES_INSIDE) if one.fact.text == kept]
    inside = [one for one in found_inside if one.ref.start_line > question.anchor.end_line]
    around = [one for one in _uses(question, bundle, QueryKind.TEXT) if _is_reader(edit, one.ref.path)]
    tests = [one for one in inside if none.search(one.evidence.text)]
    return tests + [one for one in around if (field if edit.language == "go" else none).search(one.evidence.text)]


def _is_reader(edit: Edit, path: str) -> bool:
    if edit.language == "go":
        return path.endswith(".go") and dirname(path) == dirname(edit.path)
    if edit.language == "java":
        return path.endswith(".java") and dirname(path) == dirname(edit.path)
    return _TEMPLATE.search(path) is not None


def _guarded_card(question: Question, guarded: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    within = code(function_of(edit) or edit.path)
    test = code(guarded.fact.guarded_by or "")
    return draft(
        question,
        claim=f"Adding a use of {code(edit.subject)} without a test makes {within} fail where it is missing: "
        f"{place(guarded.ref)} uses the same value only behind its test {test}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[guarded.ref],
        impact=f"{within} meets a case that {test} is there for.",
        counter=(
            f"A test before the use would refute this; none stands between the start of {within} and the use.",
            f"A value that is always there would refute this; then the test in {place(guarded.ref)} has no reason.",
        ),
        uncertainty=("Whether the case that the other place tests for reaches this one was not followed.",),
    )


def _tested_card(question: Question, tested: Found[UseFact]) -> Draft:
    edit, kept = question.edits[0], last(_kept(question.edits[0]))
    within = code(function_of(edit) or edit.path)
    return draft(
        question,
        claim=f"Adding a use of {code(edit.subject)} without a test makes {within} fail where it is missing: "
        f"{place(tested.ref)} still tests what it is kept as, {code(kept)}, for being so, and is not reached then.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[tested.ref],
        impact=f"{within} runs for something that has no {code(kept)}, the case for which the test was written.",
        counter=(
            f"A test before the use would refute this; none stands between the start of {within} and the use.",
            f"A value that is always there would refute this; then the test in {place(tested.ref)} has no reason.",
        ),
        uncertainty=(f"That the {code(kept)} tested there is the one kept here is told by its name.",),
    )

"""Rules of ``serialization``: a value of another type under its old key, and a key now written only sometimes."""

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
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.bodies import body_at
from review_agent.kinds.callers import first_of, listed_refs, worst_first
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wire_keys import distinctive, element_key, scopes_of, uses_of
from review_agent.kinds.wire_types import SAID, declared, kind_of, need_of, of_type, takes
from review_agent.kinds.wording import snippet
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

__all__ = ["RULES"]


def _raise_retyped(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    key, was, now = _retyped(edit)
    if not key or was == now or not now or in_test(edit.path):
        return None
    links = [one for one in texts(edit, "kept") if one != key and re.fullmatch(r"\w+", one)][:2]
    return seed(
        edit,
        "written_value_retyped",
        change=f"what is written under {code(key)} is now {SAID[now]}",
        precondition=f"a reader of {code(key)} takes it for {SAID[was] if was else 'what it was'}",
        consequence="the reader fails on the value, or works with a wrong one",
        refuted_if=("every reader takes the value as it is written now", "nobody reads it"),
        plan=[ask(QueryKind.PRODUCERS, one, path=edit.path) for one in (key, *links)],
    )


def _retyped(edit: Edit) -> tuple[str, str, str]:
    """(key, kind before, kind after) of a value under a key; empty texts where the edit is about nothing such."""
    if edit.op is EditOp.ENTRY_CHANGED:
        if not re.fullmatch(r"[A-Za-z_][\w\-]+", edit.subject):
            return "", "", ""
        return edit.subject, kind_of(edit.before or ""), kind_of(edit.after or "")
    before, after = edit.before or "", edit.after or ""
    line = next(iter(texts(edit, "texts")), "")
    named = re.search(r"json:\"([\w\-]+)|@JsonProperty\(\"([\w\-]+)\"", line)
    if of_type(before) and of_type(after) and named:
        return named[1] or named[2], of_type(before), of_type(after)
    return "", "", ""


def _settle_retyped(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    key, _, now = _retyped(edit)
    uses = uses_of(bundle, key)
    readers = [one for one in (*uses.reads, *uses.loose, *uses.tags) if not one.evidence.near_change]
    wrong = [one for one in readers if not takes(now, _need(bundle, one, key))]
    linked = scopes_of([u for q in question.plan[1:] for u in uses_of(bundle, q.name).readers()])
    sure = [one for one in wrong if (one.ref.path, one.fact.scope) in linked or distinctive(key)]
    if sure:
        return (_retyped_card(question, bundle, key, now, worst_first(question, sure)),)
    stopped = blocked(bundle, QueryKind.PRODUCERS)
    if stopped is not None:
        return stopped
    if wrong:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(wrong[0].ref)} reads a {code(key)}; that it is this one is not established",
            missing=("another key that this writer writes and that reader reads",),
            refs=[wrong[0].ref],
        )
    if readers:
        detail = f"{place(readers[0].ref)} takes {code(key)} in whatever type it comes"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in readers])
    return unsettled(
        NoFindingCode.NO_CANDIDATE, f"nobody reads {code(key)}; searched: {searched(bundle, QueryKind.PRODUCERS)}"
    )


def _need(bundle: Bundle, one: Found[UseFact], key: str) -> str:
    """What a reader takes the value for: by its type where it declares one, else by what it does with it."""
    if one.fact.use == "key_tag":
        return declared(one.evidence.text)
    body = body_at(bundle, one.ref.path, one.ref.start_line)
    lines = [line for number, line in body.lines if number >= one.ref.start_line] if body else [one.evidence.text]
    return need_of(lines, key)


def _retyped_card(question: Question, bundle: Bundle, key: str, now: str, readers: Sequence[Found[UseFact]]) -> Draft:
    edit, first, refs = question.edits[0], readers[0], listed_refs(readers)
    need = _need(bundle, first, key)
    return draft(
        question,
        claim=f"Changing what is written under {code(key)} from {snippet(edit.before or '')} to "
        f"{snippet(edit.after or '')} gives {place(first.ref)}{first_of(refs, 'reader')} {SAID[now]} where it works "
        f"with {SAID[need]}.",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        severity=Severity.BLOCKING,
        support=refs,
        impact="A record of the new writer comes to that line: the operation there is not one of the type, so it fails "
        "or yields nonsense.",
        counter=(f"A conversion between the two would refute this; {place(first.ref)} takes the value as it comes.",),
    )


def _raise_sometimes(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    key, when = _sometimes(edit)
    if not key or in_test(edit.path):
        return None
    return seed(
        edit,
        "key_written_sometimes",
        change=f"{code(key)} is written only where {when}",
        precondition=f"a reader takes {code(key)} for granted",
        consequence="the reader fails on a record without it",
        refuted_if=("every reader asks whether it is there, or gives a default", "another writer always gives it"),
        plan=[ask(QueryKind.PRODUCERS, key, path=edit.path)],
    )


def _sometimes(edit: Edit) -> tuple[str, str]:
    """(key, condition) of a value that is now left out at times."""
    if edit.op is EditOp.ACT_CONDITIONED:
        key = element_key(edit.subject) if text(edit, "form") == "assignment" else ""
        return key, f"{code(edit.after or '')} lets it"
    if edit.op is EditOp.TEXT_REPLACED and "omitempty" in (edit.after or "") and "omitempty" not in (edit.before or ""):
        named = re.search(r"json:\"([\w\-]+),", edit.after or "")
        return (named[1], "it is not empty") if named else ("", "")
    return "", ""


def _settle_sometimes(question: Question, bundle: Bundle) -> Settled:
    key, _ = _sometimes(question.edits[0])
    uses = uses_of(bundle, key)
    others = [one for one in uses.writes if not one.evidence.near_change]
    if others:
        return unsettled(
            NoFindingCode.REFUTED, f"{place(others[0].ref)} writes {code(key)} too", refs=[one.ref for one in others]
        )
    readers = [one for one in uses.reads if not one.evidence.near_change]
    strict = [one for one in readers if _takes_for_granted(one, key, uses.reads)]
    if strict and distinctive(key):
        return (_sometimes_card(question, key, worst_first(question, strict)),)
    stopped = blocked(bundle, QueryKind.PRODUCERS)
    if stopped is not None:
        return stopped
    if strict:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(strict[0].ref)} reads a {code(key)}; that it is this one is not established",
            missing=("another key that this writer writes and that reader reads",),
            refs=[strict[0].ref],
        )
    if readers:
        detail = f"{place(readers[0].ref)} does without {code(key)}"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in readers])
    return unsettled(NoFindingCode.NO_CANDIDATE, f"nobody reads {code(key)}")


def _takes_for_granted(one: Found[UseFact], key: str, reads: Sequence[Found[UseFact]]) -> bool:
    line = one.evidence.text
    strict = re.search(rf"\[\s*[\"'`]{re.escape(key)}[\"'`]\s*\]", line) is not None
    tested = any(
        two.fact.scope == one.fact.scope
        and two.ref.path == one.ref.path
        and re.search(rf"[\"'`]{re.escape(key)}[\"'`]\s*(?:not\s+)?in\b|\.get\(", two.evidence.text)
        for two in reads
    )
    return strict and not tested and one.fact.guarded_by is None and "??" not in line and "||" not in line


def _sometimes_card(question: Question, key: str, readers: Sequence[Found[UseFact]]) -> Draft:
    edit, first, refs = question.edits[0], readers[0], listed_refs(readers)
    name = split(function_of(edit))[1] or edit.path
    when = edit.after if edit.op is EditOp.ACT_CONDITIONED else "omitempty"
    return draft(
        question,
        claim=f"Making {code(key)} depend on {code(when or '')} in {code(name)} leaves records without it, and "
        f"{place(first.ref)}{first_of(refs, 'reader')} takes it out of every one.",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=refs,
        impact="A record is written while the condition does not hold, and that line is the next to look at it.",
        counter=(f"A default or a test before the read would refute this; {place(first.ref)} has neither.",),
    )


RULES = (
    Rule(
        "written_value_retyped",
        frozenset({EditOp.ENTRY_CHANGED, EditOp.TEXT_REPLACED}),
        _raise_retyped,
        _settle_retyped,
    ),
    Rule(
        "key_written_sometimes",
        frozenset({EditOp.ACT_CONDITIONED, EditOp.TEXT_REPLACED}),
        _raise_sometimes,
        _settle_sometimes,
    ),
)

"""A rule of ``serialization``: a key that is read and that nobody writes, while its old name is still written."""

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
    seed,
    texts,
    unsettled,
)
from review_agent.kinds.callers import first_of, listed_refs, worst_first
from review_agent.kinds.functions import split
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wire_keys import distinctive, uses_of
from review_agent.syntax.languages import PARSED, language_of
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


def _raise_reader(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    was, now = (re.fullmatch(r"[\"'`]([A-Za-z_][\w\-]+)[\"'`]", one or "") for one in (edit.before, edit.after))
    reads = [one for one in texts(edit, "texts") if now and _reads(one, now[1])]
    if not was or not now or not reads or in_test(edit.path) or not distinctive(was[1]):
        return None
    return seed(
        edit,
        "read_key_unwritten",
        change=f"{code(split(edit.scope)[1] or edit.path)} reads {code(now[1])} where it read {code(was[1])}",
        precondition=f"whoever writes the record still writes {code(was[1])}, and nobody writes {code(now[1])}",
        consequence="the reader finds nothing under its new name",
        refuted_if=(f"a writer gives {code(now[1])} a value", f"nothing writes {code(was[1])} any more"),
        plan=[
            ask(QueryKind.PRODUCERS, was[1], path=edit.path),
            ask(QueryKind.PRODUCERS, now[1], path=edit.path),
            ask(QueryKind.TEXT, now[1]),
        ],
    )


def _reads(line: str, key: str) -> bool:
    quoted = rf"[\"'`]{re.escape(key)}[\"'`]"
    return re.search(rf"\[\s*{quoted}\s*\](?!\s*[-+|]?=[^=])|\.(?:get|pop|get\w+)\(\s*{quoted}", line) is not None


def _settle_reader(question: Question, bundle: Bundle) -> Settled:
    was, now = question.plan[0].name, question.plan[1].name
    old, new = uses_of(bundle, was), uses_of(bundle, now)
    writing = [one for one in new.writes if not one.fact.in_test]
    elsewhere = [
        one
        for one in found(bundle, UseFact, QueryKind.TEXT)
        if language_of(one.ref.path) not in PARSED and not re.search(r"\.(md|rst|txt)$", one.ref.path)
    ]
    given = [*writing, *new.tags, *elsewhere]
    if given:
        return unsettled(NoFindingCode.REFUTED, f"{place(given[0].ref)} gives {code(now)}", refs=[given[0].ref])
    stopped = blocked(bundle, QueryKind.PRODUCERS)
    left = [one for one in (*old.writes, *old.tags) if not one.evidence.near_change]
    if not left or stopped is not None:
        return stopped or unsettled(NoFindingCode.NO_CANDIDATE, f"nobody writes {code(was)} either")
    return (_reader_card(question, was, now, worst_first(question, left)),)


def _reader_card(question: Question, was: str, now: str, writers: Sequence[Found[UseFact]]) -> Draft:
    edit, first, refs = question.edits[0], writers[0], listed_refs(writers)
    return draft(
        question,
        claim=f"Changing the key that {code(split(edit.scope)[1] or edit.path)} reads from {code(was)} to {code(now)} "
        f"leaves its writer behind: {place(first.ref)}{first_of(refs, 'writer')} still writes {code(was)}, and nothing "
        f"writes {code(now)}.",
        op=EffectOp.CHANGED,
        subject=edit.before or was,
        to=edit.after,
        severity=Severity.IMPORTANT,
        support=refs,
        impact="A record comes from that writer as it is at head: what is asked for here is never in it.",
        counter=(
            f"A writer of {code(now)} would refute this; none was found in code, SQL or other files.",
            f"A record from another program that has {code(now)} would refute this.",
        ),
    )


RULES = (Rule("read_key_unwritten", frozenset({EditOp.TEXT_REPLACED}), _raise_reader, _settle_reader),)

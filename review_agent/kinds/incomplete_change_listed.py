"""The rule of ``incomplete_change`` about a new member of a type whose other members a document lists one by one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    every,
    listed,
    number,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.edits.prose import DOCS, HISTORY
from review_agent.syntax.prose import is_telling
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

__all__ = ["RULES", "hidden"]

# Markdown and reStructuredText.
_PAGES = "*.[mr][ds]*"
# Members that are looked for, and how many of them a document must list.
_ASKED, _LEAST = 5, 4
_SHORTEST = 6
# What shows one use of a thing lists nothing, and owes no word on it to the page that does.
_SHOWN = re.compile(r"(?i)(?:^|/)(?:examples?|samples?|demos?)/")
# A line that is about one name: a row, a point, a key, a heading, a remark.
_ENTRY = r"^(?:\.\. [\w:]+::\s+(?:[\w.]*\.)?|[\s\-*|#/>+]*)[`\"'*_]*{name}[`\"'*_]*\??\s*(?:[:|(=,]|[-–]\s|is\b|\s\s|$)"


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    beside = _beside(edit)
    if in_test(edit.path) or len(beside) < _LEAST or hidden(edit) or not _leads(edit, edits):
        return None
    owner = _owner(edit)
    return seed(
        edit,
        "member_not_listed",
        change=f"{code(owner)} has a new member {code(edit.subject)}",
        precondition=f"a document lists the members of {code(owner)}",
        consequence=f"the list does not have {code(edit.subject)}",
        refuted_if=(f"a document names {code(edit.subject)}", f"no document lists the members of {code(owner)}"),
        plan=tuple(ask(QueryKind.TEXT, name, path=_PAGES, scope="words") for name in (edit.subject, *beside)),
        risk=-10,
    )


def hidden(edit: Edit) -> bool:
    """Whether nobody outside can set or read it: pages owe it no entry."""
    private = re.match(r"(?:private|protected)\b|#", edit.after or "") is not None
    return private or edit.subject.startswith("_") or (edit.language == "go" and edit.subject[:1].islower())


def _owner(edit: Edit) -> str:
    return text(edit, "owner").rpartition(".")[2]


def _leads(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether it is the first new member of its type in the change: copies and further members say no more."""
    same = [one for one in edits if one.op is edit.op and _owner(one) == _owner(edit)]
    return same[0].edit_id == edit.edit_id


def _beside(edit: Edit) -> tuple[str, ...]:
    """The members nearest to the new one that can be nothing but names."""
    others, index = texts(edit, "others"), number(edit, "index") or 0
    telling = [(abs(at - index), name) for at, name in enumerate(others) if is_telling(name) and len(name) >= _SHORTEST]
    return tuple(name for _, name in sorted(telling)[:_ASKED])


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    named = _in_documents(bundle, edit.subject)
    if named:
        return unsettled(
            NoFindingCode.REFUTED,
            f"{place(named[0].ref)} names {code(edit.subject)}",
            refs=[named[0].ref],
        )
    entries = _entries(bundle, _beside(edit))
    if not entries:
        return unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"no document lists the members of {code(_owner(edit))}; {searched(bundle, QueryKind.TEXT)}",
        )
    asked = [one for one in bundle.queries if one.query.name == edit.subject]
    stopped = blocked(bundle.model_copy(update={"queries": tuple(asked)}), QueryKind.TEXT)
    return stopped if stopped is not None else (_card(question, entries),)


def _in_documents(bundle: Bundle, name: str) -> list[Found[UseFact]]:
    hits = every(bundle, UseFact, QueryKind.TEXT, name)
    return [
        one
        for one in hits
        if DOCS.search(one.ref.path) and not HISTORY.search(one.ref.path) and not _SHOWN.search(one.ref.path)
    ]


def _entries(bundle: Bundle, beside: Sequence[str]) -> Mapping[str, Found[UseFact]]:
    """Of the document that has lines about most of the members, the first such line of each; empty if they are few."""
    by_path: dict[str, dict[str, Found[UseFact]]] = {}
    for name in beside:
        form = re.compile(_ENTRY.format(name=re.escape(name)))
        for one in _in_documents(bundle, name):
            if form.search(one.evidence.text) and not one.evidence.near_change:
                by_path.setdefault(one.ref.path, {}).setdefault(name, one)
    best = max(sorted(by_path), key=lambda path: len(by_path[path]), default="")
    return by_path[best] if best and len(by_path[best]) >= _LEAST else {}


def _card(question: Question, entries: Mapping[str, Found[UseFact]]) -> Draft:
    edit = question.edits[0]
    ordered = sorted(entries.items(), key=lambda one: one[1].ref.start_line)
    (first, top), (last, bottom) = ordered[0], ordered[-1]
    between = listed(name for name, _ in ordered[1:-1])
    return draft(
        question,
        claim=f"Adding {code(edit.subject)} to {code(_owner(edit))} leaves {code(top.ref.path)} short of it: from "
        f"{code(first)} at line {top.ref.start_line} over {between} to {code(last)} at line {bottom.ref.start_line} it "
        f"has an entry for the members beside it, and nowhere a word on {code(edit.subject)}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[top.ref, bottom.ref],
        impact="Whoever looks there for what can be set or read does not learn that it exists or how it is used.",
        counter=(f"A page that names {code(edit.subject)} would refute this; none outside of histories does.",),
    )


RULES = (Rule("member_not_listed", frozenset({EditOp.FIELD_ADDED}), _raise, _settle),)

"""Rules of ``incomplete_change`` about a new member of a list of values that one place which tells them misses."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
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
    Resolution,
    Severity,
    SourceRef,
    UseFact,
)

__all__ = ["RULES"]

# Members that one question looks up beside the new one.
_ASKED = 7
# Lines of a table that stand together.
_TOGETHER = 15
_TELLS = re.compile(r"\bcase\b|===?|\bis\b|\bin\b|->|=>|^\s*[\"'\[]?[\w.]+[\"'\]]?\s*:|\.put\(|\bif\b|\bwhen\b")


@dataclass
class Group:
    """What one function, or one table, has to do with the members."""

    names: set[str]
    raises: tuple[str, ...]
    refs: list[SourceRef]
    scope: str
    near: bool
    tells: bool


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    others = texts(edit, "others")
    if (
        text(edit, "value") == "text"
        or in_test(edit.path)
        or len(others) < 2
        or not re.fullmatch(r"[A-Za-z_]\w*", edit.subject)
    ):
        return None
    owner = text(edit, "owner")
    if owner and not re.fullmatch(r"[A-Za-z_][\w.]*", owner):
        return None
    asked = dict.fromkeys((*_spread(others), edit.subject))
    return seed(
        edit,
        "new_member_unhandled",
        change=f"{code(edit.subject)} came to {code(owner or edit.path)} beside {listed(others[:3])}",
        precondition="a place that tells the members apart fails on one that it does not know",
        consequence=f"it fails as soon as it meets {code(edit.subject)}",
        refuted_if=(f"every such place knows {code(edit.subject)}", "what it does not know it treats as harmless"),
        plan=tuple(ask(QueryKind.CALLERS, one, path=edit.path, scope=owner) for one in asked),
    )


def _spread(others: Sequence[str]) -> tuple[str, ...]:
    """The members that are looked up: all, or of very many the first, the last and some between."""
    step = max(1, len(others) // (_ASKED - 1))
    return tuple(dict.fromkeys((*others[::step][: _ASKED - 1], others[-1])))


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    stopped = blocked(bundle, QueryKind.CALLERS)
    if stopped is not None:
        return stopped
    groups = list(_groups(bundle, edit).values())
    telling = [one for one in groups if one.tells and len(one.names - {edit.subject}) >= 2]
    known = [one for one in telling if edit.subject in one.names]
    left = [one for one in telling if edit.subject not in one.names and not one.near]
    # A place that names some of the others only refuses the rest on purpose, and the new one with them.
    before = set(_spread(texts(edit, "others")))
    failing = [one for one in left if (one.raises or not one.scope) and before <= one.names]
    if failing and known:
        worst = min(failing, key=lambda one: (not one.raises, one.refs[0].path))
        return (_card(question, worst, known[0]),)
    if not (known or left):
        where = searched(bundle, QueryKind.CALLERS)
        outside = " outside the change" if telling else ""
        return unsettled(NoFindingCode.NO_CANDIDATE, f"nothing{outside} tells the members apart; searched: {where}")
    if left:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(left[0].refs[0])} does not name {code(edit.subject)}; that it fails on it is not established",
            missing=(f"what {code(left[0].scope or left[0].refs[0].path)} does with {code(edit.subject)}",),
            refs=left[0].refs[:2],
        )
    return unsettled(
        NoFindingCode.REFUTED,
        f"every place that tells the members apart names {code(edit.subject)}; {place(known[0].refs[0])} is one",
        refs=known[0].refs[:1],
    )


def _groups(bundle: Bundle, edit: Edit) -> Mapping[tuple[str, str, int], Group]:
    """Uses of the members by function; outside functions by the lines that stand together."""
    found: dict[tuple[str, str, int], Group] = {}
    asked: list[Found[UseFact] | Found[CallFact]] = [*every(bundle, UseFact, QueryKind.CALLERS)]
    asked += every(bundle, CallFact, QueryKind.CALLERS)
    uses = [
        one
        for one in asked
        if (one.fact.resolution is Resolution.RESOLVED or _is_label(edit, one.evidence.text)) and not one.fact.in_test
    ]
    tables: dict[str, list[int]] = defaultdict(list)
    for one in sorted(uses, key=lambda one: (one.ref.path, one.ref.start_line)):
        if isinstance(one.fact, UseFact) and one.fact.use in ("import", "export"):
            continue
        within = _table(tables[one.ref.path], one.ref.start_line) if not one.fact.scope else 0
        key = (one.ref.path, one.fact.scope, within)
        group = found.setdefault(key, Group(set(), (), [], one.fact.scope, False, False))
        _take(group, one, bundle)
    return found


def _is_label(edit: Edit, line: str) -> bool:
    """Java names the members of an enumeration bare after ``case``: two of them in one switch are no coincidence."""
    return edit.language == "java" and re.match(r"\s*case\b", line) is not None


def _table(starts: list[int], line: int) -> int:
    if not starts or line - starts[-1] > _TOGETHER:
        starts.append(line)
    return starts[-1]


def _take(group: Group, one: Found[UseFact] | Found[CallFact], bundle: Bundle) -> None:
    group.names.add(bundle.queries[one.evidence.query].query.name)
    group.refs.append(one.ref)
    group.near = group.near or one.evidence.near_change
    group.tells = group.tells or _TELLS.search(one.evidence.text) is not None
    if isinstance(one.fact, UseFact):
        group.raises = group.raises or one.fact.scope_raises


def _card(question: Question, left: Group, known: Group) -> Draft:
    edit = question.edits[0]
    first = left.refs[0]
    scope = code(left.scope) if left.scope else "the table"
    fails = f"fails with {code(left.raises[-1])} on any other" if left.raises else "has no entry for it"
    return draft(
        question,
        claim=f"Adding {code(edit.subject)} leaves {scope} at {place(first)} behind: it tells "
        f"{listed(sorted(left.names))} apart and {fails}, while {place(known.refs[0])} names the new one.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[first, known.refs[0]],
        impact="A value of the new kind comes to that function in the ordinary course; nothing stops it on the way.",
        counter=(f"A branch for {code(edit.subject)} there would refute this; the function does not name it.",),
        uncertainty=()
        if left.raises
        else ("How the table is read, and what a missing entry does there, was not followed.",),
    )


RULES = (Rule("new_member_unhandled", frozenset({EditOp.MEMBER_ADDED}), _raise, _settle),)

"""A rule of ``incomplete_change``: a new text that one of those who tell texts apart does not know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    found,
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

# Lines of a table that stand together.
_TOGETHER = 12
_ASIDE = re.compile(r"\.(?:md|rst|txt|json|ya?ml|toml|svg|snap|lock|html)$|(?:^|/)(?:docs?|examples?|fixtures?)/")


@dataclass
class Place:
    """One function, or one table, and the texts that it tells apart."""

    knows: dict[str, Found[UseFact]] = field(default_factory=dict)
    raises: tuple[str, ...] = ()
    scope: str = ""

    @property
    def near(self) -> bool:
        return any(one.evidence.near_change for one in self.knows.values())

    @property
    def first(self) -> Found[UseFact]:
        return min(self.knows.values(), key=lambda one: one.ref.start_line)


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    others = texts(edit, "others")
    if text(edit, "value") != "text" or in_test(edit.path) or len(edit.subject) < 3:
        return None
    same = [one for one in edits if (one.op, one.subject, text(one, "value")) == (edit.op, edit.subject, "text")]
    if same[0].edit_id != edit.edit_id:
        return None
    asked = dict.fromkeys((others[0], others[-1], edit.subject))
    plan = [ask(QueryKind.TEXT, f"{sign}{one}{sign}", scope="functions") for one in asked for sign in "\"'"]
    return seed(
        edit,
        "new_case_unhandled",
        change=f"{code(edit.subject)} came beside {listed(others[:3])} in {code(edit.path)}",
        precondition="another place tells the same texts apart and fails on one that it does not know",
        consequence=f"it fails as soon as it meets {code(edit.subject)}",
        refuted_if=(f"every such place knows {code(edit.subject)}", "what it does not know it treats as harmless"),
        plan=plan,
        others=same[1:],
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    stopped = blocked(bundle, QueryKind.TEXT)
    if stopped is not None:
        return stopped
    siblings = {query.name[1:-1] for query in question.plan} - {edit.subject}
    telling = [one for one in _places(bundle) if siblings <= set(one.knows)]
    known = [one for one in telling if edit.subject in one.knows]
    left = [one for one in telling if edit.subject not in one.knows and not one.near]
    failing = [one for one in left if one.raises or not one.scope]
    certain = [one for one in failing if one.raises or len(known) > 1]
    if certain and known and len(left) <= 2:
        return (_card(question, certain[0], known[0]),)
    if left:
        first = left[0].first
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(first.ref)} does not name {code(edit.subject)}; that it fails on it is not established",
            missing=(f"what {code(left[0].scope or first.ref.path)} does with {code(edit.subject)}",),
            refs=[first.ref],
        )
    if known:
        return unsettled(
            NoFindingCode.REFUTED,
            f"every place that tells these texts apart names {code(edit.subject)}; {place(known[0].first.ref)} is one",
            refs=[known[0].first.ref],
        )
    return unsettled(NoFindingCode.NO_CANDIDATE, f"nothing else tells them apart; searched: {searched(bundle)}")


def _places(bundle: Bundle) -> list[Place]:
    """Lines that tell one of the texts from others, by function; outside functions by the lines that stand together."""
    found_: dict[tuple[str, str, int], Place] = {}
    start: dict[str, int] = {}
    hits = [
        one
        for one in found(bundle, UseFact, QueryKind.TEXT)
        if not one.fact.in_test and not _ASIDE.search(one.ref.path)
    ]
    for one in sorted(hits, key=lambda one: (one.ref.path, one.ref.start_line)):
        name = one.fact.text[1:-1]
        if not _tells(one.evidence.text, name):
            continue
        path, line = one.ref.path, one.ref.start_line
        if not one.fact.scope and line - start.get(path, -_TOGETHER - 1) > _TOGETHER:
            start[path] = line
        at = found_.setdefault(
            (path, one.fact.scope, 0 if one.fact.scope else start[path]), Place(scope=one.fact.scope)
        )
        at.knows.setdefault(name, one)
        at.raises = at.raises or one.fact.scope_raises
    return list(found_.values())


def _tells(line: str, name: str) -> bool:
    """Whether a line branches on a text, or keeps something under it."""
    quoted = rf"[\"']{re.escape(name)}[\"']"
    return (
        re.search(
            rf"\bcase {quoted}|===? {quoted}|equals\({quoted}|^\s*{quoted}\s*(?::|->|=>|,|\))|\.put\({quoted}", line
        )
        is not None
    )


def _card(question: Question, left: Place, known: Place) -> Draft:
    edit, first = question.edits[0], left.first
    knows = listed(sorted(left.knows))
    fails = f"fails with {code(left.raises[-1])} on any other" if left.raises else "has no entry for it"
    return draft(
        question,
        claim=f"Adding {code(edit.subject)} leaves {code(left.scope) if left.scope else 'the table'} at "
        f"{place(first.ref)} behind: it "
        f"tells {knows} apart and {fails}, while {place(known.knows[edit.subject].ref)} names the new one.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[first.ref, known.knows[edit.subject].ref],
        impact="A value of the new kind takes the way of the others and comes there in the ordinary course.",
        counter=(f"A branch or an entry for {code(edit.subject)} there would refute this; none is named.",),
        uncertainty=("That both places are given the same values was told by the texts that they share.",),
    )


RULES = (Rule("new_case_unhandled", frozenset({EditOp.MEMBER_ADDED}), _raise, _settle),)

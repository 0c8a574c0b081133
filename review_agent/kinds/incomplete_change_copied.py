"""A rule of ``incomplete_change`` about code that came and stands word for word in another place already."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from review_agent.counting import counted
from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    code,
    draft,
    every,
    place,
    searched,
    seed,
    texts,
    unsettled,
)
from review_agent.kinds.copied_places import decides, kept_apart, manifests
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.edits.blocks_added import LEAST
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

RULE = "block_copied"
# More places than these with the same lines are the house's way of writing.
_FEW = 2
# A file that came has many imports to look up: one block of it is looked for in front of them.
_FIRST, _LATER = -35, -60
# Texts that are looked for: the plan has room for one query more.
_MOST = 7
_ASIDE = re.compile(
    r"(?i)(?:^|[/._-])(?:tests?|spec|testing|e2e|migrations?|examples?|samples?|demos?|fixtures?|mocks?|stories|vendor\w*"
    r"|third_party|dist|generated|docs?|website|www)(?:[/._-]|$)|\.min\.|\.d\.ts$"
)

Copy = tuple[Found[UseFact], ...]


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    keys = texts(edit, "keys")
    if not any(decides(one, edit.path) for one in keys):
        return None
    return seed(
        edit,
        RULE,
        change=f"{len(keys)} telling lines from {snippet(keys[0])} on came to {code(edit.path)}",
        precondition="the same lines stand in the same order and distance in another place",
        consequence="the two go apart as soon as one of them is changed",
        refuted_if=(
            "no other place has them",
            "more than two other places have them: it is how such code is written",
            "a remark says that it is a copy",
            "the two belong to packages that are published apart",
        ),
        plan=[*(ask(QueryKind.TEXT, one) for one in keys[:_MOST]), *_manifests(edit.path)],
        risk=_FIRST if _leads(edit, edits) else _LATER,
    )


def _manifests(path: str) -> list[PlanQuery]:
    """What tells the packages of a repository apart."""
    return [ask(QueryKind.PATH, one) for one in manifests(path)]


def _leads(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether it is the largest of its hunk."""
    same = [one for one in edits if one.op is edit.op and one.hunk_id == edit.hunk_id]
    best = max(same, key=lambda one: sum(map(len, texts(one, "keys"))))
    return best.edit_id == edit.edit_id


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    copies = [one for one in _places(bundle, edit).values() if len(one) >= LEAST]
    if len(copies) > _FEW:
        return unsettled(
            NoFindingCode.REFUTED,
            f"{len(copies)} other places have these lines; they are how such code is written here",
            refs=[one[0].ref for one in copies[:4]],
        )
    if not copies:
        return unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"no other place has these lines in this order and distance; {_searched(bundle)}",
        )
    best = max(copies, key=lambda one: (len(one), one[0].ref.path == edit.path))
    return kept_apart(edit, bundle, best[0].ref) or (_card(question, best),)


def _searched(bundle: Bundle) -> str:
    """What was looked for and where: a block is told by its first line, as the change itself shows the others."""
    told = [one for one in bundle.queries if one.query.kind is QueryKind.TEXT]
    if not told:
        return searched(bundle, QueryKind.TEXT)
    first = told[0]
    number = counted(len(told), "of them was", "of them were")
    return f"{number} searched for, the first, {snippet(first.query.name)}, in {first.searched or 'nothing'}"


def _places(bundle: Bundle, edit: Edit) -> Mapping[tuple[str, int], Copy]:
    """By file and line: the lines that stand as far from it as they do from the first line of the block."""
    found: dict[tuple[str, int], Copy] = defaultdict(tuple)
    for key, offset in zip(texts(edit, "keys"), texts(edit, "offsets"), strict=True):
        for one in every(bundle, UseFact, QueryKind.TEXT, key):
            if one.evidence.text.strip() == key and _counts(one):
                found[one.ref.path, one.ref.start_line - int(offset)] += (one,)
    return found


def _counts(one: Found[UseFact]) -> bool:
    return not one.fact.in_test and not one.evidence.near_change and not _ASIDE.search(one.ref.path)


def _card(question: Question, copy: Copy) -> Draft:
    edit, first, last = question.edits[0], copy[0], copy[-1]
    begins, ends = (snippet(one.evidence.text.strip()) for one in (first, last))
    return draft(
        question,
        claim=f"Adding {begins} and what follows it to {code(edit.path)} repeats code that is there: "
        f"{place(first.ref)} to line {last.ref.start_line}, from {begins} to {ends}, has {len(copy)} of the added "
        "lines word for word in the same order and distance.",
        op=EffectOp.ADDED,
        subject=first.evidence.text.strip(),
        severity=Severity.SUGGESTION,
        support=[first.ref, last.ref],
        impact="Whoever mends or extends one of the two leaves the other behind; no name ties them, and no test or "
        "compiler tells.",
        counter=(
            "A remark at either place that names the other, or packages that are published apart, would refute this; "
            "both places were read and have none.",
        ),
    )


RULES = (Rule(RULE, frozenset({EditOp.BLOCK_ADDED}), _raise, _settle),)

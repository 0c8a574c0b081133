"""A rule of ``api_contract``: a prop of a component renamed, and a parent that still passes the old one."""

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
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.words import whole_name
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

_SCRIPT = (".tsx", ".jsx", ".js", ".ts")
# Lines over which the tag of an element can reach.
_TAG = 12


def _component(edit: Edit) -> str:
    """The component whose props the changed line takes apart, "" for none."""
    if edit.op is EditOp.OPTION_RENAMED:
        name = text(edit, "function").rpartition(".")[2]
        return name if name[:1].isupper() and edit.facts.get("index") == 0 else ""
    after = whole_name(edit.after or "")
    for line, scope in zip(texts(edit, "texts"), texts(edit, "scopes"), strict=False):
        name = scope.rpartition(".")[2]
        taken = re.search(rf"\{{[^{{}}]*{after}[^{{}}]*\}}\s*(?::|\)|=)", line) or re.search(rf"\bprops\.{after}", line)
        if name[:1].isupper() and taken:
            return name
    return ""


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    component = _component(edit) if edit.path.endswith(_SCRIPT) else ""
    before, after = edit.before or "", edit.after or ""
    if edit.op is EditOp.TEXT_REPLACED and any(
        one.op is EditOp.OPTION_RENAMED and one.before == before for one in edits
    ):
        return None
    if not component or not (before.isidentifier() and after.isidentifier()):
        return None
    return seed(
        edit,
        "prop_renamed",
        change=f"{code(component)} takes {code(after)} where it took {code(before)}",
        precondition=f"a parent still passes {code(before)}",
        consequence=f"{code(component)} gets nothing for {code(after)}",
        refuted_if=(f"every parent passes {code(after)}", "the rest of the props is spread where it is used"),
        plan=(ask(QueryKind.TEXT, f"<{component}"), ask(QueryKind.TEXT, f"{before}=")),
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    component, before = _component(edit), edit.before or ""
    uses = [one for one in found(bundle, UseFact, QueryKind.TEXT) if not one.fact.in_test]
    tags = [one for one in uses if re.search(rf"<{component}(?![\w.])", one.evidence.text)]
    passing = [one for one in uses if re.search(rf"(?<![\w.]){before}=", one.evidence.text)]
    stale = [one for one in passing if not one.evidence.near_change and _of_tag(one, tags)]
    if stale:
        return (_card(question, component, stale[0]),)
    return blocked(bundle, QueryKind.TEXT) or unsettled(
        NoFindingCode.REFUTED if tags else NoFindingCode.NO_CANDIDATE,
        f"no parent of {code(component)} passes {code(before)}; searched: {searched(bundle)}",
        refs=[one.ref for one in tags[:2]],
    )


def _of_tag(one: Found[UseFact], tags: Sequence[Found[UseFact]]) -> bool:
    """Whether an attribute belongs to an element of the component: its tag opens on the same line or a little above."""
    above = [
        tag.ref.start_line
        for tag in tags
        if tag.ref.path == one.ref.path and 0 <= one.ref.start_line - tag.ref.start_line <= _TAG
    ]
    alone = re.match(rf"\s*{re.escape(one.fact.text.rstrip('='))}=", one.evidence.text)
    return any(line == one.ref.start_line for line in above) or bool(above and alone)


def _card(question: Question, component: str, one: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    before, after = code(edit.before or ""), code(edit.after or "")
    return draft(
        question,
        claim=f"Renaming the prop {before} of {code(component)} to {after} strands {place(one.ref)}, which still "
        f"passes {before}.",
        op=EffectOp.RENAMED,
        subject=edit.before or "",
        to=edit.after,
        severity=Severity.IMPORTANT,
        support=[one.ref],
        impact="That parent is shown: the component finds nothing under the new name and does without it.",
        counter=(f"A component that still takes {before} would refute this; it takes {after} apart.",),
    )


RULES = (Rule("prop_renamed", frozenset({EditOp.TEXT_REPLACED, EditOp.OPTION_RENAMED}), _raise, _settle),)

"""A rule of ``cache_key``: the form of a key changed at one place, and another place still builds the old one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from review_agent.kinds.base import Seed, Settled, ask, blocked, code, draft, place, seed, text, texts, unsettled
from review_agent.kinds.bodies import calls_in
from review_agent.kinds.cache_access import act_of, holder
from review_agent.kinds.cache_key_parts import is_key
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.key_shapes import Shape, of_part, prefix_of, shape_of, shapes_in
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    Evidence,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
)

__all__ = ["RULES"]

_OPS = frozenset({EditOp.COMPONENT_REMOVED, EditOp.COMPONENT_ADDED, EditOp.TEMPLATE_CHANGED})
_TEXTS = frozenset({"template", "join", "format"})


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path) or text(edit, "composite") not in _TEXTS or not is_key(edit) or not _first(edit, edits):
        return None
    before, after = _shapes(edit)
    looked = prefix_of(text(edit, "beforeText"))
    plan = [ask(QueryKind.TEXT, looked)] if looked else _around(edit)
    if not plan or before.same(after):
        return None
    name = split(function_of(edit))[1]
    return seed(
        edit,
        "key_form_changed",
        change=f"{code(name)} builds keys as {code(after.shown)} that were {code(before.shown)}",
        precondition=f"another place still builds {code(before.shown)} for the same store",
        consequence="the two no longer meet: what one keeps the other neither finds nor drops",
        refuted_if=("every other place builds the new form", "the other place is for another store"),
        plan=plan,
        risk=8,
    )


def _around(edit: Edit) -> list[PlanQuery]:
    """Where the same file takes keys by their beginning or end: for keys that have no word of their own to look for."""
    if not texts(edit, "holders") or not re.search(r"[^\w{}\s]", text(edit, "beforeText")):
        return []
    begins = {"python": "startswith", "go": "HasPrefix"}.get(edit.language, "startsWith")
    ends = {"python": "endswith", "go": "HasSuffix"}.get(edit.language, "endsWith")
    return [ask(QueryKind.TEXT, one, path=edit.path) for one in (begins, ends)]


def _shapes(edit: Edit) -> tuple[Shape, Shape]:
    return (
        shape_of(text(edit, "beforeText"), texts(edit, "beforeComponents")),
        shape_of(text(edit, "afterText"), texts(edit, "afterComponents")),
    )


def _first(edit: Edit, edits: Sequence[Edit]) -> bool:
    """One question for all places of a change that give a key the same new form."""
    same = [one for one in edits if one.op in _OPS and text(one, "composite") in _TEXTS and is_key(one)]
    alike = [one for one in same if text(one, "beforeText") == text(edit, "beforeText")]
    return bool(alike) and alike[0].edit_id == edit.edit_id


@dataclass(frozen=True)
class Place:
    """A line that builds a key: its shape, and what the line does with it."""

    evidence: Evidence
    shape: Shape
    act: str


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    before, after = _shapes(edit)
    seen = [one for one in _places(bundle) if _head(one.shape) == _head(before) or one.shape.same(before)]
    stale = [one for one in seen if one.shape.same(before) and not one.shape.same(after)]
    outside = [one for one in stale if not one.evidence.near_change and one.evidence.ref.path != ""]
    stopped = blocked(bundle, QueryKind.TEXT)
    if outside:
        worst = min(outside, key=lambda one: ("drop", "read", "write", "").index(one.act))
        return (_card(question, before, after, worst, [one for one in seen if one.shape.same(after)]),)
    if stopped is not None:
        return stopped
    fits = [one for one in seen if one.shape.same(after) and not one.evidence.near_change]
    if fits:
        return unsettled(
            NoFindingCode.REFUTED,
            f"every other place builds {code(after.shown)}; {place(fits[0].evidence.ref)} is one",
            refs=[one.evidence.ref for one in fits],
        )
    return unsettled(NoFindingCode.NO_CANDIDATE, f"no other place builds keys that begin as {code(before.shown)}")


def _head(shape: Shape) -> str:
    return re.split(r"\0", shape.text, maxsplit=1)[0]


def _places(bundle: Bundle) -> list[Place]:
    found = []
    for one in bundle.evidence:
        if one.origin != "hit" or in_test(one.ref.path) or language_of(one.ref.path) not in PARSED:
            continue
        act = _act(one)
        for shape in shapes_in(one.text):
            found.append(Place(one, of_part(shape, one.text, drops=act == "drop"), act))
    return found


_STARTS = re.compile(r"(?i)\b(startswith|hasprefix|starts_with|endswith|hassuffix|ends_with)\b")


def _act(one: Evidence) -> str:
    """What the line does with the key it builds, by its calls."""
    acts = [
        act_of(call.name)
        for call in calls_in(one.text)
        if call.name == "delete" or (holder(call.callee) and act_of(call.name))
    ]
    return next((act for act in acts if act), "drop" if _STARTS.search(one.text) else "").replace("both", "read")


_DOING = {"drop": "drops keys of", "read": "asks for", "write": "keeps values under", "": "builds"}


def _card(question: Question, before: Shape, after: Shape, stale: Place, same: Sequence[Place]) -> Draft:
    edit, ref = question.edits[0], stale.evidence.ref
    name = split(function_of(edit))[1]
    subject = edit.subject if edit.op is not EditOp.TEMPLATE_CHANGED else function_of(edit)
    verb = {EditOp.COMPONENT_REMOVED: "Removing", EditOp.COMPONENT_ADDED: "Adding"}.get(edit.op, "Changing")
    op = {EditOp.COMPONENT_REMOVED: EffectOp.REMOVED, EditOp.COMPONENT_ADDED: EffectOp.ADDED}.get(
        edit.op, EffectOp.CHANGED
    )
    what = {"Removing": "from the key in", "Adding": "to the key in"}.get(verb, "")
    head = f"{verb} {code(subject)} {what} {code(name)}" if what else f"Changing the key in {code(name)}"
    effect = {
        "drop": "entries under the new form outlive what should end them",
        "read": "it finds nothing of what is kept under the new form",
        "write": "what it keeps is found by nobody who asks in the new form",
        "": "the two no longer meet",
    }[stale.act]
    return draft(
        question,
        claim=f"{head} leaves {place(ref)} behind: it {_DOING[stale.act]} the old form, and {effect}.",
        op=op,
        subject=subject,
        severity=Severity.IMPORTANT,
        support=[ref],
        impact=f"A value was cached through {code(name)} and its source changes before the entry runs out."
        if stale.act == "drop"
        else f"One process goes through {code(name)} and then through the other place for the same thing.",
        counter=(f"Both forms kept on purpose during a migration would refute this; {code(name)} builds one only.",),
    )


RULES = (Rule("key_form_changed", _OPS, _raise, _settle),)

"""A rule of ``incomplete_change``: a step that all but one of those who fill a slot now take."""

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
    text,
    texts,
    unsettled,
)
from review_agent.kinds.functions import function_of
from review_agent.kinds.incomplete_change_steps import PLAIN_STEPS, leads_steps
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
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


def _raise_slot(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    slots = texts(edit, "slots")
    if in_test(edit.path) or not slots or edit.subject in PLAIN_STEPS or not leads_steps(edit, edits):
        return None
    same = [
        one
        for one in edits
        if one.op is edit.op and one.subject == edit.subject and slots[0] in texts(one, "slots") and one is not edit
    ]
    slot = slots[0]
    return seed(
        edit,
        "step_left_out_of_slot",
        change=f"what {code(slot)} gets in {code(function_of(edit))} now goes through {code(edit.subject)}",
        precondition=f"another place sets {code(slot)} without {code(edit.subject)}",
        consequence=f"{code(slot)} holds two kinds of values",
        refuted_if=(
            f"every place that sets {code(slot)} takes the step",
            "the places set different things of that name",
        ),
        plan=(
            ask(QueryKind.TEXT, f"{slot}="),
            ask(QueryKind.TEXT, f"{slot}:"),
            ask(QueryKind.TEXT, f'{slot}":'),
            ask(QueryKind.TEXT, f"{edit.subject}("),
        ),
        others=same,
    )


def _settle_slot(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    stopped = blocked(bundle, QueryKind.TEXT)
    if stopped is not None:
        return stopped
    slot, taken = texts(edit, "slots")[0], text(edit, "argument")
    raw = re.compile(rf"""{whole_name(slot)}["']?\s*(?::|=)\s*(?P<value>[\w.\[\]"']+(?:\([^()]*\))?)\s*[,)}}]?\s*$""")
    hits = [
        one for one in found(bundle, UseFact, QueryKind.TEXT) if not one.fact.in_test and not one.evidence.near_change
    ]
    setting = {
        (one.ref.path, one.ref.start_line): one
        for one in hits
        if (m := raw.search(one.evidence.text)) and _same_source(m["value"], taken)
    }
    takes = [
        one
        for one in found(bundle, UseFact, QueryKind.TEXT)
        if re.search(rf"{whole_name(slot)}.*{whole_name(edit.subject)}\(", one.evidence.text)
    ]
    if len(setting) == 1 and len({(one.ref.path, one.ref.start_line) for one in takes}) >= 2:
        return (_slot_card(question, next(iter(setting.values()))),)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE if setting else NoFindingCode.NO_CANDIDATE,
        f"no one place is left that sets {code(slot)} from a like value without {code(edit.subject)}",
        missing=(f"a place that sets {code(slot)} as the changed ones did",) if setting else (),
        refs=[one.ref for one in list(setting.values())[:3]],
    )


def _same_source(value: str, taken: str) -> bool:
    """Whether a value is had in the way in which the changed one was: the same member or key of another object."""

    def tail(expression: str) -> str:
        names = re.findall(r"\w+", expression)
        return names[-1] if names else ""

    return tail(value) == tail(taken) != ""


def _slot_card(question: Question, left: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    slot = texts(edit, "slots")[0]
    return draft(
        question,
        claim=f"Adding {snippet(edit.after or edit.subject)} to {code(function_of(edit))} leaves "
        f"{place(left.ref)} behind: it still sets "
        f"{code(slot)} to the value as it comes.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[left.ref],
        impact="What comes from both places is compared or added up: the values are of different kinds.",
        counter=(
            f"A value that has taken {code(edit.subject)} before would refute this; the line takes it as it comes.",
        ),
        uncertainty=(f"Whether the value there went through {code(edit.subject)} earlier was not followed.",),
    )


RULES = (Rule("step_left_out_of_slot", frozenset({EditOp.STEP_ADDED}), _raise_slot, _settle_slot),)

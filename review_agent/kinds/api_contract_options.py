"""A rule of ``api_contract``: a key of an object parameter renamed, and a caller that still passes the old one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import Found, Seed, Settled, code, draft, flag, place, seed, text
from review_agent.kinds.callers import Verdict, first_of, listed_refs, settle_calls
from review_agent.kinds.functions import called, nested, plan_of_calls
from review_agent.kinds.rulebook import Rule
from review_agent.vocabulary import Bundle, CallFact, Draft, Edit, EditOp, EffectOp, Question, Severity

__all__ = ["RULES"]

Calls = Sequence[Found[CallFact]]


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    name = called(text(edit, "function"))[1]
    # Components are met as elements, not by calls.
    if nested(edit) or name[:1].isupper():
        return None
    before, after = code(edit.before or ""), code(edit.after or "")
    return seed(
        edit,
        "option_renamed_still_passed",
        change=f"{code(name)} takes {after} from its object where it took {before}",
        precondition=f"a caller still passes {before}",
        consequence=f"what it passes is dropped, and {after} is {_without(edit)}",
        refuted_if=(f"every resolved caller passes {after}", f"{code(name)} still takes {before} elsewhere"),
        plan=plan_of_calls(edit),
    )


def _without(edit: Edit) -> str:
    return "its default" if flag(edit, "hasDefault") else "`undefined`"


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    index = edit.facts.get("index")
    before, after = edit.before or "", edit.after or ""

    def judge(call: CallFact) -> Verdict:
        given = call.arguments[index] if isinstance(index, int) and index < len(call.arguments) else None
        if given is None or given.star or not given.text.startswith("{"):
            return Verdict.UNCLEAR
        if _passes(given.text, after):
            return Verdict.FITS
        return Verdict.BREAKS if _passes(given.text, before) else Verdict.UNCLEAR

    name = called(text(edit, "function"))[1]
    return settle_calls(
        question,
        bundle,
        judge,
        lambda calls: _card(question, name, calls),
        name=name,
        fits=f"passes {code(after)}",
        unclear=f"whether the object that it passes has {code(before)} is not known",
    )


def _passes(written: str, key: str) -> bool:
    return re.search(rf"""[{{,]\s*["']?{re.escape(key)}["']?\s*[:,}}]""", written) is not None


def _card(question: Question, name: str, calls: Calls) -> Draft:
    edit, first, refs = question.edits[0], calls[0], listed_refs(calls)
    before, after = code(edit.before or ""), code(edit.after or "")
    return draft(
        question,
        claim=f"Renaming {before} to {after} in what {code(name)} takes apart strands {place(first.ref)}"
        f"{first_of(refs)}: it still passes {before}, which is dropped, and {after} is {_without(edit)} there.",
        op=EffectOp.RENAMED,
        subject=edit.before or "",
        to=edit.after,
        severity=Severity.IMPORTANT,
        support=refs,
        impact=f"The call runs as if the caller had not given its {before}.",
        counter=(f"A value for {after} in the object would refute this; {place(first.ref)} writes it out without.",),
    )


RULES = (Rule("option_renamed_still_passed", frozenset({EditOp.OPTION_RENAMED}), _raise, _settle),)

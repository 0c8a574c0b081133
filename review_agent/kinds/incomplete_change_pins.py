"""A rule of ``incomplete_change`` about a version asked for in several files: raised in one, left in another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    code,
    draft,
    every,
    place,
    seed,
    text,
)
from review_agent.kinds.copies import FEW, MANIFEST, elsewhere, is_first, none_left, plain, same_edit
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

# Versions that a resolver wrote down: each such file is solved for itself.
_SOLVED = re.compile(
    r"(?:^|/)[\w.-]*requirements[\w.-]*\.(?:txt|in)$|(?:^|/)requirements[\w-]*/|constraints[\w.-]*\.txt$"
)
_WORKFLOW = re.compile(r"(?:^|/)\.(?:github|gitea|forgejo)/|(?:^|/)action\.ya?ml$")


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    form, spec = text(edit, "form"), text(edit, "beforeText")
    if not is_first(edit, edits):
        return None
    if form == "pin" and MANIFEST.search(edit.path):
        return _seed(edit, edits, spec)
    if form == "artifact" and "SNAPSHOT" not in f"{edit.before} {edit.after}":
        return _seed(edit, edits, edit.before or "", text(edit, "lineBefore"))
    if form == "action" and _WORKFLOW.search(edit.path):
        return _seed(edit, edits, f"{text(edit, 'name')}@{spec}")
    return None


def _seed(edit: Edit, edits: Sequence[Edit], *sought: str) -> Seed:
    name, before, after = (text(edit, one) for one in ("name", "beforeText", "afterText"))
    return seed(
        edit,
        "pin_left_behind",
        change=f"{code(name)} went from {snippet(before)} to {snippet(after)} in {code(edit.path)}",
        precondition=f"another file still asks for {snippet(before)}",
        consequence="one project goes by two versions",
        refuted_if=("no other file asks for it", "the other file is solved for itself or holds it back on purpose"),
        plan=[ask(QueryKind.TEXT, one) for one in sought],
        others=[one for one in same_edit(edit, edits) if one is not edit],
        risk=-25,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    sought, name = question.plan[0].name, text(edit, "name")
    left = _artifacts(question, bundle) if text(edit, "form") == "artifact" else _asking(question, bundle)
    if _SOLVED.search(edit.path):
        left = [one for one in left if not _SOLVED.search(one.ref.path)]
    if not left or len(left) > FEW:
        return none_left(bundle, sought)
    return (_card(question, name, left),)


def _asking(question: Question, bundle: Bundle) -> list[Found[UseFact]]:
    """Lines that ask for the package or action in the version that it had."""
    edit = question.edits[0]
    pinned = _pinned(text(edit, "name"), text(edit, "beforeText"), text(edit, "form"))
    files = _WORKFLOW if text(edit, "form") == "action" else MANIFEST
    hits = [one for one in elsewhere(bundle, question.plan[0].name) if files.search(one.ref.path)]
    return [one for one in hits if pinned.search(plain(one.evidence.text))]


def _artifacts(question: Question, bundle: Bundle) -> list[Found[UseFact]]:
    """Lines with the version that stand below a line with the artifact."""
    version, named = (one.name for one in question.plan[:2])
    above = {
        (one.ref.path, one.ref.start_line + 1)
        for one in every(bundle, UseFact, QueryKind.TEXT, named)
        if plain(one.evidence.text) == named
    }
    return [
        one
        for one in elsewhere(bundle, version)
        if plain(one.evidence.text) == version and (one.ref.path, one.ref.start_line) in above
    ]


def _pinned(name: str, spec: str, form: str) -> re.Pattern[str]:
    """The name with exactly the version that it had."""
    if form == "action":
        return re.compile(rf"(?<![\w/-]){re.escape(name)}@{re.escape(spec)}(?![\w./-])")
    blank = re.escape(spec).replace(r"\ ", r"\s*")
    return re.compile(rf"(?i)(?<![\w.-]){re.escape(name)}(?:\[[\w,. -]*\])?\s*\(?{blank}(?![\w.*]|\s*,\s*[<>=!~])")


def _card(question: Question, name: str, left: Sequence[Found[UseFact]]) -> Draft:
    edit, first = question.edits[0], left[0]
    before, after = snippet(text(edit, "beforeText")), snippet(text(edit, "afterText"))
    more = f" So does {place(left[1].ref)}." if len(left) > 1 else ""
    return draft(
        question,
        claim=f"Changing {code(name)} from {before} to {after} in {code(edit.path)} leaves {place(first.ref)} behind: "
        f"it still asks for {before}.{more}",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        to=text(edit, "afterText")[:120],
        severity=Severity.SUGGESTION,
        support=[one.ref for one in left],
        impact="Whoever installs or runs by the one file gets another version than by the other.",
        counter=(f"A reason to hold {code(name)} back in {code(first.ref.path)} would refute this; it names none.",),
    )


RULES = (Rule("pin_left_behind", frozenset({EditOp.LINE_REPLACED}), _raise, _settle),)

"""The rule of ``incomplete_change`` about comments that go on about a name which the change took out of the code."""

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
    every,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.prose import is_past, is_prose, names
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

_COMMENT = re.compile(r"^\s*(?://|/\*|\*(?!\*))")
_HASH = re.compile(r"^\s*#")
# Prose that is kept for readers, not for the program: no use keeps a name alive there.
_DOCS = re.compile(r"(?i)\.(?:md|mdx|rst|txt|adoc|po)$|(?:^|/)(?:changes|changelog|history|news|authors)[^/]*$")
_LEAST = 5
# Words of a comment that a claim quotes.
_QUOTED = 90


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    name = edit.subject
    if in_test(edit.path) or len(name) < _LEAST or _asked_already(edit, edits):
        return None
    became = text(edit, "newName")
    return seed(
        edit,
        "comment_names_what_is_gone",
        change=f"{code(name)} was renamed to {code(became)}" if became else f"{code(name)} went",
        precondition=f"a comment that the change leaves alone names {code(name)}, and no code does",
        consequence="the comment sends its reader to something that is not there",
        refuted_if=(f"code at head names {code(name)} still", "the comment tells of the past"),
        plan=(ask(QueryKind.TEXT, name, scope="words"),),
        # A comment of the same file is known to name it; of other files nothing is known yet.
        risk=10 if edit.op is EditOp.NAME_LEFT_IN_COMMENT else -25,
    )


def _asked_already(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether another edit of the same change is about this name, and says more of it."""
    told = {EditOp.DOC_PARAMETER_LEFT}
    if edit.op is not EditOp.NAME_LEFT_IN_COMMENT:
        told.add(EditOp.NAME_LEFT_IN_COMMENT)
    return any(one.op in told and (one.path, one.subject) == (edit.path, edit.subject) for one in edits)


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    hits = [one for one in every(bundle, UseFact, QueryKind.TEXT) if not _DOCS.search(one.ref.path)]
    own = {int(line) for line in texts(edit, "lines")}
    live = [one for one in hits if not _is_comment(one, edit.path, own)]
    if live:
        return unsettled(
            NoFindingCode.REFUTED,
            f"{place(live[0].ref)} names {code(edit.subject)} still, in what is no comment",
            refs=[live[0].ref],
        )
    stopped = blocked(bundle, QueryKind.TEXT)
    if stopped is not None:
        return stopped
    left = [one for one in hits if _misleads(one, edit, own)]
    if not left:
        return unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"no comment outside the change names {code(edit.subject)} as what it is now; "
            f"{searched(bundle, QueryKind.TEXT)}",
        )
    return (_card(question, min(left, key=lambda one: (one.ref.path != edit.path, one.ref.start_line))),)


def _is_comment(one: Found[UseFact], home: str, own: set[int]) -> bool:
    if one.ref.path == home and one.ref.start_line in own:
        return True
    language = language_of(one.ref.path)
    form = _HASH if language == "python" else _COMMENT
    return language in PARSED and form.match(one.evidence.text) is not None


def _misleads(one: Found[UseFact], edit: Edit, own: set[int]) -> bool:
    if one.evidence.near_change or in_test(one.ref.path):
        return False
    if one.ref.path == edit.path and edit.op is EditOp.NAME_LEFT_IN_COMMENT:
        return one.ref.start_line in own
    said = one.evidence.text
    return names(said, edit.subject, text(edit, "qualname")) and is_prose(said) and not is_past(said)


def _card(question: Question, one: Found[UseFact]) -> Draft:
    edit, became = question.edits[0], text(question.edits[0], "newName")
    did = f"Renaming {code(edit.subject)} to {code(became)}" if became else f"Removing {code(edit.subject)}"
    now = f", which is {code(became)} now" if became else ""
    return draft(
        question,
        claim=f"{did} in {code(edit.path)} leaves a comment behind: {place(one.ref)} still says "
        f"{code(_said(one, edit.subject))}, and no code at head names {code(edit.subject)}{now}.",
        op=EffectOp.RENAMED if became else EffectOp.REMOVED,
        subject=edit.subject,
        to=became or None,
        severity=Severity.SUGGESTION,
        support=[one.ref],
        impact="Whoever reads that line to understand or change the code looks for a thing that cannot be found.",
        counter=(f"Code that names {code(edit.subject)} would refute this; the search of the whole tree found none.",),
    )


def _said(one: Found[UseFact], name: str) -> str:
    """The comment's words around the name, cut between words."""
    said = re.sub(r"^\s*(?://+|/\*+|\*|#+|\"{3}|'{3})\s*", "", one.evidence.text.strip()).replace("`", "")
    if len(said) <= _QUOTED:
        return said
    at = max(0, said.find(name) - _QUOTED // 2)
    piece = said[at : at + _QUOTED]
    head = piece if at == 0 else piece.partition(" ")[2]
    return head.rpartition(" ")[0] or head


RULES = (
    Rule(
        "comment_names_what_is_gone",
        frozenset({EditOp.NAME_LEFT_IN_COMMENT, EditOp.SYMBOL_REMOVED, EditOp.SYMBOL_RENAMED}),
        _raise,
        _settle,
    ),
)

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
    flag,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.edits.prose import DOCS, HISTORY
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.prose import is_past, is_prose, is_telling, names, spoken
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

# Texts for readers, not for the program: no use keeps a name alive there.
_TEXTS = re.compile(
    r"(?i)\.(?:md|mdx|markdown|rst|txt|adoc|po)$|(?:^|/)(?:changes|changelog|history|news|authors)[^/]*$"
)
# A name that a document gives as code: in backticks, or handed to a directive.
_AS_CODE = (
    "(?:`[^`]*(?<![\\w.\\-/])(?:\\w+[.#])*{name}(?:\\([^`)]*\\))?(?![\\w/-])[^`]*`"
    "|^\\s*\\.\\. auto\\w+:: (?:[\\w.]*\\.)?{name}\\s*$)"
)
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
        risk=3 if edit.op is EditOp.NAME_LEFT_IN_COMMENT else -25,
    )


def _asked_already(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether another edit of the same change is about this name, and says more of it."""
    told = {EditOp.DOC_PARAMETER_LEFT}
    if edit.op is not EditOp.NAME_LEFT_IN_COMMENT:
        told.add(EditOp.NAME_LEFT_IN_COMMENT)
    return any(one.op in told and (one.path, one.subject) == (edit.path, edit.subject) for one in edits)


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    every_hit = every(bundle, UseFact, QueryKind.TEXT)
    hits = [one for one in every_hit if not _TEXTS.search(one.ref.path)]
    live = [one for one in hits if not _is_spoken(one, edit)]
    if live:
        return unsettled(
            NoFindingCode.REFUTED,
            f"{place(live[0].ref)} names {code(edit.subject)} still, in what is no comment",
            refs=[live[0].ref],
        )
    stopped = blocked(bundle, QueryKind.TEXT)
    if stopped is not None:
        return stopped
    left = [one for one in hits if _misleads(one, edit)] or [one for one in every_hit if _documents(one, edit)]
    if not left:
        return unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"no comment outside the change names {code(edit.subject)} as what it is now; "
            f"{searched(bundle, QueryKind.TEXT)}",
        )
    return (_card(question, min(left, key=lambda one: (one.ref.path != edit.path, one.ref.path, one.ref.start_line))),)


def _own(one: Found[UseFact], edit: Edit) -> bool:
    """Whether the edit has seen this line of its own file as one that means the name."""
    return one.ref.path == edit.path and str(one.ref.start_line) in texts(edit, "lines")


def _is_spoken(one: Found[UseFact], edit: Edit) -> bool:
    """Whether the name stands in a comment or a message alone."""
    language = language_of(one.ref.path)
    if _own(one, edit):
        return True
    if language is None or language not in PARSED:
        return False
    said, rest = spoken(one.evidence.text, language)
    word = re.compile(whole_name(edit.subject))
    return word.search(said) is not None and word.search(rest) is None


def _misleads(one: Found[UseFact], edit: Edit) -> bool:
    if one.evidence.near_change or in_test(one.ref.path):
        return False
    if one.ref.path == edit.path and edit.op is EditOp.NAME_LEFT_IN_COMMENT:
        return _own(one, edit)
    said = spoken(one.evidence.text, language_of(one.ref.path) or "")[0]
    return names(said, edit.subject, text(edit, "qualname")) and is_prose(said) and not is_past(said)


def _documents(one: Found[UseFact], edit: Edit) -> bool:
    """Whether a document of the present gives the name as code, where people outside could use it."""
    if one.evidence.near_change or HISTORY.search(one.ref.path) or not DOCS.search(one.ref.path):
        return False
    as_code = re.compile(_AS_CODE.format(name=re.escape(edit.subject)))
    public = flag(edit, "exported") and is_telling(edit.subject)
    return public and as_code.search(one.evidence.text) is not None and not is_past(one.evidence.text)


def _card(question: Question, one: Found[UseFact]) -> Draft:
    edit, became = question.edits[0], text(question.edits[0], "newName")
    did = f"Renaming {code(edit.subject)} to {code(became)}" if became else f"Removing {code(edit.subject)}"
    now = f", which is {code(became)} now" if became else ""
    return draft(
        question,
        claim=f"{did} in {code(edit.path)} leaves a mention behind: {place(one.ref)} still says "
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

"""A rule of ``incomplete_change`` about lines that stand in several files: one was written anew, its copy was not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import basename

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
    unsettled,
)
from review_agent.kinds.copies import FEW, OWN, elsewhere, is_first, is_past_line, none_left, plain, same_edit
from review_agent.kinds.prose import is_document
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.edits.respelled import DECLARED
from review_agent.syntax.languages import PARSED, language_of
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

# A line of fewer characters or words stands in many files without being copied.
_SHORT, _WORDS = 16, 3
_LONG, _MANY_WORDS = 48, 7
# Names that each file gives a meaning of its own.
_LOCAL = re.compile(r"\b(?:matrix|inputs|needs|steps)\.")
# Further lines of the file by which a copy of it is known.
_BESIDE, _SHORTEST = 4, 10
_GENERATED = re.compile(r"(?i)generated (?:by|with|from)|do not edit|copyright")
# What a template does is its own: two of them that choose alike are no copies of each other.
_TEMPLATE = re.compile(r"(?<!\$)\{\{|\{%|<%")
# Tags without a sentence in them stand in every page.
_MARKUP = re.compile(r"\.(?:html?|xhtml|vue|svelte|jinja2?|j2|hbs|ejs|tmpl|jsp|ftl)$")
_TAGS = re.compile(r"</?[\w-]+|[\w:@.-]+=(?:\"[^\"]*\"?|'[^']*'?)|[<>/]")
_WORD = re.compile(r"[A-Za-z]{2,}")
_URL = re.compile(r"https?://\S+")
# A release moves the number of the product itself: where the last release is named, it stays named.
_UNRELEASED = re.compile(r"(?i)snapshot|\bdev\b|\.dev\d|\balpha|\bbeta|-rc\b")


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    before = edit.before or ""
    if text(edit, "form") != "line" or not is_first(edit, edits) or not _is_copy(edit):
        return None
    if _UNRELEASED.search(edit.after or "") or is_past_line(edit.path, before):
        return None
    if OWN.search(edit.path) or _GENERATED.search(before) or not _can_be_told(edit, edits, before):
        return None
    return _seed(edit, edits, before)


def _can_be_told(edit: Edit, edits: Sequence[Edit], before: str) -> bool:
    """Whether anything could show that a like line is a copy; else looking for one costs queries for nothing."""
    if _is_repeated(before, len(same_edit(edit, edits)), 1):
        return True
    around = text(edit, "lineBefore") or text(edit, "lineAfter")
    return _is_text(edit.path) and bool(_is_prose(before) or around or _beside_it(edit, edits))


def _is_repeated(line: str, changed: int, kept: int) -> bool:
    return changed > kept and not _LOCAL.search(line)


def _is_copy(edit: Edit) -> bool:
    """Whether a line is one that is written twice only where it says the same thing."""
    before, after = edit.before or "", edit.after or ""
    if len(before) < _SHORT or len(before.split()) < _WORDS or before == after:
        return False
    if _TEMPLATE.search(before) or (_MARKUP.search(edit.path) and len(_WORD.findall(_TAGS.sub(" ", before))) < _WORDS):
        return False
    if _URL.sub("", before) == _URL.sub("", after) or before.lower() == after.lower():
        return False
    if language_of(edit.path) in PARSED:
        return bool(text(edit, "twin"))
    return re.search(r"[A-Za-z]{3}", before) is not None


def _seed(edit: Edit, edits: Sequence[Edit], sought: str) -> Seed:
    before, after = snippet(text(edit, "beforeText")), snippet(text(edit, "afterText"))
    around = [one for one in (text(edit, "lineBefore"), text(edit, "lineAfter")) if len(one) >= _SHORT]
    beside = _beside_it(edit, edits)
    return seed(
        edit,
        "copied_line_left",
        change=f"{before} became {after} in {code(edit.path)}",
        precondition=f"another file says {before} of the same thing",
        consequence="the two files now say different things",
        refuted_if=("no other file has it", "the other file means something else by it"),
        plan=[
            ask(QueryKind.TEXT, one) for one in dict.fromkeys([sought, *around, *(one.before or "" for one in beside)])
        ],
        others=[one for one in (*same_edit(edit, edits), *beside) if one is not edit],
        risk=-30,
    )


def _beside_it(edit: Edit, edits: Sequence[Edit]) -> list[Edit]:
    """Other lines that the change wrote anew in the file, those before it first."""
    here = [one for one in edits if one.op is edit.op and one.path == edit.path and one.before != edit.before]
    lines = [one for one in here if text(one, "form") == "line" and len(one.before or "") >= _SHORTEST]
    lines.sort(key=lambda one: (one.start_line > edit.start_line, abs(one.start_line - edit.start_line)))
    return lines[:_BESIDE]


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    same = same_edit(edit, question.edits)
    sought = question.plan[0].name
    kept = [one for one in elsewhere(bundle, sought) if _says(one, sought) and _alike(edit.path, one.ref.path)]
    left = [one for one in kept if one.ref.path not in {one.path for one in same}]
    if not left or len(kept) > FEW:
        return none_left(bundle, sought)
    first = left[0]
    copied = [one for one in question.edits if one not in same and _stands(bundle, one.before or "", first.ref.path)]
    earlier = [one for one in copied if one.start_line < edit.start_line]
    if earlier:
        return unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"{code(first.ref.path)} is told of where {code(edit.path)} line {earlier[0].start_line} is asked about",
            refs=[first.ref],
        )
    repeated = _is_repeated(sought, len(same), len(kept))
    if not repeated and not (_is_text(edit.path) and (copied or _is_prose(sought) or _surrounded(bundle, first, edit))):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(first.ref)} has the same line, but whether it is a copy is not established",
            missing=("the lines around it alike in both files",),
            refs=[first.ref],
        )
    return (_card(question, left),)


def _stands(bundle: Bundle, line: str, path: str) -> bool:
    hits = every(bundle, UseFact, QueryKind.TEXT, line) if line else ()
    return any(one.ref.path == path and _says(one, line) for one in hits)


def _says(one: Found[UseFact], line: str) -> bool:
    """Whether a hit is the whole line, as far as a long one is cited."""
    said = plain(one.evidence.text)
    return said == line or (len(one.evidence.text) >= 200 and len(said) > 150 and line.startswith(said))


def _alike(path: str, other: str) -> bool:
    """Whether two files are of a kind: code only with what declares the same module."""
    if path == other:
        return True
    if OWN.search(other):
        return False
    if language_of(path) in PARSED or language_of(other) in PARSED:
        stems = [DECLARED.sub("", one) for one in (path, other)]
        return stems[0] == stems[1]
    return True


def _is_text(path: str) -> bool:
    """Whether a file is read by people, or declares what another file declares too: settings have their own setting."""
    return is_document(path) or language_of(path) in PARSED


def _is_prose(line: str) -> bool:
    return len(line) >= _LONG and len(re.findall(r"[A-Za-z]{2,}", _URL.sub("", line))) >= _MANY_WORDS


def _surrounded(bundle: Bundle, one: Found[UseFact], edit: Edit) -> bool:
    """Whether a line that stood beside the old one stands beside its copy."""
    return any(
        (other.ref.path, other.ref.start_line) == (one.ref.path, one.ref.start_line + step)
        for line, step in ((text(edit, "lineBefore"), -1), (text(edit, "lineAfter"), 1))
        if line
        for other in every(bundle, UseFact, QueryKind.TEXT, line)
        if _says(other, line)
    )


def _card(question: Question, left: Sequence[Found[UseFact]]) -> Draft:
    edit, first = question.edits[0], left[0]
    before, after = snippet(text(edit, "beforeText")), snippet(text(edit, "afterText"))
    more = f" So does {place(left[1].ref)}." if len(left) > 1 else ""
    return draft(
        question,
        claim=f"Changing {before} to {after} in {code(edit.path)} leaves the copy of that line at {place(first.ref)} "
        f"as it was: it still has {before}.{more}",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        to=text(edit, "afterText")[:120],
        severity=Severity.SUGGESTION,
        support=[one.ref for one in left],
        impact=f"A reader or a tool that goes by {code(basename(first.ref.path))} follows what this commit corrected.",
        counter=(f"A reason why {code(first.ref.path)} must differ would refute this; the line names none.",),
    )


RULES = (Rule("copied_line_left", frozenset({EditOp.LINE_REPLACED}), _raise, _settle),)

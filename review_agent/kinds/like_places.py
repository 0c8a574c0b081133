"""Whether a place that has the lines around an addition is like it in what the addition is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from review_agent.kinds.base import Found, Unsettled, blocked_for, code, every, place, texts, unsettled
from review_agent.kinds.bodies import is_cut
from review_agent.kinds.functions import function_of, split
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import Bundle, Edit, Evidence, NoFindingCode, QueryKind, Side, UseFact

__all__ = ["Place", "own_names", "read_at", "why_apart"]

# Names of the own type and file that are looked for: the plan has room for no more.
_NAMES = 4
# Of the lines of two functions, the part that both must have for them to be near copies.
_SHARE = 0.5
_WORD = re.compile(r"[\w$]+")
_REMARK = re.compile(r"^\s*(?:#|//|/?\*|\"\"\"|<!--)")
# What a remark says of the place that it stands at, and of no other.
_REASON = re.compile(
    r"(?i)\b(?:because|since|so (?:that|we|it|the|this)|(?:do not|don't) want|otherwise|in order to|to avoid|unlike"
    r"|as (?:we|it|this|here)|here|workaround|in this case"
    # "Only" speaks of the place where it begins the remark, or says what the line is for.
    r"|(?:we|it|this|that|is|are|be|and|but) (?:\w+ )?only|only (?:for|in|on|when|if|need\w*|use\w*|appl\w+|after"
    r"|before|once|want\w*|do|does))\b|^\W*only\b"
)
# Of a function with more lines than this, a part may have been read.
_LONG = 60
_TRAILING = re.compile(r"(?:^|\s)(?://|#)\s(.*)$")


@dataclass(frozen=True)
class Place:
    """Where the lines around an addition stand once more. ``line`` is the one that it would come behind."""

    path: str
    line: int
    scope: str
    hits: tuple[Found[UseFact], ...]


def own_names(edit: Edit) -> tuple[str, ...]:
    """What the added lines name of their own type and file."""
    named = (*texts(edit, "members"), *texts(edit, "helpers"))
    return tuple(one for one in dict.fromkeys(named) if one != edit.subject)[:_NAMES]


def read_at(bundle: Bundle, path: str, line: int) -> Evidence | None:
    """The longest excerpt of the head side that holds a line."""
    found = [
        one
        for one in bundle.evidence
        if one.origin == "read" and (one.ref.path, one.ref.side) == (path, Side.NEW)
        if one.ref.start_line <= line <= one.ref.end_line
    ]
    return max(found, key=lambda one: len(one.text), default=None)


def why_apart(edit: Edit, bundle: Bundle, one: Place) -> Unsettled | None:
    """Why nothing is missing at a place; null where it is like that of the change."""
    own, other = read_at(bundle, edit.path, edit.start_line), read_at(bundle, one.path, one.line)
    if own is None or other is None:
        missing = code(split(function_of(edit) if own is None else one.scope)[1])
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"whether both functions are alike cannot be told: {missing} was not read",
            missing=(f"the body of {missing}",),
        )
    refs = [hit.ref for hit in one.hits]
    if any(_REASON.search(_remark(line)) for line in texts(edit, "lines")):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            "a remark beside what came gives a reason that may be of its own place",
            missing=(f"whether the reason holds at {place(refs[0])}",),
            refs=refs,
        )
    if not _near_copies(edit, own, other):
        names = code(split(one.scope)[1]), code(split(function_of(edit))[1])
        if _may_be_cut(bundle, own) or _may_be_cut(bundle, other):
            return unsettled(
                NoFindingCode.INSUFFICIENT_EVIDENCE,
                f"whether {names[0]} at {place(refs[0])} does the same as {names[1]} cannot be told: neither is short",
                missing=(f"all lines of {names[0]} and of {names[1]}",),
                refs=refs,
            )
        why = f"{names[0]} at {place(refs[0])} has other lines than {names[1]}: the two do not do the same"
        return unsettled(NoFindingCode.REFUTED, why, refs=refs)
    return _without_names(edit, bundle, one, other)


def _may_be_cut(bundle: Bundle, body: Evidence) -> bool:
    return is_cut(bundle, body.ref) or body.ref.end_line - body.ref.start_line >= _LONG


def _without_names(edit: Edit, bundle: Bundle, one: Place, other: Evidence) -> Unsettled | None:
    """That a name of the added lines means nothing at a place, or is not known to mean something there."""
    lacking = list(_lacking(edit, bundle, one, other))
    absent = next((name for name, doubt in lacking if doubt is None), "")
    if absent:
        refs = [hit.ref for hit in one.hits]
        why = f"{code(absent)}, which what came is about, is not known at {place(refs[0])}"
        return unsettled(NoFindingCode.REFUTED, why, refs=refs)
    return next((doubt for _, doubt in lacking), None)


def _remark(line: str) -> str:
    """What a line says to people, "" for plain code."""
    trailing = _TRAILING.search(line)
    return line if _REMARK.match(line) else trailing[1] if trailing else ""


def _near_copies(edit: Edit, own: Evidence, other: Evidence) -> bool:
    """Whether at least half of the lines of each function stand in the other, as it was before the addition."""
    came = range(edit.start_line, edit.end_line + 1)
    mine = _lines(own, came)
    theirs = _lines(other, range(0))
    return sum((mine & theirs).values()) >= _SHARE * max(mine.total(), theirs.total(), 1)


def _lines(body: Evidence, without: range) -> Counter[str]:
    """The lines of code of a function but its first, with how often each stands there."""
    found: Counter[str] = Counter()
    for number, line in enumerate(body.text.splitlines(), body.ref.start_line):
        text = line.strip()
        if number > body.ref.start_line and number not in without and _WORD.search(text) and not _REMARK.match(line):
            found[text] += 1
    return found


def _lacking(edit: Edit, bundle: Bundle, one: Place, other: Evidence) -> Iterator[tuple[str, Unsettled | None]]:
    """The names of the added lines that are not seen at a place, each with why it may be there all the same."""
    there = set(_WORD.findall(other.text))
    for name in texts(edit, "locals"):
        if name not in there:
            yield name, _unread(bundle, one, other, name)
    same_type = one.path == edit.path and split(one.scope)[0] == split(function_of(edit))[0]
    for name in () if same_type else texts(edit, "members"):
        if not _is_member(edit, bundle, one, name) and not re.search(rf"\.#?{whole_name(name)}", other.text):
            yield name, _unseen(bundle, one, name)
    beside = one.path == edit.path or (edit.language in _PACKAGED and _folder(one.path) == _folder(edit.path))
    for name in () if beside else texts(edit, "helpers"):
        if name not in there and not _hits(bundle, one.path, name):
            yield name, _unseen(bundle, one, name)


def _unseen(bundle: Bundle, one: Place, name: str) -> Unsettled | None:
    """Why a name that was not seen in a file may stand there: it was not looked for, or not everywhere."""
    if any((asked.query.kind, asked.query.name) == (QueryKind.TEXT, name) for asked in bundle.queries):
        return blocked_for(bundle, QueryKind.TEXT, name)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"whether {code(name)} is known in {code(one.path)} was not looked for: what came is about more names than "
        f"the {_NAMES} that there is room for",
        missing=(f"uses of {code(name)} in {code(one.path)}",),
    )


def _unread(bundle: Bundle, one: Place, other: Evidence, name: str) -> Unsettled | None:
    if not _may_be_cut(bundle, other):
        return None
    function = code(split(one.scope)[1])
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"whether {code(name)} is known in {function} cannot be told: it is long, and what was read of it has none",
        missing=(f"all lines of {function}",),
    )


# A file of the same folder sees what another defines.
_PACKAGED = ("go", "java")


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _is_member(edit: Edit, bundle: Bundle, one: Place, name: str) -> bool:
    """Whether another method of the type names it, or, in another file, a line outside of functions."""
    owner = split(one.scope)[0]
    scopes = [hit.fact.scope for hit in _hits(bundle, one.path, name)]
    return any((not scope and one.path != edit.path) or (scope and split(scope)[0] == owner) for scope in scopes)


def _hits(bundle: Bundle, path: str, name: str) -> list[Found[UseFact]]:
    """The lines of a file that have a name as a word, as far as they were seen."""
    return [
        hit
        for hit in every(bundle, UseFact, QueryKind.TEXT, name)
        if hit.ref.path == path and name in _WORD.findall(hit.evidence.text)
    ]

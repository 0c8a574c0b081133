"""What in a change steers its reviewers: files that they obey, and added words that speak to them.

Every changed file is looked at, those that are set aside too: a mark that ends the review of a file must not hide an
order in it. The patterns are policy; the words found are shown, never obeyed.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from review_agent import globs
from review_agent.policy.folder import IN_REPOSITORY, NAMES
from review_agent.policy.model import Steering, SteeringText
from review_agent.resources import shipped
from review_agent.sources import Sources
from review_agent.syntax.edits import as_edits
from review_agent.syntax.edits.frame import Sighting, Spot
from review_agent.syntax.languages import language_of
from review_agent.vocabulary import Edit, EditOp, FactValue, FileChange, Hunk, Side

__all__ = ["steering_edits"]

# Places of one review that are told with their line; the first one's fact ``total`` counts all.
_MOST = 20
# Characters of one hunk that are searched; longer lines are cut, as no order needs more.
_LINE, _HUNK = 2_000, 400_000
_AFTER = 400
# What stands around a line of a comment, of a quotation, of a string that goes on in the next line.
_LEADING = re.compile(r"^\s*(?:#+|//+|/\*+|\*+|--+|;+|>+|%+|\.\.)?\s*[\"'`]{0,3}")
_ESCAPE, _UNSEEN = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]"), re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CLOSING, _QUOTED = re.compile(r"(?:\*/|-->)\Z"), re.compile(r"[\"'`]{1,3}\Z")
_BLANK = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\\,+"
# Letters of other scripts that stand for Latin ones in a text made to be read past a search.
_ALIKE = str.maketrans("аеорсухіѕјԁɡһӏοανιкмтвн", "aeopcyxisjdghloavikmtbh")
_BIDI = frozenset("\u202a\u202b\u202d\u202e\u2066\u2067\u2068")


def steering_edits(files: Sequence[FileChange], steering: Steering, old: Sources, new: Sources) -> Iterator[Edit]:
    """instructions_changed and reviewer_addressed, in the order of the files; none where no line can be referred to."""
    sides = {Side.OLD: old, Side.NEW: new}
    yield from _capped(list(_files(files, steering, sides)))
    yield from _capped(list(_words(files, steering, sides)))


@dataclass(frozen=True)
class _Seen:
    change: FileChange
    sighting: Sighting


def _capped(seen: Sequence[_Seen]) -> Iterator[Edit]:
    for n, one in enumerate(seen[:_MOST]):
        facts = {**one.sighting.facts, "total": len(seen)} if n == 0 else one.sighting.facts
        language = language_of(one.change.path) or "text"
        yield from as_edits(one.change, language, [replace(one.sighting, facts=facts)])


def _files(files: Sequence[FileChange], steering: Steering, sides: dict[Side, Sources]) -> Iterator[_Seen]:
    specs = [(globs.spec([one.glob]), one.why) for one in steering.files]
    for change in files:
        paths = (change.path, change.old_path)
        why = next((why for spec, why in specs if any(spec.match_file(path) for path in paths)), None)
        spot = _first_line(change) if why is not None else None
        if why is not None and spot is not None and _stands(spot, change, sides):
            path = change.path if change.new_blob is not None else change.old_path
            yield _Seen(change, _sighting(EditOp.INSTRUCTIONS_CHANGED, spot, path, change, why))


def _first_line(change: FileChange) -> Spot | None:
    """The first added line, else the first removed one; of a file that only moved its first one."""
    for side in (Side.NEW, Side.OLD):
        for n, hunk in enumerate(change.hunks):
            lines = hunk.changed(side)
            if lines:
                return Spot(n, side, lines[0], lines[0])
    moved = change.hunks and not change.hunks[0].lines and change.path != change.old_path
    return Spot(0, Side.NEW, 1, 1) if moved else None


def _stands(spot: Spot, change: FileChange, sides: dict[Side, Sources]) -> bool:
    source = sides[spot.side].get(change.path if spot.side is Side.NEW else change.old_path)
    return source is not None and spot.end <= len(source.lines)


def _sighting(op: EditOp, spot: Spot, subject: str, change: FileChange, why: str) -> Sighting:
    hunk = change.hunks[spot.hunk]
    texts = {(line.new if spot.side is Side.NEW else line.old): line.text for line in hunk.lines if line.tag != " "}
    line = texts.get(spot.start, "")[:_AFTER]
    facts: dict[str, FactValue] = {"why": why, "function": ""}
    before, after = (line, None) if spot.side is Side.OLD else (None, line)
    return Sighting(op, spot, "", subject, before, after, facts)


def _words(files: Sequence[FileChange], steering: Steering, sides: dict[Side, Sources]) -> Iterator[_Seen]:
    texts = [(one, re.compile(one.pattern)) for one in steering.texts]
    for change in files:
        found: dict[Spot, SteeringText] = {}
        for spot, one in _spoken(change, texts):
            if spot is not None:
                found.setdefault(spot, one)
        for spot, one in sorted(found.items(), key=lambda pair: (pair[0].hunk, pair[0].start)):
            if _stands(spot, change, sides):
                yield _Seen(change, _sighting(EditOp.REVIEWER_ADDRESSED, spot, one.id, change, one.why))


_Texts = Sequence[tuple[SteeringText, re.Pattern[str]]]


def _spoken(change: FileChange, texts: _Texts) -> Iterator[tuple[Spot | None, SteeringText]]:
    """Each place of a file that speaks to the reviewer: its name, where that is new, and its added lines."""
    if change.path != change.old_path or change.old_blob is None:
        name = _plain(re.sub(r"[_\-./]+", " ", change.path))
        yield from ((_first_line(change), one) for one, pattern in texts if _holds(one, name) and pattern.search(name))
    gone = {_plain(line.text) for hunk in change.hunks for line in hunk.lines if line.tag == "-"}
    gone |= _known(change.path)
    for n, hunk in enumerate(change.hunks):
        yield from ((Spot(n, Side.NEW, line, line), one) for line, one in _in_hunk(hunk, gone, texts))


@cache
def _known(path: str) -> frozenset[str]:
    """The lines of a policy file as it is shipped: a team that copies it says nothing to its reviewers. That the file
    changes is a question of its own."""
    folder, _, name = path.rpartition("/")
    if folder != IN_REPOSITORY or name not in NAMES:
        return frozenset()
    text = (shipped("policy") / name).read_text(encoding="utf-8")
    return frozenset(map(_plain, text.split("\n")))


def _in_hunk(hunk: Hunk, gone: set[str], texts: _Texts) -> Iterator[tuple[int, SteeringText]]:
    """(line, text) of each match in the added lines, lines that only moved left out."""
    added = [(line.new, _plain(line.text)) for line in hunk.lines if line.tag == "+" and line.new is not None]
    added = [(number, said) for number, said in added if said and said not in gone]
    starts = [0]
    whole = " ".join(said for _, said in added)[:_HUNK]
    for _, said in added:
        starts.append(starts[-1] + len(said) + 1)
    for one, pattern in texts:
        if _holds(one, whole):
            for match in pattern.finditer(whole):
                yield added[bisect_right(starts, match.start()) - 1][0] or 1, one


def _holds(one: SteeringText, text: str) -> bool:
    return not one.needs or any(word in text for word in one.needs)


def _plain(text: str) -> str:
    """A line in lower case without the signs of a comment, tricks of spelling undone, white space folded."""
    text = _UNSEEN.sub(" ", _ESCAPE.sub(" ", text[:_LINE]))
    if not text.isascii():
        shown = (c for c in text if unicodedata.category(c) != "Cf" or c in _BIDI)
        text = unicodedata.normalize("NFKC", "".join(shown)).lower().translate(_ALIKE)
    return " ".join(_untrailed(_LEADING.sub("", text.lower())).split())


def _untrailed(text: str) -> str:
    """A line without what ends a comment, a quotation or a line that goes on; in one pass from its end."""
    return _QUOTED.sub("", _CLOSING.sub("", text).rstrip(_BLANK))

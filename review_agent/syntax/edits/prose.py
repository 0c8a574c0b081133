"""Edits of what people read: an address or a number that a sentence gave, a link that came."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from posixpath import dirname, join, normpath

from review_agent.syntax.edits import as_edits
from review_agent.syntax.edits.frame import Changed, Run, Sighting, Spot
from review_agent.syntax.languages import language_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import Edit, EditOp, FactValue, FileChange, Side

__all__ = ["DOCS", "HISTORY", "prose_edits"]

DOCS = re.compile(r"\.(?:md|mdx|markdown|rst|adoc|txt|html?|tmpl)$|(?:^|/)readme[^/]*$", re.IGNORECASE)
# Files that tell what was: they keep old names and numbers on purpose.
HISTORY = re.compile(
    r"change(?:s|log)|history|(?:^|/)news|release|migrat|upgrad|whats?_?-?new|deprecat|archive|(?:^|[/_.-])old[/_.-]"
    r"|authors|contributors|license|\.min\.|(?:^|/)requirements[^/]*\.txt$|(?:^|/)requirements/",
    re.IGNORECASE,
)
_URL = re.compile(r"https?://[^\s\"'`<>()\[\]{}|\\^,;]+")
_LINK = re.compile(r"\]\((?!\w+:|#|/|<)([^)#\s\"]+\.(?:md|rst|txt))(?:#[^)\s]*)?\)")
_TOKEN = re.compile(r"\d+(?:\.\d+)*|[^\W\d]\w*|[^\w\s]")
_AROUND = 3
_LEAST_WORDS = 3
_MOST_A_FILE = 12


def prose_edits(change: FileChange) -> tuple[Edit, ...]:
    """link_changed, link_added and statement_changed; at most 12 a file, none in tests and in what tells the past."""
    if in_test(change.path) or HISTORY.search(change.path):
        return ()
    changed = Changed(change)
    found = [*_links(changed), *_added(changed), *_statements(changed)]
    return as_edits(change, language_of(change.path) or "text", islice(found, _MOST_A_FILE))


def _text(changed: Changed, side: Side) -> dict[int, str]:
    tag = "-" if side is Side.OLD else "+"
    lines = ((line.old if side is Side.OLD else line.new, line) for hunk in changed.change.hunks for line in hunk.lines)
    return {number: line.text for number, line in lines if number is not None and line.tag == tag}


def _pairs(changed: Changed) -> Iterator[tuple[Run, int, str, str]]:
    """Lines that gave way one for one: the run, the new line's number, the old and the new text."""
    old, new = _text(changed, Side.OLD), _text(changed, Side.NEW)
    for run in changed.runs:
        if len(run.old) == len(run.new):
            yield from ((run, two, old[one], new[two]) for one, two in zip(run.old, run.new, strict=True))


def _links(changed: Changed) -> Iterator[Sighting]:
    """Addresses that gave way to others in lines that else stayed as they were, those of a run of lines together."""
    added = "\n".join(_text(changed, Side.NEW).values())
    by_run: dict[Run, dict[str, str]] = {}
    for run, _, before, after in _pairs(changed):
        was, now = _urls(before), _urls(after)
        if len(was) == len(now) and _URL.sub("", before).split() == _URL.sub("", after).split():
            new = {one: two for one, two in zip(was, now, strict=True) if one != two and not _stands(one, added)}
            by_run.setdefault(run, {}).update(new)
    for run, old, new_one in _same_page(changed, {old for links in by_run.values() for old in links}):
        by_run.setdefault(run, {})[old] = new_one
    for run, links in by_run.items():
        if links:
            first, then = next(iter(links.items()))
            spot = Spot(run.hunk, Side.NEW, run.new[0], run.new[-1])
            facts: dict[str, FactValue] = {"links": tuple(links), "afterLinks": tuple(links.values()), "function": ""}
            yield Sighting(EditOp.LINK_CHANGED, spot, "", first, first, then, facts)


def _same_page(changed: Changed, known: Collection[str]) -> Iterator[tuple[Run, str, str]]:
    """Addresses that went and came back in another form of the same page, in lines that were written anew."""
    old, new = _text(changed, Side.OLD), _text(changed, Side.NEW)
    went = {url for text in old.values() for url in _urls(text)} - set(known)
    came = {line: set(_urls(text)) - went for line, text in new.items()}
    kept = "\n".join(new.values())
    by_page = {_page(url): url for url in sorted(went) if not _stands(url, kept)}
    for line, urls in came.items():
        run = changed.run_of(Side.NEW, line)
        for url in sorted(urls):
            before = by_page.pop(_page(url), None)
            if before is not None and run is not None:
                yield run, before, url


def _page(url: str) -> str:
    """What stays of an address where only its scheme, its host's first name or its form changed."""
    return re.sub(r"\.html?$", "", re.sub(r"^https?://(?:www\.)?", "", url).rstrip("/")).casefold()


def _urls(line: str) -> list[str]:
    return [one.rstrip(".:!?*_") for one in _URL.findall(line)]


def _stands(url: str, text: str) -> bool:
    return re.search(re.escape(url) + r"(?![\w/.?=&%+-])", text) is not None


def _added(changed: Changed) -> Iterator[Sighting]:
    """Links to files beside it that a document did not have before, and where they lead."""
    if not DOCS.search(changed.path):
        return
    known = {target for text in _text(changed, Side.OLD).values() for target in _LINK.findall(text)}
    known = known if changed.change.path == changed.change.old_path else set()
    for line, text in _text(changed, Side.NEW).items():
        for target in _LINK.findall(text):
            if target not in known:
                known.add(target)
                leads = normpath(join(dirname(changed.path), target))
                facts: dict[str, FactValue] = {"leads": leads, "function": ""}
                spot = Spot(changed.new[line], Side.NEW, line, line)
                yield Sighting(EditOp.LINK_ADDED, spot, "", target, None, target, facts)


def _statements(changed: Changed) -> Iterator[Sighting]:
    """A number or version that a sentence of a document gave, with the words around it."""
    if not DOCS.search(changed.path):
        return
    added = "\n".join(_text(changed, Side.NEW).values())
    seen: set[str] = set()
    for run, line, before, after in _pairs(changed):
        said = _said(before, after)
        if said is not None and said[0] not in added and said[0] not in seen:
            seen.add(said[0])
            spot, facts = Spot(run.hunk, Side.NEW, line, line), {"was": said[1], "now": said[2], "function": ""}
            yield Sighting(EditOp.STATEMENT_CHANGED, spot, "", said[0], before.strip(), after.strip(), facts)


def _said(before: str, after: str) -> tuple[str, str, str] | None:
    """(the old words around the one number that changed, the number, the new one)."""
    old, new = list(_TOKEN.finditer(before)), list(_TOKEN.finditer(after))
    words, others = [one.group() for one in old], [one.group() for one in new]
    changed = [at for at, (one, other) in enumerate(zip(words, others, strict=False)) if one != other]
    if len(words) != len(others) or len(changed) != 1:
        return None
    start, end = changed[0], changed[0] + 1
    if not words[start][0].isdigit() or not others[start][0].isdigit():
        return None
    low, high = max(0, start - _AROUND), end
    if not _is_prose(words[low:end]):
        high = min(len(old), end + _AROUND)
    elif words[end : end + 1] == ["+"]:
        high = end + 1
    while high > end + 1 and not words[high - 1][0].isalnum():
        high -= 1
    if not _is_prose(words[low:high]):
        return None
    return before[old[low].start() : old[high - 1].end()], words[start], others[start]


def _is_prose(words: Sequence[str]) -> bool:
    return sum(1 for one in words if len(one) > 1 and one.isalpha()) >= _LEAST_WORDS

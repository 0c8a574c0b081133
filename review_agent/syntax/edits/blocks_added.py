"""Edits of runs of code that came, told by the lines in them that other code would hardly have by chance."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from review_agent.syntax.edits import as_edits
from review_agent.syntax.edits.frame import Sighting, Spot
from review_agent.syntax.languages import language_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import Edit, EditOp, FactValue, FileChange, Hunk, Line, Side

__all__ = ["added_blocks"]

_CODE = re.compile(r"\.(?:py|go|java|kt|[cm]?[jt]sx?|vue|svelte|rb|php|rs|cs|swift|sh)$")
# What is written for a machine or for show is alike on purpose.
_ASIDE = re.compile(
    r"(?i)(?:^|[/._-])(?:migrations?|examples?|samples?|demos?|fixtures?|mocks?|stories|bench\w*|scripts?|vendor\w*"
    r"|third_party|dist|build|generated|gen|pb|proto\w*|locales?|i18n|lang|translations?|config)(?:[/._-]|$)|\.d\.ts$|\.min\."
)
_COMMENT = re.compile(r"^(?://|#|/?\*|\"{3}|'{3}|<!--)")
# What stands in every other file tells none from another.
_COMMON = re.compile(
    r"^(?:import\b|from\b|package\b|using\b|require\b|@|export \{|export \* |[})\]]|else\b|try\b|finally\b"
    r"|if err != nil|(?:const|let|var) \{[^}]*\} = use|return;?$|</?\w*>?$)"
)
_BEGINS = re.compile(
    r"^\s{0,8}(?:export\b|(?:async )?(?:def|function)\b|func\b|class\b|(?:public|private|protected|static)\b.*\{$"
    r"|(?:async )?[\w$]+\([^;]*\) \{$|const \w+ = .*=> \{?$|<\w+>?$)"
)
# Rows of a table and markup do nothing, whatever they call.
_ACTS = re.compile(r"^\s*(?![\s(\[{\"'`<]).*(?:\w\(|=>|\breturn\b|\bif\b|\bfor\b|\bwhile\b|[^=!<>]=[^=])")
_SHORTEST, _LONGEST = 14, 160
# Telling lines that one edit lists, how many a block needs, and how many of them act.
_MOST, LEAST, _LEAST_ACTING = 8, 5, 3
_CHARACTERS = 180
_MOST_A_HUNK, _MOST_A_FILE = 2, 4


def added_blocks(change: FileChange) -> tuple[Edit, ...]:
    """block_added: of code outside tests; at most two a hunk and four a file."""
    if not _CODE.search(change.path) or in_test(change.path) or _ASIDE.search(change.path):
        return ()
    gone = {line.text.strip() for hunk in change.hunks for line in hunk.lines if line.tag == "-"}
    found = [one for number, hunk in enumerate(change.hunks) for one in _of_hunk(number, hunk, gone)]
    return as_edits(change, language_of(change.path) or "text", found[:_MOST_A_FILE])


def _of_hunk(number: int, hunk: Hunk, gone: Collection[str]) -> Iterator[Sighting]:
    windows = [one for run in _runs(hunk) for part in _joined(run, gone) for one in _windows(part)]
    windows.sort(key=lambda one: -_size(one))
    for lines in windows[:_MOST_A_HUNK]:
        yield _sighting(number, lines)


def _joined(run: Sequence[Line], gone: Collection[str]) -> Iterator[Sequence[Line]]:
    """The telling lines of each part, small ones together with those that follow."""
    kept: list[Line] = []
    for part in _parts(run):
        lines = _telling(part, gone)
        if len(kept) + len(lines) > _MOST:
            yield kept
            kept = []
        kept = [*kept, *lines]
    yield kept


def _parts(run: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """The functions and types of a run, each from its first line on: what is copied is one of them, or a part of it."""
    starts = [0, *(n for n, line in enumerate(run) if n and _BEGINS.match(line.text)), len(run)]
    yield from (run[start:end] for start, end in pairwise(starts))


def _runs(hunk: Hunk) -> Iterator[list[Line]]:
    """Added lines that stand together."""
    run: list[Line] = []
    for line in hunk.lines:
        if line.tag == "+":
            run.append(line)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _telling(run: Sequence[Line], gone: Collection[str]) -> list[Line]:
    seen: set[str] = set()
    kept: list[Line] = []
    for line in run:
        text = line.text.strip()
        if _is_telling(text) and text not in gone and text not in seen:
            seen.add(text)
            kept.append(line)
    return kept


def _is_telling(text: str) -> bool:
    plain = _SHORTEST <= len(text) <= _LONGEST and text.isprintable()
    return plain and not _COMMENT.match(text) and not _COMMON.match(text)


def _windows(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """The lines, or of more some that are spread over them: two ends of one copy would be told as two."""
    last = min(len(lines), 2 * _MOST) - 1
    part = lines if len(lines) <= _MOST else [lines[n * last // (_MOST - 1)] for n in range(_MOST)]
    acting = sum(1 for line in part if _ACTS.search(line.text))
    if len(part) >= LEAST and acting >= _LEAST_ACTING and _size(part) >= _CHARACTERS:
        yield part


def _size(lines: Sequence[Line]) -> int:
    return sum(len(line.text.strip()) for line in lines)


def _sighting(number: int, lines: Sequence[Line]) -> Sighting:
    places = [line.new or 0 for line in lines]
    first = lines[0].text.strip()
    facts: dict[str, FactValue] = {
        "keys": tuple(line.text.strip() for line in lines),
        "offsets": tuple(str(at - places[0]) for at in places),
        "function": "",
    }
    spot = Spot(number, Side.NEW, places[0], places[-1])
    return Sighting(EditOp.BLOCK_ADDED, spot, "", first, None, first, facts)

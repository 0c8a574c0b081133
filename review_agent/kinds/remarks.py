"""What the lines of an excerpt say to people: comments and documentation, and neither imports nor other code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.vocabulary import Evidence

__all__ = ["remarks"]

_HASHED = re.compile(r"\.(?:pyi?|rb|sh|bash|ya?ml|toml|pl|exs?|tf)$")
_HASH, _SLASHES = re.compile(r"(?:^|\s)#+(?!\w*!)(.*)$"), re.compile(r"(?:^|\s)//+(.*)$")
# What opens a text over several lines: of Python one that is a line's first is documentation, any other a value.
_QUOTES, _BLOCK = re.compile(r"\"{3}|'{3}"), re.compile(r"(?:(?<=[\s{])|^)(?:/\*+|<!--)")
_PREFIX = re.compile(r"\s*[rRuU]?")
_CLOSES = {"<!--": "-->"}
# Code that was switched off or is shown: to use a name is not to speak of it.
_CODE = re.compile(
    r"^\s*(?:>>>|\.\.\.\s)|^\s*(?:from\s+[\w.]+\s+)?import\b|^\s*export\b|\b(?:from|require)\s*\(?\s*[\"'`]"
)


def remarks(one: Evidence) -> Iterator[tuple[int, str]]:
    """Each line that says something, by number, without the signs of a comment."""
    hashed = _HASHED.search(one.ref.path) is not None
    # An excerpt may begin in the middle of a comment.
    fence, told = ("*/" if not hashed and re.match(r"\s*\*(?:\s|/|$)", one.text) else ""), True
    lines = one.text.splitlines()
    for index, line in enumerate(lines):
        if fence:
            said, closed, _ = line.partition(fence)
            fence = "" if closed else fence
        else:
            said, fence, told = _opened(line, hashed=hashed)
            # A text that does not end within an excerpt from the middle of a file may be one that has ended there.
            told = told and (not fence or one.ref.start_line == 1 or any(fence in each for each in lines[index + 1 :]))
        if told and said.strip(" *") and not _CODE.search(said.strip(" *")):
            yield one.ref.start_line + index, said.strip(" *")


def _opened(line: str, *, hashed: bool) -> tuple[str, str, bool]:
    """What a line says, the end of the text that is open behind it, and whether that is for people."""
    opens, comment = (_QUOTES if hashed else _BLOCK).search(line), (_HASH if hashed else _SLASHES).search(line)
    if opens is None or (comment is not None and comment.start() < opens.start()):
        return (comment[1] if comment else ""), "", True
    mark = opens[0] if hashed else _CLOSES.get(opens[0], "*/")
    said, closed, _ = line[opens.end() :].partition(mark)
    told = not hashed or _PREFIX.fullmatch(line[: opens.start()]) is not None
    return said, "" if closed else mark, told

"""Names that a library reads out of a text: pandas' ``query("score > @limit")``, DuckDB's ``sql("from frame")``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.words import whole_name

__all__ = ["is_evaluated"]

# What is handed code or a query as a text, and may look into the variables of its caller.
_EVALUATES = re.compile(r"(?<!\w)(?:\w+_)?(?:query|evaluate|eval|sql|execute|executemany|text)(?:_\w+)?\s*(?=\()")
_PASSED = re.compile(r"\(\s*([^\W\d]\w*)\s*[,)]")
_FENCE = re.compile(r"""\s*\w{0,2}(\"{3}|'{3})""")


def is_evaluated(body: Sequence[str], name: str) -> bool:
    """Whether a name that no code of a Python body reads stands in a text that is evaluated there, or may be."""
    word = re.compile(rf"(?<![\w.]){whole_name(name)}")
    text = "\n".join(line for line in body if not line.lstrip().startswith("#"))
    return any(word.search(part) for part in _evaluated(text))


def _evaluated(text: str) -> Iterator[str]:
    """What evaluating calls are given, also by the name of a text."""
    for call in _EVALUATES.finditer(text):
        given = _extent(text, call.end())
        yield given
        passed = _PASSED.match(given)
        if passed is not None:
            sets = re.finditer(rf"(?m)(?<![\w.]){passed[1]}\s*\+?=(?!=)", text)
            yield from (_extent(text, one.end()) for one in sets)


def _extent(text: str, at: int) -> str:
    """An expression from a place to its end: where its brackets or its fence close, or its line ends."""
    fence = _FENCE.match(text, at)
    if fence is not None:
        end = text.find(fence[1], fence.end())
        return text[at:end] if end > 0 else text[at:]
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if depth <= 0 and text[index] in ")]}\n":
            return text[at : index + 1]
    return text[at:]

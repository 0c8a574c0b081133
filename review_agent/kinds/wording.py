"""How kinds read the facts of an edit and put names, places and counts into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable

from review_agent.vocabulary import Edit, FactValue, SourceRef

__all__ = [
    "code",
    "flag",
    "inside_block",
    "listed",
    "number",
    "place",
    "snippet",
    "text",
    "texts",
]

# Characters of source text that a claim quotes in one piece.
LONGEST = 60
# Characters of names that a piece of it has, where it ends at a backtick.
_ENOUGH = 3
# Columns of one step of indentation.
_STEP = 4


def code(name: str) -> str:
    """A name, a path or a short piece of code in backticks; an empty one is nothing."""
    bare = _whole(name).strip()
    return f"`{bare}`" if bare else "nothing"


def _whole(text: str) -> str:
    """A piece of the text that can stand between backticks as it is: up to its first own one, where that says enough,
    else the longest between two."""
    pieces = text.split("`")
    return pieces[0] if len(re.findall(r"\w", pieces[0])) >= _ENOUGH else max(pieces, key=len)


def snippet(text: str) -> str:
    """A piece of source text in backticks on one line, cut between two words where it is long."""
    text = " ".join(text.split()) if "\n" in text else text
    if len(text) > LONGEST:
        text = re.sub(r"[\s.,:=!<>&|+*/-]*\w*$", "", text[:LONGEST])
    return code(text)


def place(ref: SourceRef) -> str:
    """A ref in a sentence: the path in backticks and its first line."""
    return f"{code(ref.path)} line {ref.start_line}"


def listed(names: Iterable[str]) -> str:
    """Names in backticks, joined as in a sentence: `a`, `b` and `c`."""
    quoted = [code(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}" if quoted else ""


def text(edit: Edit, name: str) -> str:
    """A fact of an edit that is a string; "" where it is absent or null."""
    value = edit.facts.get(name)
    return value if isinstance(value, str) else ""


def texts(edit: Edit, name: str) -> tuple[str, ...]:
    """A fact of an edit that is a list of strings; empty where it is absent."""
    value: FactValue = edit.facts.get(name)
    return value if isinstance(value, tuple) else ()


def number(edit: Edit, name: str) -> int | None:
    """A fact of an edit that is a whole number; null where it is absent."""
    value = edit.facts.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def flag(edit: Edit, name: str) -> bool:
    """A fact of an edit that is true or false; false where it is absent."""
    return edit.facts.get(name) is True


def inside_block(line: str, scope: str) -> bool:
    """Whether a Python import stands deeper than its scope alone explains: under an ``if``, a ``try`` or the like.

    A line of a parenthesised import stands one step deeper than the statement.
    """
    depth = scope.count(".") + 1 if scope else 0
    statement = line.lstrip().startswith(("from ", "import "))
    return len(line) - len(line.lstrip()) > _STEP * (depth + (0 if statement else 1))

"""How the contract reads a card's prose: code in backticks, the rest, names, numbers and places."""

from __future__ import annotations

import re
from dataclasses import dataclass

from review_agent.stages.contract_words import EXTENSIONS, PLAIN, STOP

__all__ = [
    "Mention",
    "code_like",
    "content_words",
    "denies_doubt",
    "flaw",
    "folded",
    "is_path",
    "lines_apart",
    "mentions",
    "names_in",
    "numbers_in",
    "plain_flaw",
    "prose",
    "quoted",
    "stands_in",
    "tokens_in",
]

_NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"(?<![\w.])\d[\d_]*(?:\.\d+)*")
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\d_]*(?:\.\d+)*|\S")
_QUOTED = re.compile(r"`([^`]*)`")

_PATH = re.compile(rf"(?:[\w.@+\-]+/)+[\w.@+\-]+|[\w@+\-][\w.@+\-]*\.(?:{'|'.join(EXTENSIONS)})", re.IGNORECASE)
_PLACE = re.compile(
    rf"(?P<path>{_PATH.pattern})(?::|,? (?:at |on )?lines? )"
    r"(?P<first>\d+)(?:(?: ?[-–&] ?| to | through | and )(?P<last>\d+))?",
    re.IGNORECASE,
)
_LINES = re.compile(
    r"(?:\blines? (?:number |no\. ?)?|``:)\d+(?:(?:,? (?:and|or|to|through) |, ?| ?[-–&] ?)\d+)*", re.IGNORECASE
)
_PROSE_CODE = re.compile(
    rf"""(?<![\w/.])(?:
      (?P<path>(?:[\w@+\-.]+/)+[\w@+\-.]*\.\w+|[\w@+\-.]*[\w@+\-]\.(?:{"|".join(EXTENSIONS)})(?!\w))
    | (?P<call>[^\W\d]\w*(?:\.\w+)*\((?!s\))[^()\s]*\))
    | (?P<dotted>[^\W\d]\w*(?:\.[^\W\d]\w*)+)
    | (?P<name>_*[^\W\d_]\w*_\w*|_+[^\W\d_]\w*|\w*[^\W\d_A-Z][A-Z]\w*)
    )""",
    re.VERBOSE,
)
_NO_DOUBT = re.compile(
    r"""\W*(?:
      n/a\b
    | (?:no|none|nothing|nil|not\ applicable)(?:\s+(?:known|at\ all|whatsoever|else|here|left|remaining|found))*
      (?:\W*$|[.,;:!]|\s+[-–—]\s)
    | (?:(?:there\ (?:is|are|was|were)|(?:i|we)\ (?:have|see))\s+)?(?:no|not\ any|without|without\ any|zero)\s+
      (?:(?:known|remaining|further|other|real|open|significant|major|particular|specific|reasonable|residual)\s+)*
      (?:doubts?|uncertaint(?:y|ies)|unknowns|caveats?|concerns?|reservations?|questions?)\b
    | nothing\s+(?:(?:is|was|remains|here|left|that\ is)\s+)*(?:uncertain|unclear|unknown|open|doubtful|in\ doubt)\b
    | (?:i\ am|i'm|we\ are|it\ is|this\ is)\s+(?:\w+ly\s+|very\s+|quite\s+)?(?:certain|sure|confident)\b
    | (?:all|everything)\s+(?:(?:is|was|has\ been)\s+)?(?:clear|certain|known|verified|checked|confirmed)\W*$
    )""",
    re.VERBOSE | re.IGNORECASE,
)
# What begins like a denial and tells of something not seen: words for doubt that are also words of many programs, and a
# certainty that has its bounds said.
_SEEN = (
    r"(?:was|were|is|are|ha(?:s|ve)\ been)\s+(?:\w+ly\s+)?(?:seen|read|shown|looked|found|searched|settled|tested)\b"
)
_DOUBT = re.compile(
    rf"""\W*(?:
      (?:no|not\ any|zero)\s+(?:\w+\s+)?(?:concerns?|reservations?|questions?)\s+(?!at\ all|whatsoever|here|about)\w
      [^.;:!]*\b{_SEEN}
    | (?:none|nothing)\b(?!\s+[-–—]\s)[^.;:!]*\b{_SEEN}
    | [^.;:!]*\b(?:certain|sure|confident)\s+only\b
    | .*\b(?:not|never)\s+(?:\w+ly\s+)?(?:seen|read|shown|looked|searched|settled|tested|established)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_STEM = 6


def folded(text: str) -> str:
    """The text with all whitespace as single spaces."""
    return " ".join(text.split())


def quoted(text: str) -> tuple[str, ...]:
    """The pieces of code: what stands in backticks."""
    return tuple(_QUOTED.findall(text))


def prose(text: str) -> str:
    """The text with every piece of code as an empty pair of backticks."""
    return _QUOTED.sub("``", text)


def names_in(text: str) -> frozenset[str]:
    """Identifiers anywhere in a text."""
    return frozenset(_NAME.findall(text))


def numbers_in(text: str) -> frozenset[str]:
    """Numbers that stand by themselves, without digit separators; those inside identifiers are none."""
    return frozenset(number.replace("_", "") for number in _NUMBER.findall(text))


def tokens_in(text: str) -> tuple[str, ...]:
    """Names, numbers and single signs in order: layout does not count."""
    return tuple(_TOKEN.findall(text))


def stands_in(piece: str, text: str) -> bool:
    """Whether a piece of code stands in a text as whole words."""
    if not piece:
        return False
    before = r"(?<!\w)" if piece[0].isalnum() or piece[0] == "_" else ""
    after = r"(?!\w)" if piece[-1].isalnum() or piece[-1] == "_" else ""
    return re.search(before + re.escape(piece) + after, text) is not None


def is_path(text: str) -> bool:
    """Whether a piece of code has the form of a file path."""
    return _PATH.fullmatch(text.removeprefix("./").removeprefix("/")) is not None


@dataclass(frozen=True)
class Mention:
    """A path with line numbers in a text: ``src/a.py`` line 3, src/a.py:3, src/a.py lines 3 to 5."""

    path: str
    lines: tuple[int, ...]


def mentions(text: str) -> tuple[Mention, ...]:
    """Every place that a text names, backticks or not."""
    found = []
    for match in _PLACE.finditer(text.replace("`", "")):
        lines = [match["first"], *([match["last"]] if match["last"] else [])]
        found.append(Mention(match["path"], tuple(int(line[:9]) for line in lines)))
    return tuple(found)


def lines_apart(text: str) -> tuple[str, str]:
    """What a text says of lines (``line 3``, ``lines 3, 5 and 7``, ``src/a.py:3``), and the text without that.

    An empty pair of backticks stands for a piece of code, as ``prose`` leaves it; a number behind its colon is a line.
    """
    said = " ".join(match.group() for shape in (_PLACE, _LINES) for match in shape.finditer(text))
    return said, _LINES.sub(" ", _PLACE.sub(" ", text))


def code_like(text: str) -> tuple[str, ...]:
    """Words outside backticks that have the form of code: snake_case, camelCase, dotted names, calls, file names."""
    found = (match.group() for match in _PROSE_CODE.finditer(prose(text)))
    return tuple(word for word in found if word.lower().rstrip(".") not in PLAIN)


def content_words(text: str) -> tuple[str, ...]:
    """Stems (the first six letters, lower case) of the words that carry meaning, code included, in order."""
    words = (word.lower() for word in _WORD.findall(text.replace("_", " ")))
    return tuple(word[:_STEM] for word in words if word not in STOP)


def denies_doubt(text: str) -> bool:
    """Whether an entry under uncertainty says that there is none: "No known doubts.", "I am certain that …"."""
    said = folded(text)
    return _NO_DOUBT.match(said) is not None and _DOUBT.match(said) is None


def plain_flaw(text: str) -> str:
    """Why a piece of code may not be shown as it is, "" if it may."""
    if not text.strip():
        return "it is empty"
    # Line ends, control characters, bidirectional and zero-width signs: they can make a text read as another one.
    return "" if text.isprintable() else "it has a line end or a character without a shape"


def flaw(text: str) -> str:
    """Why a sentence may not be shown as it is, "" if it may."""
    if text.count("`") % 2 or "``" in text:
        return "its backticks do not pair"
    if re.search(r"<!--|-->|<[/!?A-Za-z]|\]\(", prose(text)) or "<!--" in text:
        return "it has markup"
    return plain_flaw(text)

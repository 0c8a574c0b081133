"""Source lines without their comments and strings: a quick look at words, where a parse would be too dear."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

__all__ = ["code_lines", "read_lines"]

_SCRIPT = re.compile(r"""(`|/\*)|(//)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""")
# What may hide words on a line, the fence of a long string first; group 1 is a fence, group 2 a comment.
HIDING: Mapping[str, re.Pattern[str]] = {
    "python": re.compile(r"""(\"{3}|'{3})|(\#)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""),
    **dict.fromkeys(("javascript", "typescript", "tsx"), _SCRIPT),
    "java": re.compile(r"""(\"{3}|/\*)|(//)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""),
    "go": re.compile(r"""(`)|(//)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""),
}


def code_lines(lines: Sequence[str], language: str) -> list[str]:
    """The lines with each string as two quotes, long strings and comments left out. For all of ``HIDING``."""
    hiding = HIDING[language]
    code, fence = [], ""
    for line in lines:
        kept, fence = _visible(line, hiding, fence)
        code.append(kept)
    return code


_SCRIPTS = ("javascript", "typescript", "tsx")
# Where a language puts the value of a name into a text, or runs a text that may name it, and what stands there.
_PUTS: Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "python": (
        re.compile(r"(?i)\b(?:f|fr|rf|t|tr|rt)[\"']|\b(?:eval|query|sql)\("),
        re.compile(r"(?<!\{)(?:\{\{)*\{([^{}]+)"),
    ),
    **dict.fromkeys(
        _SCRIPTS,
        (re.compile(r"`|(?:[(=,:!&|?\[{};>]|\breturn)\s*/(?![/*])"), re.compile(r"\$\{([^{}]+)")),
    ),
}
# Of what a look at quotes takes for a text: what stands between two tags of a script has holes, and a query of Python
# names what it is given.
_MAY_READ: Mapping[str, str] = {"python": "@", **dict.fromkeys(_SCRIPTS, "{")}
_COMMENT = re.compile(r"^\s*(?:#|//|/\*|\*(?:\s|/|$))")
# Of a regular expression and of the text between tags, ``/*`` opens no comment: one that does stands apart.
_CERTAIN = re.compile(r"""(`|(?<![^\s({,;=])/\*)|(//)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""")


def read_lines(lines: Sequence[str], language: str, *, doubtful: bool = False) -> list[str]:
    """What of each line can read a name: code, and what is put into a text. ``doubtful`` keeps whole lines whose
    texts may end elsewhere than a look at quotes finds: those with a template, an f-string or a regular expression,
    and those where what looks like a text or a comment has a sign of a read (``_MAY_READ``).
    """
    hiding = _CERTAIN if doubtful and language in _SCRIPTS else HIDING[language]
    read, fence, put = [], "", False
    for line in lines:
        code, after = _visible(line, hiding, fence)
        put = _puts(line, language) or (put and bool(fence))
        read.append(_read(line, code, fence, language, put=put, doubtful=doubtful))
        fence = after
    return read


def _puts(line: str, language: str) -> bool:
    """Whether a text begins on the line, or may begin, that takes in the value of a name."""
    return language in _PUTS and _PUTS[language][0].search(line) is not None


def _read(line: str, code: str, fence: str, language: str, *, put: bool, doubtful: bool) -> str:
    if language not in _PUTS or fence == "/*" or (not fence and _COMMENT.match(line)):
        return code
    hides = line.count(_MAY_READ[language]) > code.count(_MAY_READ[language])
    if doubtful and (put or hides):
        return line
    return " ".join((code, *_PUTS[language][1].findall(line))) if put or (doubtful and fence) else code


def _visible(line: str, hiding: re.Pattern[str], fence: str) -> tuple[str, str]:
    """What of a line is code, and the fence that is open at its end."""
    kept, at = "", 0
    while True:
        if fence:
            closing = "*/" if fence == "/*" else fence
            end = line.find(closing, at)
            if end < 0:
                return kept, fence
            at, fence = end + len(closing), ""
        found = hiding.search(line, at)
        if found is None:
            return kept + line[at:], ""
        kept += line[at : found.start()]
        if found.group(2):
            return kept, ""
        fence, at = found.group(1) or "", found.end()
        kept += "" if fence else "''"

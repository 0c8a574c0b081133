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


# Where a language puts the value of a name into a text, and what stands there.
_PUTS: Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "python": (re.compile(r"(?i)\b(?:f|fr|rf|t|tr|rt)[\"']"), re.compile(r"(?:^|[^{])(?:\{\{)*\{([^{}]+)")),
    **dict.fromkeys(
        ("javascript", "typescript", "tsx"),
        (re.compile(r"`|(?:[(=,:!&|?\[]|\breturn)\s*/(?![/*])"), re.compile(r"\$\{([^{}]+)")),
    ),
}
_COMMENT = re.compile(r"^\s*(?:#|//|/\*|\*(?:\s|/|$))")


def read_lines(lines: Sequence[str], language: str, *, doubtful: bool = False) -> list[str]:
    """What of each line can read a name: code, and what is put into a text. ``doubtful`` keeps whole lines whose
    texts may end elsewhere than a look at quotes finds: those with a template, an f-string or a regular expression.
    """
    fences, fence = [], ""
    for line in lines:
        fences.append(fence)
        fence = _visible(line, HIDING[language], fence)[1]
    code = code_lines(lines, language)
    return [_read(*each, language, doubtful) for each in zip(lines, code, fences, strict=True)]


def _read(line: str, code: str, fence: str, language: str, doubtful: bool) -> str:
    if language not in _PUTS or fence == "/*" or (not fence and _COMMENT.match(line)):
        return code
    opens, holes = _PUTS[language]
    if doubtful and (fence == "`" or opens.search(line)):
        return line
    return " ".join((code, *holes.findall(line))) if fence or opens.search(line) else code


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

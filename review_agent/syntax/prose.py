"""What a line of a comment says: whether it is a sentence, tells of the past, or means a name of the code."""

from __future__ import annotations

import re

from review_agent.syntax.code import HIDING

__all__ = ["is_past", "is_prose", "is_telling", "names", "spoken"]

_PAST = re.compile(
    r"(?i)\b(?:deprecat\w*|removed?|removing|removal|renam\w*|replac\w*|no longer|not any more|legacy|former\w*|"
    r"previous\w*|used to|was|were|had been|histor\w*|backwards?|compat\w*|older?|obsolete|originally|prior|earlier|"
    r"once|instead of|in favou?r|superseded|migrat\w*|todo|fixme|xxx|hack|issue|cve|ghsa|bug|upstream|"
    r"version(?:added|changed|removed)|since|until|unlike|borrowed|ported|adapted|inspired|copied|similar|equivalent|"
    r"analog\w*)\b|https?://|#\d+"
)
_PLAIN = re.compile(r"(?<![\w.`\-/])[a-z]{2,}(?![\w(./`=\[-])")
_CODE = re.compile(
    r"^\s*(?://+|#+|\*|/\*+)?\s*(?:[\w.\[\]]+\s*(?::?=(?!=)|\+=)|return\b.*\(|if\s*\(|for\s*\("
    r"|[\w.]+\([^)]*\)\s*;?\s*$|[{}\[\]]|>>>)|[;{}]\s*$"
)
_LEAST_WORDS = 3
# A text in code is a message to people from this many plain words on.
_MESSAGE = 4
_WHOLE = re.compile(r"^\s*(?://|/\*|\*(?!\*))")
_WHOLE_HASH = re.compile(r"^\s*#")


def is_past(text: str) -> bool:
    """Whether a comment tells of what was, of another project, or of something to do."""
    return _PAST.search(text) is not None


def is_prose(text: str) -> bool:
    """Whether a comment line is a part of a sentence and no code that was switched off."""
    return _CODE.search(text) is None and len(_PLAIN.findall(text)) >= _LEAST_WORDS


def is_telling(name: str) -> bool:
    """Whether a name can be nothing but a name: two words written as one."""
    return re.search(r"[a-z0-9]_[A-Za-z0-9]|[a-z][A-Z]|[A-Z]_[A-Z]", name) is not None


def names(text: str, name: str, qualname: str = "") -> bool:
    """Whether a text means the name: a telling one wherever it stands, another one only where it is written as code."""
    bare = re.escape(name)
    owner = re.escape(qualname.rpartition(".")[0].rpartition(".")[2])
    before = rf"(?:(?<=\b{owner}[.#])|(?<![\w.\-/$]))" if owner else r"(?<![\w.\-/$])"
    if is_telling(name):
        return re.search(rf"{before}{bare}(?![\w$]|[-/.]\w|\.\*)", text) is not None
    return (
        re.search(
            rf"`{bare}(?:\(\))?`|(?:\{{@(?:link|code)\s+#?|:(?:meth|func|class|attr):`[~.]?){bare}\b|{before}{bare}\(\)",
            text,
        )
        is not None
    )


def spoken(line: str, language: str) -> tuple[str, str]:
    """What of a line is said to people, as a comment or a message, and the rest, which is the program's."""
    if (_WHOLE_HASH if language == "python" else _WHOLE).match(line):
        return line, ""
    said: list[str] = []
    rest, at = "", 0
    while (found := HIDING[language].search(line, at)) is not None and not found.group(1):
        rest += line[at : found.start()]
        if found.group(2):
            return " ".join((*said, line[found.start() :])), rest
        message = len(_PLAIN.findall(found.group())) >= _MESSAGE
        said += [found.group()] if message else []
        rest += "" if message else found.group()
        at = found.end()
    return " ".join(said), rest + line[at:]

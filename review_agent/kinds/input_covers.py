"""Whether one test of a value asks what another one asked: the ends of a range, the whole of a text or a part of it."""

from __future__ import annotations

import re

__all__ = ["covers", "directions", "of_text", "partial"]

_TAKES_PART = r"(?:extname|splitext|Ext|len|HasSuffix|isEmpty|isBlank|exists|isfile|isFile|hasText|hasLength)"
_IS_PART = r"(?:length|size|endsWith|endswith|isEmpty|isBlank|suffix|blank)"
_NOTHING = r"(?:\"\.?\"|'\.?'|None|null|nil|undefined)"


def partial(test: str, value: str) -> bool:
    """Whether a test looks at no more of a value than its ending, its length, or that there is one."""
    name = re.escape(value)
    if not re.search(rf"(?<![\w.]){name}(?!\w)", test):
        return False
    rest = re.sub(rf"(?:\w+\.)*{_TAKES_PART}\(\s*{name}\s*(?:,[^()]*)?\)", "", test)
    rest = re.sub(rf"(?<![\w.]){name}\s*\.\s*{_IS_PART}\b(?:\([^()]*\))?", "", rest)
    rest = re.sub(rf"(?<![\w.]){name}\s*(?:===?|!==?|is not|is)\s*{_NOTHING}", "", rest)
    rest = re.sub(
        rf"(?:^|\bor\b|\band\b|\|\||&&)\s*(?:not\s+|!)?\s*{name}\s*(?=$|\bor\b|\band\b|\|\||&&)", " ", rest.strip()
    )
    return re.search(rf"(?<![\w.]){name}(?!\w)", rest) is None


def of_text(check: str) -> bool:
    """Whether a check is one of texts: it says nothing of a number."""
    return (
        re.search(
            r"(?i)ends_?with|starts_?with|suffix|extname|splitext|match|\.test\b|is_?local|basename|secure_filename|"
            r"normali[sz]e|normpath|realpath|isalnum|isidentifier",
            check,
        )
        is not None
    )


def directions(test: str, value: str) -> frozenset[str]:
    """The ends of a range that a refusing test looks at: ``low`` for ``v < 1``, ``high`` for ``v > 9``.

    Of a negated test, or one that compares in no such way, nothing is known.
    """
    if re.search(r"\bnot\b|!(?!=)", re.sub(r"(?:\bnot |!)\s*[\w.]+\(", "", test)):
        return frozenset()
    name = re.escape(value)
    behind = re.findall(rf"(?<![\w.]){name}\s*(<|>)", test)
    before = re.findall(rf"(<|>)=?\s*{name}(?!\w)", test)
    zero = re.search(rf"(?<![\w.]){name}\s*===?\s*0\b", test)
    ends = {"low" if sign == "<" else "high" for sign in behind} | {"high" if sign == "<" else "low" for sign in before}
    return frozenset(ends | ({"low"} if zero else set()))


def covers(test: str, name: str, check: str, value: str, left: str = "") -> bool:
    """Whether a test of ``name`` can refuse what the ``check`` of ``value`` refused, beyond what is ``left`` of it."""
    if not check:
        return True
    if partial(test, name) and not partial(check, value):
        return False
    lost, asked = directions(check, value) - directions(left, value), directions(test, name)
    return not lost or not asked or bool(lost & asked)

"""Assertions that say the same in other words, over the assertion libraries of the five languages.

Both are put into one form: is or is not, what is looked at, what it is held against, how strictly, and what is said
besides. Where a language takes other values for true, a bare test says less than a comparison with ``true``, and the
two stay apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from review_agent.kinds.bodies import split_top

__all__ = ["says_the_same"]


class Said(NamedTuple):
    """``how``: "" for the plain equality of a language, else what it asks more or less than that. ``more``: further
    arguments and modifiers, a tolerance or ``rejects``."""

    holds: bool
    looked_at: str
    against: str
    how: str = ""
    more: tuple[str, ...] = ()


_EQUAL = frozenset(
    """equal equals assertequal assertequals assertis assertsame tobe toequal tostrictequal isequalto issameas
    strictequal deepequal deepstrictequal exactly same eq eql""".split()  # noqa: SIM905
)
_UNEQUAL = frozenset(
    """notequal notequals assertnotequal assertnotequals assertisnot assertnotsame isnotequalto isnotsameas
    notstrictequal notdeepequal notdeepstrictequal notsame""".split()  # noqa: SIM905
)
# How strictly a name compares, in all languages; "" is what a language's own equality does.
_HOW: Mapping[str, str] = {
    name: how
    for how, names in (
        (
            "identity",
            "tobe strictequal notstrictequal assertis assertisnot assertsame assertnotsame "
            "issameas isnotsameas notsame",
        ),
        ("deep and strict", "tostrictequal deepstrictequal notdeepstrictequal"),
        ("deep", "toequal deepequal notdeepequal eql"),
        ("exact", "exactly"),
    )
    for name in names.split()
}
_LONG = frozenset("len haslength hassize tohavelength lengthof assertlen".split())  # noqa: SIM905
# What a name with one argument holds it against, and whether it is or is not that.
_AGAINST: Mapping[str, tuple[bool, str]] = {
    name: (holds, value)
    for value, yes, no in (
        (
            "nothing",
            "nil assertnil assertnull assertisnone isnull isnil tobenull noerror",
            "notnil assertnotnil assertnotnull assertisnotnone isnotnull isnotnil error",
        ),
        ("undefined", "tobeundefined isundefined", "tobedefined isdefined"),
        ("empty", "empty isempty", "notempty isnotempty"),
        ("0", "zero iszero", "notzero isnotzero"),
    )
    for holds, names in ((True, yes), (False, no))
    for name in names.split()
}
_HOLDS = {
    **dict.fromkeys(("true", "asserttrue", "istrue", "tobetruthy", "tobetrue", "ok", "assert"), True),
    **dict.fromkeys(("false", "assertfalse", "isfalse", "tobefalsy", "tobefalse", "notok"), False),
}
# In JavaScript these ask for the boolean itself.
_BOOLEANS = {
    **dict.fromkeys(("true", "istrue", "tobetrue"), "true"),
    **dict.fromkeys(("false", "isfalse", "tobefalse"), "false"),
}
# Words of a chain that only make it read well.
_FLUFF = frozenset("to be been is that which and has have with at of but does still also not".split())  # noqa: SIM905
_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_VALUES: Mapping[str, str] = {
    **dict.fromkeys(("None", "null", "nil"), "nothing"),
    **dict.fromkeys(('""', "''", "``"), "empty"),
    **dict.fromkeys(("true", "True", "Boolean.TRUE"), "true"),
    **dict.fromkeys(("false", "False", "Boolean.FALSE"), "false"),
}
_LITERAL = re.compile(r"-?\d[\w.]*|[\"'`].*[\"'`]|undefined")
# Go and Java look at nothing but a boolean; elsewhere the text has to tell that it is one.
_STRICT = frozenset({"go", "java"})
_BOOLEAN = re.compile(
    r"(?:.*\.)?(?:isinstance|issubclass|hasattr|callable|startswith|endswith|is_\w+|has_\w+)\([^()]*\)"
)
_COMPARED = re.compile(r"(.+?)\s*(===|!==|==|!=|\bis not\b|\bis\b)\s*(?!=)(.+)")
_JOINED = re.compile(r"&&|\|\||\band\b|\bor\b|[<>]|\bin\b|\bif\b")
_LENGTH = re.compile(r"len\((.+)\)|(.+)\.(?:length|size|length\(\)|size\(\))")
_IS_EMPTY = re.compile(r"(.+)\.isEmpty\(\)")
_CHAIN = re.compile(r"(?:await )?(?:[\w.]+\.)?(?:expect|assertThat|that)\(")
_CALL = re.compile(r"(?:await )?(?:[\w.]+\.)?(\w+)!?\(")
_TESTING = re.compile(r"t|tb|b|\w+\.T\(\)")


def says_the_same(before: str, after: str, language: str) -> bool:
    """Whether two assertions hold for the same values; false where that cannot be told from their text."""
    was, now = (_said(" ".join(one.split()), language) for one in (before, after))
    return was is not None and was == now


def _said(text: str, language: str) -> Said | None:
    text = text.rstrip(";").strip()
    if language == "python" and re.match(r"assert[\s(]", text):
        parts = split_top(text.removeprefix("assert"))
        # What stands in brackets with a comma is a tuple, which always holds.
        return _condition(parts[0], language) if parts and len(split_top(_bare(parts[0]))) == 1 else None
    opened = _CHAIN.match(text)
    if opened is not None:
        return _of_chain(text, opened.end(), language)
    called = _CALL.match(text)
    if called is None or _closing(text, called.end()) != len(text) - 1:
        return None
    args = _without_words(split_top(text[called.end() : -1]), language)
    said = _of_name(_flat(called[1]), args, language)
    return said._replace(more=(*said.more, *_awaited(text))) if said is not None else None


def _of_chain(text: str, start: int, language: str) -> Said | None:
    """``expect(x).not.toBe(1)``, ``assertThat(x).isTrue()``, ``expect(x).to.be.null``: one matcher, no more."""
    end = _closing(text, start)
    rest = re.fullmatch(r"((?:\.\w+)*?)\.(\w+)(?:\((.*)\))?", text[end + 1 :]) if end > 0 else None
    if rest is None or not _even(rest[3] or ""):
        return None
    words = rest[1].split(".")[1:]
    name = _flat(rest[2])
    if name in ("equal", "equals", "eq") and language in _SCRIPTS:
        name, words = "deepequal" if "deep" in words else "tobe", [one for one in words if one != "deep"]
    said = _of_name(name, [text[start:end].strip(), *split_top(rest[3] or "")], language)
    more = (*(one for one in words if one not in _FLUFF), *_awaited(text))
    negated = words.count("not") % 2 == 1
    return said._replace(holds=said.holds is not negated, more=(*said.more, *more)) if said is not None else None


def _awaited(text: str) -> tuple[str, ...]:
    return ("await",) if text.startswith("await ") else ()


def _of_name(name: str, args: Sequence[str], language: str) -> Said | None:
    if not args:
        return None
    one = args[-1] if language == "java" and args[0].startswith('"') else args[0]
    if name in _AGAINST:
        return Said(_AGAINST[name][0], _bare(one), _AGAINST[name][1])
    if name in _BOOLEANS and language in _SCRIPTS:
        return _compared(one, _BOOLEANS[name], language, how="identity")
    if name in _HOLDS:
        return _condition(one, language, holds=_HOLDS[name])
    if len(args) < 2:  # what is looked at, and what it is held against
        return None
    if name in _LONG:
        first, other = args[:2] if _LITERAL.fullmatch(args[1]) else (args[1], args[0])
        return Said(True, _bare(first), _long(other))
    if name not in _EQUAL | _UNEQUAL:
        return None
    said = _compared(args[0], args[1], language, holds=name in _EQUAL, how=_how(name, language))
    return said._replace(more=_further(args[2:], language))


def _how(name: str, language: str) -> str:
    """Outside a chain, ``equal`` of JavaScript converts; ``same`` is the pointer in Go, and the shape in JavaScript."""
    if language in _SCRIPTS:
        return _HOW.get(name, "converted" if name in ("equal", "equals", "notequal", "notequals") else name)
    return _HOW.get(name, "identity" if name == "same" else "")


def _further(args: Sequence[str], language: str) -> tuple[str, ...]:
    """What a comparison is told besides: in Java a tolerance, elsewhere only what is printed."""
    if language != "java":
        return ()
    return tuple(one for one in args if not one.startswith('"') and not re.match(r"\(\)\s*->", one))


def _without_words(args: Sequence[str], language: str) -> Sequence[str]:
    """Arguments without Go's ``t`` in front, and without the message that JUnit 4 takes first."""
    if language == "go" and args and _TESTING.fullmatch(args[0]):
        return args[1:]
    worded = language == "java" and len(args) > 1 and args[0].startswith('"') and not args[-1].startswith('"')
    return args[1:] if worded and len(args) != 2 else args  # two of them are compared


def _condition(text: str, language: str, *, holds: bool = True) -> Said:
    """What a condition says, where it holds or does not."""
    text = _bare(text)
    negated = re.fullmatch(r"(?:not\s+|!\s*)(?!=)(.+)", text)
    if negated is not None and not _JOINED.search(text) and not _COMPARED.fullmatch(negated[1]):
        return _condition(negated[1], language, holds=not holds)
    compared = _COMPARED.fullmatch(text)
    if compared is not None and not _JOINED.search(text) and _even(compared[1]) and _even(compared[3]):
        differs = compared[2] in ("!=", "!==", "is not")
        return _compared(
            compared[1], compared[3], language, holds=holds is not differs, how=_sign(compared[2], language)
        )
    empty = _IS_EMPTY.fullmatch(text)
    if empty is not None:
        return Said(holds, _bare(empty[1]), "empty")
    if language in _STRICT or _BOOLEAN.fullmatch(text):
        return Said(True, text, "true" if holds else "false")
    return Said(holds, text, "truth")


def _sign(sign: str, language: str) -> str:
    """How strictly a sign compares."""
    if language in _SCRIPTS:
        return "converted" if sign in ("==", "!=") else "identity"
    return "identity" if sign.startswith("is") or language == "java" else ""


def _compared(one: str, other: str, language: str, *, holds: bool = True, how: str = "") -> Said:
    one, other = _bare(one), _bare(other)
    if _is_value(one) and not _is_value(other):
        one, other = other, one
    value = _VALUES.get(other, other)
    if not _is_value(other):
        one, value = sorted((one, other))
        return Said(holds, one, value, how)
    long = _LENGTH.fullmatch(one)
    if long is not None and value.isdigit() and _even(long[1] or long[2]):
        return Said(holds, _bare(long[1] or long[2]), _long(value))
    if value in ("true", "false") and (language in _STRICT or _BOOLEAN.fullmatch(one)):
        return Said(True, one, value if holds else {"true": "false", "false": "true"}[value])
    return Said(holds, one, value, "" if _is_one(value, how, language) else how)


def _is_one(value: str, how: str, language: str) -> bool:
    """Whether a value is the same however strictly it is compared: there is one ``None``, one ``null``."""
    if language in _SCRIPTS:
        return how != "converted"
    return value == "nothing" or (language == "java" and value[:1].isdigit())


def _long(size: str) -> str:
    return "empty" if size == "0" else f"of length {size}"


def _is_value(text: str) -> bool:
    return text in _VALUES or _LITERAL.fullmatch(text) is not None


def _flat(name: str) -> str:
    return name.lower().replace("_", "")


def _bare(text: str) -> str:
    """A text without brackets around the whole of it."""
    text = text.strip()
    while text.startswith("(") and _closing(text, 1) == len(text) - 1:
        text = text[1:-1].strip()
    return text


def _even(text: str) -> bool:
    """Whether every bracket and quote that opens in a text ends in it."""
    return _closing(f"{text})", 0) == len(text)


def _closing(text: str, start: int) -> int:
    """Where the bracket closes that opened before ``start``; -1 where it does not."""
    depth, quote = 1, ""
    for index in range(start, len(text)):
        sign = text[index]
        if quote:
            quote = "" if sign == quote and text[index - 1] != "\\" else quote
        elif sign in "\"'`":
            quote = sign
        else:
            depth += (sign in "([{") - (sign in ")]}")
            if depth == 0:
                return index
    return -1

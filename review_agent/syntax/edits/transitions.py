"""How one literal differs from another."""

from __future__ import annotations

import re

__all__ = ["is_literal", "same_value", "transition"]

BOOLEANS = {"true": True, "false": False, "True": True, "False": False}
NOTHING = {"None", "nil", "null", "undefined", "~", ""}
NUMBER = r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[oObB]?[0-7_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][-+]?\d+)?)"
UNIT = r"(?:time\.(?:Nanosecond|Microsecond|Millisecond|Second|Minute|Hour))"
ARITHMETIC = re.compile(rf"{NUMBER}(?:\s*(?:\*\*?|<<|\+|-|//?)\s*(?:{NUMBER}|{UNIT}))*|{UNIT}")
TEXT = re.compile(r"""[rbufRBUF]{0,2}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|`[^`]*`""")


def is_literal(value: str) -> bool:
    """A number (or arithmetic of numbers), a string, a boolean, or nothing at all, as source text."""
    folded = value.strip()
    return folded in BOOLEANS or folded in NOTHING or bool(ARITHMETIC.fullmatch(folded) or TEXT.fullmatch(folded))


def same_value(before: str | None, after: str | None) -> bool:
    """Whether two source texts are the same literal or expression, whatever their quotes and spaces."""
    return before == after or (before is not None and after is not None and _folded(before) == _folded(after))


def _folded(text: str) -> str:
    text = text.strip()
    if TEXT.fullmatch(text) and text[0] in "\"'`" and not set("\\\"'") & set(text[1:-1]):
        return f"'{text[1:-1]}'"
    if ARITHMETIC.fullmatch(text):
        return re.sub(r"[\s_]", "", text)
    return re.sub(r",(?=[)\]}])", "", re.sub(r"\s", "", text)) if not re.search("[\"'`]", text) else text


def transition(before: str, after: str) -> str:
    """One of flipped, to_none, from_none, to_zero, number, text, other, for two different source texts."""
    before, after = before.strip(), after.strip()
    if before in BOOLEANS and after in BOOLEANS:
        return "flipped" if BOOLEANS[before] != BOOLEANS[after] else "other"
    if after in NOTHING or before in NOTHING:
        return "to_none" if after in NOTHING else "from_none"
    if _is_number(before) and _is_number(after):
        return "to_zero" if _is_zero(after) else "number"
    return "text" if TEXT.fullmatch(before) and TEXT.fullmatch(after) else "other"


def _is_number(text: str) -> bool:
    return bool(ARITHMETIC.fullmatch(text))


def _is_zero(text: str) -> bool:
    return bool(re.fullmatch(r"[-+]?0[\d_]*(?:\.0*)?(?:\s*\*.*)?", text)) and not re.search("[1-9]", text.split("*")[0])

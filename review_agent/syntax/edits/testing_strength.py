"""How much an assertion of a test says."""

from __future__ import annotations

import re

from review_agent.syntax.model import Assertion

__all__ = ["strength"]

# By its name: the value itself, something about it, that it is there.
_STRENGTH = {
    3: """
        assertarrayequals assertcalledoncewith assertcalledwith assertdictequal assertequal assertequals
        assertiterableequals assertlistequal assertraises assertraisesregex assertsame assertthrows
        containsexactly deepequal deepstrictequal elementsmatch eq equal equalerror equalto errorcontains
        errorsis is isequalto jsoneq raises rejects strictequal throws tobe toequal tohavebeencalledwith
        tostrictequal tothrow assertthrowsexactly isinstanceof haslasterror hasmessage tothrowerror
        tohavebeenlastcalledwith toreturnwith assertcountequal asserttupleequal assertsetequal
        assertmultilineequal containsexactlyinanyorder containsentry exactly errorsas erroris
    """,
    2: """
        assertcalledonce assertgreater assertgreaterequal assertin assertless assertlessequal
        assertnotequal assertregex contains error greater haslength hassize len less notequal startswith
        tobegreaterthan tobelessthan tocontain tohavebeencalledtimes tohavelength tohaveproperty tomatch
        tomatchobject
    """,
    1: """
        assertcalled assertdoesnotthrow assertfalse assertisinstance assertisnone assertisnotnone
        assertnotnull assertnull asserttrue doesnotthrow false isnotempty isnotnull nil
        noerror notempty notnil ok tobedefined tobefalsy tobeinstanceof tobenull tobetruthy tobeundefined
        tohavebeencalled true
    """,
}
_BY_NAME = {name: rank for rank, names in _STRENGTH.items() for name in names.split()}
_THROWS = frozenset(
    ("assertraises", "assertraisesregex", "assertthrows", "raises", "throws", "tothrow", "tothrowerror", "isinstanceof")
)
_BROAD = re.compile(r"\b(?:Base)?Exception\b(?!\w)|\bThrowable\b|\bRuntimeException\b|\(\s*Error\s*[,)]")
_ANY = re.compile(r"\bexpect\.(?:anything|any)\(|\bmock\.(?:ANY|Anything)\b|\bANY\b|\banyString\(|\bany\(\)")
_EMPTY = re.compile(r"==\s*(?:0|nil|\"\"|''|null)\b|==\s*\"\"|<=\s*0\b|<\s*1\b")
# A value compared with itself: `x == x`, `assertEqual(x, x)`, `expect(x).toBe(x)`.
_SAME = re.compile(r"^(?:assert\s+)?([\w.]+)\s*===?\s*\1$|\((?:t,\s*)?([\w.]+),\s*\2\)$|expect\(([\w.]+)\)\.\w+\(\3\)$")
# Asserting that a comparison holds says as much as the comparison does.
_TRUTH = frozenset({"asserttrue", "true", "ok"})


def strength(one: Assertion) -> int:
    """3 to 0: the value itself, something about it, that there is one, nothing."""
    name = one.name.lower().replace("_", "")
    if _SAME.search(one.text):
        return 0
    if one.form == "failure":
        return _of_failure(one.text)
    if one.form == "statement":
        return _of_test(one.text)
    if name in _THROWS:
        return _of_throws(one.text, name)
    if name in _TRUTH and re.search(r"[!=]==?|\.equals\(|\bEqual\(", one.text):
        return 3
    return 1 if _ANY.search(one.text) else _BY_NAME.get(name, 2)


def _of_throws(text: str, name: str) -> int:
    """An expected failure says its type; a type above all others says only that there is a failure."""
    if _BROAD.search(text) or re.search(rf"(?i){name}\(\s*\)", text.replace("_", "")):
        return 2 if "match=" in text else 1
    return 3


def _of_failure(text: str) -> int:
    """A condition under which a test fails: unequal to a value asserts the value."""
    if re.search(r"[!=]= *nil\b", text) or _EMPTY.search(text) or not re.search(r"[=<>]|\w\(", text):
        return 1
    return 3 if re.search(r"!=|![\w.]*(?:Equal|DeepEqual|Is|As)\(", text) else 2


def _of_test(text: str) -> int:
    if _ANY.search(text):
        return 1
    if re.search(r"\bis not None\b|\bis None\b|!= nil|== nil", text) or not re.search(
        r"[=<>]|\bin\b|\bis\b", re.sub(r"\w+\s*=(?!=)", "", text)
    ):
        return 1
    return 3 if re.search(r"==|\bis (?:True|False)\b", text) else 2

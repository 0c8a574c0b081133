"""What a line of code does with a word that it holds: the slot that the word goes with, and whether it is put there.

Told from one line of source text, for all languages alike: ``order.status = "done"`` writes the slot ``status``,
``if row["status"] == "done"`` reads it; ``session["uid"]`` reads the key from ``session``, ``g.user = x`` writes ``g``.
Where the line does not tell, the act is "".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.kinds.codelines import TOKEN, Occurrence, Told, callee_of, content, is_text, last_name, shape
from review_agent.kinds.occurrence_stores import column_of, cookie_of, in_sql, path_of

__all__ = ["Occurrence", "content", "is_text", "occurrences", "shape"]


_GETS_WORDS = """
    get pop has contains containskey getattribute getitem removeitem removeattribute delete del exists hget hdel mustget
    getheader getparameter header lookup value remove getstring getint unset getordefault getproperty evict invalidate
"""
_GETS = frozenset(_GETS_WORDS.split())
_SETS_WORDS = """
    set setitem setattribute put hset setex setnx setdefault store withvalue add putifabsent append setproperty
"""
_SETS = frozenset(_SETS_WORDS.split())
_ASKS = re.compile(
    r"(?i)^(?:filter|where|find|get|count|exclude|query|search|list|select|exists|delete|remove|match|is)"
)
_PUTS = re.compile(r"(?i)^(?:set|with|update|mark|change|assign)_?(?P<slot>\w+)$")
_TAKES = re.compile(
    r"(?i)^(?:find|get|count|filter|list|select|exists|delete|load|fetch)(?:_?all)?_?by_?(?P<slot>\w+)$"
)
_ROUTES = re.compile(
    r"(?:^|\.)(?:route|get|post|put|delete|patch|Get|Post|Put|Delete|Patch|GET|POST|PUT|DELETE|PATCH|HandleFunc|Handle|"
    r"all|use|add_url_rule|path|re_path|Group|\w*Mapping|Path)$"
)


# Writing a form that another call reads back by the same word.
_FORMATS = {
    "pack": ("pack", "write"),
    "unpack": ("pack", "read"),
    "unpack_from": ("pack", "read"),
    "strftime": ("strftime", "write"),
    "strptime": ("strftime", "read"),
    "Format": ("format", "write"),
    "Parse": ("format", "read"),
    "ofPattern": ("pattern", ""),
}


def occurrences(line: str, token: str) -> Iterator[Occurrence]:
    """What a line does with each occurrence of a token; of a literal with the same fixed text, in any quotes."""
    if line.lstrip().startswith(("#", "//", "*", "/*", "--", "<!--")):
        return
    wanted, text = shape(token), is_text(token)
    for match in TOKEN.finditer(line):
        one = match.group()
        if is_text(one) == text and shape(one) == wanted:
            start = match.start()
            start -= len(re.search(r"[fFrRbBuU]{0,2}$", line[:start])[0]) if text else 0  # type: ignore[index]
            yield _occurrence(line[:start], line[match.end() :], text, path=text and content(one).startswith("/"))
        elif is_text(one) and text:
            yield from in_sql(content(one), content(token))
        elif is_text(one):
            yield from column_of(content(one), token)


def _occurrence(before: str, after: str, text: bool, *, path: bool) -> Occurrence:
    frame = _frame(before, after)
    if path and callee_of(before):
        registers = _registers(before, after, callee_of(before) or "")
        return Occurrence("route", "write" if registers else "read", frame, key=True)
    if re.match(r"\s*(?:case|when)\b", before):
        return Occurrence("", "read", frame)
    for find in (cookie_of, path_of, _compared, _subscript, _attribute, _member_of, _entry, _assigned, _argument):
        found = find(before, after, text)
        if found is not None:
            slot, act, key = found
            return Occurrence(slot.lower(), act, frame, key)
    return Occurrence("", "", frame)


_EQUAL_BEFORE = re.compile(r"(?:===?|!==?|\bis(?: not)?)\s*$")
_EQUAL_AFTER = re.compile(r"\s*(?:===?|!==?)\s*")
_EQUALS_CALL = re.compile(r"\.(?:equals|equalsIgnoreCase|Equal|isEqual)\(\s*$")


def _compared(before: str, after: str, _: bool) -> Told:
    """A value that is compared with the slot."""
    before = re.sub(r"[\w.]+\.$", "", before)
    for test in (_EQUAL_BEFORE, _EQUALS_CALL):
        found = test.search(before)
        if found:
            return last_name(before[: found.start()]), "read", False
    found = _EQUAL_AFTER.match(after)
    if found:
        return last_name(re.split(r"\s(?:and|or|\|\||&&)\s|[:{]\s*$", after[found.end() :])[0]), "read", False
    found = re.match(r"\.equals(?:IgnoreCase)?\((.*)", after)
    if found:
        return last_name(re.sub(r"\).*", "", found[1])), "read", False
    found = re.search(r"([\w.\]\[\"'()]+)\s+(?:not\s+)?in\s*[(\[{][^)\]}]*$", before)
    if found:
        return last_name(found[1]), "read", False
    return None


def _subscript(before: str, after: str, _: bool) -> Told:
    """A key of the slot."""
    found = re.search(r"([\w.$]+(?:\(\))?)\s*\[\s*$", before)
    if not found or not re.match(r"\s*\]", after):
        return None
    writes = re.match(r"\s*\]\s*=[^=]", after)
    return last_name(found[1]), "write" if writes else "read", True


def _attribute(before: str, after: str, text: bool) -> Told:
    """A member of the slot; a constant of a type is a value, whose slot stands elsewhere."""
    found = re.search(r"([\w$)\]]+(?:\(\))?)(?:\.|\?\.|->)$", before)
    if text or not found:
        return None
    owner = last_name(found[1])
    if owner[:1].isupper():
        return _value_of(before[: found.start()], after)
    if re.match(r"\s*\(", after):
        return owner, "", True
    writes = re.match(r"\s*(?::=|[-+|]?=[^=])", after)
    return owner, "write" if writes else "read", True


def _value_of(before: str, after: str) -> Told:
    for find in (_compared, _entry, _assigned, _argument):
        found = find(re.sub(r"[\w.]+\.$", "", before), after, True)
        if found is not None:
            return found
    return None


def _member_of(before: str, after: str, text: bool) -> Told:
    """``"uid" in session``: asks for a key of the slot."""
    found = re.match(r"\s+(?:not\s+)?in\s+([\w.]+)", after)
    if not text or not found or re.search(r"\bfor\b[^:]*$", before):
        return None
    return last_name(found[1]), "read", True


def _entry(before: str, after: str, _: bool) -> Told:
    """A value under a key of a literal, or a keyword of a call: put there, or asked for by a query."""
    found = re.search(r"""["']?([A-Za-z_]\w*)["']?\s*(?::|=>)\s*$""", before)
    keyword = re.search(r"[(,]\s*([A-Za-z_]\w*)\s*=\s*$", before)
    found = found or keyword
    if not found or re.search(r"\bcase\b|\?[^:]*:\s*$", before):
        return None
    callee = callee_of(before)
    asks = callee is not None and _ASKS.match(callee.rpartition(".")[2])
    return found[1], "read" if asks or re.search(r"\bwhere\b\W*$", before[: found.start()]) else "write", False


def _assigned(before: str, after: str, _: bool) -> Told:
    """A value that is set on something."""
    found = re.search(r"([\w.$\[\]\"']+)\s*(?::\s*[\w\[\]., |]+)?(?::=|=)\s*$", before)
    if not found or callee_of(before):
        return None
    asked = re.search(r"(?i)\b(?:where|and|or|having|on)\b[^=]*$", before[: found.end(1)])
    return last_name(found[1]), "read" if asked and not re.search(r"[\"'`]", before) else "write", False


def _argument(before: str, after: str, text: bool) -> Told:
    """A key or a value handed to a call whose name tells what it does with it."""
    callee = callee_of(before)
    if not callee:
        return None
    receiver, _, name = callee.rpartition(".")
    put, taken = _PUTS.match(name), _TAKES.match(name)
    if text and name in _FORMATS:
        return _FORMATS[name][0], _FORMATS[name][1], False
    first = re.search(r"\(\s*$", before) is not None
    if first and receiver and name.lower() in _GETS | _SETS:
        return last_name(receiver), "write" if name.lower() in _SETS else "read", True
    if put and name.lower() not in ("setattribute", "setitem"):
        return put["slot"], "write", False
    if taken:
        return taken["slot"], "read", False
    return None


def _registers(before: str, after: str, callee: str) -> bool:
    """Whether a call registers what answers under a path: a decorator, or a handler follows the path."""
    decorates = before.lstrip().startswith("@")
    return bool(_ROUTES.search(callee)) and (decorates or re.match(r"\s*,\s*[\w.]+(?:\s*[,)]|\()", after) is not None)


def _frame(before: str, after: str) -> str:
    """The innermost call around a place, with a hole in it; "" where no call stands around it on this line."""
    callee, depth = callee_of(before), 0
    if not callee:
        return ""
    start = before.rfind(f"{callee}(") if f"{callee}(" in before else -1
    for at, sign in enumerate(after):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return re.sub(r"\s+", "", f"{before[start:]}\0{after[: at + 1]}") if start >= 0 else ""
    return ""

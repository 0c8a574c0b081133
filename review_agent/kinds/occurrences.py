"""What a line of code does with a word that it holds: the slot that the word goes with, and whether it is put there.

Told from one line of source text, for all languages alike: ``order.status = "done"`` writes the slot ``status``,
``if row["status"] == "done"`` reads it; ``session["uid"]`` reads the key from ``session``, ``g.user = x`` writes ``g``.
Where the line does not tell, the act is "".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Occurrence", "content", "is_text", "occurrences", "shape"]

_TOKEN = re.compile(r"""[A-Za-z_$]\w*|\d[\w.]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\S""")
_HOLE = re.compile(r"\$?\{[^{}]*\}|%[-+0# ]*\d*(?:\.\d+)?[a-zA-Z]|:\w+(?=/|$)")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")

_GETS_WORDS = """
    get pop has contains containskey getattribute getitem removeitem removeattribute delete del exists hget hdel
    getparameter header lookup value remove getstring getint unset getordefault getproperty evict invalidate
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


@dataclass(frozen=True)
class Occurrence:
    """``act``: write, read, or "" where the line does not tell; ``slot``: what the word goes with, "" for nothing.

    ``frame``: the innermost call around the word, with a hole in its place. ``key``: the word names a place in the
    slot, not a value that is put there.
    """

    slot: str
    act: str
    frame: str
    key: bool = False


def is_text(token: str) -> bool:
    """Whether a token is a string literal."""
    return token[:1] in ("'", '"', "`")


def content(token: str) -> str:
    """What stands between a literal's quotes; a name as it is."""
    return token[1:-1] if is_text(token) else token


def shape(token: str) -> str:
    """A literal's fixed text, each hole as ``{}``."""
    return _HOLE.sub("{}", content(token)) if is_text(token) else token


def occurrences(line: str, token: str) -> Iterator[Occurrence]:
    """What a line does with each occurrence of a token; of a literal with the same fixed text, in any quotes."""
    if line.lstrip().startswith(("#", "//", "*", "/*", "--", "<!--")):
        return
    wanted, text = shape(token), is_text(token)
    for match in _TOKEN.finditer(line):
        one = match.group()
        if is_text(one) == text and shape(one) == wanted:
            start = match.start()
            start -= len(re.search(r"[fFrRbBuU]{0,2}$", line[:start])[0]) if text else 0  # type: ignore[index]
            yield _occurrence(line[:start], line[match.end() :], text, path=text and content(one).startswith("/"))
        elif not text or not is_text(one):
            continue
        else:
            yield from _in_sql(content(one), content(token))


def _in_sql(sql: str, value: str) -> Iterator[Occurrence]:
    """A literal inside the text of an SQL statement."""
    for match in re.finditer(
        rf"(?i)\b(set|where|and|or|having|on|when)\b[^;]*?(\w+)\s*(?:=|<>|!=|in\s*\()\s*'{re.escape(value)}'", sql
    ):
        put = sql[: match.end()].lower().rpartition(" where ")[0] == "" and " set " in f" {sql[: match.end()].lower()}"
        yield Occurrence(match[2].lower(), "write" if put else "read", "sql")


def _occurrence(before: str, after: str, text: bool, *, path: bool) -> Occurrence:
    frame = _frame(before, after)
    if path and _callee(before):
        registers = _registers(before, after, _callee(before) or "")
        return Occurrence("route", "write" if registers else "read", frame, key=True)
    if re.match(r"\s*(?:case|when)\b", before):
        return Occurrence("", "read", frame)
    for find in (_compared, _subscript, _attribute, _member_of, _entry, _assigned, _argument):
        found = find(before, after, text)
        if found is not None:
            slot, act, key = found
            return Occurrence(slot.lower(), act, frame, key)
    return Occurrence("", "", frame)


Told = tuple[str, str, bool] | None
_EQUAL_BEFORE = re.compile(r"(?:===?|!==?|\bis(?: not)?)\s*$")
_EQUAL_AFTER = re.compile(r"\s*(?:===?|!==?)\s*")
_EQUALS_CALL = re.compile(r"\.(?:equals|equalsIgnoreCase|Equal|isEqual)\(\s*$")


def _compared(before: str, after: str, _: bool) -> Told:
    """A value that is compared with the slot."""
    before = re.sub(r"[\w.]+\.$", "", before)
    for test in (_EQUAL_BEFORE, _EQUALS_CALL):
        found = test.search(before)
        if found:
            return _last(before[: found.start()]), "read", False
    found = _EQUAL_AFTER.match(after)
    if found:
        return _last(re.split(r"\s(?:and|or|\|\||&&)\s|[:{]\s*$", after[found.end() :])[0]), "read", False
    found = re.match(r"\.equals(?:IgnoreCase)?\((.*)", after)
    if found:
        return _last(re.sub(r"\).*", "", found[1])), "read", False
    found = re.search(r"([\w.\]\[\"'()]+)\s+(?:not\s+)?in\s*[(\[{][^)\]}]*$", before)
    if found:
        return _last(found[1]), "read", False
    return None


def _last(expression: str) -> str:
    """The last name of an expression: of ``row.get("status")`` and ``x["status"]`` the key."""
    expression = re.sub(r"(?:,[^,()]*)?\)\s*$", ")", expression.strip())
    quoted = re.search(r"""[\[(]\s*["'](\w+)["']\s*[\])]$""", expression)
    if quoted:
        return quoted[1]
    names = _NAME.findall(re.sub(r"\([^()]*\)$", "", expression))
    return _accessed(names[-1]) if names else ""


def _accessed(name: str) -> str:
    """The member that a getter's name speaks of."""
    found = re.match(r"(?:get|is|set)_?([A-Z]\w*|(?<=_)\w+)$", name)
    return found[1] if found else name


def _subscript(before: str, after: str, _: bool) -> Told:
    """A key of the slot."""
    found = re.search(r"([\w.$]+(?:\(\))?)\s*\[\s*$", before)
    if not found or not re.match(r"\s*\]", after):
        return None
    writes = re.match(r"\s*\]\s*=[^=]", after)
    return _last(found[1]), "write" if writes else "read", True


def _attribute(before: str, after: str, text: bool) -> Told:
    """A member of the slot; a constant of a type is a value, whose slot stands elsewhere."""
    found = re.search(r"([\w$)\]]+(?:\(\))?)(?:\.|\?\.|->)$", before)
    if text or not found:
        return None
    owner = _last(found[1])
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
    return _last(found[1]), "read", True


def _entry(before: str, after: str, _: bool) -> Told:
    """A value under a key of a literal, or a keyword of a call: put there, or asked for by a query."""
    found = re.search(r"""["']?([A-Za-z_]\w*)["']?\s*(?::|=>)\s*$""", before)
    keyword = re.search(r"[(,]\s*([A-Za-z_]\w*)\s*=\s*$", before)
    found = found or keyword
    if not found or re.search(r"\bcase\b|\?[^:]*:\s*$", before):
        return None
    callee = _callee(before)
    asks = callee is not None and _ASKS.match(callee.rpartition(".")[2])
    return found[1], "read" if asks or re.search(r"\bwhere\b\W*$", before[: found.start()]) else "write", False


def _assigned(before: str, after: str, _: bool) -> Told:
    """A value that is set on something."""
    found = re.search(r"([\w.$\[\]\"']+)\s*(?::\s*[\w\[\]., |]+)?(?::=|=)\s*$", before)
    if not found or _callee(before):
        return None
    asked = re.search(r"(?i)\b(?:where|and|or|having|on)\b[^=]*$", before[: found.end(1)])
    return _last(found[1]), "read" if asked and not re.search(r"[\"'`]", before) else "write", False


def _argument(before: str, after: str, text: bool) -> Told:
    """A key or a value handed to a call whose name tells what it does with it."""
    callee = _callee(before)
    if not callee:
        return None
    receiver, _, name = callee.rpartition(".")
    put, taken = _PUTS.match(name), _TAKES.match(name)
    if text and name in _FORMATS:
        return _FORMATS[name][0], _FORMATS[name][1], False
    first = re.search(r"\(\s*$", before) is not None
    if first and receiver and name.lower() in _GETS | _SETS:
        return _last(receiver), "write" if name.lower() in _SETS else "read", True
    if put and name.lower() not in ("setattribute", "setitem"):
        return put["slot"], "write", False
    if taken:
        return taken["slot"], "read", False
    return None


def _registers(before: str, after: str, callee: str) -> bool:
    """Whether a call registers what answers under a path: a decorator, or a handler follows the path."""
    decorates = before.lstrip().startswith("@")
    return bool(_ROUTES.search(callee)) and (decorates or re.match(r"\s*,\s*[\w.]+(?:\s*[,)]|\()", after) is not None)


def _callee(before: str) -> str | None:
    """The callee of the innermost call that a line has opened and not closed."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        sign = before[at]
        depth += (sign in ")]}") - (sign in "([{")
        if depth < 0 and sign == "(":
            found = re.search(r"([\w.$@]+)\s*$", before[:at])
            return found[1].lstrip("@") if found else None
        if depth < 0 and sign == "[":
            return None
        if depth < 0:
            depth = 0
    return None


def _frame(before: str, after: str) -> str:
    """The innermost call around a place, with a hole in it; "" where no call stands around it on this line."""
    callee, depth = _callee(before), 0
    if not callee:
        return ""
    start = before.rfind(f"{callee}(") if f"{callee}(" in before else -1
    for at, sign in enumerate(after):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return re.sub(r"\s+", "", f"{before[start:]}\0{after[: at + 1]}") if start >= 0 else ""
    return ""

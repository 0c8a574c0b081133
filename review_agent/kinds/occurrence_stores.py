"""What a line does with a word in the stores that have a form of their own: SQL, cookies, contexts, paths."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.kinds.codelines import Occurrence, Told, callee_of, last_name

__all__ = ["column_of", "cookie_of", "in_sql", "path_of"]

_VERB = re.compile(
    r"(?i)^\s*(?:select|insert|update|delete|create|alter|with|replace|from|where|set|and|order by|group by)\b"
)
_TABLE = re.compile(r"(?i)\b(?:from|into|update|table(?: if not exists)?|join)\s+[\"`]?(\w+)")


def column_of(sql: str, word: str) -> Iterator[Occurrence]:
    """A column named in the text of an SQL statement."""
    table = _TABLE.search(sql)
    if _VERB.search(sql) and table and re.search(rf"\b{re.escape(word)}\b", sql):
        makes = re.match(r"(?i)\s*(?:create|alter)\b", sql)
        yield Occurrence(f"table {table[1].lower()}", "write" if makes else "read", "sql", key=True)


def in_sql(sql: str, value: str) -> Iterator[Occurrence]:
    """A literal inside the text of an SQL statement."""
    for match in re.finditer(
        rf"(?i)\b(set|where|and|or|having|on|when)\b[^;]*?(\w+)\s*(?:=|<>|!=|in\s*\()\s*'{re.escape(value)}'", sql
    ):
        put = sql[: match.end()].lower().rpartition(" where ")[0] == "" and " set " in f" {sql[: match.end()].lower()}"
        yield Occurrence(match[2].lower(), "write" if put else "read", "sql")


_COOKIES = {
    "set_cookie": "write",
    "setcookie": "write",
    "cookie": "write",
    "delete_cookie": "read",
    "clearcookie": "read",
}


def cookie_of(before: str, after: str, text: bool) -> Told:
    """The name of a cookie, or of a value that a context carries, where it is set or taken back."""
    callee = callee_of(before) if text or before.endswith(("(", ", ")) else None
    name = (callee or "").rpartition(".")[2]
    if text and name.lower() in _COOKIES and re.search(r"\(\s*$", before):
        return "cookies", _COOKIES[name.lower()], True
    if name in ("WithValue", "withValue") and re.search(r"\(\s*[\w.()]+\s*,\s*$", before):
        return "context value", "write", True
    if name == "Value" and re.search(r"(?i)(?:ctx|context(?:\(\))?)\.Value\(\s*$", before):
        return "context value", "read", True
    return None


_JOINS = re.compile(r"(?:^|\.)(?:join|Join|resolve|joinpath|Path|of|File)$")
_WRITES = re.compile(
    r"(?i)\b(?:write\w*|save|dump|mkdir\w*|create\w*|upload|put\w*|store|copy|rename|move)\b|open\([^)]*[\"'][wa]b?[\"']"
)
_TAKES_BACK = re.compile(
    r"(?i)\b(?:read\w*|load|open|exists\w*|is_file|unlink\w*|remove\w*|delete\w*|stat|glob|list\w*|download|rm\w*)\b"
)


def path_of(before: str, after: str, text: bool) -> Told:
    """A part of a path: put together with the folder that the slot names, for writing or for reading."""
    slash = re.search(r"([\w.]+(?:\(\))?)\s*/\s*$", before) if text else None
    callee = callee_of(before)
    joined = text and callee is not None and _JOINS.search(callee)
    if not slash and not joined:
        return None
    first = re.search(rf"{re.escape(callee)}\(\s*([\w.]+)", before) if joined and callee else None
    if not slash and first is None:
        return None
    folder = slash[1] if slash else first[1] if first else ""
    whole = before + after
    act = "write" if _WRITES.search(whole) else "read" if _TAKES_BACK.search(whole) else ""
    return (f"path below {last_name(folder)}", act, True) if act else None

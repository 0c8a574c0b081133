"""Where the record comes from that a line asks for a key."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import Found
from review_agent.kinds.bodies import Body, body_at
from review_agent.kinds.wire_keys import distinctive, uses_of
from review_agent.vocabulary import Bundle, Edit, UseFact

__all__ = ["asked_too", "is_another", "is_apart", "is_beside", "is_followed"]

# What takes a record from where another part of a program left it: a wire, a store, a queue, a file.
_FETCHES = re.compile(
    r"(?i)json|parse|fetch|axios|http|api|load|read|recv|receive|request|decode|deserial|unmarshal|unpack|message|"
    r"payload|body|query|select|cursor|row|redis|cache|storage|session|consume|poll|\.(?:data|get|pop|next|find\w*)\b"
)
# Of these, what keeps the records of this program: one that is handed on from there is written anew for its reader.
_KEEPS = re.compile(r"(?i)query|select|cursor|row|redis|cache|storage|session|find|repo|store|\bdb\b")
# What makes a record on the spot.
_MADE = re.compile(r"^(?:await\s+)?(?:[\w.$]+\s*\(|new\s|\{|\[|dict\(|[\w.$]+$)")


def _asked_of(one: Found[UseFact], key: str) -> str:
    """What a line asks for a key: ``row`` of ``row["total"]``, ``row.get("total")`` and ``row.total``; "" if open."""
    name = re.escape(key)
    shape = rf"([\w.$]+?)\??\s*(?:\.?\[\s*[\"'`]{name}[\"'`]|\.\w+\(\s*[\"'`]{name}[\"'`]|\.{name}(?![\w$]))"
    found = re.search(shape, one.evidence.text)
    return found[1] if found else ""


def asked_too(edit: Edit, one: Found[UseFact], key: str) -> bool:
    """Whether the value that was written under the key was read under it, from what the line asks in that file."""
    base = _asked_of(one, key)
    own = rf"(?<![\w.$]){re.escape(base)}\??(?:\.{re.escape(key)}(?![\w$])|\.?\[\s*[\"'`]{re.escape(key)}[\"'`])"
    return bool(base) and one.ref.path == edit.path and re.search(own, edit.before or "") is not None


def is_apart(bundle: Bundle, one: Found[UseFact], key: str, links: Sequence[str]) -> bool:
    """Whether a name without quotes is no other writer: one that many records have, written where none of the keys
    beside it is, or handed on where it was read."""
    quoted = re.search(rf"[\"'`]{re.escape(key)}[\"'`]", one.evidence.text)
    where = (one.ref.path, one.fact.scope)
    if quoted or one.fact.use != "key_write":
        return False
    if _is_handed_on(bundle, one, key):
        return True
    if not links or distinctive(key):
        return False
    beside = {(two.ref.path, two.fact.scope) for link in links for two in uses_of(bundle, link).writes}
    return where not in beside


def _is_handed_on(bundle: Bundle, one: Found[UseFact], key: str) -> bool:
    """Whether what is written under the key was read under it: in the same function, or where a reader hands it to the
    function. A member counts as read where its record is seen to come over a wire."""
    uses, where = uses_of(bundle, key), (one.ref.path, one.fact.scope)
    if any((two.ref.path, two.fact.scope) == where for two in uses.reads):
        return True
    name, value = re.escape(key), one.evidence.text
    if not re.search(rf"(?<![\w$.]){name}\s*(?:[,}}]|$|[:=][^,}}]*(?<![\w$]){name}(?![\w$]))", value):
        return False
    members = [two for two in uses.loose if _is_received(bundle, two, key)]
    function = where[1].rpartition(".")[2]
    given = (call for two in (*uses.reads, *members) for call in two.fact.given_to)
    return any((two.ref.path, two.fact.scope) == where for two in members) or any(
        function and re.match(rf"(?:[\w$]+\.)*{re.escape(function)}\(", call) for call in given
    )


def _is_received(bundle: Bundle, one: Found[UseFact], key: str) -> bool:
    made = _origin(bundle, one, key)
    return _FETCHES.search(made) is not None and _KEEPS.search(made) is None


def is_beside(bundle: Bundle, one: Found[UseFact], key: str, links: Sequence[str]) -> bool:
    """Whether a member with a name of its own that is written beside the key is asked of the same thing."""
    base, where = _asked_of(one, key), (one.ref.path, one.fact.scope)
    beside = ((two, link) for link in links if distinctive(link) for two in uses_of(bundle, link).loose)
    return bool(base) and any(
        (two.ref.path, two.fact.scope) == where and _asked_of(two, link) == base for two, link in beside
    )


def is_another(bundle: Bundle, one: Found[UseFact], key: str, writers: Sequence[str]) -> bool:
    """Whether the record was made or got in the reader's own function, from nothing that is known to hold the key."""
    made = _origin(bundle, one, key)
    return bool(made) and _MADE.match(made) is not None and not _known(made, writers)


def is_followed(bundle: Bundle, one: Found[UseFact], key: str, writers: Sequence[str]) -> bool:
    """Whether the record is seen to come from a writer or from where records are fetched."""
    return _known(_origin(bundle, one, key), writers)


def _known(made: str, writers: Sequence[str]) -> bool:
    calls = {name for name in writers if name and re.search(rf"(?<!\w){re.escape(name)}\s*\(", made)}
    return bool(calls) or _FETCHES.search(made) is not None


# Another name for a record, its copy, or a part of it: what the record is, the one behind it tells.
_COPIES = re.compile(
    r"(?:(?:dict|copy|deepcopy|copy\.copy|copy\.deepcopy|structuredClone)\(|\{\s*(?:\*\*|\.\.\.)|Object\.assign\(\{\},)\s*"
    r"(?P<inner>[\w$]+)\s*[)}]|(?P<own>[\w$]+)\.copy\(\)|(?P<name>[\w$]+)(?P<part>(?:\.[\w$]+)*)"
)
_HOPS = 4


def _origin(bundle: Bundle, one: Found[UseFact], key: str) -> str:
    """What the record was made of in front of the line, behind its other names and copies; "" for a parameter and where
    it was not read."""
    root = _asked_of(one, key).partition(".")[0]
    body = body_at(bundle, one.ref.path, one.ref.start_line)
    if not root or body is None:
        return ""
    made, line = _set_to(body, root, one.ref.start_line)
    for _ in range(_HOPS):
        copied = _COPIES.fullmatch(made)
        name = next((part for part in copied.group("inner", "own", "name") if part), "") if copied else ""
        behind, at = _set_to(body, name, line - 1) if name else ("", 0)
        if copied is None or not behind:
            plain = copied is not None and bool(copied["name"]) and not copied["part"]
            return "" if plain and _is_given(body, name) else made
        made, line = behind, at
    return made


def _is_given(body: Body, name: str) -> bool:
    """Whether a name is a parameter of the function that was read."""
    shape = rf"\b(?:def|func|function)\b[^\n]*\(.*(?<![\w$]){re.escape(name)}(?![\w$])|\(?{re.escape(name)}\)?\s*=>"
    return re.search(shape, body.text) is not None


def _set_to(body: Body, name: str, last: int) -> tuple[str, int]:
    """What a name was last set to down to a line, and where; "" for nothing."""
    sets = re.compile(rf"(?<![\w.$]){re.escape(name)}\s*(?::\s*[\w<>\[\], |]+)?\s*:?=(?![=>])\s*(.+)")
    before = [(found[1], number) for number, line in body.lines if number <= last and (found := sets.search(line))]
    made, line = before[-1] if before else ("", 0)
    return made.strip().rstrip(";"), line

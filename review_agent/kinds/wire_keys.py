"""Keys under which values are written for others to read: which key an edit takes away, who writes and who reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from review_agent.kinds.base import Found, every, text, texts
from review_agent.kinds.bodies import has_word, named
from review_agent.syntax.roles import words_of
from review_agent.vocabulary import Bundle, Edit, EditOp, QueryKind, Resolution, UseFact

__all__ = ["Key", "Uses", "distinctive", "element_key", "is_read", "is_write", "key_of", "same_record", "uses_of"]

_ELEMENT = re.compile(r"^(?P<base>.+?)\[\s*[\"'`](?P<key>[\w.\-]+)[\"'`]\s*\]$")
_STRING = re.compile(r"^[\"'`]([A-Za-z_][\w.\-]*)[\"'`]$")
_PUTS = re.compile(r"(?i)^(?:put|append|set|add|field|with|param|query|attr|header|write)\w*$")
_LISTS = named("fields columns fieldnames header headers attributes only expose props keys exposed pick select")
_KEYWORD_WRITERS = named("jsonify dict update JSONResponse emit publish send Response make_response encode Struct")
_ALIASES = named("data_key alias serialization_alias dump_to name")
_WRITES = frozenset({"key_write"})
_ANNOTATIONS = named("JsonProperty SerializedName JsonGetter XmlElement Expose Field Column SerialName Prop")


@dataclass(frozen=True)
class Key:
    """A key that an edit takes from what is written, and what stands in its place ("" where nothing does).
    ``kept`` are keys that the same writer still writes; ``form`` says how it is written."""

    name: str
    new: str
    kept: tuple[str, ...]
    form: str


def key_of(edit: Edit) -> Key | None:
    """The key that an edit removes or renames at a writer; null where it does neither."""
    if edit.op is EditOp.ENTRY_REMOVED and _spread(edit, "afterText") - _spread(edit, "beforeText"):
        # What another record is poured into may have got the key from it.
        return None
    if edit.op in (EditOp.ENTRY_REMOVED, EditOp.ENTRY_RENAMED):
        new = edit.after or "" if edit.op is EditOp.ENTRY_RENAMED else ""
        return _plain(edit.subject, new, texts(edit, "kept"), "entry")
    if edit.op in (EditOp.KEY_RENAMED, EditOp.KEY_REMOVED) and text(edit, "carrier") == "tag":
        return _plain(text(edit, "key"), text(edit, "newKey"), texts(edit, "siblings"), "tag")
    if edit.op is EditOp.DECORATOR_CHANGED and text(edit, "name").rpartition(".")[2] in _ANNOTATIONS:
        was, now = (re.search(r"[\"']([\w\-]+)[\"']", one or "") for one in (edit.before, edit.after))
        return _plain(was[1], now[1], (), "tag") if was and now else None
    if edit.op in (EditOp.SYMBOL_RENAMED, EditOp.SYMBOL_REMOVED) and text(edit, "symbolKind") == "field":
        return _plain(edit.subject, text(edit, "newName"), (), "field") if distinctive(edit.subject) else None
    if edit.op is EditOp.COMPONENT_REMOVED and text(edit, "composite") in ("list", "tuple"):
        return _listed(edit)
    if edit.op in (EditOp.ARGUMENT_REMOVED, EditOp.ARGUMENT_CHANGED) and text(edit, "keyword"):
        return _by_keyword(edit)
    if edit.op is EditOp.ASSIGNMENT_REMOVED:
        key = element_key(edit.subject)
        return _plain(key, "", (), "element") if key and not edit.facts.get("remaining") else None
    if edit.op is EditOp.SQL_CHANGED and text(edit, "verb") in ("SELECT", "WITH"):
        gone, come = texts(edit, "columnsRemoved"), texts(edit, "columnsAdded")
        return _plain(gone[0], come[0] if len(come) == len(gone) == 1 else "", (), "column") if gone else None
    if edit.op is EditOp.ARGUMENT_CHANGED and edit.facts.get("index") == 0 and _PUTS.match(text(edit, "name")):
        was, now = (_STRING.match(one or "") for one in (edit.before, edit.after))
        return _plain(was[1], now[1], (), "call") if was and now else None
    if edit.op is EditOp.CALL_REMOVED and _PUTS.match(text(edit, "name")) and text(edit, "receiver"):
        first = _STRING.match(next(iter(texts(edit, "arguments")), ""))
        several = len(texts(edit, "arguments")) > 1
        moved = bool(texts(edit, "elsewhere"))
        return _plain(first[1], "", (), "call") if first and several and not moved else None
    return None


def _spread(edit: Edit, side: str) -> set[str]:
    """The records that a literal takes over whole: ``...rest``, ``**rest``."""
    return set(re.findall(r"(?:\.\.\.|\*\*)\s*([\w.$]+)", text(edit, side)))


def _listed(edit: Edit) -> Key | None:
    """A name that left a list of the fields that are written."""
    named = _STRING.match(edit.subject)
    lists = _LISTS & set(words_of(text(edit, "target").rpartition(".")[2] or text(edit, "call").rpartition(".")[2]))
    kept = tuple(found[1] for one in texts(edit, "kept") if (found := _STRING.match(one)))
    return _plain(named[1], "", kept, "listed") if named and lists else None


def _by_keyword(edit: Edit) -> Key | None:
    """A value that was written under the keyword of a call, or under the name that a keyword gives."""
    keyword = text(edit, "keyword")
    if edit.op is EditOp.ARGUMENT_REMOVED:
        others = (one.partition("=")[0] for one in texts(edit, "arguments") if re.match(r"\w+=", one))
        return _plain(keyword, "", tuple(others), "keyword") if text(edit, "name") in _KEYWORD_WRITERS else None
    was, now = (_STRING.match(one or "") for one in (edit.before, edit.after))
    return _plain(was[1], now[1], (), "alias") if was and now and keyword in _ALIASES else None


def _plain(name: str, new: str, kept: Sequence[str], form: str) -> Key | None:
    listed = tuple(one for one in kept if re.fullmatch(r"[A-Za-z_][\w\-]*", one))
    return Key(name, new, listed, form) if re.fullmatch(r"[A-Za-z_][\w\-]*", name or "") and len(name) > 1 else None


def element_key(target: str) -> str:
    """The string key of an element assignment: ``total`` of ``payload["total"]``."""
    found = _ELEMENT.match(target)
    return found["key"] if found else ""


def distinctive(name: str) -> bool:
    """Whether a key is a name of its own, not a word that every record has, nor a header that any server sends."""
    if re.fullmatch(r"(?:[A-Z][A-Za-z]*-)+[A-Z][A-Za-z]*", name) and not name.startswith("X-"):
        return False
    return len(name) >= 5 and len(words_of(name)) > 1


@dataclass(frozen=True)
class Uses:
    """Who writes and who reads a key at head, tests left out. ``loose`` are members of that name on something whose
    type was not followed."""

    writes: tuple[Found[UseFact], ...]
    reads: tuple[Found[UseFact], ...]
    tags: tuple[Found[UseFact], ...]
    loose: tuple[Found[UseFact], ...]
    tests: tuple[Found[UseFact], ...]
    defined: tuple[Found[UseFact], ...]

    def readers(self) -> tuple[Found[UseFact], ...]:
        return (*self.reads, *self.tags)


def uses_of(bundle: Bundle, name: str) -> Uses:
    """Sort what the query for producers of a key found."""
    facts = every(bundle, UseFact, QueryKind.PRODUCERS, name)
    own = [one for one in facts if not one.fact.in_test]
    reads = [one for one in own if is_read(one, name)]
    places = {(one.ref.path, one.ref.start_line) for one in reads}
    writes = [one for one in own if is_write(one, name) and (one.ref.path, one.ref.start_line) not in places]
    loose = [
        one
        for one in own
        if one.fact.resolution is Resolution.AMBIGUOUS and one.fact.use in ("attribute", "read", "subscript", "call")
    ]
    return Uses(
        writes=tuple(writes),
        reads=tuple(reads),
        tags=tuple(one for one in own if one.fact.use == "key_tag"),
        loose=tuple(loose),
        tests=tuple(one for one in facts if one.fact.in_test),
        defined=tuple(one for one in own if one.fact.use == "definition"),
    )


def is_read(one: Found[UseFact], name: str) -> bool:
    return one.fact.use == "key_read"


def is_write(one: Found[UseFact], name: str) -> bool:
    """Whether a place gives the key a value: an entry, an element, a member that is set, a column that is selected."""
    if one.fact.use in _WRITES:
        return True
    if one.fact.use == "sql":
        return has_word(one.fact.text, name)
    return one.fact.use == "write" and one.fact.resolution is not Resolution.UNRESOLVED


def scopes_of(found: Iterable[Found[UseFact]]) -> set[tuple[str, str]]:
    """(path, scope) of each use."""
    return {(one.ref.path, one.fact.scope) for one in found}


def same_record(one: Found[UseFact], key: str, other: Found[UseFact], link: str) -> bool:
    """Whether two keys are read in one function, and of one thing as far as the lines name it."""
    if (one.ref.path, one.fact.scope) != (other.ref.path, other.fact.scope):
        return False
    ours, theirs = _asked(one, key), _asked(other, link)
    return not ours or not theirs or bool(ours & theirs)


def _asked(one: Found[UseFact], key: str) -> set[str]:
    """What a line asks for a key: ``row`` of ``row["total"]`` and of ``row.get("total")``."""
    name = re.escape(key)
    shape = rf"([\w.$]+)\s*(?:\[\s*[\"'`]{name}[\"'`]\s*\]|\.(?:get|pop|path|opt|has)\w*\(\s*[\"'`]{name}[\"'`])"
    return set(re.findall(shape, one.evidence.text))

"""What defeats the loss of a part: another part that implies it, a store of its own for each value of it."""

from __future__ import annotations

import re
from itertools import pairwise

from review_agent.kinds.base import (
    Unsettled,
    code,
    found,
    texts,
    unsettled,
)
from review_agent.kinds.bodies import body_at, has_word
from review_agent.kinds.cache_access import Access
from review_agent.kinds.cache_key_parts import OBJECT, lost, root_of
from review_agent.kinds.cache_key_places import Keyed
from review_agent.kinds.functions import function_of
from review_agent.syntax.roles import words_of
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    NoFindingCode,
    Question,
)

__all__ = ["own_store", "per_object", "settled_before", "told_apart"]

_IDENTITY = frozenset({"id", "uuid", "guid", "pk", "key", "slug", "uid", "hash", "digest", "sha", "etag", "token"})


def told_apart(question: Question, bundle: Bundle) -> Unsettled | None:
    """What is left of the key still tells values apart: another part made of the same thing identifies it."""
    edit = question.edits[0]
    component = lost(edit)
    root, kept = root_of(component), texts(edit, "afterComponents") or texts(edit, "arguments")
    if component.isupper() or component.rpartition(".")[2].isupper():
        return unsettled(NoFindingCode.REFUTED, f"{code(component)} is one constant for all entries")
    for part in (one for whole in kept for one in _read_from(whole, root)):
        if part != component and (part == root or _IDENTITY & set(words_of(part.removeprefix(root)))):
            return unsettled(NoFindingCode.REFUTED, f"{code(part)} in the key still tells values of {code(root)} apart")
    body = body_at(bundle, question.path, edit.start_line)
    for number, line in body.naming(root) if body else ():
        made = re.match(r"\s*(?:const |let |var |final |[\w<>\[\]]+ )?([\w.]+)\s*(?::=|=)(?!=)", line)
        if made and number != edit.start_line and any(has_word(part, made[1]) for part in kept):
            return unsettled(
                NoFindingCode.REFUTED, f"{code(made[1])} in the key is made of {code(root)} in line {number}"
            )
    return None


def _read_from(part: str, root: str) -> list[str]:
    """What a part of a key reads of a thing, also where it is handed to the call that makes the part."""
    if root_of(part) == root:
        return [part]
    called = re.fullmatch(r"[\w.$]+\((.*)\)", part)
    shape = re.compile(rf"(?<![\w.$]){re.escape(root)}(?:\.\w+(?:\(\))?)+")
    return shape.findall(called[1]) if called else []


def settled_before(question: Question, bundle: Bundle) -> Unsettled | None:
    """The function leaves before it makes the key, unless the component has one value: it is the same for all keys."""
    edit = question.edits[0]
    component, body = lost(edit), body_at(bundle, question.path, edit.start_line)
    name = re.escape(component)
    flag = re.compile(rf"\s*if\b[\s(]*{name}[\s):{{]*$")
    other = re.compile(rf"\s*if\b[\s(]*{name}\s*(?:!==?|is not)\s*[\w.\"'`-]+[\s):{{]*$")
    lines = [one for one in body.lines if one[0] < edit.start_line] if body else []
    for (number, line), (_, inside) in pairwise(lines):
        if (flag.match(line) or other.match(line)) and _LEAVES.match(inside):
            said = f"the function leaves in line {number} unless {code(component)} has one value"
            return unsettled(NoFindingCode.REFUTED, said, refs=[body.ref] if body else [])
    return None


_LEAVES = re.compile(r"\s*(?:return|raise|throw|panic)\b")


def per_object(question: Question, bundle: Bundle, keyed: Keyed) -> Unsettled | None:
    """The component belongs to the object, and so does the store: each object has entries of its own."""
    edit = question.edits[0]
    root, store = keyed.name.rpartition(".")[2], keyed.writes[0].store.rpartition(".")[2]
    if not _is_member(question, bundle, keyed) or keyed.writes[0].store.partition(".")[0] == root:
        return None
    fresh = r"\{\}|dict\(\)|\bnew (?:\w*Map|LRU\w*|\w*Cache)\b|LRUCache\(|OrderedDict\(\)|TTLCache\("
    made = re.compile(rf"{whole_name(store)}[^=\n]*=(?!=)[^\n]*(?:{fresh}|{whole_name(root)})")
    places = [body_at(bundle, one.ref.path, one.ref.start_line) for one in found(bundle, DefinitionFact)]
    if any(one is not None and one.ref.path == edit.path and made.search(one.text) for one in places):
        return unsettled(
            NoFindingCode.REFUTED, f"{code(store)} and {code(root)} both belong to the object: no two share entries"
        )
    return None


def _is_member(question: Question, bundle: Bundle, keyed: Keyed) -> bool:
    """Whether the component is a member of the object, not something that is passed or made in the function."""
    if keyed.name.partition(".")[0] in OBJECT and "." in keyed.name:
        return True
    edit, name = question.edits[0], keyed.name
    definition = next(
        (one.fact for one in found(bundle, DefinitionFact) if one.fact.qualname == function_of(edit)), None
    )
    if edit.language != "java" or definition is None or "." in name:
        return False
    made = re.search(rf"(?<![\w.]){re.escape(name)}\s*=(?!=)|\b\w+ {re.escape(name)}\s*[=:;]", keyed.body.text)
    return name not in [one.name for one in definition.parameters] and made is None


def own_store(keyed: Keyed) -> Access | None:
    """The access whose store is chosen by the component itself."""
    name = keyed.name.rpartition(".")[2]
    for one in (*keyed.reads, *keyed.writes):
        made = re.compile(rf"(?<![\w.]){re.escape(one.store)}\s*(?::=|=)(?!=)[^\n]*{whole_name(name)}")
        if has_word(one.store, name) or made.search(keyed.body.text):
            return one
    return None

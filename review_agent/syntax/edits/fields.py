"""Edits of records: a field came to a type that stood before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.model import Symbol
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

MOST = 10
_WRITTEN_AS = re.compile(
    r"""\b(?:json|yaml|toml|mapstructure):"([\w.\-]+)|@(?:SerializedName|JsonProperty)\(\s*(?:value\s*=\s*)?"([\w.\-]+)"""
)
_GIVEN = re.compile(r"default|factory|init=False")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """field_added."""
    added = {one.qualname for one in scopes.added}
    for one in [one for one in scopes.added if one.kind == "field"][:MOST]:
        owner = scopes.new_symbols.get(one.scope)
        spot = frame.spot((Side.NEW, (one.start, one.end)))
        if owner is None or spot is None or owner.qualname not in scopes.old_symbols:
            continue
        fields = [f for f in frame.new_outline.symbols if f.scope == owner.qualname and f.kind == "field"]
        facts: dict[str, FactValue] = {
            "owner": owner.qualname,
            "ownerKind": owner.kind,
            "required": one.value is None or ("field(" in one.value and not _GIVEN.search(one.value)),
            "index": next(n for n, f in enumerate(fields) if f.qualname == one.qualname),
            "others": tuple(f.name for f in fields if f.qualname not in added),
            "decorators": owner.decorators,
            "bases": owner.bases,
            "key": _key(frame, one),
            "otherKeys": tuple(_key(frame, f) or f.name for f in fields if f.qualname not in added),
            "exported": one.exported,
        }
        yield Sighting(
            EditOp.FIELD_ADDED,
            spot,
            owner.qualname,
            one.name,
            None,
            frame.text(Side.NEW, one.start, one.start).strip()[:200],
            facts,
        )


def _key(frame: Frame, one: Symbol) -> str:
    """What a field is called where it is written out; "" where nothing says so."""
    hit = _WRITTEN_AS.search(frame.text(Side.NEW, one.start, one.end))
    return hit[1] or hit[2] if hit is not None else ""

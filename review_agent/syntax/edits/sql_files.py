"""Edits of files that hold nothing but SQL: what an added statement drops or renames."""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.syntax.edits.frame import Sighting, Spot
from review_agent.vocabulary import EditOp, FactValue, FileChange, Side

__all__ = ["plain_sql"]

_TABLE = re.compile(r"\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?[\"`\[]?([\w.]+)", re.IGNORECASE)
_COLUMN = re.compile(r"\b(?:DROP|RENAME)\s+COLUMN\s+(?:IF\s+EXISTS\s+)?[\"`\[]?(\w+)", re.IGNORECASE)
_DROPPED = re.compile(r"\bDROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?[\"`\[]?([\w.]+)", re.IGNORECASE)


def plain_sql(change: FileChange) -> Iterator[Sighting]:
    """sql_changed for each added line that drops or renames a column, or drops a table."""
    for number, hunk in enumerate(change.hunks):
        table = ""
        for line in hunk.lines:
            told = _TABLE.search(line.text)
            table = told[1].lower() if told else table
            column, dropped = _COLUMN.search(line.text), _DROPPED.search(line.text)
            if line.tag != "+" or line.new is None or not (column or dropped):
                continue
            name = column[1] if column else ""
            tables = (table,) if column else (dropped[1].lower(),) if dropped else ()
            facts: dict[str, FactValue] = {
                "verb": "ALTER" if column else "DROP",
                "tables": tables,
                "columnsRemoved": (name,) if name else (),
                "columnsAdded": (),
                "conditionsRemoved": (),
                "conditionsAdded": (),
                "whereRemoved": False,
                "forUpdateRemoved": False,
                "target": "",
                "call": "",
                "function": "",
            }
            spot = Spot(number, Side.NEW, line.new, line.new)
            yield Sighting(EditOp.SQL_CHANGED, spot, "", tables[0] if tables else "", None, line.text.strip(), facts)

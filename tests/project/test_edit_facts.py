"""The facts that a trigger may ask for are those that docs/edits.md tells of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from review_agent.vocabulary import EDIT_FACTS, EditOp

GUIDE = (Path(__file__).parents[2] / "docs/edits.md").read_text(encoding="utf-8")
OPS = frozenset(map(str, EditOp))


def rows() -> dict[str, str]:
    """What the table says of the facts of each op, without what stands in brackets."""
    found, above = {}, ""
    for line in GUIDE.splitlines():
        if not line.startswith("| `"):
            continue
        ops, _, facts = (cell.strip() for cell in line.strip("| ").split(" | "))
        while "(" in facts:
            facts = re.sub(r"\([^()]*\)", "", facts)
        facts = facts.replace("as above", f"as `{above}`")
        found |= dict.fromkeys(re.findall(r"`(\w+)`", ops), facts)
        above = re.findall(r"`(\w+)`", ops)[0]
    return found


ROWS = rows()


def told(op: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """The names in a row, and in the rows that it refers to."""
    names = set(re.findall(r"`(\w+)(?:: [^`]*)?`", ROWS[op]))
    others = (names & OPS) - seen - {op}
    return (names - OPS).union(*(told(other, seen | {op}) for other in others))


def test_every_edit_has_a_row():
    assert ROWS.keys() == OPS == EDIT_FACTS.keys()


@pytest.mark.parametrize("op", EditOp)
def test_a_row_names_the_facts_that_policy_knows(op):
    assert told(op) | {"function"} == EDIT_FACTS[op], "write the facts in docs/edits.md and in vocabulary/edit_facts.py"

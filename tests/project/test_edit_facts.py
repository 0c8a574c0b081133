"""The facts that a trigger may ask for are those that docs/edits.md tells of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from review_agent.vocabulary import EDIT_FACTS, EditOp

GUIDE = (Path(__file__).parents[2] / "docs/edits.md").read_text(encoding="utf-8")
WITHOUT = re.compile(r"without (`\w+`(?: and `\w+`)*)")
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
    """The names in a row, and in the rows that it refers to, but for those that it does without."""
    text = ROWS[op]
    lacks = {name for found in WITHOUT.findall(text) for name in re.findall(r"`(\w+)`", found)}
    names = set(re.findall(r"`(\w+)(?:: [^`]*)?`", WITHOUT.sub("", text)))
    others = (names & OPS) - seen - {op}
    from_others: set[str] = set().union(*(told(other, seen | {op}) for other in others))
    return (names - OPS) | (from_others - lacks)


def test_every_edit_has_a_row():
    assert ROWS.keys() == OPS == EDIT_FACTS.keys()


@pytest.mark.parametrize("op", EditOp)
def test_a_row_names_the_facts_that_policy_knows(op):
    assert told(op) == EDIT_FACTS[op], "write the facts in docs/edits.md and in vocabulary/edit_facts.py"

"""One helper counts in words, and no message has a plural of its own making."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from review_agent.counting import counted, seconds

ROOM = Path(__file__).resolve().parents[1] / "review_agent"
NOUNS = "hit file line hunk query card commit run question case problem edit answer attempt half event draft fault"
# A number in braces before a noun in the plural: `{len(rows)} files`; and a plural's ending made on the spot.
BY_HAND = re.compile(
    r"\{(?:len\([^{}]*\)|[\w.]*(?:hits|count|number|failed|scanned|queries|files|lines|hunks|pending))\} "
    rf"(?:{'|'.join({'query': 'queries', 'half': 'halves'}.get(n, n + 's') for n in NOUNS.split())})\b"
    r"|\{[\w.]*timeout:g\} seconds"
    r"|\{'?'? ?if [^{}]*== 1 else 's'\}"
)


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (0, ("file",), "0 files"),
        (1, ("file",), "1 file"),
        (2, ("resolved caller",), "2 resolved callers"),
        (1, ("query", "queries"), "1 query"),
        (3, ("half", "halves"), "3 halves"),
    ],
)
def test_a_number_has_its_noun(number, words, said):
    assert counted(number, *words) == said


def test_a_span_of_time_has_its_noun():
    assert [seconds(one) for one in (1, 1.0, 0.5, 10.0, 2)] == [
        "1 second",
        "1 second",
        "0.5 seconds",
        "10 seconds",
        "2 seconds",
    ]


def test_no_message_makes_a_plural_by_hand():
    found = [
        f"{path.relative_to(ROOM)}:{n}: {line.strip()}"
        for path in sorted(ROOM.rglob("*.py"))
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if BY_HAND.search(line)
    ]
    assert found == [], "say it with `counted`, so that one is told as one"

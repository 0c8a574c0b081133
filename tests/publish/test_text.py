"""A review in a terminal shows what each card rests on, and says what it leaves out."""

from __future__ import annotations

import pytest
from made_runs import bundle, card, hunk, ref, sha

from review_agent.publish.text import card_text
from review_agent.vocabulary import Evidence

SHOWN = Evidence(
    ref=ref("src/use1.py", 40, role="caller").model_copy(update={"end_line": 44}),
    query=0,
    origin="read",
    text="forty\nforty-one\n\tforty-two\nforty-three\nforty-four",
    facts=(),
)


@pytest.mark.parametrize("width", [70, 110, 160])
def test_a_card_that_cites_a_part_of_an_excerpt_shows_the_lines_it_cites(width: int) -> None:
    part = ref("src/use1.py", 42, role="caller", quote_sha256=sha("part")).model_copy(update={"end_line": 43})
    cites = card(sha("review", 1), 0).model_copy(update={"supporting_refs": (part,)})
    whole = bundle(0).model_copy(update={"evidence": (*bundle(0).evidence, SHOWN)})
    lines = card_text(cites.wire(), {}, whole.wire(), hunk(0).wire(), state="hidden", width=width).split("\n")
    told = [line.split("│ ")[1] for line in lines if "│ " in line]
    assert told[:2] == ["use1.py:42  forty-two", "use1.py:43  forty-three"]
    assert not [line for line in lines if "forty-one" in line or "forty-four" in line]

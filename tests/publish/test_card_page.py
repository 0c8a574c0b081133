"""Everything behind a card is on its page, whole, and harmless for a terminal."""

from __future__ import annotations

from typing import Any

from made_runs import bundle, card, hunk, question, ref, sha

from review_agent.publish.card_page import card_page
from review_agent.vocabulary import Evidence, Line

LONG = "x" * 300
CARD = card(sha("review", 1), 0).wire()
DECISION = {
    "kind": "decision",
    "decisionId": "d",
    "at": "2026-01-02T03:04:05.678+00:00",
    "cardId": CARD["cardId"],
    "cardVersion": CARD["cardVersion"],
    "fingerprint": CARD["fingerprint"],
    "act": "reopen",
    "reasonCode": None,
    "comment": "so\x1b[2J",
    "reviewer": "Ada",
}


def page(**changes: Any) -> list[str]:
    lines = tuple(Line(tag="+", old=None, new=n, text=f"{LONG} {n}") for n in range(10, 40))
    around = ref("src/use1.py", 1, role="caller").model_copy(update={"end_line": 3})
    wide = Evidence(ref=around, query=0, origin="read", text=f"one\n\n\tthree {LONG}", facts=())
    made = bundle(0).model_copy(update={"evidence": (*bundle(0).evidence, wide)})
    given = {
        "card": CARD,
        "question": question(0).wire(),
        "bundle": made.wire(),
        "hunk": hunk(0).model_copy(update={"lines": (Line(tag=" ", old=9, new=9, text="before"), *lines)}).wire(),
        "decisions": [],
        **changes,
    }
    return card_page(*given.values(), state="hidden", width=80).split("\n")


def part(lines: list[str], name: str) -> list[str]:
    rest = lines[lines.index(f"  {name}") + 1 :]
    return rest[: rest.index("")] if "" in rest else rest


def test_the_whole_hunk_is_shown_with_numbers_and_tags() -> None:
    changed = part(page(), "changed")
    assert changed[0] == "    src/f0.py -10,0 +10,1 def quote():"
    assert changed[1] == "        9     9   before"
    assert changed[2:] == [f"          {n:>5} + {LONG} {n}" for n in range(10, 40)]


def test_each_ref_is_shown_in_the_widest_excerpt_with_its_own_lines_marked() -> None:
    assert part(page(), "evidence") == [
        f"    src/use1.py:1 · caller · commit {'c' * 12}",
        "    >     1  one",
        "          2",
        f"          3      three {LONG}",
    ]


def test_what_was_searched_for_and_left_out_is_told_line_by_line() -> None:
    assert part(page(), "searched") == [
        "    callers(quote) · answered · 3 files · 2 of 2 resolved",
        "    left out vendor/x.py: vendored",
    ]


def test_decisions_are_told_in_the_words_of_the_command_line() -> None:
    assert "  decided" not in page()
    assert part(page(decisions=[DECISION]), "decided") == ["    2026-01-02 03:04  undo by Ada: so\\u{1b}[2J"]


def test_a_proof_is_shown_with_what_is_kept_of_its_log() -> None:
    proof = {"job": "j", "result": "fail", "log": "one\n\x1b[2Jtwo\n", "logSha256": "ab", "logBytes": 12}
    told = [
        {**DECISION, "act": "needs_proof", "comment": None, "proof": {"job": "j"}},
        {**DECISION, "act": "attach", "comment": None, "proof": proof},
        {**DECISION, "act": "reject", "comment": None, "reasonCode": "deferred", "until": "2026-02-01"},
    ]
    assert part(page(decisions=told), "decided") == [
        "    2026-01-02 03:04  needs-proof j by Ada",
        "    2026-01-02 03:04  attach j gave fail by Ada",
        "        one",
        "        \\u{1b}[2Jtwo",
        "        log of 12 bytes, sha256 ab",
        "    2026-01-02 03:04  reject by Ada (deferred) until 2026-02-01",
    ]

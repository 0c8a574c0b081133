"""Trees hold text as text; code keeps its lines, its numbers and its marks whatever colours it gets."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import exhibits, frame, words
from dashboard.colours import pieces
from dashboard.tree import act, el, prose

LINES = ["def f(a):", "    return a  # why", "", "x = 'é <b>'"]


def texts(node: Any) -> str:
    return node if isinstance(node, str) else "".join(map(texts, node[2:]))


def rows(node: Any, kind: str) -> list[Any]:
    if isinstance(node, str):
        return []
    own = [node] if kind in node[1].get("class", "").split() else []
    return own + [found for child in node[2:] for found in rows(child, kind)]


def test_an_element_is_data_and_its_text_shows_as_it_is() -> None:
    node = el("p.claim", "<b>\x1b[1m\u202e", None, ["x", el("i", "y")], title="a\nb", hidden=None)
    assert node == ["p", {"title": "a\\u{a}b", "class": "claim"}, "<b>\\u{1b}[1m\\u{202e}", "x", ["i", {}, "y"]]


def test_an_act_carries_its_event_as_json() -> None:
    node = act("Accept", {"do": "decide", "card": '"><script>'}, keys="a")
    assert json.loads(node[1]["data-do"]) == {"do": "decide", "card": '"><script>'}


def test_backticks_are_code_and_nothing_else_is() -> None:
    assert prose("Adding `a` **b** [c](d)") == ["Adding ", ["code", {}, "a"], " **b** [c](d)"]


@given(st.text(), st.sampled_from(["a.py", "a.go", "a.ts", "a.java", "a.yml", "a.unknown", "Makefile"]))
def test_colours_change_no_character(source: str, path: str) -> None:
    lines = ["".join(part for _, part in line) for line in pieces(path, source)]
    assert lines == source.split("\n")


def test_known_languages_are_coloured() -> None:
    assert ("k", "def") in pieces("a.py", "def f(): pass")[0]
    assert ("k", "func") in pieces("x/a.go", "func main() {}")[0]
    assert pieces("a.txt", "def f(): pass") == ((("", "def f(): pass"),),)


def test_a_text_too_long_to_colour_stays_plain() -> None:
    assert pieces("a.py", "def " + "x" * 3000)[0][0][0] == ""


def test_an_excerpt_numbers_and_marks_its_lines_and_folds_the_far_ones() -> None:
    node = exhibits.excerpt("a.py", 10, "\n".join(f"line{n}" for n in range(40)), [(20, 21)])
    marked = rows(node, "mark")
    assert [texts(row) for row in marked] == ["20line10", "21line11"]
    assert len(rows(node, "ln")) == 40
    folded = [child for child in node[2:] if child[0] == "details"]
    assert [texts(one[2]) for one in folded] == ["6 more lines", "24 more lines"]


def hunk(*lines: tuple[str, int | None, int | None, str]) -> dict[str, Any]:
    shown = [{"tag": tag, "old": old, "new": new, "text": text} for tag, old, new, text in lines]
    return {"path": "a.py", "oldPath": "a.py", "lines": shown}


def test_a_hunk_has_both_numbers_and_marks_the_anchor_on_its_side() -> None:
    changed = hunk((" ", 1, 1, LINES[0]), ("-", 2, None, "    return a + b"), ("+", None, 2, "    return a - b"))
    node = exhibits.hunk(changed, "old", [(2, 2)])
    assert [texts(row) for row in rows(node, "ln")] == [
        "11 def f(a):",
        "2-    return a + b",
        "2+    return a - b",
    ]
    assert [texts(row)[0:2] for row in rows(node, "mark")] == ["2-"]
    assert [texts(one) for one in rows(node, "x")] == ["+", "-"]


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("2026-11-30T11:59:30+00:00", "now"),
        ("2026-11-30T11:00:00", "1 h"),
        ("2026-11-01T00:00:00Z", "29 d"),
        ("?", "—"),
    ],
)
def test_ages(at: str, said: str) -> None:
    assert words.ago(at, datetime(2026, 11, 30, 12, tzinfo=UTC)) == said


def test_durations_and_counts() -> None:
    assert words.duration("2026-01-01T00:00:00+00:00", "2026-01-01T00:00:00.250+00:00") == "250 ms"
    assert words.duration("2026-01-01T00:00:00+00:00", None) == "—"
    assert (words.count(1, "card"), words.count(1200, "query", "queries")) == ("1 card", "1,200 queries")


def test_an_event_that_comes_again_or_late_is_heard_once(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {}
    given: dict[str, Any] = {}
    monkeypatch.setattr(frame, "st", SimpleNamespace(session_state=state))
    monkeypatch.setattr(frame, "_component", lambda: lambda **said: given.update(said))
    heard: list[str] = []
    frame.mount(frame.Page("queue", {}), lambda event: heard.append(str(event["do"])))
    for name, do in (("7", "a"), ("7", "a"), ("8", "b"), ("7", "a"), ("10", "c")):
        state["frame"] = {"event": {"do": do, "id": name}}
        given["on_event_change"]()
    assert heard == ["a", "b", "c"]
    frame.mount(frame.Page("queue", {}), lambda event: None)
    assert given["data"]["answered"] == "10"

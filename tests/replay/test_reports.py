"""Figures and reports, on results made by hand: counts, intervals, what is said of every miss and alarm."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import jsonschema
import pytest

from review_agent.rates import rate, wilson
from review_agent.replay.html import html_text
from review_agent.replay.junit import junit_text
from review_agent.replay.product import Identity
from review_agent.replay.records import CardFound, Expected, HalfResult, Job, Memory, Miss, Place, Range
from review_agent.replay.report import json_text, report
from review_agent.replay.text import report_text
from review_agent.resources import shipped
from review_agent.vocabulary import ChangeKind, Side

NASTY = '<script>alert(1)</script> & "x" \x1b[31m\x00'
WHO = Identity(
    engine="rules/9", policy_hash="p" * 64, policy_source="the shipped default", product="9", source="s" * 64
)


def job(unit, half, *, kind="auth", language="go", evidence="same_file", answer=None):
    expected = Expected(answer=answer or {"defect": "defect", "twin": "clean"}.get(half, "unknown"))
    return Job(
        unit=unit,
        case=unit,
        half=half,
        kind=kind,
        language=language,
        evidence=evidence,
        project="",
        origin=Range(repository="r", base=None, head="h"),
        expected=expected,
        content="c",
    )


def card(mark, *, beside=False, layer=None):
    return CardFound(
        card_id="c1",
        question_id="q-1",
        rule="guard_gone",
        kind=ChangeKind.AUTH,
        anchor=Place(path="a.go", side=Side.NEW, start=3, end=5),
        head_path="a.go",
        head_start=3,
        head_end=5,
        claim=f"it opens the door {NASTY}",
        mark=mark,
        beside_defect=beside,
        layer=layer,
        why="because" if layer else "",
    )


def done(unit, verdict, **told):
    return HalfResult(unit=unit, verdict=verdict, **{"status": "complete", "seconds": 1.5, "run_log": "runs/x", **told})


def pairs():
    miss = Miss(layer="retrieval", why=f"ended {NASTY}", question_id="q-2")
    memory = Memory(nth=1, peak_kb=100_000, helpers_kb=1, held_kb=90_000)
    return [
        (job("a:defect", "defect"), done("a:defect", "found", cards=(card("hit"), card("false_alarm", beside=True)))),
        (job("a:twin", "twin"), done("a:twin", "silent", memory=memory)),
        (job("b:defect", "defect", evidence="elsewhere"), done("b:defect", "missed", miss=miss)),
        (
            job("b:twin", "twin", evidence="elsewhere"),
            done("b:twin", "alarmed", cards=(card("false_alarm", layer="synthesis"),)),
        ),
        (job("c:defect", "defect", kind="input"), done("c:defect", "other_kind", cards=(card("other_kind"),))),
        (job("d:twin", "twin", kind="input", language="java"), done("d:twin", "failed", status="", reason=NASTY)),
        (job("e" * 40, "commit", kind="", language="", evidence=""), done("e" * 40, "unjudged", status="incomplete")),
    ]


@pytest.fixture(scope="module")
def whole():
    return report(WHO, pairs(), 2)


def test_wilsons_interval_is_the_published_one():
    # 1 of 10 gives 0.018 to 0.404, 0 of 10 gives 0 to 0.278, as in Newcombe 1998, table I.
    assert [tuple(round(end, 3) for end in wilson(*shares) or ()) for shares in ((1, 10), (0, 10), (81, 263))] == [
        (0.018, 0.404),
        (0.0, 0.278),
        (0.255, 0.366),
    ]
    assert wilson(0, 0) is None
    assert (rate(0, 0).rate, rate(3, 4).rate) == (None, 0.75)


def test_the_figures_count_each_half_once(whole):
    figures = whole.figures
    assert (figures.whole.found.hits, figures.whole.found.of) == (1, 3)
    assert (figures.whole.silent.hits, figures.whole.silent.of) == (1, 3)
    assert (figures.precision.hits, figures.precision.of) == (1, 3)
    assert (figures.whole.beside_defect.hits, figures.whole.beside_defect.of) == (1, 3)
    assert (figures.whole.other_kind, figures.failed, figures.incomplete, figures.halves) == (1, 1, 1, 7)
    assert (figures.misses_by_layer, figures.alarms_by_layer) == ({"retrieval": 1}, {"synthesis": 1})
    assert [(row.name, row.found.of) for row in figures.by_evidence] == [("elsewhere", 1), ("same_file", 2)]
    assert [row.name for row in figures.by_kind_and_language] == ["auth go", "input go", "input java"]
    assert figures.cards_per_hundred == round(400 / 7, 2)
    assert (figures.peak_kb, figures.held_kb_first) == (100_000, 90_000)


def test_the_text_tells_every_miss_alarm_and_failure_and_is_safe_on_a_terminal(whole):
    text = report_text(whole, "state")
    assert "\x1b" not in text
    assert "found                         1/3 0.33 (0.06–0.79)" in text
    assert "b:defect  retrieval: ended" in text
    assert "[q-2]" in text
    assert "a:defect  guard_gone at a.go:3–5" in text
    assert "b:twin  guard_gone at a.go:3–5  synthesis: because" in text
    assert "right place, other kind: guard_gone at a.go:3–5" in text
    assert "d:twin: <script>" in text
    assert f"{'e' * 40}  incomplete, 0 questions, 0 cards" in text
    assert "review-agent explain state/runs/NAME.jsonl" in text
    rows = [line.split()[0] for line in text.splitlines() if " · " in line and "/" in line and "kept" not in line]
    assert rows[-3:] == ["auth", "input", "all"]


def test_the_json_fits_its_schema(whole):
    schema = json.loads((shipped("schemas") / "replay-report.schema.json").read_text())
    jsonschema.validate(json.loads(json_text(whole)), schema)


def test_junit_has_a_case_a_half_and_parses_whatever_the_text(whole):
    root = ET.fromstring(junit_text(whole))
    cases = {one.get("name"): [child.tag for child in one] for one in root.iter("testcase")}
    assert cases == {
        "a:defect": [],
        "a:twin": [],
        "b:defect": ["failure"],
        "b:twin": ["failure"],
        "c:defect": ["failure"],
        "d:twin": ["error"],
        "e" * 40: ["skipped"],
    }
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "7",
        "failures": "3",
        "errors": "1",
        "skipped": "1",
    }
    assert sum(int(suite.get("tests") or 0) for suite in root) == 7


class Page(HTMLParser):
    """Tags, what they point to, and whether each is closed."""

    def __init__(self):
        super().__init__()
        self.tags, self.links, self.open = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("src", "href", "xlink:href")]
        if tag not in ("meta", "rect", "line", "circle", "br", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("rect", "line", "circle"):
            assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)


def test_the_page_is_one_file_with_plots_and_no_foreign_text_as_markup(whole):
    page = Page()
    page.feed(html_text(whole))
    assert page.open == []
    assert page.links == []
    assert "script" not in page.tags
    assert page.tags.count("svg") == 6
    assert "url(" not in html_text(whole)
    assert "prefers-color-scheme:dark" in html_text(whole)
    assert "&lt;script&gt;" in html_text(whole)


def test_reports_of_nothing_expected_stand_without_tables():
    bare = report(WHO, pairs()[-1:], 0)
    assert "found" not in report_text(bare, "state").replace("not found", "")
    assert "Found by kind" not in html_text(bare)
    assert ET.fromstring(junit_text(bare)).get("skipped") == "1"

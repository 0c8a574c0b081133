"""Text of a hostile change is text: in claims, paths, code, logs, comments, filters and exports nothing of it acts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import made_runs
import pytest
from panels import PATIENCE, Served, Tab

from review_agent.runlog import RunLog, run_file_name
from review_agent.vocabulary import Phase, Record, digest

pytestmark = pytest.mark.slow

EVIL = (
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "</div></main><iframe src=http://evil.invalid></iframe>",
    "&lt;b&gt;&amp;&#x3c;script&#x3e;",
    "[click](javascript:document.title='owned') ![x](http://evil.invalid/x.png)",
    ":red[streamlit] :material/home: $\\frac{1}{0}$ $$x$$ **bold** `tick` ~~gone~~",
    "\x1b[31mred\x1b]8;;http://evil.invalid\x07link\x1b]8;;\x07",
    "left\u202egnp.exe\u2066right\u200bzero",
    "@everyone #1 /approve lone \ud800 surrogate",
)
SHOWN = "<script>document.title='owned'</script>"


FREE = frozenset(
    (
        *("about", "change", "claim", "commandOrProcedure", "consequence", "counterEvidence", "detail"),
        *("expectedSignal", "impactCondition", "name", "note", "precondition", "reason", "refutedIf", "searched"),
        *("section", "subject", "text", "uncertainty", "what", "why"),
    )
)
PATHS = frozenset({"path", "oldPath"})


def hostile(data: Any, line: str, key: str = "") -> Any:
    """A record's wire data with every free text and every path of it hostile."""
    if isinstance(data, dict):
        return {name: hostile(value, line, name) for name, value in data.items()}
    if isinstance(data, list):
        return [hostile(value, line, key) for value in data] or ([line] if key in FREE else [])
    if isinstance(data, str) and key in PATHS:
        return f"{line}/{data}"
    return line if isinstance(data, str) and key in FREE else data


def versioned(wire: dict[str, Any]) -> dict[str, Any]:
    return {**wire, "cardVersion": digest({**wire, "cardVersion": None})} if "cardVersion" in wire else wire


@pytest.fixture(scope="module")
def evil(serving: Callable[..., Served], tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A folder without a clone whose run logs hold every hostile text everywhere."""
    folder = tmp_path_factory.mktemp("evil")
    state = folder / ".review-agent"
    made_runs.write_run(state, review=99, cards=0)
    for number, line in enumerate(EVIL):
        write(state, number, line)
    return serving(folder, "--reviewer", "Rita <b>Reviewer</b>")


def write(state: Path, number: int, line: str) -> None:
    review = made_runs.sha("evil", number)
    path = state / "runs" / run_file_name(review, made_runs.START.replace(minute=10 + number))
    with RunLog.create(path, {**made_runs.started(review), "chosen": line}, "attempt") as log:
        for phase in Phase:
            log.event("phase_started", {}, phase)
            for of, kind, record in made_runs.events(review, 1, "claim"):
                if of is phase:
                    wire = record.wire() if isinstance(record, Record) else record
                    log.event(kind, versioned(hostile(wire, line)), phase)
            log.event("phase_ended", {}, phase)
        log.flush()


def inert(one: Tab) -> None:
    page = one.page
    assert page.title().endswith("review-agent"), "a script ran"
    forbidden = "script, iframe, img, object, embed, svg, style, link, form[action]"
    assert page.locator(f"#frame :is({forbidden})").count() == 0
    assert page.locator("#frame a[href]:not([href^='/'])").count() == 0
    handlers = "els => els.some(el => [...el.attributes].some(a => /^on/i.test(a.name)))"
    assert page.locator("#frame *").evaluate_all(handlers) is False
    assert not any(mark in page.locator("#frame").inner_text() for mark in ("\x1b", "\u202e", "\u2066"))


def test_every_card_shows_its_text_as_it_is(evil: Served, tab: Callable[..., Tab]) -> None:
    one = tab(f"{evil.url}/?state=any")  # another test decides on one of them
    seen = set()
    for _ in EVIL:
        one.tap("o")
        inert(one)
        seen.add(one.text(".card .claim"))
        if one.page.locator(".row").last.get_attribute("selected") is None:
            one.press("j")
    assert len(seen) == len(EVIL)
    said = " ".join(seen)
    assert SHOWN in said
    assert "[click](javascript:document.title='owned')" in said
    assert ":red[streamlit]" in said
    assert "&lt;b&gt;&amp;&#x3c;script&#x3e;" in said
    assert "\\u{1b}[31mred" in said
    assert "left\\u{202e}gnp.exe" in said


def test_what_is_copied_is_what_is_shown(evil: Served, tab: Callable[..., Tab]) -> None:
    one = tab(f"{evil.url}/?text=gnp")
    one.tap("v")
    one.page.locator("[data-was=copied]").wait_for(timeout=PATIENCE)
    copied = one.page.evaluate("() => navigator.clipboard.readText()")
    assert copied == "left\\u{202e}gnp.exe\\u{2066}right\\u{200b}zero"


def test_filters_comments_and_addresses_are_text_too(evil: Served, tab: Callable[..., Tab]) -> None:
    one = tab(f"{evil.url}/?text=%3Cscript%3E&kind=%3Cb%3E&run=%27%3B--&state=%00&page=-1&card=%25")
    inert(one)
    one = tab(evil.url)
    one.tap("m")
    one.page.keyboard.type(SHOWN + " :red[x] $y$")
    one.tap("Escape")
    one.press("a")
    inert(one)
    one.open(f"{evil.url}/decisions")
    inert(one)
    assert SHOWN + " :red[x] $y$" in one.text("#frame")
    assert "Rita <b>Reviewer</b>" in one.text("#frame")


@pytest.mark.parametrize("path", ["runs", "policy?path=%3Cscript%3E../%1b", "replay", "metrics"])
def test_the_other_pages_are_inert(evil: Served, tab: Callable[..., Tab], path: str) -> None:
    inert(tab(f"{evil.url}/{path}"))

"""Every page as a picture, in light and dark, at 1280 pixels and on a tablet; and the states in which nothing is there.

With ``REVIEW_AGENT_PICTURES=DIR`` the pictures are written there: docs/pictures holds the best of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from panels import PATIENCE, Served, Tab

from review_agent.journal import Journal
from review_agent.vocabulary import Replay, ReplayedHalf

pytestmark = pytest.mark.slow

Open = Callable[..., Tab]
LARGEST = 300_000
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(os.environ.get("REVIEW_AGENT_PICTURES") or tmp_path_factory.mktemp("pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def shoot(one: Tab, pictures: Path, name: str) -> None:
    """A picture that has something on it, and no larger than a document can carry; nothing is cut off at the side."""
    file = pictures / f"{name}.png"
    one.page.wait_for_timeout(150)
    one.page.screenshot(path=file)
    assert 5_000 < file.stat().st_size < LARGEST
    wider = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert one.page.evaluate(wider) == 0


@pytest.fixture
def used(panel: Served, tab: Open) -> Served:
    """A panel in use: some decisions, one undone, and a replay."""
    one = tab(panel.url)
    one.press("a")
    one.tap("x")
    one.press("7")
    one.tap("m")
    one.page.keyboard.type("holds; the mobile client sends the old key")
    one.tap("Escape")
    one.press("a", "a", "u")
    halves = [
        ReplayedHalf(unit="cache-key/defect", verdict="found", cards=1, layer=None),
        ReplayedHalf(unit="cache-key/twin", verdict="silent", cards=0, layer=None),
        ReplayedHalf(unit="late-close/defect", verdict="missed", cards=0, layer="retrieval"),
        ReplayedHalf(unit="retry-cap/defect", verdict="missed", cards=0, layer="edits"),
    ]
    replay = Replay(
        kind="replay",
        replay_id="r1",
        at="2026-11-30T10:00:00.000+00:00",
        engine="rules/0.1.0",
        policy_hash="4cf6903f93be9ff0",
        product="0.1.0",
        source="s" * 64,
        found=1,
        defects=3,
        silent=1,
        clean=1,
        failed=0,
        halves=tuple(halves),
    )
    Journal(panel.repo / ".review-agent/journal.jsonl").append(replay.wire())
    return panel


@SCHEMES
def test_the_queue_has_a_picture(used: Served, tab: Open, pictures: Path, scheme: str) -> None:
    one = tab(used.url, scheme=scheme)
    background = one.page.locator("#frame").evaluate("el => getComputedStyle(el).backgroundColor")
    assert (background == "rgb(20, 22, 25)") == (scheme == "dark")
    shoot(one, pictures, f"queue-{scheme}")
    one.tap("x")
    shoot(one, pictures, f"reject-{scheme}")
    one.tap("Escape", "n")
    shoot(one, pictures, f"proof-{scheme}")
    one.tap("Escape", "?")
    shoot(one, pictures, f"keys-{scheme}")
    tablet = tab(used.url, scheme=scheme, width=820, height=1180)
    shoot(tablet, pictures, f"queue-tablet-{scheme}")


@SCHEMES
def test_every_other_page_has_a_picture(used: Served, tab: Open, pictures: Path, scheme: str) -> None:
    for name in ("runs", "decisions", "policy?path=gateway/api/types.gen.go", "replay", "metrics"):
        page = name.partition("?")[0]
        one = tab(f"{used.url}/{name}", scheme=scheme)
        assert one.page.locator("nav a[aria-current=page]").inner_text().casefold() == page
        assert one.page.locator(".nothing.error").count() == 0
        shoot(one, pictures, f"{page}-{scheme}")
        shoot(tab(f"{used.url}/{name}", scheme=scheme, width=820, height=1180), pictures, f"{page}-tablet-{scheme}")


def test_the_pages_say_what_the_run_and_the_decisions_were(used: Served, tab: Open) -> None:
    one = tab(used.url)
    one.tap("g")
    one.press("r")
    assert "33" in one.text(".pane-body table >> text=files >> xpath=..")
    one.press("c")
    assert "state=any" in one.page.url
    one.tap("g")
    one.press("d")
    said = one.text(".pane-body")
    assert "5 decisions" in said
    assert "holds; the mobile client sends the old key" in said
    assert "intended" in said
    one.tap("g")
    one.press("y")
    assert "1 of 3" in one.text(".pane-body")
    one.tap("g")
    one.press("p")
    one.tap("/")
    one.page.keyboard.type("uv.lock")
    one.press("Enter")
    assert "set aside as lock file" in one.text(".answer")
    one.tap("g")
    one.press("q")
    assert one.card()


def test_decisions_are_exported_and_revoked_from_their_page(used: Served, tab: Open) -> None:
    one = tab(f"{used.url}/decisions")
    with one.page.expect_download() as download:
        one.press("J")
    lines = Path(download.value.path()).read_text().splitlines()
    assert len(lines) == len([record for record in used.journal() if record["kind"] == "decision"])
    with one.page.expect_download() as download:
        one.press("V")
    assert Path(download.value.path()).read_text().startswith("at,act,reasonCode")
    one.answered(lambda: one.page.locator(".ways button", has_text="Revoke").first.click())
    assert used.journal()[-1]["act"] == "revoke"


def test_filters_narrow_and_a_link_keeps_them(panel: Served, tab: Open) -> None:
    one = tab(panel.url)
    one.answered(lambda: one.page.locator("select[name=severity]").select_option("important"))
    assert set(one.page.locator(".row").evaluate_all("els => els.map(el => el.className)")) == {"row important"}
    again = tab(one.page.url)
    assert again.page.locator("select[name=severity]").input_value() == "important"
    again.tap("/")
    again.page.keyboard.type("no such words")
    again.press("Enter")
    assert "No card fits" in again.text(".nothing")
    again.press("f")
    assert again.page.locator(".row").count() > 1


@pytest.fixture(scope="module")
def empty(serving: Callable[..., Served], tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A repository that was never reviewed."""
    repo = tmp_path_factory.mktemp("empty") / "repo"
    repo.mkdir()
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    return serving(repo, "--reviewer", "Rita Reviewer")


@SCHEMES
def test_before_the_first_run_every_page_says_what_to_do(empty: Served, tab: Open, pictures: Path, scheme: str) -> None:
    for page in ("", "runs", "decisions", "replay"):
        one = tab(f"{empty.url}/{page}", scheme=scheme)
        assert one.page.locator(".nothing.first").count() == 1
        shoot(one, pictures, f"first-{page or 'queue'}-{scheme}")
    tab(f"{empty.url}/metrics", scheme=scheme)


def test_when_all_is_decided_the_queue_says_so(panel: Served, tab: Open, pictures: Path) -> None:
    one = tab(panel.url)
    for _ in range(one.page.locator(".row").count()):
        one.press("a")
    assert "Every card is decided" in one.text(".nothing.done")
    shoot(one, pictures, "done-light")
    one.press("u")
    assert one.card()


@pytest.fixture
def foreign(panel: Served) -> Iterator[None]:
    """A program that does not know the lock holds the ledger's file."""
    ledger = panel.repo / ".review-agent/ledger.duckdb"
    script = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", script, str(ledger)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        yield
        process.stdin.close()


@pytest.mark.usefixtures("foreign")
def test_while_another_program_holds_the_ledger_the_panel_says_so_and_works(
    panel: Served, tab: Open, pictures: Path
) -> None:
    one = tab(panel.url)
    said = one.text(".pane-notices")
    assert "read from run logs and journal" in said
    assert "another program holds the ledger (python" in said
    assert "IO Error" not in said
    shoot(one, pictures, "busy-light")
    one.press("a")
    assert [said["act"] for said in panel.journal()] == ["accept"]


def test_a_damaged_run_log_is_told_and_the_rest_is_shown(panel: Served, tab: Open) -> None:
    (panel.repo / ".review-agent/runs/20990101T000000.000000Z-000000000000.jsonl").write_text("{}\n")
    one = tab(panel.url)
    assert "is left out" in one.text(".pane-notices")
    assert one.page.locator(".row").count() > 1


def test_a_card_whose_record_lacks_a_part_keeps_no_other_from_being_decided(panel: Served, tab: Open) -> None:
    one = tab(panel.url)
    first = one.page.locator(".row").first.get_attribute("data-row")
    (log,) = (panel.repo / ".review-agent/runs").glob("*.jsonl")
    events = [json.loads(line) for line in log.read_text().splitlines()]
    of = next(event["data"]["questionId"] for event in events if event["data"].get("cardId") == first)
    # As many records as before: of a log that has lost some the ledger keeps what it took in.
    bundle = next(one["data"] for one in events if one["type"] == "bundle" and one["data"]["questionId"] == of)
    bundle["questionId"] = "q-another"
    log.write_text("".join(json.dumps(event) + "\n" for event in events))
    one.press("r")
    assert "has no record" in one.text(".nothing.error")
    one.press("j")
    assert one.card()
    one.press("a")
    assert [said["act"] for said in panel.journal()] == ["accept"]


@pytest.mark.parametrize("edit", [{"extra": 1}, {"claim": None}], ids=["extra", "null"])
def test_a_card_of_another_shape_keeps_no_other_from_being_decided(
    panel: Served, tab: Open, edit: dict[str, object]
) -> None:
    one = tab(panel.url)
    rows = one.page.locator(".row").count()
    first = one.page.locator(".row").first.get_attribute("data-row")
    (log,) = (panel.repo / ".review-agent/runs").glob("*.jsonl")
    events = [json.loads(line) for line in log.read_text().splitlines()]
    cards = (event["data"] for event in events if event["type"] == "card")
    next(card for card in cards if card["cardId"] == first).update(edit)
    log.write_text("".join(json.dumps(event) + "\n" for event in events))
    one.press("r")
    assert "of another shape" in one.text(".nothing.error")
    assert "of another shape" in one.text(".row")
    assert one.page.locator(".row").count() == rows
    one.press("j")
    assert one.card()
    one.press("a")
    assert [said["act"] for said in panel.journal()] == ["accept"]


def test_a_page_that_fails_says_what_to_do(panel: Served, tab: Open, pictures: Path) -> None:
    state = panel.repo / ".review-agent"
    kept = state.rename(panel.repo / "kept")
    try:
        state.symlink_to("kept")
        one = tab(panel.url)
        assert one.page.locator(".nothing.error").count() == 1
        assert one.page.locator(".nothing.error .next").inner_text(timeout=PATIENCE)
        box = one.page.locator(".nothing.error").bounding_box()
        assert box is not None
        assert box["y"] < 300, "it stands where a reader looks first"
        shoot(one, pictures, "error-light")
    finally:
        state.unlink()
        kept.rename(state)
    one.press("r")
    assert one.card()

"""A reviewer decides in the browser, by the keyboard alone, and the journal has it with what they saw."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from panels import Served, Tab

from dashboard.offers import LETTERS
from review_agent.policy.load import load

pytestmark = pytest.mark.slow

CODES = load().reason_codes
Open = Callable[..., Tab]


def test_one_key_accepts_the_first_card_and_shows_the_next(panel: Served, tab: Open) -> None:
    one = tab(panel.url)
    first = one.card()
    one.press("a")
    (decision,) = panel.journal()
    assert decision["cardId"].startswith(first)
    assert (decision["act"], decision["reviewer"], decision["reasonCode"]) == ("accept", "Rita Reviewer", None)
    assert decision["cardVersion"]
    assert decision["seconds"] >= 0
    assert one.card() != first
    assert f"{first} accepted" in one.text(".message")


def test_from_opening_the_queue_to_a_recorded_rejection_are_two_keys(panel: Served, tab: Open) -> None:
    one = tab(panel.url)
    one.tap("x")
    one.press(LETTERS[0])
    (decision,) = panel.journal()
    assert (decision["act"], decision["reasonCode"]) == ("reject", CODES[0].code)


def test_every_reason_rejects_and_is_undone(panel: Served, tab: Open) -> None:
    one = tab(panel.url)
    first = one.card()
    for letter, code in zip(LETTERS, CODES, strict=False):
        one.tap("x")
        if code.needs_comment:
            one.tap(letter)
            assert panel.journal()[-1]["act"] == "reopen", "without words nothing is sent"
            one.page.keyboard.type("none of these fit")
            one.press("Enter")
        else:
            one.press(letter)
        said = panel.journal()[-1]
        assert (said["act"], said["reasonCode"], said["layer"]) == ("reject", code.code, code.layer)
        assert said["comment"] == ("none of these fit" if code.needs_comment else None)
        assert one.card() != first
        one.press("u")
        assert panel.journal()[-1]["act"] == "reopen"
        assert one.card() == first
    assert len(panel.journal()) == 2 * len(CODES)


def test_a_comment_goes_with_the_decision_and_is_masked(panel: Served, tab: Open) -> None:
    one = tab(panel.url)
    one.tap("m")
    one.page.keyboard.type("jack ghp_" + "a1B2" * 9)
    one.tap("Escape")
    one.press("a")
    (decision,) = panel.journal()
    assert decision["comment"].startswith("jack ")
    assert "ghp_a1B2" not in decision["comment"]


def test_needs_proof_and_its_attached_result_bring_the_card_back(panel: Served, tab: Open, tmp_path: Path) -> None:
    one = tab(panel.url)
    first = one.card()
    one.tap("n")
    one.press("1")
    asked = panel.journal()[-1]
    assert asked["act"] == "needs_proof"
    assert asked["proof"]["job"]
    log = tmp_path / "log.txt"
    log.write_text("2 passed\n<script>alert(1)</script>\n")
    one.open(f"{panel.url}/?state=needs_proof")
    assert one.card() == first
    one.tap("t")
    one.page.locator("[data-menu=attach] input[type=file]").set_input_files(log)
    one.page.wait_for_timeout(200)
    one.press("p")
    attached = panel.journal()[-1]
    assert (attached["act"], attached["proof"]["result"]) == ("attach", "pass")
    assert attached["proof"]["logSha256"] == hashlib.sha256(log.read_bytes()).hexdigest()
    one.open(panel.url)
    one.open(f"{panel.url}/?card={first}")
    assert one.card() == first
    assert "proof attached" in one.text(".standing")
    one.press("a")
    assert panel.journal()[-1]["act"] == "accept"


def test_undo_takes_the_last_decision_back(panel: Served, tab: Open) -> None:
    one = tab(panel.url)
    first = one.card()
    one.press("a", "a", "u")
    assert [said["act"] for said in panel.journal()] == ["accept", "accept", "reopen"]
    assert panel.journal()[-1]["cardId"] == panel.journal()[1]["cardId"]
    one.open(f"{panel.url}/?state=accepted")
    assert one.card() == first
    one.press("u")
    assert panel.journal()[-1]["cardId"].startswith(first)


@pytest.mark.parametrize(("key", "act"), [("e", "revoke"), ("w", "downgrade")])
def test_what_was_accepted_is_revoked_or_downgraded(panel: Served, tab: Open, key: str, act: str) -> None:
    one = tab(panel.url)
    one.press("a")
    one.open(f"{panel.url}/?state=accepted")
    one.press(key)
    assert [said["act"] for said in panel.journal()] == ["accept", act]


def test_the_second_of_two_reviewers_is_told_of_the_first(panel: Served, other: Served, tab: Open) -> None:
    rita, otto = tab(panel.url), tab(other.url)
    name = rita.card()
    assert otto.card() == name
    otto.tap("m")
    otto.page.keyboard.type("seen in staging")
    otto.tap("Escape")
    otto.press("a")
    rita.tap("x")
    rita.press("1")
    (decision,) = panel.journal()
    assert decision["reviewer"] == "Otto Other"
    said = rita.text(".message.refused")
    assert "Not recorded" in said
    assert "Otto Other was first: accepted" in said
    assert "seen in staging" in said
    assert rita.card() == name, "the card is shown again, as it stands now"
    assert "accepted" in rita.text(".standing")
    rita.press("j")
    assert rita.card() != name
    rita.press("a")
    assert panel.journal()[-1]["reviewer"] == "Rita Reviewer"


def test_only_who_decided_undoes(panel: Served, other: Served, tab: Open) -> None:
    tab(other.url).press("a")
    rita = tab(f"{panel.url}/?state=accepted")
    assert rita.page.locator(".bar button", has_text="Undo").count() == 0


def test_a_refresh_in_the_middle_records_nothing_and_loses_no_words(panel: Served, tab: Open) -> None:
    one = tab(panel.url)
    one.press("j")
    name = one.card()
    one.tap("m")
    one.page.keyboard.type("half a thou")
    one.tap("Escape", "x")
    one.page.reload()
    one.page.locator("#frame[data-ready]").wait_for()
    assert panel.journal() == []
    assert one.card() == name
    assert one.page.locator("input[data-field=comment]").input_value() == "half a thou"
    one.press("a")
    assert panel.journal()[-1]["comment"] == "half a thou"


def test_a_key_held_down_decides_once(panel: Served, tab: Open) -> None:
    one = tab(panel.url)
    one.answered(lambda: [one.page.keyboard.down("a") for _ in range(5)])
    one.page.keyboard.up("a")
    one.press("r")
    assert len(panel.journal()) == 1


def test_the_mouse_does_the_same(panel: Served, tab: Open) -> None:
    one = tab(panel.url)
    one.answered(lambda: one.page.locator(".row").nth(2).click())
    name = one.card()
    one.page.locator(".bar button", has_text="Reject").click()
    one.answered(lambda: one.page.locator("[data-menu=reject] button", has_text="intended").click())
    (decision,) = panel.journal()
    assert decision["cardId"].startswith(name)
    assert decision["reasonCode"] == "intended"

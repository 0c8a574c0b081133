"""A reviewer decides in the browser, by the keyboard alone, and the journal has it with what they saw."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from panels import Served, Tab

from dashboard.deciding import _file
from dashboard.offers import LETTERS, MOST_LOG_BYTES
from review_agent.errors import UsageError
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


def _asked(one: Tab, panel: Served) -> str:
    """The first card, with a proof asked for, and its menu open for the result."""
    name = one.card()
    one.tap("n")
    one.press("1")
    one.open(f"{panel.url}/?state=needs_proof")
    one.tap("t")
    return name


def _chosen(one: Tab, log: Path) -> None:
    one.page.locator("[data-menu=attach] input[type=file]").set_input_files(log)
    one.page.locator("[data-menu=attach] textarea[readonly]").wait_for()


@pytest.mark.parametrize(
    "data",
    [b"", b"one\r\ntwo\rthree\n", b"\xff\xfe not UTF-8 \x00\x80\n", b"x" * 30_000, b"l\n" * (MOST_LOG_BYTES // 2)],
    ids=["empty", "line ends", "bytes", "long", "the largest"],
)
def test_a_file_is_attached_byte_for_byte(panel: Served, tab: Open, tmp_path: Path, data: bytes) -> None:
    one = tab(panel.url)
    _asked(one, panel)
    log = tmp_path / "log.txt"
    log.write_bytes(data)
    _chosen(one, log)
    one.press("f")
    proof = panel.journal()[-1]["proof"]
    assert proof["logSha256"] == hashlib.sha256(data).hexdigest()
    assert proof["logBytes"] == len(data)


def test_a_file_that_is_too_large_is_refused_when_it_is_chosen(panel: Served, tab: Open, tmp_path: Path) -> None:
    one = tab(panel.url)
    _asked(one, panel)
    log = tmp_path / "log.txt"
    log.write_bytes(b"x" * (MOST_LOG_BYTES + 1))
    one.page.locator("[data-menu=attach] input[type=file]").set_input_files(log)
    assert "larger than 8 MB" in one.text(".notice")
    one.press("p")
    proof = panel.journal()[-1]["proof"]
    assert (proof["log"], proof["logSha256"]) == (None, None), "nothing of it is attached"


@pytest.mark.parametrize("sent", ["no base64", base64.b64encode(b"x" * (MOST_LOG_BYTES + 1)).decode()])
def test_python_takes_no_file_that_the_browser_should_not_have_sent(sent: str) -> None:
    with pytest.raises(UsageError):
        _file({"bytes": sent})


def test_what_is_typed_has_no_hash(panel: Served, tab: Open) -> None:
    one = tab(panel.url)
    name = _asked(one, panel)
    one.tap("m")
    one.page.keyboard.type("2 passed")
    one.page.locator("[data-menu=attach] textarea").blur()
    one.press("p")
    proof = panel.journal()[-1]["proof"]
    assert (proof["log"], proof["logSha256"], proof["logBytes"]) == ("2 passed", None, None)
    one.open(f"{panel.url}/?card={name}")
    assert "typed or pasted" in one.text(".standing")


def test_a_refused_decision_keeps_the_words_that_went_along(panel: Served, other: Served, tab: Open) -> None:
    rita, otto = tab(panel.url), tab(other.url)
    name = rita.card()
    otto.press("a", "u")
    rita.tap("m")
    rita.page.keyboard.type("two paragraphs of thought")
    rita.tap("Escape")
    rita.press("a")
    assert "Not recorded" in rita.text(".message.refused")
    field = rita.page.locator("input[data-field=comment]")
    assert (rita.card(), field.input_value()) == (name, "two paragraphs of thought")
    rita.press("a")
    assert panel.journal()[-1]["comment"] == "two paragraphs of thought"
    rita.press("u")
    assert (rita.card(), field.input_value()) == (name, ""), "what is recorded is no draft"


def test_a_proof_attached_meanwhile_is_shown_before_anything_is_recorded(
    panel: Served, other: Served, tab: Open
) -> None:
    rita, otto = tab(panel.url), tab(other.url)
    name = rita.card()
    _asked(otto, other)
    otto.press("f")
    attached = panel.journal()[-1]
    assert attached["act"] == "attach"
    rita.press("a")
    assert panel.journal()[-1] == attached, "the card is open as it was, and yet another card now"
    said = rita.text(".message.refused")
    assert f"Otto Other was first: attached a fail of {attached['proof']['job']}" in said
    assert rita.card() == name
    assert "proof attached" in rita.text(".standing")
    rita.press("a")
    assert panel.journal()[-1]["act"] == "accept"


def test_an_undo_takes_back_only_the_decision_that_was_shown(panel: Served, tab: Open) -> None:
    """The same reviewer in two tabs: the second tab's undo meant the acceptance, not what came after it."""
    one, two = tab(panel.url), tab(panel.url)
    one.press("a")
    for page in ("?state=accepted", "decisions"):
        two.open(f"{panel.url}/{page}")
        one.open(f"{panel.url}/?state=accepted")
        one.press("w")
        one.press("u")
        one.open(panel.url)
        one.press("a")
        last = panel.journal()[-1]
        if page == "decisions":
            two.answered(lambda: two.page.locator(".ways button", has_text="Undo").first.click())
        else:
            two.press("u")
        assert panel.journal()[-1] == last
        assert "you were first: accepted" in two.text(".message.refused")


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

"""What is suppressed is shown as such: by the review, by its trail, and as data."""

from __future__ import annotations

from typing import Any

import pytest

from review_agent.cli import main

pytestmark = pytest.mark.slow


def shop(repo: Any) -> None:
    repo.write("shop/refund.py", "def refund(order):\n    return order.total\n")
    repo.write("shop/__init__.py", "")
    repo.write("jobs.py", "from shop.refund import refund\n\n\ndef run(order):\n    return refund(order)\n")
    repo.commit("base")
    repo.git("switch", "-q", "-c", "feature")
    repo.write("shop/refund.py", "def refund(order, currency):\n    return order.total\n")
    repo.commit("change")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    return int(left.value.code or 0), *capsys.readouterr()


def test_a_suppressed_finding_is_told_by_claim_place_and_reason(repo: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shop(repo)
    where = ("--repo", str(repo.root))
    review = ("review", *where, "--base", "main", "--fail-on", "suggestion")
    code, out, _ = run(capsys, *review)
    assert code == 1
    (card,) = [line.split("decide ")[-1].split()[0] for line in out.splitlines() if "accept | reject" in line]
    run(capsys, "decide", *where, card, "reject", "--reason", "intended", "--reviewer", "Ada")
    code, out, _ = run(capsys, *review)
    assert code == 0, "a suppressed finding trips no gate"
    assert "○ suppressed · blocking · api_contract · shop/refund.py:1" in out
    assert "Adding the required parameter `currency` to `refund`" in out
    assert "rejected as intended on " in out
    assert "0 cards, 1 no finding, 1 suppressed" in " ".join(out.split())
    _, out, _ = run(capsys, "explain", *where)
    assert "memory     1 rejection that could matter to this change" in out
    assert "suppressed " in out
    _, out, _ = run(capsys, "review", *where, "--base", "main", "--format", "outcomes")
    assert '"suppressed": [\n' in out
    _, out, _ = run(capsys, "memory", "list", *where)
    assert "rejected (intended)" in out
    assert "shop/refund.py" in out


def test_an_accepted_finding_is_shown_as_accepted_by_the_next_push_and_decided_on_one_card(
    repo: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    shop(repo)
    where = ("--repo", str(repo.root))
    _, out, _ = run(capsys, "review", *where, "--base", "main")
    (card,) = [line.split("decide ")[-1].split()[0] for line in out.splitlines() if "accept | reject" in line]
    run(capsys, "decide", *where, card, "accept", "--reviewer", "Ada")
    repo.write("README.md", "# Shop\n")
    repo.commit("more")
    code, out, _ = run(capsys, "review", *where, "--base", "main", "--fail-on", "blocking")
    assert code == 1, "an accepted finding trips the gate until it is fixed"
    head = out.splitlines()[0]
    assert head.endswith("· accepted")
    assert "accept | reject" not in out
    newer = head.split("· high")[0].split()[-1]
    code, _, said = run(capsys, "decide", *where, newer, "reject", "--reason", "intended", "--reviewer", "Ada")
    assert code == 2
    assert f"{card} stands: accepted on " in said
    assert f"review-agent cards show {card}" in said

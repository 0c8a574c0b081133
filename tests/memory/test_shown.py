"""What is suppressed is shown as such: by the review, by its trail, and as data."""

from __future__ import annotations

from typing import Any

import pytest

from review_agent.cli import main

pytestmark = pytest.mark.slow


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    return int(left.value.code or 0), *capsys.readouterr()


def test_a_suppressed_finding_is_told_by_claim_place_and_reason(repo: Any, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("shop/refund.py", "def refund(order):\n    return order.total\n")
    repo.write("shop/__init__.py", "")
    repo.write("jobs.py", "from shop.refund import refund\n\n\ndef run(order):\n    return refund(order)\n")
    repo.commit("base")
    repo.git("switch", "-q", "-c", "feature")
    repo.write("shop/refund.py", "def refund(order, currency):\n    return order.total\n")
    repo.commit("change")
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

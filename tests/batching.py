"""A small repository whose change a model can find fault with, and a model that answers request files by script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["DRAFT", "NO_DRAFT", "QUESTION", "STANDS", "answered", "shop"]

API = 'PRICES = {"tea": 3}\n\n\ndef price(sku):\n    """The price of one piece."""\n    return PRICES[sku]\n'
USER = """from shop.api import price


def total(skus):
    \"\"\"What all of them cost together.\"\"\"
    amount = 0
    for sku in skus:
        amount += price(sku)
    return amount
"""

QUESTION: dict[str, Any] = {
    "path": "shop/api.py",
    "side": "new",
    "startLine": 6,
    "endLine": 6,
    "changeKind": "error_handling",
    "change": "`price` has no price for a sku that is not in `PRICES`, where it raised before",
    "precondition": "`total` is given a sku without a price",
    "consequence": "the sum in `total` fails",
    "refutedIf": ["`total` looks at what `price` returns before it adds it"],
    "plan": [{"kind": "callers", "name": "price", "path": "shop/api.py", "scope": "", "side": "new"}],
}
DRAFT: dict[str, Any] = {
    "claim": "Changing `PRICES.get(sku)` lets `price` return no number for a sku that `PRICES` lacks: "
    "`shop/user.py:8`, where `total` adds it to `amount`, fails for the whole list.",
    "effect": {"op": "changed", "subject": "PRICES.get(sku)", "to": None},
    "severity": "important",
    "supporting": ["E4"],
    "impactCondition": "Somebody asks for the sum of a basket in which one article was never listed.",
    "counterEvidence": [],
    "uncertainty": [],
    "confidence": "high",
}
NO_DRAFT: dict[str, Any] = {
    "drafts": [],
    "noFinding": {"code": "no_candidate", "detail": "nothing can go wrong here", "missing": [], "defeatedBy": []},
}
STANDS: dict[str, Any] = {
    "verdict": "stands",
    "cited": None,
    "quote": None,
    "why": "`total` adds what it gets.",
    "counterEvidence": [],
}


def shop(repo: Any) -> tuple[str, str]:
    """Two commits: the second lets a price be missing. Their ids."""
    for path, text in {"shop/__init__.py": "", "shop/api.py": API, "shop/user.py": USER}.items():
        repo.write(path, text)
    base = repo.commit("first")
    repo.write("shop/api.py", API.replace("PRICES[sku]", "PRICES.get(sku)"))
    return base, repo.commit("A price may be missing")


def answered(requests: Path, to: Path, says: Mapping[str, Any] | Callable[[dict[str, Any]], Any]) -> Path:
    """A file with an answer to each request: the same for all, or what ``says`` makes of the request's line."""
    lines = [json.loads(line) for line in requests.read_text(encoding="utf-8").splitlines()]
    said = [{"custom_id": one["custom_id"], "content": says(one) if callable(says) else says} for one in lines]
    to.write_text("".join(json.dumps(one) + "\n" for one in said), encoding="utf-8")
    return to

"""Tiny cases of a shop: a parameter is added and its caller is not, or is, adapted; unrelated lines change too."""

from __future__ import annotations

from pathlib import Path

from review_agent.engines.rules import Rules
from review_agent.policy.load import load
from review_agent.replay.cases import jobs_of_folders
from review_agent.replay.half import replayed
from review_agent.replay.records import HalfResult, Job
from review_agent.vocabulary import ChangeKind

API = ChangeKind.API_CONTRACT

PRICING = '''"""Prices."""

PRICES = {"pen": 3, "ink": 9}


def quote(sku, quantity):
    """Price of some pieces."""
    unit = PRICES[sku]
    return unit * quantity


def known(sku):
    return sku in PRICES
'''
CHANGED = PRICING.replace("def quote(sku, quantity):", "def quote(sku, quantity, discount):").replace(
    "return unit * quantity", "return unit * quantity - discount"
)
CALLER = '''"""Orders."""

from shop.pricing import known, quote


def total(order):
    """What an order comes to."""
    if not known(order.sku):
        raise KeyError(order.sku)
    return quote(order.sku, order.quantity)


def label(order):
    return f"{order.sku} x{order.quantity}"
'''
ADAPTED = CALLER.replace("quote(order.sku, order.quantity)", "quote(order.sku, order.quantity, 0)")
NOTES = "# Shop\n\nPrices are whole cents.\n"
YML = """
schemaVersion: "1.0"
kind: api_contract
language: python
evidence: elsewhere
project: py-shop
defect:
  removed: []
  lines:
    - {path: shop/pricing.py, side: new, start: 6, end: 6}
  claim: "total in shop/orders.py still calls quote with two arguments"
  proof:
    - {path: shop/orders.py, side: new, start: 10, end: 10, shows: "the call passes two arguments"}
  refutedBy: "a default of the parameter"
  acceptedKinds: []
twin:
  removed: []
  harmless: "shop/orders.py line 10 passes the third argument"
"""


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def make_cases(root: Path, *names: str, yml: str = YML) -> Path:
    """The project and some cases of it; the folder of the cases."""
    write(root / "projects/py-shop", {"shop/__init__.py": "", "shop/pricing.py": PRICING, "shop/orders.py": CALLER})
    write(root / "projects/py-shop", {"README.md": NOTES, ".gitignore": "*.md\n"})
    for name in names or ("python/one",):
        write(
            root / "cases" / name,
            {
                "case.yml": yml,
                "defect/head/shop/pricing.py": CHANGED,
                "defect/head/README.md": NOTES + "\nDiscounts too.\n",
                "twin/head/shop/pricing.py": CHANGED,
                "twin/head/shop/orders.py": ADAPTED,
            },
        )
    return root / "cases"


def halves(root: Path, **told) -> tuple[Job, Job]:
    """The defect and the twin of one case."""
    defect, twin = jobs_of_folders([make_cases(root, **told)])
    return defect, twin


def reviewed(job: Job, logs: Path, policy=None) -> HalfResult:
    """The half reviewed in this process; a bug fails the test."""
    result = replayed(job, policy or load(), Rules(), logs)
    assert result.verdict != "failed", result.reason
    return result


def with_kind(**changes):
    policy = load()
    kinds = {**policy.change_kinds.kinds, API: policy.change_kinds.kinds[API].model_copy(update=changes)}
    return policy.model_copy(update={"change_kinds": policy.change_kinds.model_copy(update={"kinds": kinds})})


def with_budget(**changes):
    policy = load()
    return policy.model_copy(update={"budgets": policy.budgets.model_copy(update=changes)})

"""``input``: bounds that a declaration had, over real repositories."""

# ruff: noqa: E501

import pytest

from tests.kinds.reviewing import cards, codes, review
from tests.kinds.settling import source

pytestmark = pytest.mark.slow

API = source(
    """
    from fastapi import APIRouter, Query
    from pydantic import BaseModel, Field

    from shop.stock import allocate, load

    router = APIRouter()


    class OrderIn(BaseModel):
        sku: str
        qty: int = Field(gt=0, le=100)


    @router.get("/share")
    def share(stock: str, parts: int = Query(1, ge=1)):
        return allocate(stock, parts)


    @router.post("/orders")
    def order(body: OrderIn):
        stock = load(body.sku)
        stock.left -= body.qty
        return stock
    """
)
STOCK = source(
    """
    def load(sku):
        return STOCKS[sku]


    def allocate(stock, parts):
        total = load(stock)
        return total / parts
    """
)
APP = {"shop/api.py": API, "shop/stock.py": STOCK}


def test_a_field_without_its_bound(repo):
    ended = review(repo, APP, {"shop/api.py": API.replace("Field(gt=0, le=100)", "Field(le=100)")})
    (card,) = cards(ended, "input_bound_removed")
    assert "`shop/api.py` line 22" in card.claim


def test_a_query_without_its_bound(repo):
    ended = review(repo, APP, {"shop/api.py": API.replace("Query(1, ge=1)", "Query(1)")})
    (card,) = cards(ended, "input_bound_removed")
    assert "`total / parts`" in card.claim or "return total / parts" in card.claim


def test_a_query_whose_callee_tests(repo):
    testing = STOCK.replace("    total =", '    if parts < 1:\n        raise ValueError("parts")\n    total =')
    ended = review(repo, {**APP, "shop/stock.py": testing}, {"shop/api.py": API.replace("Query(1, ge=1)", "Query(1)")})
    assert codes(ended, "input_bound_removed") == ["refuted"]


def test_a_bound_of_a_field_that_nothing_works_with(repo):
    idle = API.replace("    stock.left -= body.qty\n", "")
    ended = review(repo, {**APP, "shop/api.py": idle}, {"shop/api.py": idle.replace("gt=0, ", "")})
    assert codes(ended, "input_bound_removed") == ["insufficient_evidence"]


CONTROLLER = source(
    """
    package shop;

    @RestController
    public class RefundController {
        private final RefundService refunds;

        @PostMapping("/refunds/{id}")
        public void approve(@PathVariable long id, @RequestParam @Positive int amount) {
            refunds.approve(id, amount);
        }
    }
    """
)
SERVICE = source(
    """
    package shop;

    public class RefundService {
        public void approve(long id, int amount) {
            Refund refund = repo.load(id);
            refund.setPaid(refund.getPaid() - amount);
        }
    }
    """
)


def test_a_java_parameter_without_its_annotation(repo):
    app = {"shop/RefundController.java": CONTROLLER, "shop/RefundService.java": SERVICE}
    ended = review(repo, app, {"shop/RefundController.java": CONTROLLER.replace("@Positive ", "")})
    (card,) = cards(ended, "input_bound_removed")
    assert "`shop/RefundService.java` line 4" in card.claim


def test_a_java_service_that_tests_itself(repo):
    testing = SERVICE.replace(
        "        Refund",
        '        if (amount <= 0) {\n            throw new IllegalArgumentException("amount");\n        }\n        Refund',
    )
    app = {"shop/RefundController.java": CONTROLLER, "shop/RefundService.java": testing}
    ended = review(repo, app, {"shop/RefundController.java": CONTROLLER.replace("@Positive ", "")})
    assert codes(ended, "input_bound_removed") == ["refuted"]


FILES = source(
    """
    const fs = require("fs");
    const path = require("path");

    const ROOT = path.resolve("files");

    function read(name) {
      const file = path.join(ROOT, name);
      if (!file.startsWith(ROOT + path.sep)) {
        throw new Error("outside");
      }
      return fs.readFileSync(file, "utf8");
    }

    module.exports = { read };
    """
)
ROUTES = source(
    """
    const express = require("express");
    const { read } = require("./files");

    const router = express.Router();

    router.get("/files", (req, res) => {
      res.send(read(req.query.name));
    });

    module.exports = router;
    """
)
OUTSIDE = '  if (!file.startsWith(ROOT + path.sep)) {\n    throw new Error("outside");\n  }\n'


def test_a_path_in_javascript_that_is_not_kept_in_its_folder(repo):
    ended = review(repo, {"files.js": FILES, "routes.js": ROUTES}, {"files.js": FILES.replace(OUTSIDE, "")})
    (card,) = cards(ended, "input_check_removed")
    assert "`routes.js` line 7" in card.claim


def test_a_path_in_javascript_that_the_route_looks_up(repo):
    known = ROUTES.replace("read(req.query.name)", "read(NAMES[req.query.name])")
    ended = review(repo, {"files.js": FILES, "routes.js": known}, {"files.js": FILES.replace(OUTSIDE, "")})
    assert cards(ended, "input_check_removed") == []


ORDERS = source(
    """
    const express = require("express");
    const { reserve } = require("./stock");

    const router = express.Router();

    router.post("/orders", async (req, res) => {
      const qty = Number(req.body.qty);
      if (!Number.isInteger(qty) || qty < 1) {
        return res.status(400).json({ error: "qty" });
      }
      res.json({ left: await reserve(req.body.sku, qty) });
    });

    router.post("/returns", async (req, res) => {
      const qty = Number(req.body.qty);
      if (!Number.isInteger(qty) || qty < 1) {
        return res.status(400).json({ error: "qty" });
      }
      res.json({ qty });
    });

    module.exports = router;
    """
)
RESERVE = source(
    """
    const db = require("./db");

    async function reserve(sku, qty) {
      const item = await db.find(sku);
      item.left -= qty;
      await db.save(item);
      return item.left;
    }

    module.exports = { reserve };
    """
)
WHOLE = '  if (!Number.isInteger(qty) || qty < 1) {\n    return res.status(400).json({ error: "qty" });\n  }\n'


def test_a_handler_written_in_place_that_tests_no_more(repo):
    ended = review(repo, {"routes.js": ORDERS, "stock.js": RESERVE}, {"routes.js": ORDERS.replace(WHOLE, "", 1)})
    (card,) = cards(ended, "input_check_removed")
    assert "`stock.js` line 3" in card.claim


def test_a_handler_written_in_place_whose_callee_tests(repo):
    testing = RESERVE.replace("  const item", '  if (!(qty > 0)) throw new Error("qty");\n  const item')
    ended = review(repo, {"routes.js": ORDERS, "stock.js": testing}, {"routes.js": ORDERS.replace(WHOLE, "", 1)})
    assert codes(ended, "input_check_removed") == ["refuted"]

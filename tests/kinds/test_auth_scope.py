"""``auth``: lookups narrowed to the caller's own, and routes in front of the guard, over real repositories."""

import pytest

from tests.kinds.reviewing import cards, codes, review
from tests.kinds.settling import source

pytestmark = pytest.mark.slow

VIEWS = source(
    """
    from flask import Blueprint, g, jsonify

    from app.auth import login_required
    from app.models import Letter

    bp = Blueprint("letters", __name__)


    @bp.get("/letters/<int:letter_id>")
    @login_required
    def show(letter_id):
        return jsonify(load(letter_id, g.user.id))


    @bp.get("/letters")
    @login_required
    def all_letters():
        return jsonify([one.id for one in Letter.query.filter_by(user_id=g.user.id)])
    """
)
MODELS = source(
    """
    def load(db, letter_id, user_id):
        row = db.execute(
            "SELECT id, text FROM letters WHERE id = ? AND user_id = ?",
            (letter_id, user_id),
        ).fetchone()
        return dict(row)
    """
)
ROUTES = source(
    """
    from flask import Blueprint, g

    from app.auth import login_required
    from app.letters import load

    bp = Blueprint("letters", __name__)


    @bp.get("/letters/<int:letter_id>")
    @login_required
    def show(letter_id):
        return load(g.db, letter_id, g.user.id)
    """
)
REPO = {"app/letters.py": MODELS, "app/routes.py": ROUTES}
OPEN = MODELS.replace(" AND user_id = ?", "").replace("(letter_id, user_id)", "(letter_id,)")


def test_a_statement_that_is_not_narrowed_to_the_caller(repo):
    (card,) = cards(review(repo, REPO, {"app/letters.py": OPEN}), "auth_check_removed")
    assert "`app/routes.py` line 12" in card.claim


def test_a_statement_whose_route_compares_the_owner(repo):
    asking = ROUTES.replace(
        "    return load(g.db, letter_id, g.user.id)",
        "    if owner_of(letter_id) != g.user.id:\n        abort(403)\n    return load(g.db, letter_id, g.user.id)",
    )
    ended = review(repo, {**REPO, "app/routes.py": asking}, {"app/letters.py": OPEN})
    assert [one.code for one in ended if one.rule == "auth_check_removed"] == ["refuted"]


APP = source(
    """
    const express = require("express");
    const { authenticate } = require("./auth");
    const orders = require("./routes/orders");
    const reports = require("./routes/reports");

    const app = express();
    app.use(express.json());

    // Everything below needs an account.
    app.use(authenticate);

    app.use("/orders", orders);
    app.use("/invoices", require("./routes/invoices"));
    app.use("/customers", require("./routes/customers"));
    app.use("/letters", require("./routes/letters"));
    app.use("/stocks", require("./routes/stocks"));
    app.use("/suppliers", require("./routes/suppliers"));
    app.use("/returns", require("./routes/returns"));
    app.use("/reports", reports);

    const port = process.env.PORT;
    app.use((error, req, res, next) => {
      res.status(500).json({ error: error.message });
    });

    module.exports = app;
    """
)
EARLY = APP.replace('app.use("/reports", reports);\n', "").replace(
    "app.use(express.json());\n", 'app.use(express.json());\napp.use("/reports", reports);\n'
)


def test_a_router_that_moved_in_front_of_the_guard(repo):
    (card,) = cards(review(repo, {"app.js": APP}, {"app.js": EARLY}), "route_before_guard")
    assert "`/reports`" in card.claim


def test_a_router_with_its_own_guard_in_front(repo):
    own = EARLY.replace('app.use("/reports", reports)', 'app.use("/reports", requireStaff, reports)')
    assert codes(review(repo, {"app.js": APP}, {"app.js": own}), "route_before_guard") == []


def test_a_router_behind_the_guard(repo):
    late = APP.replace('app.use("/orders", orders);\n', "").replace(
        "module.exports", 'app.use("/orders", orders);\n\nmodule.exports'
    )
    assert set(codes(review(repo, {"app.js": APP}, {"app.js": late}), "route_before_guard")) <= {"refuted"}


DJANGO = source(
    """
    from django.contrib.auth.mixins import PermissionRequiredMixin
    from django.views import View


    class RemoveOrder(PermissionRequiredMixin, View):
        permission_required = "shop.delete_order"

        def post(self, request, pk):
            Order.objects.get(pk=pk).delete()
            return redirect("orders")


    class SendOrder(PermissionRequiredMixin, View):
        permission_required = "shop.send_order"

        def post(self, request, pk):
            Order.objects.get(pk=pk).send()
            return redirect("orders")
    """
)
BARE = DJANGO.replace("class RemoveOrder(PermissionRequiredMixin, View)", "class RemoveOrder(View)").replace(
    '    permission_required = "shop.delete_order"\n\n', ""
)


def test_a_mixin_that_went(repo):
    (card,) = cards(review(repo, {"shop/views.py": DJANGO}, {"shop/views.py": BARE}), "auth_check_removed")
    assert "`SendOrder`" in card.claim


def test_a_mixin_that_became_a_decorator(repo):
    decorated = BARE.replace(
        "class RemoveOrder",
        '@method_decorator(permission_required("shop.delete_order"), name="dispatch")\nclass RemoveOrder',
    )
    ended = review(repo, {"shop/views.py": DJANGO}, {"shop/views.py": decorated})
    assert codes(ended, "auth_check_removed") == ["refuted"]

"""Tests that went or say less, on real repositories: cards, refutations, gaps and look-alikes."""

import pytest

from review_agent.vocabulary import ChangeKind
from tests.kinds.reviewing import cards, codes
from tests.kinds.reviewing import review as review_all
from tests.kinds.settling import source

pytestmark = pytest.mark.slow

PRICING = source(
    """
    class Refused(Exception):
        pass


    def quote(sku, qty):
        if qty < 0:
            raise Refused(sku)
        return {"a": 2}[sku] * qty


    def label(sku):
        return sku.upper()
    """
)
API = source(
    """
    from shop.pricing import quote


    def view(request):
        return quote(request.sku, request.qty)
    """
)
TESTS = source(
    """
    from shop.pricing import label, quote


    def test_quote():
        assert quote("a", 2) == 4


    def test_label():
        assert label("a") == "A"
    """
)
REPO = {"shop/__init__.py": "", "shop/pricing.py": PRICING, "shop/api.py": API, "tests/test_pricing.py": TESTS}
RULE = "test_removed_code_lives"


def review(repo, before, after):
    return review_all(repo, before, after, ChangeKind.TEST_REMOVAL)


def without_quote():
    return source(
        """
        from shop.pricing import label


        def test_label():
            assert label("a") == "A"
        """
    )


def test_a_deleted_test_of_code_that_lives_on_is_carded(repo):
    ended = review(repo, REPO, {"tests/test_pricing.py": without_quote()})
    (card,) = cards(ended, RULE)
    assert "`shop/pricing.py` line 5" in card.claim
    assert "`shop/api.py` line 5" in card.claim
    assert {ref.path for ref in card.supporting_refs} == {"shop/pricing.py", "shop/api.py"}


def test_a_deleted_test_file_is_carded_once_for_each_code_under_test(repo):
    ended = review(repo, REPO, {"tests/test_pricing.py": None})
    assert {card.effect.subject for card in cards(ended, RULE)} == {"test_quote", "test_label"}


def test_a_moved_test_refutes(repo):
    moved = 'from shop.pricing import quote\n\n\ndef test_prices():\n    assert quote("a", 2) == 4\n'
    ended = review(repo, REPO, {"tests/test_pricing.py": without_quote(), "tests/test_quotes.py": moved})
    assert codes(ended, RULE) == ["refuted"]


def test_code_that_went_along_is_silent(repo):
    after = {
        "tests/test_pricing.py": without_quote(),
        "shop/pricing.py": "def label(sku):\n    return sku.upper()\n",
        "shop/api.py": "",
    }
    ended = review(repo, REPO, after)
    assert not cards(ended, RULE)


def test_a_failure_that_no_other_test_expects_is_carded(repo):
    more = TESTS + source(
        """


        def test_refused():
            with pytest.raises(Refused):
                quote("a", -1)
        """
    )
    more = "import pytest\n\n" + more.replace("import label, quote", "import Refused, label, quote")
    ended = review(repo, {**REPO, "tests/test_pricing.py": more}, {"tests/test_pricing.py": TESTS})
    (card,) = cards(ended, RULE)
    assert "`Refused` of `quote`" in card.claim


def test_a_name_that_may_be_the_code_leaves_it_open(repo):
    loose = "def test_it(shop):\n    assert shop.quote(1, 2) == 3\n"
    before = {**REPO, "tests/test_loose.py": loose}
    ended = review(repo, before, {"tests/test_pricing.py": without_quote()})
    assert codes(ended, RULE) == ["insufficient_evidence"]


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ("@pytest.mark.skip", 1),
        ('@pytest.mark.skipif(sys.platform == "win32", reason="x")', 0),
        ('@pytest.mark.skipif(ON_WINDOWS, reason="paths")', 0),
        ("@pytest.mark.skipif(PYPY)", 0),
        ("@pytest.mark.skipif(SLOW_DISK)", 0),
        ('@pytest.mark.skip(reason="fails on windows")', 1),
        ("@pytest.mark.skipif(True)", 1),
    ],
)
def test_a_skip_is_carded_unless_it_is_of_a_platform(repo, decorator, expected):
    after = TESTS.replace("def test_quote", f"{decorator}\ndef test_quote")
    ended = review(repo, REPO, {"tests/test_pricing.py": after})
    assert len(cards(ended, "test_skipped_code_lives")) == expected


@pytest.mark.parametrize(
    "weaker",
    [
        'assert quote("a", 2)',
        'assert quote("a", 2) is not None',
        'return\n    assert quote("a", 2) == 4',
        'try:\n        assert quote("a", 2) == 4\n    except AssertionError:\n        pass',
    ],
)
def test_a_value_that_is_not_asserted_any_more_is_carded(repo, weaker):
    after = TESTS.replace('assert quote("a", 2) == 4', weaker)
    ended = review(repo, REPO, {"tests/test_pricing.py": after})
    (card,) = cards(ended, "assertion_weakened_code_lives")
    assert "`quote` (`shop/pricing.py` line 5;" in card.claim


@pytest.mark.parametrize(
    "alike",
    [
        'got = quote("a", 2)\n    assert got == 4',
        'assert quote("a", 2)\n    assert quote("a", 2) == 4',
        'assert quote("a", 3) == 6',
    ],
)
def test_a_rewritten_assertion_stays_silent(repo, alike):
    after = TESTS.replace('assert quote("a", 2) == 4', alike)
    ended = review(repo, REPO, {"tests/test_pricing.py": after})
    assert not [card for one in ended for card in one.cards]


def test_a_python_module_left_out(repo):
    after = TESTS.replace("label, quote\n", 'label, quote\n\npytestmark = pytest.mark.skip("slow")\n')
    (card,) = cards(review(repo, REPO, {"tests/test_pricing.py": after}), "test_skipped_code_lives")
    assert "`pytestmark`" in card.claim


def test_an_assertion_under_a_new_condition(repo):
    after = TESTS.replace('    assert quote("a", 2) == 4', '    if quote("a", 2):\n        assert quote("a", 2) == 4')
    (card,) = cards(review(repo, REPO, {"tests/test_pricing.py": after}), "assertion_weakened_code_lives")
    assert "Bypassing" in card.claim


ORDERS = source(
    """
    class Order:
        def __init__(self, lines):
            self.lines = lines


    def place(lines):
        order = Order(lines)
        order.total = sum(lines)
        order.taxcode = "A" if order.total else "B"
        return order
    """
)
ORDER_TESTS = source(
    """
    from shop.orders import place


    def test_place():
        order = place([1, 2])
        assert order.total == 3
        assert order.taxcode == "A"


    def test_nothing():
        assert place([]).total == 0
    """
)


@pytest.mark.parametrize(("other", "count"), [("", 1), ('    assert place([1]).taxcode == "A"\n', 0)])
def test_a_member_that_no_assertion_names_any_more(repo, other, count):
    files = {"shop/__init__.py": "", "shop/orders.py": ORDERS, "tests/test_orders.py": ORDER_TESTS + other}
    after = (ORDER_TESTS + other).replace('    assert order.taxcode == "A"\n', "")
    ended = review(repo, files, {"tests/test_orders.py": after})
    found = cards(ended, "assertion_weakened_code_lives")
    assert len(found) == count
    assert all("`shop/orders.py` line 9 still sets it" in card.claim for card in found)


@pytest.mark.parametrize(("kept", "code"), [(False, "refuted"), (True, None)])
def test_an_assertion_on_a_member_that_the_change_takes_out_everywhere_goes_with_it(repo, kept, code):
    files = {"shop/__init__.py": "", "shop/orders.py": ORDERS, "tests/test_orders.py": ORDER_TESTS}
    files["shop/imports.py"] = "from shop.orders import place\n\n\ndef load(rows):\n    return place(rows)\n"
    files |= {"shop/codes.py": "def fill(order):\n    order.taxcode = 'C'\n"} if kept else {}
    after = {"tests/test_orders.py": ORDER_TESTS.replace('    assert order.taxcode == "A"\n', "")}
    after["shop/orders.py"] = ORDERS.replace('    order.taxcode = "A" if order.total else "B"\n', "")
    ended = [one for one in review(repo, files, after) if one.rule == "assertion_weakened_code_lives"]
    assert [one.code for one in ended] == [code]
    assert bool(ended[0].cards) is kept


STATUS = source(
    """
    def status_of(order, now):
        if order.cancelled:
            return "cancelled"
        if order.due < now:
            return "overdue"
        return "open"
    """
)
STATUS_TESTS = source(
    """
    from shop.status import status_of


    def test_open(order):
        assert status_of(order(due=5), 3) == "open"


    def test_overdue(order):
        assert status_of(order(due=2), 3) == "overdue"
    """
)


@pytest.mark.parametrize(
    ("other", "count"),
    [
        ("", 1),
        ('def test_late(order):\n    assert status_of(order(due=1), 9) == "overdue"\n', 0),
        ('def test_page(client):\n    assert client.get("/x").text == "overdue"\n', 0),
    ],
)
def test_a_value_that_no_other_test_asserts(repo, other, count):
    files = {"shop/__init__.py": "", "shop/status.py": STATUS, "tests/test_status.py": STATUS_TESTS}
    gone = STATUS_TESTS[: STATUS_TESTS.index("def test_overdue")].rstrip() + "\n"
    more = "from shop.status import status_of\n\n\n" + other if other else ""
    ended = review(repo, files, {"tests/test_status.py": gone, "tests/test_more.py": more})
    found = cards(ended, RULE)
    assert len(found) == count
    assert all("`overdue` of `status_of`" in card.claim for card in found)


WEB_APP = source(
    """
    from flask import Flask

    app = Flask(__name__)


    @app.get("/health")
    def health():
        return "fine"


    @app.post("/orders/<int:number>/refund")
    def refund(number):
        return str(number)
    """
)
WEB_TESTS = source(
    """
    def test_health(client):
        assert client.get("/health").text == "fine"


    def test_refund(client):
        assert client.post("/orders/3/refund").text == "3"
    """
)


def test_a_path_that_no_other_test_asks_for(repo):
    files = {"app.py": WEB_APP, "tests/test_app.py": WEB_TESTS}
    gone = WEB_TESTS[: WEB_TESTS.index("def test_refund")].rstrip() + "\n"
    (card,) = cards(review(repo, files, {"tests/test_app.py": gone}), RULE)
    assert "`/refund` without a test: `app.py` line 11" in card.claim
    moved = 'def test_money_back(client):\n    assert client.post("/orders/4/refund").status_code == 200\n'
    assert not cards(review(repo, files, {"tests/test_app.py": gone, "tests/test_money.py": moved}), RULE)

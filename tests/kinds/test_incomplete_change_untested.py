"""A function that came without a test to others that each have one."""

import pytest
from changing import changed, one_card, silent
from reviewing import cards, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

RULE = "added_without_test"
KIND = ChangeKind.INCOMPLETE_CHANGE

PY = {
    "shop/__init__.py": "",
    "shop/prices.py": '''"""Prices."""


def quote_price(sku, count):
    return count * 3


def rebate_of(sku, count):
    return count // 4


def shipping_for(country):
    return 3 if country == "de" else 7
''',
    "tests/test_prices.py": '''"""Tests of prices."""

from shop.prices import quote_price, rebate_of, shipping_for


def test_prices():
    assert quote_price("a", 2) == 6
    assert rebate_of("a", 8) == 2


def test_shipping():
    assert shipping_for("de") == 3
''',
}
NEW = """

def customs_for(country, total):
    return max(total, shipping_for(country))
"""
LAST = '    return 3 if country == "de" else 7\n'
ADDED = ("shop/prices.py", LAST, LAST + NEW)


def test_the_one_function_without_a_test(repo):
    card = one_card(repo, PY, RULE, ADDED, kind=KIND)
    assert "`customs_for`" in card.claim
    assert "`quote_price` (`tests/test_prices.py` line 7)" in card.claim


def test_a_test_that_came_along(repo):
    tested = ("tests/test_prices.py", '("de") == 3\n', '("de") == 3\n    assert customs_for("de", 9) == 9\n')
    assert not cards(review(repo, PY, changed(PY, ADDED, tested), KIND), RULE)


def test_those_beside_it_have_none_either(repo):
    before = {**PY, "tests/test_prices.py": "def test_nothing():\n    assert True\n"}
    assert silent(repo, before, RULE, ADDED, kind=KIND) == ["no_candidate"]


def test_one_that_a_tested_function_calls(repo):
    inside = ("shop/prices.py", "    return count // 4\n", "    return max(count // 4, customs_for(sku, count))\n")
    assert not cards(review(repo, PY, changed(PY, inside, ADDED), KIND), RULE)


def test_a_private_function(repo):
    hidden = (ADDED[0], ADDED[1], ADDED[2].replace("customs_for", "_customs_for"))
    assert silent(repo, PY, RULE, hidden, kind=KIND) == []


def test_a_method_that_others_have_too(repo):
    before = {**PY, "shop/other.py": "class Other:\n    def customs_for(self, country):\n        return 0\n"}
    assert silent(repo, before, RULE, ADDED, kind=KIND) == ["needs_human_context"]


def test_in_go(repo):
    code = 'package keys\n\nimport "strings"\n'
    for name in ("TrimPrefix", "LowerCase", "JoinWords"):
        code += f"\n// {name} changes a key.\nfunc {name}(key string) string {{\n\treturn strings.ToLower(key)\n}}\n"
    calls = "".join(f'\t_ = {name}("a")\n' for name in ("TrimPrefix", "LowerCase", "JoinWords"))
    before = {
        "go.mod": "module example.com/keys\n\ngo 1.22\n",
        "keys.go": code,
        "keys_test.go": f'package keys\n\nimport "testing"\n\nfunc TestKeys(t *testing.T) {{\n{calls}}}\n',
    }
    more = (
        code
        + "\n// DropSuffix changes a key.\nfunc DropSuffix(key string) string {\n\treturn strings.TrimSpace(key)\n}\n"
    )
    (card,) = cards(review(repo, before, {"keys.go": more}, KIND), RULE)
    assert "`DropSuffix`" in card.claim

"""Assertions that went with the branch they were about, or beside others on the same function; and true losses."""

import pytest
from changing import changed, one_card
from reviewing import cards, codes, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

KIND = ChangeKind.TEST_REMOVAL
WEAKENED = "assertion_weakened_code_lives"


def reviewed(repo, before, *edits):
    return review(repo, before, changed(before, *edits), KIND)


GO = {
    "go.mod": "module example.com/list\n\ngo 1.22\n",
    "convert.go": """package list

// Page is what is asked for.
type Page struct {
	All    bool
	Number int
	Size   int
}

// Options are what is sent.
type Options struct{ Limit, Start int }

func convert(p *Page) Options {
	if p.All {
		return Options{}
	}
	return Options{Limit: p.Size, Start: (p.Number - 1) * p.Size}
}

func weigh(p *Page) int {
	return p.Size * p.Number
}
""",
    "send.go": """package list

// Send asks for a page.
func Send(p *Page) Options {
	weigh(p)
	return convert(p)
}
""",
    "convert_test.go": """package list

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestConvert(t *testing.T) {
	t.Run("all", func(t *testing.T) {
		got := convert(&Page{All: true, Number: 3, Size: 50})
		assert.Equal(t, Options{}, got)
	})

	t.Run("weight", func(t *testing.T) {
		weight := weigh(&Page{Number: 3, Size: 50})
		assert.Equal(t, 150, weight)
	})

	t.Run("paged", func(t *testing.T) {
		got := convert(&Page{Number: 3, Size: 50})
		assert.Equal(t, 50, got.Limit)
	})
}
""",
}
ALL = """	t.Run("all", func(t *testing.T) {
		got := convert(&Page{All: true, Number: 3, Size: 50})
		assert.Equal(t, Options{}, got)
	})

"""
BRANCH = "\tif p.All {\n\t\treturn Options{}\n\t}\n"
WEIGHT = ("convert_test.go", "\t\tassert.Equal(t, 150, weight)\n", "\t\t_ = weight\n")


@pytest.mark.parametrize(
    "edits",
    [
        [("convert_test.go", ALL, "")],
        [("convert_test.go", ALL, ""), ("convert.go", BRANCH, "")],
    ],
)
def test_go_a_subtest_that_went(repo, edits):
    assert not cards(reviewed(repo, GO, *edits), WEAKENED)


def test_go_the_only_subtest_about_a_function_went(repo):
    card = one_card(repo, GO, WEAKENED, WEIGHT, kind=KIND)
    assert "`weigh`" in card.claim


def test_go_an_assertion_went_while_the_branch_of_another_function_did(repo):
    card = one_card(repo, GO, WEAKENED, WEIGHT, ("convert.go", BRANCH, ""), kind=KIND)
    assert "`weigh`" in card.claim


PY = {
    "shop/__init__.py": "",
    "shop/price.py": """def price(qty, unit, mode="plain"):
    if mode == "gift":
        return {"total": 0, "tax": 0}
    return {"total": qty * unit, "tax": qty * unit * 0.2}


def weight(qty):
    return qty * 3
""",
    "shop/api.py": "from shop.price import price, weight\n\n\ndef view(qty):\n    return price(qty, 5), weight(qty)\n",
    "tests/test_price.py": """from shop.price import price, weight


def test_price():
    gift = price(2, 3, mode="gift")
    assert gift == {"total": 0, "tax": 0}
    heavy = weight(2)
    assert heavy == 6
    plain = price(2, 3)
    assert plain["total"] == 6
""",
}
GIFT = '    gift = price(2, 3, mode="gift")\n    assert gift == {"total": 0, "tax": 0}\n'
GIFT_BRANCH = '    if mode == "gift":\n        return {"total": 0, "tax": 0}\n'
HEAVY = "    assert heavy == 6\n"
PLAIN = '    plain = price(2, 3)\n    assert plain["total"] == 6\n'


@pytest.mark.parametrize(
    "edits",
    [
        [("tests/test_price.py", GIFT, "")],
        [("tests/test_price.py", GIFT, ""), ("shop/price.py", GIFT_BRANCH, "")],
    ],
)
def test_python_another_call_of_the_function_is_asserted(repo, edits):
    assert not [card for card in cards(reviewed(repo, PY, *edits), WEAKENED) if "`price`" in card.claim]


def test_python_the_only_assertion_on_a_function_went(repo):
    assert "`weight`" in one_card(repo, PY, WEAKENED, ("tests/test_price.py", HEAVY, ""), kind=KIND).claim


def test_python_the_branch_went_with_its_only_assertion(repo):
    before = {**PY, "tests/test_price.py": PY["tests/test_price.py"].replace(PLAIN, "")}
    edits = ("tests/test_price.py", GIFT, ""), ("shop/price.py", GIFT_BRANCH, "")
    assert not cards(reviewed(repo, before, *edits), WEAKENED)
    assert codes(reviewed(repo, before, *edits), WEAKENED) == ["refuted"]


OTHER_MEMBER = {
    **PY,
    "shop/price.py": """class Price:
    def __init__(self, total, tax):
        self.total, self.tax = total, tax


def price(qty, unit):
    return Price(qty * unit, qty * unit * 0.2)
""",
    "shop/api.py": "from shop.price import price\n\n\ndef view(qty):\n    return price(qty, 5)\n",
    "tests/test_price.py": """from shop.price import price


def test_price():
    made = price(2, 3)
    assert made.total == 6
    assert made.tax == 1.2
""",
}


def test_python_another_member_is_asserted_still(repo):
    card = one_card(
        repo, OTHER_MEMBER, WEAKENED, ("tests/test_price.py", "    assert made.tax == 1.2\n", ""), kind=KIND
    )
    assert "`made.tax == 1.2`" in card.claim


JAVA = {
    "src/main/java/shop/Prices.java": """package shop;

public class Prices {
    public int price(int qty, String mode) {
        if (mode.equals("gift")) {
            return 0;
        }
        return qty * 3;
    }
}
""",
    "src/main/java/shop/Api.java": """package shop;

public class Api {
    int view(Prices prices, int qty) {
        return prices.price(qty, "plain");
    }
}
""",
    "src/test/java/shop/PricesTest.java": """package shop;

class PricesTest {
    private final Prices prices = new Prices();

    @Test
    void price() {
        int gift = prices.price(2, "gift");
        assertEquals(0, gift);
        int plain = prices.price(2, "plain");
        assertEquals(6, plain);
    }
}
""",
}
JAVA_GIFT = '        int gift = prices.price(2, "gift");\n        assertEquals(0, gift);\n'


def test_java_another_call_of_the_method_is_asserted(repo):
    assert not cards(reviewed(repo, JAVA, ("src/test/java/shop/PricesTest.java", JAVA_GIFT, "")), WEAKENED)


def test_java_the_only_assertion_on_a_method_went(repo):
    path = "src/test/java/shop/PricesTest.java"
    plain = '        int plain = prices.price(2, "plain");\n        assertEquals(6, plain);\n'
    before = {**JAVA, path: JAVA[path].replace(plain, "")}
    assert (
        "`price`" in one_card(repo, before, WEAKENED, (path, "        assertEquals(0, gift);\n", ""), kind=KIND).claim
    )


JS = {
    "package.json": '{"name": "shop"}\n',
    "src/price.%s": """export function price(qty, mode) {
  if (mode === 'gift') {
    return { total: 0 };
  }
  return { total: qty * 3 };
}
""",
    "src/api.%s": "import { price } from './price';\n\nexport function view(qty) {\n  return price(qty, 'plain');\n}\n",
    "src/price.test.%s": """import { price } from './price';

test('price', () => {
  const gift = price(2, 'gift');
  expect(gift).toEqual({ total: 0 });
  const plain = price(2, 'plain');
  expect(plain.total).toBe(6);
});
""",
}
JS_GIFT = "  const gift = price(2, 'gift');\n  expect(gift).toEqual({ total: 0 });\n"
JS_PLAIN = "  const plain = price(2, 'plain');\n  expect(plain.total).toBe(6);\n"
JS_BRANCH = "  if (mode === 'gift') {\n    return { total: 0 };\n  }\n"


@pytest.mark.parametrize("end", ["js", "ts"])
def test_javascript_another_call_of_the_function_is_asserted(repo, end):
    before = {path.replace("%s", end): said for path, said in JS.items()}
    assert not cards(reviewed(repo, before, (f"src/price.test.{end}", JS_GIFT, "")), WEAKENED)


@pytest.mark.parametrize("end", ["js", "ts"])
def test_javascript_the_branch_went_too_or_not(repo, end):
    before = {path.replace("%s", end): said.replace(JS_PLAIN, "") for path, said in JS.items()}
    test = (f"src/price.test.{end}", "  expect(gift).toEqual({ total: 0 });\n", "")
    assert "`price`" in one_card(repo, before, WEAKENED, test, kind=KIND).claim


WHOLE = {
    **PY,
    "shop/price.py": """def price(qty, unit, mode="plain"):
    if mode == "gift":
        return 0
    if mode == "half":
        return qty * unit / 2
    return qty * unit


def more():
    return 1
""",
    "tests/test_price.py": """from shop.price import price


def test_price():
    assert price(2, 3) == 6


def test_price_of_gifts():
    assert price(2, 3, mode="gift") == 0
""",
}
GIFTS = '\n\ndef test_price_of_gifts():\n    assert price(2, 3, mode="gift") == 0\n'


def test_python_a_whole_test_went_while_its_branch_stays(repo):
    card = one_card(repo, WHOLE, "test_removed_code_lives", ("tests/test_price.py", GIFTS, ""), kind=KIND)
    assert "leaves the `gift` of `price` to no test" in card.claim


def test_python_a_whole_test_went_with_its_branch(repo):
    branch = ("shop/price.py", '    if mode == "gift":\n        return 0\n', "")
    ended = reviewed(repo, WHOLE, ("tests/test_price.py", GIFTS, ""), branch)
    assert codes(ended, "test_removed_code_lives") == ["refuted"]

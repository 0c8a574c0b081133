"""Tests that went or say less, on real repositories: cards, refutations, gaps and look-alikes."""

import pytest

from review_agent.vocabulary import ChangeKind
from tests.kinds.reviewing import cards, codes
from tests.kinds.reviewing import review as review_all
from tests.kinds.settling import source

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
    [("@pytest.mark.skip", 1), ('@pytest.mark.skipif(sys.platform == "win32", reason="x")', 0)],
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
    assert "`quote`, `shop/pricing.py` line 5" in card.claim


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


GO = {
    "go.mod": "module shop\n\ngo 1.21\n",
    "store/store.go": source(
        """
        package store

        type Store struct{ rows map[int]int }

        func New() *Store { return &Store{rows: map[int]int{}} }

        func (s *Store) Fetch(id int) (int, error) {
        \treturn s.rows[id], nil
        }
        """
    ),
    "store/store_test.go": source(
        """
        package store

        import "testing"

        func TestNew(t *testing.T) {
        \tif New() == nil {
        \t\tt.Fatal("none")
        \t}
        }

        func TestFetch(t *testing.T) {
        \ts := New()
        \tgot, err := s.Fetch(3)
        \tif err != nil {
        \t\tt.Fatal(err)
        \t}
        \tif got != 7 {
        \t\tt.Errorf("got %d", got)
        \t}
        }
        """
    ),
}


def test_go_deleted_skipped_and_weakened(repo):
    tests = GO["store/store_test.go"]
    gone = tests[: tests.index("func TestFetch")].rstrip() + "\n"
    (card,) = cards(review(repo, GO, {"store/store_test.go": gone}), RULE)
    assert "`Fetch` without a test" in card.claim


def test_go_skipped(repo):
    tests = GO["store/store_test.go"]
    skipped = tests.replace("\ts := New()", '\tt.Skip("flaky")\n\ts := New()')
    (card,) = cards(review(repo, GO, {"store/store_test.go": skipped}), "test_skipped_code_lives")
    assert "`TestFetch`" in card.claim
    short = tests.replace("\ts := New()", '\tif testing.Short() {\n\t\tt.Skip("slow")\n\t}\n\ts := New()')
    ended = review(repo, GO, {"store/store_test.go": short})
    assert not [one for one in ended if one.cards]


def test_go_weakened(repo):
    tests = GO["store/store_test.go"]
    (card,) = cards(
        review(repo, GO, {"store/store_test.go": tests.replace("got != 7", "got == 0")}),
        "assertion_weakened_code_lives",
    )
    assert "`got == 0`" in card.claim


WEB = {
    "src/pricing.ts": source(
        """
        export class Refused extends Error {}

        export function quote(sku: string, qty: number): number {
          if (qty < 0) {
            throw new Refused(sku);
          }
          return qty * 2;
        }

        export function label(sku: string): string {
          return sku.toUpperCase();
        }
        """
    ),
    "src/api.ts": source(
        """
        import { quote } from "./pricing";

        export function view(request) {
          return quote(request.sku, request.qty);
        }
        """
    ),
    "src/pricing.test.ts": source(
        """
        import { label, quote } from "./pricing";

        describe("pricing", () => {
          it("adds up", () => {
            expect(quote("a", 2)).toBe(4);
          });

          it("labels", () => {
            expect(label("a")).toBe("A");
          });
        });
        """
    ),
}


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ('  it("adds up", () => {\n    expect(quote("a", 2)).toBe(4);\n  });\n\n', "", RULE),
        ('it("adds up"', 'it.skip("adds up"', "test_skipped_code_lives"),
        ('expect(quote("a", 2)).toBe(4)', 'expect(quote("a", 2)).toBeDefined()', "assertion_weakened_code_lives"),
    ],
)
def test_typescript(repo, before, after, rule):
    path = "src/pricing.test.ts"
    (card,) = cards(review(repo, WEB, {path: WEB[path].replace(before, after)}), rule)
    assert "`quote`" in card.claim
    assert "`src/pricing.ts` line 3" in card.claim


def test_typescript_moved(repo):
    path = "src/pricing.test.ts"
    gone = WEB[path].replace('  it("adds up", () => {\n    expect(quote("a", 2)).toBe(4);\n  });\n\n', "")
    moved = 'import { quote } from "./pricing";\n\ntest("doubles", () => {\n  expect(quote("a", 2)).toBe(4);\n});\n'
    ended = review(repo, WEB, {path: gone, "src/quote.test.ts": moved})
    assert codes(ended, RULE) == ["refuted"]


JAVA = {
    "src/main/java/shop/Pricing.java": source(
        """
        package shop;

        public class Pricing {
          public int quote(String sku, int qty) {
            if (qty < 0) {
              throw new IllegalArgumentException(sku);
            }
            return qty * 2;
          }

          public String label(String sku) {
            return sku.toUpperCase();
          }
        }
        """
    ),
    "src/main/java/shop/Api.java": source(
        """
        package shop;

        public class Api {
          public int view(String sku) {
            Pricing pricing = new Pricing();
            return pricing.quote(sku, 2);
          }
        }
        """
    ),
    "src/test/java/shop/PricingTest.java": source(
        """
        package shop;

        import static org.junit.jupiter.api.Assertions.*;
        import org.junit.jupiter.api.Test;

        class PricingTest {
          @Test
          void addsUp() {
            Pricing pricing = new Pricing();
            assertEquals(4, pricing.quote("a", 2));
          }

          @Test
          void labels() {
            assertEquals("A", new Pricing().label("a"));
          }
        }
        """
    ),
}


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        (
            "  @Test\n  void addsUp() {\n    Pricing pricing = new Pricing();\n"
            '    assertEquals(4, pricing.quote("a", 2));\n  }\n\n',
            "",
            RULE,
        ),
        ("  @Test\n  void addsUp", "  @Test\n  @Disabled\n  void addsUp", "test_skipped_code_lives"),
        (
            'assertEquals(4, pricing.quote("a", 2))',
            'assertNotNull(pricing.quote("a", 2))',
            "assertion_weakened_code_lives",
        ),
        (
            '    assertEquals(4, pricing.quote("a", 2));\n',
            '    pricing.quote("a", 2);\n',
            "assertion_weakened_code_lives",
        ),
    ],
)
def test_java(repo, before, after, rule):
    path = "src/test/java/shop/PricingTest.java"
    (card,) = cards(review(repo, JAVA, {path: JAVA[path].replace(before, after)}), rule)
    assert "`quote`" in card.claim
    assert "`src/main/java/shop/Pricing.java` line 4" in card.claim


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('describe("pricing"', 'describe.skip("pricing"'),
        ('it("adds up"', 'xit("adds up"'),
    ],
)
def test_typescript_left_out(repo, before, after):
    path = "src/pricing.test.ts"
    (card,) = cards(review(repo, WEB, {path: WEB[path].replace(before, after)}), "test_skipped_code_lives")
    assert "`src/pricing.ts` line" in card.claim


def test_a_class_and_a_module_left_out(repo):
    path = "src/test/java/shop/PricingTest.java"
    (card,) = cards(
        review(repo, JAVA, {path: JAVA[path].replace("class PricingTest", "@Disabled\nclass PricingTest")}),
        "test_skipped_code_lives",
    )
    assert "`PricingTest`" in card.claim


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

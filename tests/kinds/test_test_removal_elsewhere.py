"""Tests that went or say less in Go, TypeScript and Java."""

import pytest

from review_agent.vocabulary import ChangeKind
from tests.kinds.reviewing import cards, codes
from tests.kinds.reviewing import review as review_all
from tests.kinds.settling import source

pytestmark = pytest.mark.slow

RULE = "test_removed_code_lives"


def review(repo, before, after):
    return review_all(repo, before, after, ChangeKind.TEST_REMOVAL)


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

"""What rules say of Java over real repositories: what does not compile, which overload is meant, what throws."""

import pytest
from reviewing import cards, codes, review

pytestmark = pytest.mark.slow

ROOT = "src/main/java/shop"
PAD = "\n".join(f"    // {n}" for n in range(8))
PRICES = f"""package shop;

public class Prices {{
    private final int rate;

    public Prices(int rate) {{
        this.rate = rate;
    }}

    public int price(String sku) {{
        return rate;
    }}
{PAD}
    public int price(String sku, int quantity) {{
        return rate * quantity;
    }}
{PAD}
    public String label(String sku) {{
        if (sku == null) {{
            throw new IllegalStateException("sku");
        }}
        return "a " + sku;
    }}
}}
"""
PAGE = f"""package shop.web;

import shop.Prices;

class Page {{
    private Prices prices = new Prices(1);
{PAD}
    int show(String sku) {{
        return prices.price(sku, 2);
    }}
{PAD}
    int one(String sku) {{
        return prices.price(sku);
    }}
{PAD}
    String text(String sku) {{
        try {{
            return prices.label(sku);
        }} catch (IllegalStateException e) {{
            return "";
        }}
    }}
}}
"""
SINK = "package shop;\n\npublic interface Sink {\n    void write(String line);\n}\n"
FILE_SINK = """package shop.web;

import shop.Sink;

class FileSink implements Sink {
    public void write(String line) {}
}
"""
BASE = {
    f"{ROOT}/Prices.java": PRICES,
    f"{ROOT}/web/Page.java": PAGE,
    f"{ROOT}/Sink.java": SINK,
    f"{ROOT}/web/FileSink.java": FILE_SINK,
}


def prices(old, new):
    assert old in PRICES
    return {f"{ROOT}/Prices.java": PRICES.replace(old, new)}


def test_a_parameter_of_one_overload(repo):
    change = prices("price(String sku, int quantity)", "price(String sku, int quantity, boolean net)")
    (card,) = cards(review(repo, BASE, change), "required_parameter_added")
    assert card.claim == (
        "Adding the required parameter `net` to `price` breaks the call at `src/main/java/shop/web/Page.java` line 16: "
        "it gives `net` no value and does not compile."
    )
    assert card.impact_condition.startswith("The module that holds the call is built")


def test_a_call_that_fits_another_overload_stands(repo):
    change = prices("price(String sku, int quantity)", "price(String sku, int quantity, boolean net)")
    page = {f"{ROOT}/web/Page.java": PAGE.replace("prices.price(sku, 2)", "prices.price(sku)")}
    outcome = review(repo, BASE | page, change)
    assert not cards(outcome, "required_parameter_added")


def test_a_constructor(repo):
    (card,) = cards(
        review(repo, BASE, prices("Prices(int rate)", "Prices(int rate, int floor)")), "required_parameter_added"
    )
    assert "`floor` to `Prices` breaks the call at `src/main/java/shop/web/Page.java` line 6" in card.claim


def test_a_method_that_went(repo):
    change = prices("String label(", "String title(")
    (card,) = cards(review(repo, BASE, change), "symbol_renamed_still_referenced")
    assert card.claim.endswith("it still calls that name, and the file does not compile.")
    assert not any("handler" in one for one in card.counter_evidence)


def test_another_exception(repo):
    change = prices("IllegalStateException(", "IllegalArgumentException(")
    (card,) = cards(review(repo, BASE, change), "raise_type_changed_uncaught")
    assert card.claim.startswith(
        "Changing what `label` throws from `IllegalStateException` to `IllegalArgumentException` lets it past"
    )


def test_a_kind_of_the_old_exception(repo):
    outcome = review(
        repo, BASE, prices("new IllegalStateException(", "new java.util.concurrent.CancellationException(")
    )
    assert codes(outcome, "raise_type_changed_uncaught") == ["refuted"]


def test_null_where_there_was_a_value(repo):
    page = {f"{ROOT}/web/Page.java": PAGE.replace("return prices.label(sku);", "return prices.label(sku).trim();")}
    page = {path: text.replace("catch (IllegalStateException e)", "finally") for path, text in page.items()}
    change = prices('throw new IllegalStateException("sku");', "return null;")
    (card,) = cards(review(repo, BASE | page, change), "missing_value_dereferenced")
    assert card.claim.startswith("Returning `null` from `label` makes")


def test_an_interface_demands_more(repo):
    change = {f"{ROOT}/Sink.java": SINK.replace("}\n", "\n    void flush();\n}\n")}
    (card,) = cards(review(repo, BASE, change), "abstract_member_without_implementer")
    assert card.claim.endswith("without it: the class does not compile.")
    assert card.uncertainty == ()


def test_a_default_method_demands_nothing(repo):
    change = {f"{ROOT}/Sink.java": SINK.replace("}\n", "\n    default void flush() {}\n}\n")}
    assert not cards(review(repo, BASE, change), "abstract_member_without_implementer")


def test_an_import_of_what_is_not_there(repo):
    change = {f"{ROOT}/web/Page.java": PAGE.replace("import shop.Prices;", "import shop.Missing;\nimport shop.Prices;")}
    (card,) = cards(review(repo, BASE, change), "name_does_not_exist")
    assert "which no file of that package declares: the importing file does not compile." in card.claim


def test_a_comment_is_cosmetic(repo):
    change = prices("public class Prices", "/**\n * Prices.\n */\npublic class Prices")
    assert not cards(review(repo, BASE, change), "symbol_removed_still_referenced")


TILL = (
    "package shop;\n\npublic class Till {\n    int total(long cents) {\n        return toIntExact(cents);\n    }\n\n"
    "    int tip(long cents) {\n        return cents > 9 ? toIntExact(cents / 9) : 0;\n    }\n\n"
    "    private static int toIntExact(long value) {\n        return (int) value;\n    }\n}\n"
)
EMPTIED = TILL.replace("    private static int toIntExact(long value) {\n        return (int) value;\n    }\n", "")


def test_a_method_that_a_static_import_of_the_same_name_replaces(repo):
    imported = EMPTIED.replace("package shop;\n", "package shop;\n\nimport static java.lang.Math.toIntExact;\n")
    ended = review(repo, {f"{ROOT}/Till.java": TILL}, {f"{ROOT}/Till.java": imported})
    assert not cards(ended, "symbol_removed_still_referenced")


def test_a_method_that_went_without_another_of_its_name(repo):
    ended = review(repo, {f"{ROOT}/Till.java": TILL}, {f"{ROOT}/Till.java": EMPTIED})
    assert cards(ended, "symbol_removed_still_referenced")

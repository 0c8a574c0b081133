"""Evidence on Java: callers, definitions, packages, types, implementers, configuration of a small real repository."""

from evidence_room import Room, ask, hits

from review_agent.vocabulary import QueryStatus, Resolution

ROOT = "src/main/java/shop"
SHOP = {
    f"{ROOT}/Prices.java": """package shop;

public class Prices extends Base implements Named {
    private final Rates rates;

    public Prices(Rates rates) {
        this.rates = rates;
    }

    public int price(String sku) {
        if (sku == null) {
            throw new IllegalArgumentException("sku");
        }
        return rates.of(sku);
    }

    public int price(String sku, int quantity) {
        return price(sku) * quantity;
    }

    String region() {
        return System.getProperty("shop.region", "eu");
    }
}
""",
    f"{ROOT}/Base.java": """package shop;

abstract class Base {
    abstract String name();

    void close() {}
}
""",
    f"{ROOT}/Named.java": "package shop;\n\npublic interface Named {\n    String name();\n\n    String code();\n}\n",
    f"{ROOT}/Rates.java": "package shop;\n\nclass Rates {\n    int of(String sku) {\n        return 1;\n    }\n}\n",
    f"{ROOT}/web/Page.java": """package shop.web;

import java.util.List;
import lib.Frame;
import shop.Prices;

class Page extends Frame implements shop.Named {
    private Prices prices;

    int show(String sku) {
        prices.close();
        return prices.price(sku, 2);
    }

    @Override
    public String name() {
        return "page";
    }
}
""",
    f"{ROOT}/web/Box.java": """package shop.web;

import shop.Named;

abstract class Box implements Named {
    Named named = new Named() {
        public String name() {
            return "x";
        }
    };
}
""",
    "src/test/java/shop/PricesTest.java": """package shop;

class PricesTest {
    @Test
    void priceOfOne() {
        assertEquals(1, new Prices(new Rates()).price("a"));
    }
}
""",
    "src/main/resources/app.properties": "shop.region=us\n",
}
HOME = f"{ROOT}/Prices.java"


def asked(repo, *query, files=SHOP):
    bundle = Room(repo, files).bundle(ask(*query))
    return bundle.queries[0], hits(bundle)


def test_callers_of_overloads(repo):
    result, found = asked(repo, "callers", "price", HOME, "Prices")
    assert result.status is QueryStatus.ANSWERED
    assert {(path.rpartition("/")[2], line, fact.resolution, len(fact.arguments)) for path, line, fact in found} == {
        ("Prices.java", 18, Resolution.RESOLVED, 1),
        ("Page.java", 12, Resolution.RESOLVED, 2),
        ("PricesTest.java", 6, Resolution.RESOLVED, 1),
    }
    assert [fact.in_test for path, _, fact in found if path.endswith("Test.java")] == [True]


def test_callers_of_a_constructor(repo):
    _, found = asked(repo, "callers", "Prices", HOME)
    calls = [(path.rpartition("/")[2], line) for path, line, fact in found if fact.fact == "call"]
    assert calls == [("PricesTest.java", 6)]
    assert {fact.resolution for _, _, fact in found} == {Resolution.RESOLVED}


def test_tests(repo):
    _, found = asked(repo, "tests", "price", HOME, "Prices")
    assert [(path, line) for path, line, _ in found] == [("src/test/java/shop/PricesTest.java", 6)]


def test_each_overload_is_a_definition(repo):
    _, found = asked(repo, "definition", "price", HOME, "Prices")
    assert [(line, len(fact.parameters)) for _, line, fact in found] == [(10, 1), (17, 2)]


def test_a_class_a_constructor_and_an_inherited_method_are_defined(repo):
    _, ((path, line, fact),) = asked(repo, "definition", "Prices", f"{ROOT}/web/Page.java")
    assert (path, line, fact.symbol, fact.bases, fact.closed) == (HOME, 3, "class", ("Base", "Named"), True)
    _, ((_, line, fact),) = asked(repo, "definition", "Prices", HOME, "Prices")
    assert (line, fact.qualname) == (6, "Prices.Prices")
    _, ((path, line, fact),) = asked(repo, "definition", "prices.close", f"{ROOT}/web/Page.java", "Page.show")
    assert (path.rpartition("/")[2], line, fact.qualname) == ("Base.java", 6, "Base.close")


def test_a_class_with_a_base_of_other_code_is_open(repo):
    _, ((_, _, fact),) = asked(repo, "definition", "Page", f"{ROOT}/web/Page.java")
    assert not fact.closed


def test_a_package_has_its_types(repo):
    _, found = asked(repo, "definition", "Missing", f"{ROOT}/web/Page.java", "shop")
    ((_, _, fact),) = found
    assert (fact.symbol, fact.closed) == ("module", True)
    assert set(fact.members) == {"Base", "Named", "Prices", "Rates"}


def test_where_a_build_makes_classes_a_package_is_open(repo):
    files = SHOP | {"pom.xml": "<project><plugin>protobuf-maven-plugin</plugin></project>\n"}
    _, ((_, _, fact),) = asked(repo, "definition", "Missing", f"{ROOT}/web/Page.java", "shop", files=files)
    assert not fact.closed


def test_other_code_is_no_package_of_the_repository(repo):
    result, found = asked(repo, "definition", "Frame", f"{ROOT}/web/Page.java", "lib")
    assert not found
    assert "not in this repository" in result.note


def test_the_type_of_a_field(repo):
    _, ((path, _, fact),) = asked(repo, "types", "rates", HOME, "Prices.price")
    assert (path.rpartition("/")[2], fact.qualname) == ("Rates.java", "Rates")


def test_implementers(repo):
    _, found = asked(repo, "implementers", "Named", f"{ROOT}/Named.java")
    assert {(fact.type_name, fact.has_member, fact.closed) for _, _, fact in found} == {
        ("Prices", False, True),
        ("Page", False, False),
        ("Box", False, False),
        ("Box.new Named", False, True),
    }


def test_configuration(repo):
    _, found = asked(repo, "config", "shop.region", HOME)
    assert {(path.rpartition("/")[2], fact.act, fact.value) for path, _, fact in found} == {
        ("Prices.java", "reads", '"eu"'),
        ("app.properties", "sets", "us"),
    }

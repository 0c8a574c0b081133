"""Rules of api_contract over real repositories: source before and after, to a card that passes the contract."""

from types import MappingProxyType

import pytest
from reviewing import cards, codes, review

pytestmark = pytest.mark.slow

PAD = "\n".join(f"# {n}" for n in range(8))

LIB = f"def quote(tenant, sku):\n    return tenant.price(sku)\n\n\n{PAD}\ndef other():\n    return 1\n"
API = f"from shop.pricing import quote\n\n\n{PAD}\ndef view(request):\n    return quote(request.tenant, request.sku)\n"
BASE = {"shop/__init__.py": "", "shop/pricing.py": LIB, "shop/api.py": API}


GO_PAD = PAD.replace("#", "//")

BOOK = f"""class Book:
    def __init__(self, name):
        self.name = name

    def price(self, sku):
        return 1


{PAD}
"""
BOOK_USER = f"""from shop.book import Book


{PAD}
def view(book: Book):
    book.price("a")
    return Book("n")
"""
DERIVED = f"""class Base:
    def quote(self):
        return 1


class Book(Base):
    def quote(self):
        return 2

    def x(self):
        return 3


{PAD}
"""
DERIVED_USER = f"""from shop.book import Book


{PAD}
def view(book: Book):
    return book.quote()
"""
STORE = f"""from abc import ABC, abstractmethod


class Store(ABC):
    @abstractmethod
    def get(self):
        ...


{PAD}
"""
MEMORY = f"""from shop.store import Store


{PAD}
class Memory(Store):
    def get(self):
        return 1
"""
GO_LIB = f"""package shop

func Quote(sku string) int {{
\treturn 1
}}

{GO_PAD}

func Other() int {{
\treturn 2
}}
"""
GO_NEAR = f"""package shop

{GO_PAD}
func View() int {{
\tx := Quote("a")
\treturn x
}}
"""
GO_FAR = f"""package api

import "example.com/m/shop"

{GO_PAD}
func View() int {{
\treturn shop.Quote("a")
}}
"""
GO = {"go.mod": "module example.com/m\n\ngo 1.22\n", "shop/q.go": GO_LIB}


def changed(old, new):
    assert old in LIB
    return {"shop/pricing.py": LIB.replace(old, new)}


class TestParameters:
    def test_required_parameter_added(self, repo):
        ended = review(repo, BASE, changed("(tenant, sku)", "(tenant, sku, region)"))
        (card,) = cards(ended, "required_parameter_added")
        assert "`shop/api.py` line 13" in card.claim
        assert card.severity == "blocking"
        assert [ref.path for ref in card.supporting_refs] == ["shop/api.py"]

    @pytest.mark.parametrize(
        ("new", "api"),
        [
            ("(tenant, sku, region=None)", API),
            ("(tenant, sku, region)", API.replace("request.sku)", "request.sku, request.region)")),
            ("(tenant, sku, region)", API.replace("request.tenant, request.sku", "*request.parts")),
            ("(tenant, sku, region)", API.replace("from shop.pricing", "from elsewhere")),
            ("(tenant, sku, region)", API.replace("def view(request)", "def view(request, quote)")),
        ],
        ids=["default", "updated", "unpacked", "another function", "a parameter of the same name"],
    )
    def test_required_parameter_added_look_alikes(self, repo, new, api):
        ended = review(repo, BASE, changed("(tenant, sku)", new) | {"shop/api.py": api})
        codes(ended, "required_parameter_added")

    @pytest.mark.parametrize("name", ["delete", "JSON", "open", "yaml"])
    def test_callers_of_a_name_that_languages_have_too(self, repo, name):
        """Each caller bears load, though its line has no other name that the card has."""
        lib = LIB.replace("quote(tenant, sku)", f"{name}(tenant, sku)")
        user = f"import shop.pricing\n\n\n{PAD}\ndef shown(cart):\n    return shop.pricing.{name}(cart.a, cart.b)\n"
        before = {"shop/__init__.py": "", "shop/pricing.py": lib, "web/view.py": user, "api/serve.py": user}
        after = {"shop/pricing.py": lib.replace("(tenant, sku)", "(tenant, sku, day)")}
        (card,) = cards(review(repo, before, after), "required_parameter_added")
        assert [ref.path for ref in card.supporting_refs] == ["api/serve.py", "web/view.py"]

    def test_a_decorated_function_stays_open(self, repo):
        before = BASE | {"shop/pricing.py": LIB.replace("def quote", "@inject\ndef quote")}
        after = {"shop/pricing.py": before["shop/pricing.py"].replace("(tenant, sku)", "(tenant, sku, region)")}
        assert codes(review(repo, before, after), "required_parameter_added") == ["insufficient_evidence"]

    def test_parameter_removed_and_renamed(self, repo):
        api = API.replace("request.tenant, request.sku", "request.tenant, sku=request.sku")
        after = changed("(tenant, sku):\n    return tenant.price(sku)", "(tenant):\n    return tenant.price()")
        (card,) = cards(review(repo, BASE | {"shop/api.py": api}, after), "parameter_removed_still_passed")
        assert "the keyword `sku`" in card.claim

    def test_parameter_renamed(self, repo):
        api = API.replace("request.tenant, request.sku", "request.tenant, sku=request.sku")
        after = changed(
            "(tenant, sku):\n    return tenant.price(sku)", "(tenant, item):\n    return tenant.price(item)"
        )
        (card,) = cards(review(repo, BASE | {"shop/api.py": api}, after), "parameter_renamed_still_passed")
        assert card.effect.to == "item"

    def test_a_positional_caller_does_not_feel_a_rename(self, repo):
        after = changed(
            "(tenant, sku):\n    return tenant.price(sku)", "(tenant, item):\n    return tenant.price(item)"
        )
        assert codes(review(repo, BASE, after), "parameter_renamed_still_passed") == ["refuted"]

    def test_parameters_reordered(self, repo):
        (card,) = cards(review(repo, BASE, changed("(tenant, sku)", "(sku, tenant)")), "parameters_reordered")
        assert "`request.tenant`" in card.claim
        assert "to `sku`, where it was `tenant` before" in card.claim

    def test_reordered_together_with_its_caller(self, repo):
        api = API.replace("request.tenant, request.sku", "request.sku, request.tenant")
        codes(review(repo, BASE, changed("(tenant, sku)", "(sku, tenant)") | {"shop/api.py": api}), "")

    def test_a_method_through_an_annotated_receiver_and_a_constructor(self, repo):
        after = BOOK.replace("(self, name)", "(self, name, owner)").replace("(self, sku)", "(self, sku, day)")
        before = {"shop/__init__.py": "", "shop/book.py": BOOK, "shop/api.py": BOOK_USER}
        found = cards(review(repo, before, {"shop/book.py": after}), "required_parameter_added")
        assert sorted(card.effect.subject for card in found) == ["day", "owner"]

    def test_go(self, repo):
        after = {"shop/q.go": GO_LIB.replace("(sku string)", "(sku string, day int)")}
        (card,) = cards(review(repo, GO | {"api/v.go": GO_FAR}, after), "required_parameter_added")
        assert "does not compile" in card.claim


class TestResults:
    def test_became_async(self, repo):
        api = API.replace("    return quote", "    quote")
        (card,) = cards(
            review(repo, BASE | {"shop/api.py": api}, changed("def quote", "async def quote")),
            "became_async_not_awaited",
        )
        assert "the body never runs" in card.claim

    def test_became_async_with_awaiting_callers(self, repo):
        api = API.replace("def view", "async def view").replace("return quote", "return await quote")
        ended = review(repo, BASE, changed("def quote", "async def quote") | {"shop/api.py": api})
        assert "refuted" in codes(ended, "became_async_not_awaited")

    def test_became_sync(self, repo):
        lib = LIB.replace("def quote", "async def quote").replace("tenant.price(sku)", "{'sku': sku}")
        api = API.replace("def view", "async def view").replace("return quote", "return await quote")
        after = {"shop/pricing.py": lib.replace("async def", "def")}
        ended = review(repo, BASE | {"shop/pricing.py": lib, "shop/api.py": api}, after)
        (card,) = cards(ended, "became_sync_still_awaited")
        assert "still awaits" in card.claim

    def test_return_shape(self, repo):
        lib = LIB.replace("return tenant.price(sku)", "return tenant, sku")
        api = API.replace("return quote", "tenant, sku = quote")
        after = {"shop/pricing.py": lib.replace("return tenant, sku", "return tenant, sku, None")}
        ended = review(repo, BASE | {"shop/pricing.py": lib, "shop/api.py": api}, after)
        (card,) = cards(ended, "return_shape_changed")
        assert "unpacks the result into `tenant`, `sku`" in card.claim

    def test_return_shape_in_go(self, repo):
        after = {"shop/q.go": GO_LIB.replace(") int {\n\treturn 1", ") (int, error) {\n\treturn 1, nil")}
        (card,) = cards(review(repo, GO | {"shop/v.go": GO_NEAR}, after), "return_shape_changed")
        assert "takes one value" in card.claim


class TestSymbols:
    GONE = f"\n\n{PAD}\ndef other():\n    return 1\n"

    def test_removed_and_still_imported(self, repo):
        (card,) = cards(review(repo, BASE, {"shop/pricing.py": self.GONE}), "symbol_removed_still_referenced")
        assert "`shop/api.py` line 1" in card.claim
        assert "`ImportError`" in card.claim
        assert [ref.start_line for ref in card.supporting_refs] == [1]

    @pytest.mark.parametrize(
        "after",
        [
            {"shop/pricing.py": f"from shop.new import quote{GONE}", "shop/new.py": "def quote(a, b):\n    return 1\n"},
            {"shop/pricing.py": None, "shop/pricing/__init__.py": LIB},
            {"shop/pricing.py": GONE, "shop/api.py": "def view(request):\n    return 1\n"},
            {"shop/pricing.py": f"{GONE}\ndef __getattr__(name):\n    return globals_of('quote', name)\n"},
        ],
        ids=["moved and imported back", "turned into a package", "callers gone too", "answers for any name"],
    )
    def test_removed_look_alikes(self, repo, after):
        codes(review(repo, BASE, after), "symbol_removed_still_referenced")

    @pytest.mark.parametrize(
        ("path", "shown"),
        [
            (".semgrep/shop/no-quote.py", 0),
            ("rules/no-quote.py", 0),
            ("fixtures/quoting.py", 0),
            ("docs/_build/quoting.py", 0),
            ("scripts/show-quote.py", 1),
            ("show-quote.py", 1),
            ("rules/quoting.py", 1),
        ],
    )
    def test_a_file_that_nothing_loads_uses_no_name(self, repo, path, shown):
        before = BASE | {"shop/api.py": "API = 1\n", path: API}
        ended = review(repo, before, {"shop/pricing.py": self.GONE})
        assert len(cards(ended, "symbol_removed_still_referenced")) == shown

    MAIN = '\n\nif __name__ == "__main__":\n    print(API)\n'

    @pytest.mark.parametrize(
        ("path", "text", "shown"),
        [
            ("rules/no-quote.py", API + MAIN, 1),
            ("rules/no-quote.py", "#!/usr/bin/env python3\n" + API, 1),
            ("rules/no-quote.py", API + "\n\n# if __name__ == '__main__': print()\n", 0),
            ("fixtures/quoting.py", API + MAIN, 1),
            (".jobs/quoting.py", API + MAIN, 1),
            (".github/scripts/release.py", API, 1),
            (".github/scripts/make-release.py", API, 1),
            ("docs/_build/quoting.py", API + MAIN, 0),
        ],
    )
    def test_a_file_that_is_run_by_its_path_uses_a_name(self, repo, path, text, shown):
        before = BASE | {"shop/api.py": "API = 1\n", path: text}
        ended = review(repo, before, {"shop/pricing.py": self.GONE})
        assert len(cards(ended, "symbol_removed_still_referenced")) == shown

    @pytest.mark.parametrize(
        "api",
        [
            "try:\n    from shop.pricing import quote\nexcept ImportError:\n    quote = None\n",
            "try:\n    from shop.pricing import (\n        quote,\n    )\nexcept ImportError:\n    HAS = False\n",
            "import typing\n\nif typing.TYPE_CHECKING:\n    from shop.pricing import quote\n",
        ],
        ids=["rebound", "caught", "for types only"],
    )
    def test_an_import_that_can_be_forgone_is_no_card(self, repo, api):
        codes(review(repo, BASE | {"shop/api.py": api}, {"shop/pricing.py": self.GONE}), "")

    def test_renamed(self, repo):
        (card,) = cards(review(repo, BASE, changed("def quote", "def price_of")), "symbol_renamed_still_referenced")
        assert (card.effect.subject, card.effect.to) == ("quote", "price_of")

    def test_renamed_with_the_old_name_kept(self, repo):
        after = {"shop/pricing.py": LIB.replace("def quote", "def price_of") + "\nquote = price_of\n"}
        codes(review(repo, BASE, after), "symbol_renamed_still_referenced")

    def test_a_method_that_a_base_supplies_until_the_base_loses_it_too(self, repo):
        before = {"shop/__init__.py": "", "shop/book.py": DERIVED, "shop/api.py": DERIVED_USER}
        kept = DERIVED.replace("    def quote(self):\n        return 2\n\n", "")
        codes(review(repo, before, {"shop/book.py": kept}), "symbol_removed_still_referenced")
        gone = kept.replace("    def quote(self):\n        return 1\n", "    pass\n")
        (card,) = cards(review(repo, {}, {"shop/book.py": gone}), "symbol_removed_still_referenced")
        assert "`shop/api.py` line 13" in card.claim

    def test_go_moved_to_another_file_of_the_package_and_then_gone(self, repo):
        quote = "func Quote(sku string) int {\n\treturn 1\n}\n"
        moved = {"shop/q.go": GO_LIB.replace(quote, ""), "shop/w.go": f"package shop\n\n{quote}"}
        ended = review(repo, GO | {"shop/v.go": GO_NEAR}, moved)
        assert codes(ended, "symbol_removed_still_referenced") == ["refuted"]
        (card,) = cards(review(repo, {}, {"shop/w.go": None}), "symbol_removed_still_referenced")
        assert "does not compile" in card.claim


class TestMembersAndReferences:
    BEFORE = MappingProxyType({"shop/__init__.py": "", "shop/store.py": STORE, "shop/memory.py": MEMORY})
    NEW = STORE.replace("        ...\n", "        ...\n\n    @abstractmethod\n    def close(self):\n        ...\n")

    def test_abstract_member(self, repo):
        ended = review(repo, self.BEFORE, {"shop/store.py": self.NEW})
        (card,) = cards(ended, "abstract_member_without_implementer")
        assert "`Memory`" in card.claim
        assert card.uncertainty

    def test_abstract_member_implemented(self, repo):
        body = "\n    def close(self):\n        return None\n"
        ended = review(repo, self.BEFORE, {"shop/store.py": self.NEW, "shop/memory.py": MEMORY + body})
        assert codes(ended, "abstract_member_without_implementer") == ["refuted"]

    def test_name_does_not_exist(self, repo):
        api = API.replace("import quote", "import quote, quotes")
        (card,) = cards(review(repo, BASE, {"shop/api.py": api}), "name_does_not_exist")
        assert "`quotes`" in card.claim
        assert "`shop/pricing.py`" in card.claim

    def test_a_path_that_a_terminal_would_obey_hides_no_finding(self, repo):
        api = API.replace("import quote", "import quote, quotes")
        (card,) = cards(review(repo, BASE, {"shop/\x1b[31mapi.py": api}), "name_does_not_exist")
        assert card.diff_anchor.path == "shop/\\x1b[31mapi.py"

    def test_a_name_of_a_module_that_is_imported_from_its_own_package(self, repo):
        api = API.replace("from shop.pricing import quote", "from . import pricing as p").replace("quote(", "p.quotes(")
        (card,) = cards(review(repo, BASE, {"shop/api.py": api}), "name_does_not_exist")
        assert "`shop/pricing.py`" in card.claim

    @pytest.mark.parametrize(
        ("line", "lib"),
        [
            ("from shop import pricing", LIB),
            ("from shop.pricing import quotes", LIB + "\nfor quotes in (1, 2):\n    pass\n"),
            ("from shop.pricing import quotes", LIB + "\nfrom outside import *\n"),
            ("from shop.pricing import quotes", LIB + "\nglobals()['quotes'] = 1\n"),
            ("from outside import quotes", LIB),
            ("from shop.pricing import quotes", LIB + "\nif True:\n    quotes = 1\n"),
        ],
        ids=["submodule", "loop variable", "star", "globals", "other code", "conditional"],
    )
    def test_name_look_alikes(self, repo, line, lib):
        codes(review(repo, BASE, {"shop/api.py": f"{line}\n{API}", "shop/pricing.py": lib}), "name_does_not_exist")

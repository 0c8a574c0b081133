"""Rules about what calls must now pass, what they now get, and what is met by its name, over real repositories."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of
from reviewing import cards, codes, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.API_CONTRACT)
silent = partial(silence_of, kind=ChangeKind.API_CONTRACT)
PAD = "\n".join(f"# {n}" for n in range(8))
SHOP = {
    "shop/__init__.py": "",
    "shop/service.py": f"""from dataclasses import dataclass


@dataclass
class Item:
    name: str
    price: int


{PAD}
def find(name, limit=10, deep=False):
    return name, limit, deep


{PAD}
def names(items):
    return [one.name for one in items]


{PAD}
class Order:
    def total_price(self):
        return 1
""",
    "shop/use.py": """from shop.service import Item, find, names


def run():
    one = Item("a", 3)
    found = find("x")
    listed = names([one])
    print(len(listed))
    return found


def more():
    return find("x", 10, True)
""",
    "shop/order.html": "<b>{{ order.total_price }}</b>\n",
}
SERVICE = "shop/service.py"


class TestTightened:
    RULE = "parameter_tightened"

    def test_a_default_that_went(self, repo):
        card = one_card(repo, SHOP, self.RULE, (SERVICE, "limit=10, deep=False", "limit, deep=False"))
        assert "`shop/use.py` line 6" in card.claim

    def test_a_parameter_that_must_be_named(self, repo):
        card = one_card(repo, SHOP, self.RULE, (SERVICE, "limit=10, deep", "limit=10, *, deep"))
        assert "`shop/use.py` line 13" in card.claim

    def test_callers_adapted(self, repo):
        edits = ((SERVICE, "limit=10, deep", "limit=10, *, deep"), ("shop/use.py", "10, True", "10, deep=True"))
        assert silent(repo, SHOP, self.RULE, *edits) == ["refuted"]


class TestField:
    RULE = "required_field_added"

    def test_a_place_that_gives_none(self, repo):
        card = one_card(repo, SHOP, self.RULE, (SERVICE, "    price: int\n", "    price: int\n    sku: str\n"))
        assert "`shop/use.py` line 5" in card.claim

    def test_a_field_with_a_default_is_not_asked_about(self, repo):
        assert silent(repo, SHOP, self.RULE, (SERVICE, "    price: int\n", '    price: int\n    sku: str = ""\n')) == []


class TestContainer:
    RULE = "result_container_changed"
    EDIT = (SERVICE, "[one.name for one in items]", "(one.name for one in items)")

    def test_a_caller_that_counts_a_generator(self, repo):
        assert "`print(len(listed))`" in one_card(repo, SHOP, self.RULE, self.EDIT).claim

    def test_a_caller_that_only_iterates(self, repo):
        edits = (self.EDIT, ("shop/use.py", "print(len(listed))", "print(*listed)"))
        assert silent(repo, SHOP, self.RULE, *edits) == ["refuted"]

    def test_java_a_list_that_refuses_to_grow(self, repo):
        home = "src/main/java/shop/"
        before = {
            home + "Names.java": "package shop;\n\nimport java.util.List;\nimport java.util.stream.Collectors;\n\n"
            "public class Names {\n    public List<String> all(List<String> users) {\n"
            "        return users.stream().map(String::trim).collect(Collectors.toList());\n    }\n}\n",
            home + "Use.java": "package shop;\n\nimport java.util.List;\n\npublic class Use {\n"
            "    public List<String> run(Names names, List<String> users) {\n"
            '        List<String> all = names.all(users);\n        all.add("x");\n        return all;\n    }\n}\n',
        }
        edit = (home + "Names.java", ".collect(Collectors.toList())", ".toList()")
        assert '`all.add("x");`' in one_card(repo, before, self.RULE, edit).claim


class TestByName:
    RULE = "renamed_met_by_name"

    def test_a_template_that_has_the_old_name(self, repo):
        card = one_card(repo, SHOP, self.RULE, (SERVICE, "total_price", "price_total"))
        assert "`shop/order.html` line 1" in card.claim

    def test_a_chart_asks_for_its_own_values(self, repo):
        chart = {**SHOP, "shop/order.html": "", "deploy/_helpers.tpl": "{{ .Values.shop.total_price }}\n"}
        assert silent(repo, chart, self.RULE, (SERVICE, "total_price", "price_total")) == ["no_candidate"]

    def test_a_template_changed_along(self, repo):
        edits = ((SERVICE, "total_price", "price_total"), ("shop/order.html", "total_price", "price_total"))
        assert silent(repo, SHOP, self.RULE, *edits) == ["no_candidate"]


BUTTON = {
    "package.json": "{}\n",
    "src/Button.tsx": "export function Button({ label, onPress }: any) {\n"
    "  return <button onClick={onPress}>{label}</button>;\n}\n",
    "src/Page.tsx": 'import { Button } from "./Button";\n\nexport function Page() {\n'
    '  return <Button label="Save" onPress={() => save()} />;\n}\n\nfunction save() {}\n',
}


class TestProp:
    def test_a_parent_that_passes_the_old_prop(self, repo):
        card = one_card(repo, BUTTON, "prop_renamed", ("src/Button.tsx", "onPress", "onTap"))
        assert "`src/Page.tsx` line 4" in card.claim

    def test_a_parent_changed_along(self, repo):
        edits = (("src/Button.tsx", "onPress", "onTap"), ("src/Page.tsx", "onPress", "onTap"))
        assert silent(repo, BUTTON, "prop_renamed", *edits) == ["refuted"]


UTIL = "def f():\n    return 1\n\n\ndef g():\n    return 2\n\n\ndef h():\n    return 3\n\n\ndef i():\n    return 4\n"
OTHER = "".join(f"LIMIT_{n} = {n}\n" for n in range(20))
MODULES = {
    "shop/__init__.py": "",
    "shop/util.py": UTIL,
    "shop/use.py": "from shop.util import f\n\n\ndef use():\n    return f()\n",
    "shop/more.py": "import os\n\nfrom shop.util import g\n\n\ndef more():\n    return g(os.name)\n",
}
MOVED = {"shop/util.py": None, "shop/tools.py": UTIL}
FOLLOWED = {"shop/use.py": MODULES["shop/use.py"].replace("shop.util", "shop.tools")}


class TestMove:
    def test_a_module_that_moved_and_changed(self, repo):
        after = MOVED | {"shop/tools.py": UTIL.replace("return 4", "return 5")}
        (card, *_) = cards(review(repo, MODULES, after, ChangeKind.API_CONTRACT), "moved_module_importers_left")
        assert "`shop/more.py` line 3" in card.claim or "`shop/use.py` line 1" in card.claim

    def test_one_importer_did_not_follow(self, repo):
        ended = review(repo, MODULES, MOVED | FOLLOWED, ChangeKind.API_CONTRACT)
        (card,) = cards(ended, "moved_module_importers_left")
        assert "`shop/more.py` line 3" in card.claim
        assert [one.rule for one in ended if one.cards or one.rule == "import_left_behind"] == [
            "moved_module_importers_left"
        ]

    @pytest.mark.parametrize("other", [{}, {"shop/other.py": None, "shop/another.py": OTHER}])
    def test_one_importer_of_a_module_written_anew_elsewhere_did_not_follow(self, repo, other):
        before = MODULES | {"shop/other.py": OTHER}
        after = {"shop/util.py": None, "shop/tools.py": "from shop.kit import f, g\n"} | FOLLOWED | other
        (card,) = cards(review(repo, before, after, ChangeKind.API_CONTRACT), "import_left_behind")
        assert "`shop/more.py` line 3" in card.claim

    @pytest.mark.parametrize(
        ("rule", "after"),
        [
            ("moved_module_importers_left", MOVED),
            ("import_left_behind", {"shop/util.py": None, "shop/tools.py": "from shop.kit import f, g\n"}),
        ],
    )
    def test_a_word_that_stands_in_very_many_lines_hides_no_importer_that_was_seen(self, repo, rule, after):
        listed = "".join(f"page_{n} = 'shop.util'\n" for n in range(450))
        before = MODULES | {"web/pages.py": listed}
        (card,) = cards(review(repo, before, after | FOLLOWED, ChangeKind.API_CONTRACT), rule)
        assert "`shop/more.py` line 3" in card.claim

    def test_the_old_module_stays(self, repo):
        after = {"shop/tools.py": UTIL} | FOLLOWED
        assert codes(review(repo, MODULES, after, ChangeKind.API_CONTRACT), "import_left_behind") == ["refuted"]

"""What other files still say after a change: addresses, numbers, paths, links; and look-alikes that stay silent."""

import pytest
from reviewing import review

pytestmark = pytest.mark.slow

FAR = "\n".join(f"Line {n} of a text." for n in range(1, 20)) + "\n"
OLD, NEW = "http://docs.shop.dev/guide/", "https://docs.shop.dev/guide.html"


def cards(repo, before, after, rule):
    return [card for ended in review(repo, before, after) if ended.rule == rule for card in ended.cards]


def one(repo, before, after, rule):
    (card,) = cards(repo, before, after, rule)
    return card


def codes(repo, before, after, rule):
    return [ended.code for ended in review(repo, before, after) if ended.rule == rule]


README = {"README.md": f"# Shop\n\nSee [the guide]({OLD}) for more.\n"}
README_AFTER = {"README.md": README["README.md"].replace(OLD, NEW)}


def test_an_address_that_another_document_still_gives(repo):
    before = {**README, "docs/index.rst": f"{FAR}See `the guide <{OLD}>`_.\n"}
    card = one(repo, before, README_AFTER, "link_left_behind")
    assert (card.effect.subject, card.effect.to) == (OLD, NEW)
    assert "`docs/index.rst` line 20" in card.claim


@pytest.mark.parametrize(
    "name", ["CHANGELOG.md", "docs/release-notes.rst", "tests/test_links.py", "docs/upgrading.rst"]
)
def test_tests_and_what_tells_the_past_keep_an_address(repo, name):
    assert codes(repo, {**README, name: f"# {OLD}\n"}, README_AFTER, "link_left_behind") == ["no_candidate"]


@pytest.mark.parametrize("line", [f"{OLD}deeper", f"{OLD}deeper/page.html", f'xmlns="{OLD}"'])
def test_a_longer_address_and_a_name_of_a_format_are_others(repo, line):
    assert not cards(repo, {**README, "docs/index.md": f"{FAR}{line}\n"}, README_AFTER, "link_left_behind")


def test_an_address_of_another_thing_is_a_choice(repo):
    other = {"README.md": README["README.md"].replace(OLD, "https://chat.example.org/rooms")}
    assert not codes(repo, {**README, "docs/index.md": FAR + OLD + "\n"}, other, "link_left_behind")


def test_an_address_in_a_string_of_go_and_in_javascript(repo):
    before = {
        "cmd/help.go": f'package cmd\n\nconst Guide = "{OLD}"\n',
        "web/help.js": f"// the guide\nexport const guide = '{OLD}';\n",
    }
    after = {"cmd/help.go": before["cmd/help.go"].replace(OLD, NEW)}
    assert "`web/help.js` line 2" in one(repo, before, after, "link_left_behind").claim


SAYS = {"README.md": "# Shop\n\nShop officially supports Python 3.9+ only.\n"}
SAYS_AFTER = {"README.md": SAYS["README.md"].replace("3.9", "3.10")}


def test_a_number_that_another_document_still_gives(repo):
    before = {**SAYS, "docs/index.rst": f"{FAR}Shop officially supports Python 3.9+, and runs well.\n"}
    card = one(repo, before, SAYS_AFTER, "statement_left_behind")
    assert "`docs/index.rst` line 20" in card.claim
    assert (card.effect.subject, card.effect.to) == ("3.9", "3.10")


@pytest.mark.parametrize("name", ["docs/changes.rst", "shop/__init__.py"])
def test_what_tells_the_past_and_code_may_say_it(repo, name):
    before = {**SAYS, name: "# Shop officially supports Python 3.9+, since 2.0\n"}
    assert not cards(repo, before, SAYS_AFTER, "statement_left_behind")


def test_the_oldest_version_of_a_language_is_another_rules(repo):
    asks = '[project]\nname = "shop"\nrequires-python = ">=3.9"\n'
    says = f"{FAR}Shop officially supports Python 3.9+, and runs well.\n"
    after = {**SAYS_AFTER, "pyproject.toml": asks.replace("3.9", "3.10")}
    assert not cards(repo, {**SAYS, "pyproject.toml": asks, "docs/a.rst": says}, after, "statement_left_behind")


def test_a_copy_of_the_whole_line_is_another_rules(repo):
    before = {**SAYS, "docs/a.rst": FAR + SAYS["README.md"].splitlines()[-1] + "\n"}
    assert not cards(repo, before, SAYS_AFTER, "statement_left_behind")


def test_both_documents_changed_together_are_no_finding(repo):
    before = {**SAYS, "docs/index.rst": SAYS["README.md"]}
    after = {**SAYS_AFTER, "docs/index.rst": SAYS_AFTER["README.md"]}
    assert not cards(repo, before, after, "statement_left_behind")


def test_a_new_link_that_leads_nowhere(repo):
    before = {"docs/quickstart.md": FAR, "docs/index.md": FAR}
    after = {"docs/advanced/clients.md": "# Clients\n\nAs in the [quickstart](quickstart.md#first).\n"}
    card = one(repo, before, after, "link_leads_nowhere")
    assert "`docs/advanced/quickstart.md`" in card.claim
    assert card.supporting_refs[0].path == "docs/quickstart.md"


@pytest.mark.parametrize("link", ["../quickstart.md", "clients.md", "https://x.dev/quickstart.md", "../missing.md"])
def test_a_link_that_leads_somewhere_or_to_what_nobody_knows_is_none(repo, link):
    after = {"docs/advanced/clients.md": f"# Clients\n\nAs in the [quickstart]({link}).\n"}
    assert not cards(repo, {"docs/quickstart.md": FAR}, after, "link_leads_nowhere")


GUIDE = {"docs/userguide.md": FAR}


def test_a_removed_page_that_another_links_to(repo):
    before = {**GUIDE, "docs/index.md": f"{FAR}Read [the guide](userguide.md#start).\n"}
    card = one(repo, before, {"docs/userguide.md": None}, "old_path_left_behind")
    assert "`docs/index.md` line 20" in card.claim
    assert card.severity == "suggestion"


def test_a_page_that_only_moved_is_asked_about(repo):
    before = {**GUIDE, "README.md": f"{FAR}Read [the guide](docs/userguide.md).\n"}
    after = {"docs/userguide.md": None, "site/userguide.md": FAR}
    card = one(repo, before, after, "old_path_left_behind")
    assert (card.effect.subject, card.effect.to) == ("docs/userguide.md", "site/userguide.md")
    assert (card.diff_anchor.path, card.diff_anchor.start_line) == ("site/userguide.md", 1)


def test_a_catalogue_of_translations_is_written_by_a_tool(repo):
    before = {**GUIDE, "locale/de.po": f'{FAR}#: docs/userguide.md:12\nmsgid "Guide"\n'}
    assert not cards(repo, before, {"docs/userguide.md": None}, "old_path_left_behind")


def test_a_script_that_a_tool_still_runs_is_important(repo):
    before = {"scripts/lint-all.sh": FAR, ".github/workflows/ci.yml": "jobs:\n  - run: ./scripts/lint-all.sh\n"}
    card = one(repo, before, {"scripts/lint-all.sh": None}, "old_path_left_behind")
    assert card.severity == "important"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("CHANGES.md", "Added docs/userguide.md"),
        ("docs/index.md", "The page userguide.md was moved elsewhere"),
        ("docs/index.md", "See https://other.dev/docs/userguide.md"),
        ("docs/index.md", "See my-userguide.md"),
        (".gitignore", "docs/userguide.md"),
        ("shop/a.py", "x = 'userguide.md'"),
    ],
)
def test_what_names_another_file_or_the_past_is_none(repo, name, line):
    assert not cards(repo, {**GUIDE, name: f"{FAR}{line}\n"}, {"docs/userguide.md": None}, "old_path_left_behind")


def test_a_path_that_still_leads_to_a_file_is_none(repo):
    before = {**GUIDE, "site/userguide.md": FAR + "more\n", "site/index.md": f"{FAR}See [it](userguide.md).\n"}
    assert not cards(repo, before, {"docs/userguide.md": None}, "old_path_left_behind")


def test_a_python_module_that_only_moved_strands_its_importers(repo):
    before = {
        "shop/prices.py": "def price():\n    return 1\n",
        "shop/cart.py": "x = 1\nfrom shop.prices import price\n",
    }
    after = {"shop/prices.py": None, "shop/money/prices.py": before["shop/prices.py"], "shop/money/__init__.py": "#\n"}
    assert "`shop/cart.py`" in one(repo, before, after, "moved_module_importers_left").claim


def test_a_javascript_module_that_only_moved_strands_its_importers(repo):
    before = {"src/prices.js": "export const price = 1;\n", "src/cart.js": "import { price } from './prices.js';\n"}
    after = {"src/prices.js": None, "src/money/prices.js": before["src/prices.js"]}
    assert "`src/cart.js`" in one(repo, before, after, "moved_module_importers_left").claim


def test_a_package_that_moved_to_another_root_is_imported_as_before(repo):
    before = {"shop/prices.py": "def price():\n    return 1\n", "shop/cart.py": "from shop.prices import price\n"}
    after = {"shop/prices.py": None, "src/shop/prices.py": before["shop/prices.py"]}
    assert not cards(repo, before, after, "moved_module_importers_left")


def test_an_import_for_a_checker_alone_does_not_stop_the_file(repo):
    lines = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from shop.prices import Price\n"
    before = {"shop/prices.py": "class Price:\n    pass\n", "shop/cart.py": lines}
    after = {"shop/prices.py": None, "shop/money/prices.py": before["shop/prices.py"]}
    assert one(repo, before, after, "moved_module_importers_left").severity == "important"


def test_a_name_with_signs_of_a_pattern_means_itself(repo):
    before = {"pages/[order]-page.md": FAR, "docs/index.md": f"{FAR}See [it](../pages/[order]-page.md).\n"}
    after = {"pages/[order]-page.md": None, "app/[order]-page.md": FAR}
    assert one(repo, before, after, "old_path_left_behind").supporting_refs[0].path == "docs/index.md"

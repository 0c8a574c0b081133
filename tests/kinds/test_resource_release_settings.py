"""Settings that put nothing back: of another branch, of a value that was not kept; and true ones beside them."""

import pytest
from changing import changed, one_card
from reviewing import cards, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

KIND = ChangeKind.RESOURCE_RELEASE
STATE = "state_not_restored"


def silent(repo, before, *edits):
    return not cards(review(repo, before, changed(before, *edits), KIND), STATE)


SAVE = {
    "go.mod": "module example.com/files\n\ngo 1.22\n",
    "save.go": """package files

// Save puts a file where it belongs.
func Save(kind string, one *Item, url string, path string) error {
	if kind == "local" {
		one.Reference = path
		one.Kept = true
	} else {
		one.Reference = url
		one.Kept = false
	}
	return nil
}
""",
    "item.go": "package files\n\n// Item is kept.\ntype Item struct {\n\tReference string\n\tKept      bool\n}\n",
    "api.go": """package files

// Post keeps one.
func Post(one *Item) error {
	return Save("local", one, "u", "p")
}
""",
}


@pytest.mark.parametrize("line", ["\t\tone.Reference = url\n", "\t\tone.Kept = false\n"])
def test_go_a_setting_of_another_branch_puts_nothing_back(repo, line):
    assert silent(repo, SAVE, ("save.go", line, ""))


PAGE = {
    "app/__init__.py": "",
    "app/page.py": """from app import build


def page(site, name):
    kept = site.name
    site.name = name
    made = build.build(site)
    site.name = kept
    return made
""",
    "app/build.py": "def build(site):\n    return site.name\n",
    "app/api.py": 'from app.page import page\n\n\ndef view(site):\n    return page(site, "x")\n',
}


def test_python_a_second_setting_that_is_no_restoring(repo):
    before = {**PAGE, "app/page.py": PAGE["app/page.py"].replace("    kept = site.name\n", "    kept = name\n")}
    assert silent(repo, before, ("app/page.py", "    site.name = kept\n", ""))


def test_python_a_restoring_that_went(repo):
    card = one_card(repo, PAGE, STATE, ("app/page.py", "    site.name = kept\n", ""), kind=KIND)
    assert "`site.name = kept`" in card.claim

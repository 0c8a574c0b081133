"""A count that is kept beside one growth of what it counts, and not beside another."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.INCOMPLETE_CHANGE)
silent = partial(silence_of, kind=ChangeKind.INCOMPLETE_CHANGE)
RULE = "count_left_out"

PYTHON = {
    "press/__init__.py": "",
    "press/press.py": '''"""A press that binds sheets."""


class Press:
    def __init__(self):
        self.sheets = []
        self.weight = 0

    def feed(self, sheet):
        self.sheets.append(sheet)

    def bind(self, book):
        book.take(self.sheets, len(self.sheets))
        self.sheets = []

    def say(self):
        return "press"

    def refeed(self, sheet):
        if sheet.torn:
            return
        self.sheets.append(sheet.mended())
''',
}
FEED = (
    "press/press.py",
    "self.sheets.append(sheet)\n",
    "self.sheets.append(sheet)\n        self.weight += sheet.weight\n",
)
BIND = ("press/press.py", "book.take(self.sheets, len(self.sheets))", "book.take(self.sheets, self.weight)")
GO = {
    "go.mod": "module example.com/press\n\ngo 1.22\n",
    "press.go": """package press

// Press binds sheets.
type Press struct {
	sheets []string
	weight int
}

// Feed takes one.
func (p *Press) Feed(sheet string) {
	p.sheets = append(p.sheets, sheet)
}

// Bind gives all.
func (p *Press) Bind(take func([]string, int)) {
	take(p.sheets, len(p.sheets))
}

// Name says it.
func (p *Press) Name() string { return "press" }

// Refeed takes a mended one.
func (p *Press) Refeed(sheet string) {
	if sheet == "" {
		return
	}
	p.sheets = append(p.sheets, sheet+"+")
}
""",
}


def test_a_growth_that_is_not_counted(repo):
    card = one_card(repo, PYTHON, RULE, FEED, BIND)
    assert "`press/press.py` line 23" in card.claim


def test_go(repo):
    feed = ("press.go", "append(p.sheets, sheet)\n", "append(p.sheets, sheet)\n\tp.weight += len(sheet)\n")
    bind = ("press.go", "take(p.sheets, len(p.sheets))", "take(p.sheets, p.weight)")
    assert "`press.go` line 28" in one_card(repo, GO, RULE, feed, bind).claim


def test_every_growth_is_counted(repo):
    more = "self.sheets.append(sheet.mended())\n"
    other = ("press/press.py", more, more + "        self.weight += sheet.mended().weight\n")
    assert silent(repo, PYTHON, RULE, FEED, BIND, other) == ["refuted"]


def test_a_count_that_is_never_taken_with_it(repo):
    assert silent(repo, PYTHON, RULE, FEED) == ["insufficient_evidence"]


def test_a_count_at_the_end_of_its_function(repo):
    more = "self.sheets.append(sheet.mended())\n"
    later = more + "        sheet.log()\n        sheet.drop()\n        self.weight += sheet.mended().weight\n"
    assert silent(repo, PYTHON, RULE, FEED, BIND, ("press/press.py", more, later)) == ["refuted"]

"""Settings that came beside others which are put back, and settings that only look like it."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.RESOURCE_RELEASE)
silent = partial(silence_of, kind=ChangeKind.RESOURCE_RELEASE)
RULE = "state_not_restored"

LAMPS = {
    "lamps/__init__.py": "",
    "lamps/rig.py": '''"""Lamps of one evening."""

from lamps.store import lamp_of


class Rig:
    def __init__(self, master):
        self.master = master
        self._before = {}

    def _finalize(self):
        for name, colour in self._before.items():
            lamp = lamp_of(name)
            lamp.setColour(colour)

    def say(self):
        return "rig"

    def names(self):
        return sorted(self._before)

    def colour(self, name, colour):
        lamp = lamp_of(name)
        self._before.setdefault(name, lamp.colour)
        lamp.setColour(colour)
''',
    "lamps/store.py": "LAMPS = {}\n\n\ndef lamp_of(name):\n    return LAMPS[name]\n",
}
LAST = "        lamp.setColour(colour)\n"
BEFORE_LAST = "lamp.colour)\n" + LAST
ADDED = ("lamps/rig.py", BEFORE_LAST, BEFORE_LAST + "        self.master.setColour(colour)\n")


def test_the_same_call_on_something_that_the_tear_down_leaves_out(repo):
    card = one_card(repo, LAMPS, RULE, ADDED)
    assert "`lamps/rig.py` line 14 puts back `lamp.setColour(colour)` alone" in card.claim


def test_the_tear_down_puts_it_back_too(repo):
    torn = (
        "lamps/rig.py",
        "        for name, colour",
        "        self.master.setColour(self.first)\n        for name, colour",
    )
    assert silent(repo, LAMPS, RULE, ADDED, torn) == []


def test_another_value(repo):
    added = ("lamps/rig.py", BEFORE_LAST, BEFORE_LAST + '        self.master.setColour("white")\n')
    assert silent(repo, LAMPS, RULE, added) == []


FILLED = {
    "go.mod": "module example.com/shelf\n\ngo 1.22\n",
    "shelf.go": """package shelf

// Book is known by what was read of it.
type Book struct {
	title string
	pages int
	notes map[string]string
}

// Update reads it anew.
func (b *Book) Update(notes map[string]string, long bool) error {
	if long {
		b.notes = nil
	} else {
		b.notes = notes
	}
	return b.read()
}

func (b *Book) read() error { return nil }

// Pages counts.
func (b *Book) Pages() int { return b.pages }
""",
}


def test_fields_that_are_filled_beside_one_that_is_set_twice(repo):
    edit = ("shelf.go", "\t\tb.notes = notes\n", '\t\tb.title = notes["title"]\n\t\tb.pages = 1\n\t\tb.notes = notes\n')
    assert silent(repo, FILLED, RULE, edit) == []

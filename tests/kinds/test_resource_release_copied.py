"""A function that was to undo what its counterpart does, and has the same body."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.RESOURCE_RELEASE)
silent = partial(silence_of, kind=ChangeKind.RESOURCE_RELEASE)
RULE = "counterpart_copied"

GO = {
    "go.mod": "module example.com/dock\n\ngo 1.22\n",
    "berth/berth.go": """package berth

// Berths counts ships.
type Berths struct{ held map[string]int }

// New makes one.
func New() *Berths { return &Berths{held: map[string]int{}} }

// Attach holds a ship.
func (b *Berths) Attach(name string) { b.held[name]++ }

// Detach lets it go.
func (b *Berths) Detach(name string) { b.held[name]-- }
""",
    "dock.go": """package dock

import "example.com/dock/berth"

var all = berth.New()

// Attach holds a ship.
func Attach(name string) {
	all.Attach(name)
}
""",
}
COPIED = (
    "dock.go",
    "all.Attach(name)\n}\n",
    "all.Attach(name)\n}\n\nfunc Detach(name string) {\n\tall.Attach(name)\n}\n",
)
PYTHON = {
    "dock/__init__.py": "",
    "dock/berths.py": """class Berths:
    def __init__(self):
        self.held = {}

    def attach(self, name):
        self.held[name] = self.held.get(name, 0) + 1

    def detach(self, name):
        self.held[name] -= 1
""",
    "dock/gate.py": """from dock.berths import Berths

berths = Berths()


def attach(name):
    berths.attach(name)
""",
}


def test_the_counterpart_exists_elsewhere(repo):
    card = one_card(repo, GO, RULE, COPIED)
    assert "`berth/berth.go` line 13" in card.claim
    assert card.effect.subject == "Detach"


def test_python(repo):
    added = "    berths.attach(name)\n\n\ndef detach(name):\n    berths.attach(name)\n"
    card = one_card(repo, PYTHON, RULE, ("dock/gate.py", "    berths.attach(name)\n", added))
    assert "`dock/berths.py` line 8" in card.claim


@pytest.mark.parametrize(
    "body",
    ["all.Detach(name)", "all.Attach(name)\n\tall.Detach(name)", "toggle(name)"],
    ids=["does what it says", "both", "one for both"],
)
def test_look_alikes(repo, body):
    added = f"all.Attach(name)\n}}\n\nfunc Detach(name string) {{\n\t{body}\n}}\n"
    assert silent(repo, GO, RULE, ("dock.go", "all.Attach(name)\n}\n", added)) == []


def test_both_hand_on_to_one_switch(repo):
    both = "toggle(name)\n}\n\nfunc Detach(name string) {\n\ttoggle(name)\n}\n\nfunc toggle(name string) {}\n"
    assert silent(repo, GO, RULE, ("dock.go", "all.Attach(name)\n}\n", both)) == []


def test_nothing_shows_what_it_has_to_call(repo):
    dock = GO["dock.go"].replace('"example.com/dock/berth"', '"example.org/far/berth"')
    assert silent(repo, {"go.mod": GO["go.mod"], "dock.go": dock}, RULE, COPIED) == ["insufficient_evidence"]

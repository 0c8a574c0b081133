"""Locks of types whose methods are spread over a package of many files."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.CONCURRENCY_RETRY)
silent = partial(silence_of, kind=ChangeKind.CONCURRENCY_RETRY)

METER = """package meter

import "sync"

// Meter counts what flows.
type Meter struct {
	mu     sync.Mutex
	gauge  sync.Mutex
	total  int
	closed bool
}

// Open starts it.
func (m *Meter) Open() {
	m.mu.Lock()
	m.closed = false
	m.mu.Unlock()
}

// Add counts.
func (m *Meter) Add(n int) {
	m.gauge.Lock()
	m.total += n
	m.gauge.Unlock()
}
"""
READ = """package meter

// Total is the sum.
func (m *Meter) Total() int {
	m.gauge.Lock()
	defer m.gauge.Unlock()
	return m.total
}
"""
MANY = {
    "go.mod": "module example.com/meter\n\ngo 1.22\n",
    "meter.go": METER,
    "read.go": READ,
    **{f"other{n}.go": f"package meter\n\nfunc other{n}() int {{\n\treturn {n}\n}}\n" for n in range(12)},
}


def test_the_wrong_lock_in_a_package_of_many_files(repo):
    reset = ("meter.go", "m.closed = false\n", "m.closed = false\n\tm.total = 0\n")
    card = one_card(repo, MANY, "use_without_lock", reset)
    assert "instead of `m.gauge.Lock`" in card.claim


COPY = """package meter

// Copy takes over what another counted.
func (m *Meter) Copy(from *Meter) {
	m.gauge.Lock()
	defer m.gauge.Unlock()
	m.total = from.total
}

// sum is the total.
func (m *Meter) sum() int {
	return m.total
}
"""
LOCKING = ("copy.go", "\treturn m.total\n", "\tm.gauge.Lock()\n\tdefer m.gauge.Unlock()\n\treturn m.total\n")
BOTH = {**MANY, "copy.go": COPY}


def test_a_helper_that_takes_the_lock_of_its_new_caller(repo):
    card = one_card(repo, BOTH, "lock_taken_twice", ("copy.go", "m.total = from.total", "m.total = m.sum()"), LOCKING)
    assert "`meter.go`" in " ".join(card.counter_evidence)


def test_the_same_lock_of_another_object(repo):
    edits = (("copy.go", "m.total = from.total", "m.total = from.sum()"), LOCKING)
    assert set(silent(repo, BOTH, "lock_taken_twice", *edits)) == {"no_candidate"}


HOLDER = """package meter

// Board shows meters.
type Board struct{ left *Meter }

// Show gives the sum.
func (b *Board) Show() int {
	b.left.gauge.Lock()
	defer b.left.gauge.Unlock()
	return b.left.sum()
}
"""


def test_a_caller_that_holds_the_lock_of_what_it_calls(repo):
    before = {**MANY, "copy.go": COPY.replace("from.total", "0"), "board.go": HOLDER}
    card = one_card(repo, before, "lock_taken_twice", LOCKING)
    assert "`board.go` line 10" in card.claim

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

"""concurrency_retry: locks that went, uses without their lock, locks taken twice, slow work under a lock."""

from functools import partial

import pytest
import reviewing
from reviewing import cards, codes

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

review = partial(reviewing.review, kind=ChangeKind.CONCURRENCY_RETRY)

RULE = "lock_dropped"

STORE = '''"""Counts of visits."""

import threading


class Visits:
    """Shared by all request threads."""

    def __init__(self):
        self._lock = threading.Lock()
        self._counts = {}

    def hit(self, page):
        """One more visit."""
        with self._lock:
            self._counts[page] = self._counts.get(page, 0) + 1

    def reset(self):
        """Forget all of them."""
        with self._lock:
            self._counts.clear()

    def total(self):
        """All visits."""
        with self._lock:
            return sum(self._counts.values())

    def describe(self):
        """For the log."""
        return "visits"
'''
GUARDED = "        with self._lock:\n            self._counts[page] = self._counts.get(page, 0) + 1\n"
BARE = "        self._counts[page] = self._counts.get(page, 0) + 1\n"

GO_STORE = """package visits

import "sync"

// Visits counts visits of pages.
type Visits struct {
	mu     sync.Mutex
	counts map[string]int
}

// Hit adds one.
func (v *Visits) Hit(page string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.counts[page]++
}

// Reset forgets all.
func (v *Visits) Reset() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.counts = map[string]int{}
}

// Total is the sum.
func (v *Visits) Total() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	sum := 0
	for _, n := range v.counts {
		sum += n
	}
	return sum
}

// Name is for the log.
func (v *Visits) Name() string {
	return "visits"
}
"""
GO_MOD = {"go.mod": "module example.com/site\n\ngo 1.22\n"}


def test_a_lock_that_went_while_others_take_it(repo):
    (card,) = cards(review(repo, {"visits.py": STORE}, {"visits.py": STORE.replace(GUARDED, BARE)}), RULE)
    assert "`self._lock`" in card.claim
    assert "`Visits.reset`" in card.claim


def test_a_lock_that_every_caller_holds(repo):
    calling = STORE.replace(
        '        """Forget all of them."""\n        with self._lock:\n',
        '        """Forget all of them."""\n        with self._lock:\n            self.hit("reset")\n',
    )
    ended = review(repo, {"visits.py": STORE}, {"visits.py": calling.replace(GUARDED, BARE)})
    assert codes(ended, RULE) == ["refuted"]


def test_a_lock_around_what_nothing_else_locks(repo):
    alone = STORE.replace("            self._counts.clear()", "            pass").replace(
        "            return sum(self._counts.values())", "            return 0"
    )
    ended = review(repo, {"visits.py": alone}, {"visits.py": alone.replace(GUARDED, BARE)})
    assert codes(ended, RULE) == ["no_candidate"]


def test_a_lock_that_moved_into_a_helper(repo):
    helper = STORE.replace(
        GUARDED,
        '        self._add(page, 1)\n\n    def _add(self, page, count):\n        """Some more visits."""\n'
        "        with self._lock:\n            self._counts[page] = self._counts.get(page, 0) + count\n",
    )
    assert codes(review(repo, {"visits.py": STORE}, {"visits.py": helper}), RULE) == []


def test_a_go_lock_that_went(repo):
    after = GO_STORE.replace("\tv.mu.Lock()\n\tdefer v.mu.Unlock()\n\tv.counts[page]++", "\tv.counts[page]++")
    (card,) = cards(review(repo, {**GO_MOD, "visits/visits.go": GO_STORE}, {"visits/visits.go": after}), RULE)
    assert "`Visits.Reset`" in card.claim


def test_a_go_lock_that_ends_too_early(repo):
    after = GO_STORE.replace("\tdefer v.mu.Unlock()\n\tv.counts[page]++", "\tv.mu.Unlock()\n\tv.counts[page]++")
    (card,) = cards(review(repo, {**GO_MOD, "visits/visits.go": GO_STORE}, {"visits/visits.go": after}), RULE)
    assert card.claim.startswith("Removing")


def test_a_new_method_without_the_lock(repo):
    after = STORE.replace(
        "    def describe(self):",
        '    def pages(self):\n        """Names."""\n        return list(self._counts)\n\n    def describe(self):',
    )
    (card,) = cards(review(repo, {"visits.py": STORE}, {"visits.py": after}), "use_without_lock")
    assert "`_counts`" in card.claim


def test_a_new_helper_that_is_called_under_the_lock(repo):
    after = STORE.replace(
        "    def describe(self):",
        '    def _pages(self):\n        """Names."""\n        return list(self._counts)\n\n    def describe(self):',
    ).replace("            self._counts.clear()", "            self._pages()\n            self._counts.clear()")
    ended = review(repo, {"visits.py": STORE}, {"visits.py": after})
    assert codes(ended, "use_without_lock") == ["refuted"]


def test_a_go_method_in_another_file_without_the_lock(repo):
    more = "package visits\n\n// Pages lists names.\nfunc (v *Visits) Pages() int {\n\treturn len(v.counts)\n}\n"
    before = {**GO_MOD, "visits/visits.go": GO_STORE}
    after = GO_STORE.replace(
        "// Name is", "// Pages counts names.\nfunc (v *Visits) Pages() int {\n\treturn len(v.counts)\n}\n\n// Name is"
    )
    (card,) = cards(review(repo, before, {"visits/visits.go": after}), "use_without_lock")
    assert "`counts`" in card.claim
    assert more


def test_a_lock_taken_twice(repo):
    after = STORE.replace(
        "            self._counts.clear()", "            if self.total():\n                self._counts.clear()"
    )
    (card,) = cards(review(repo, {"visits.py": STORE}, {"visits.py": after}), "lock_taken_twice")
    assert "`self.total`" in card.claim


def test_a_reentrant_lock_taken_twice(repo):
    free = STORE.replace("threading.Lock()", "threading.RLock()")
    after = free.replace(
        "            self._counts.clear()", "            if self.total():\n                self._counts.clear()"
    )
    assert codes(review(repo, {"visits.py": free}, {"visits.py": after}), "lock_taken_twice") == ["refuted"]


def test_a_go_lock_taken_by_a_helper_of_its_holder(repo):
    calling = GO_STORE.replace("\tv.counts = map[string]int{}\n", "\tv.counts = map[string]int{}\n\tv.log()\n")
    calling += "\nfunc (v *Visits) log() {\n\tprintln(len(v.Name()))\n}\n"
    after = calling.replace(
        "\tprintln(len(v.Name()))", "\tv.mu.Lock()\n\tdefer v.mu.Unlock()\n\tprintln(len(v.Name()))"
    )
    (card,) = cards(
        review(repo, {**GO_MOD, "visits/visits.go": calling}, {"visits/visits.go": after}), "lock_taken_twice"
    )
    assert "`Visits.Reset`" in card.claim


def test_sleeping_under_a_lock(repo):
    before = STORE.replace(GUARDED, "        time.sleep(0.1)\n" + GUARDED).replace(
        "import threading", "import threading\nimport time"
    )
    after = before.replace(
        "        time.sleep(0.1)\n" + GUARDED, GUARDED.replace("_lock:\n", "_lock:\n            time.sleep(0.1)\n")
    )
    (card,) = cards(review(repo, {"visits.py": before}, {"visits.py": after}), "slow_under_lock")
    assert "`time.sleep`" in card.claim


def test_a_go_lock_that_became_one_for_readers(repo):
    shared = GO_STORE.replace("sync.Mutex", "sync.RWMutex")
    after = shared.replace(
        "v.mu.Lock()\n\tdefer v.mu.Unlock()\n\tv.counts[page]++",
        "v.mu.RLock()\n\tdefer v.mu.RUnlock()\n\tv.counts[page]++",
    )
    (card,) = cards(review(repo, {**GO_MOD, "visits/visits.go": shared}, {"visits/visits.go": after}), RULE)
    assert card.claim.startswith("Weakening `v.mu.Lock` to `v.mu.RLock`")


MARKS = """import threading

_lock = threading.Lock()
_seen = {}


def mark(page):
    with _lock:
        _seen[page] = True


def name():
    return "marks"


def unmark(page):
    with _lock:
        _seen.pop(page, None)
"""


def test_a_lock_of_the_module_that_went(repo):
    after = MARKS.replace("    with _lock:\n        _seen[page] = True\n", "    _seen[page] = True\n")
    (card,) = cards(review(repo, {"marks.py": MARKS}, {"marks.py": after}), RULE)
    assert "`unmark`" in card.claim


TOKENS = """import threading


class Tokens:
    def __init__(self, source):
        self._source = source
        self._lock = threading.Lock()
        self._token = None

    def get(self):
        if self._token is not None:
            return self._token
        with self._lock:
            if self._token is not None:
                return self._token
            self._token = self._source.fetch()
            return self._token

    def name(self):
        return "tokens"

    def drop(self):
        with self._lock:
            self._token = None
"""
RECHECK = "            if self._token is not None:\n                return self._token\n"


def test_a_test_that_was_made_again_under_the_lock(repo):
    after = TOKENS.replace(RECHECK, "")
    (card,) = cards(review(repo, {"tokens.py": TOKENS}, {"tokens.py": after}), "recheck_dropped")
    assert "`Tokens.drop`" in card.claim


def test_a_test_under_the_lock_of_what_is_not_set_there(repo):
    closed = TOKENS.replace(RECHECK, "            if self._source is None:\n                return None\n")
    after = TOKENS.replace(RECHECK, "")
    ended = review(repo, {"tokens.py": closed}, {"tokens.py": after})
    assert not cards(ended, "recheck_dropped")

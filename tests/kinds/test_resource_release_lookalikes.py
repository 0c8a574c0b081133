"""Calls that are named as if they gave something back, and do not."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.syntax.roles import role_of
from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.RESOURCE_RELEASE)
silent = partial(silence_of, kind=ChangeKind.RESOURCE_RELEASE)
RULE = "release_not_on_every_path"

CURSOR = {
    "go.mod": "module example.com/site\n\ngo 1.22\n",
    "read.go": """package site

import "errors"

// Site is what a file of settings says.
type Site struct{ root string }

func (s *Site) read(h *Tokens) error {
	segment := h.NextSegment()
	for segment.Next() {
		s.root = segment.Val()
	}

	segment.Reset()
	return s.more(segment)
}

func (s *Site) more(t *Tokens) error { return errors.New("none") }
""",
    "tokens.go": """package site

// Tokens are read one by one.
type Tokens struct{ at int }

func (t *Tokens) NextSegment() *Tokens { return &Tokens{} }
func (t *Tokens) Next() bool           { t.at++; return t.at < 3 }
func (t *Tokens) Val() string          { return "" }
func (t *Tokens) Reset()               { t.at = 0 }
func (t *Tokens) Close()               { t.at = -1 }
""",
    "main.go": """package site

// Run reads all of it.
func Run() error {
	s := &Site{}
	return s.read(&Tokens{})
}
""",
}
EXIT = ("read.go", "\t}\n\n\tsegment", '\t}\n\tif s.root == "" {\n\t\treturn errors.New("no root")\n\t}\n\n\tsegment')


@pytest.mark.slow
def test_going_back_to_the_start_gives_nothing_back(repo):
    assert silent(repo, CURSOR, RULE, EXIT) == []


@pytest.mark.slow
def test_closing_it_does(repo):
    closing = {**CURSOR, "read.go": CURSOR["read.go"].replace("segment.Reset()", "segment.Close()")}
    assert "segment.Close" in one_card(repo, closing, RULE, EXIT).claim


ROUTE = {
    "site/__init__.py": "",
    "site/work.py": '''"""Work on one order."""

from site.store import open_order, run_with_cleanup


def work(number):
    order = open_order(number)
    total = order.total()

    result = run_with_cleanup(order, total)
    return result


def main():
    return work(3)
''',
    "site/store.py": """def open_order(number):
    return Order(number)


def run_with_cleanup(order, total):
    return order.number + total
""",
}


@pytest.mark.slow
def test_a_call_that_is_asked_for_its_result_gives_nothing_back(repo):
    leaving = ("site/work.py", "total()\n\n", "total()\n    if total < 0:\n        return None\n\n")
    assert silent(repo, ROUTE, RULE, leaving) == []


REVOKES = {
    "site/__init__.py": "",
    "site/control.py": """from site.store import ok, revoke


def revoke_one(state, number):
    known = set(number)
    done = revoke(state, known)
    return ok(list(done))


def revoke_all(state, numbers):
    known = set(numbers)
    state.update(known)
    done = revoke(state, known)
    return ok(list(done))


def main(state):
    return revoke_all(state, [1]), revoke_one(state, [2])
""",
    "site/store.py": """def revoke(state, numbers):
    return numbers


def ok(found):
    return found
""",
}


@pytest.mark.slow
def test_a_set_holds_nothing_that_could_be_given_back(repo):
    gone = "    state.update(known)\n    done = revoke(state, known)\n    return ok(list(done))"
    kept = "    state.update(known)\n    return ok(list(state.terminate(numbers)))"
    assert silent(repo, REVOKES, RULE, ("site/control.py", gone, kept)) == []


NESTED = {
    "site/__init__.py": "",
    "site/trace.py": """from site.stack import pop_request, push_request


def trace(request, work, report):
    push_request(request)
    try:
        result = work(request)
    finally:
        try:
            report(request)
        finally:
            pop_request()
    return result


def main(requests):
    return [trace(one, len, print) for one in requests]
""",
    "site/stack.py": """STACK = []


def push_request(one):
    STACK.append(one)


def pop_request():
    return STACK.pop()
""",
}


@pytest.mark.slow
def test_a_finally_inside_a_finally_guards_from_the_first_try(repo):
    leaves = (
        "site/trace.py",
        "        result = work",
        "        if request is None:\n            raise ValueError(request)\n        result = work",
    )
    assert silent(repo, NESTED, RULE, leaves) == []


@pytest.mark.slow
def test_an_exit_in_front_of_that_try_is_a_way_past_it(repo):
    leaves = (
        "site/trace.py",
        "    try:\n        result",
        "    if not request:\n        raise ValueError(request)\n    try:\n        result",
    )
    assert "pop_request" in one_card(repo, NESTED, RULE, leaves).claim


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("run_with_cleanup", ""),
        ("stop_after_release", "close"),
        ("withLock", role_of("lock")),
        ("with_transaction", role_of("transaction")),
        ("getRelease", ""),
        ("is_close", ""),
        ("conn_close", "close"),
        ("cache_clear", "invalidate"),
        ("closeQuietly", "close"),
    ],
)
def test_the_role_is_that_of_the_verb(name, role):
    assert role_of(name) == role

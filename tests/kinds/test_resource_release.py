"""What is taken and not given back, on real repositories: cards, refutations, gaps and look-alikes."""

import pytest

from review_agent.vocabulary import ChangeKind
from tests.kinds.reviewing import cards, codes
from tests.kinds.reviewing import review as review_all
from tests.kinds.settling import source

pytestmark = pytest.mark.slow

LIVES = "release_not_on_every_path"
STORE = source(
    """
    from app.parsing import parse


    def load(path):
        with open(path) as handle:
            return parse(handle.read())


    def work(pool, row):
        conn = pool.getconn()
        try:
            parse(row)
            conn.execute(row)
        finally:
            pool.putconn(conn)


    def head(path):
        handle = open(path)
        line = handle.readline()
        handle.close()
        return line
    """
)
REPO = {
    "app/__init__.py": "",
    "app/store.py": STORE,
    "app/parsing.py": 'def parse(text):\n    if not text:\n        raise ValueError("no")\n    return text.split()\n',
    "app/api.py": source(
        """
        from app.store import head, load, work


        def view(request):
            return load(request.path)


        def run(request, pool):
            work(pool, request.row)
            return head(request.path)
        """
    ),
}


def review(repo, before, after):
    return review_all(repo, before, after, ChangeKind.RESOURCE_RELEASE)


def change(repo, before, after):
    assert before in STORE
    return review(repo, REPO, {"app/store.py": STORE.replace(before, after)})


def test_a_dropped_with_is_carded_with_who_calls(repo):
    ended = change(
        repo,
        "    with open(path) as handle:\n        return parse(handle.read())\n",
        "    handle = open(path)\n    return parse(handle.read())\n",
    )
    (card,) = cards(ended, LIVES)
    assert "`handle` open" in card.claim
    assert "`app/api.py` line 5 calls it" in card.claim


def test_a_release_out_of_its_finally_is_carded_with_what_raises(repo):
    ended = change(
        repo,
        "    try:\n        parse(row)\n        conn.execute(row)\n    finally:\n        pool.putconn(conn)\n",
        "    parse(row)\n    conn.execute(row)\n    pool.putconn(conn)\n",
    )
    (card,) = cards(ended, LIVES)
    assert "`parse` in line 11 fails with the `ValueError` of `app/parsing.py` line 1" in card.claim


def test_a_call_put_before_the_try_is_carded(repo):
    ended = change(
        repo,
        "    try:\n        parse(row)\n        conn",
        "    parse(row)\n    try:\n        conn",
    )
    (card,) = cards(ended, LIVES)
    assert "`parse`" in card.claim


def test_an_early_return_before_the_release_is_carded(repo):
    ended = change(repo, "readline()\n", "readline()\n    if not line:\n        return None\n")
    (card,) = cards(ended, LIVES)
    assert "`handle.close`" in card.claim


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    with open(path) as handle:\n        return parse(handle.read())\n", "    return open(path)\n"),
        (
            "    with open(path) as handle:\n        return parse(handle.read())\n",
            "    handle = open(path)\n    try:\n        return parse(handle.read())\n"
            "    finally:\n        handle.close()\n",
        ),
        (
            "    conn = pool.getconn()\n    try:\n        parse(row)\n        conn",
            "    parse(row)\n    conn = pool.getconn()\n    try:\n        conn",
        ),
        (
            "    handle = open(path)\n    line = handle.readline()\n    handle.close()\n",
            "    with open(path) as handle:\n        line = handle.readline()\n",
        ),
        ("readline()\n", "readline()\n    if not line:\n        handle.close()\n        return None\n"),
        ("    handle = open(path)\n", "    if not path:\n        return None\n    handle = open(path)\n"),
    ],
)
def test_other_owners_and_other_forms_stay_silent(repo, before, after):
    assert not [card for one in change(repo, before, after) for card in one.cards]


def test_without_anything_outside_the_change_it_is_left_open(repo):
    lone = source(
        """
        def load(path):
            with open(path) as handle:
                return handle.read()
        """
    )
    after = lone.replace(
        "    with open(path) as handle:\n        return", "    handle = open(path)\n    return"
    ).replace("    return handle", "    return handle")
    ended = review(repo, {"lone.py": lone}, {"lone.py": after})
    assert codes(ended, LIVES) == ["insufficient_evidence"]


HUB = source(
    """
    import socket


    class Hub:
        def __init__(self, bus):
            self.bus = bus
            self.sock = socket.create_connection(("a", 1))

        def start(self):
            self.bus.subscribe("x", self.on)

        def on(self, event):
            self.sock.send(event)

        def name(self):
            return "hub"

        def size(self):
            return 1

        def close(self):
            self.bus.unsubscribe("x", self.on)
            self.sock.close()
    """
)


@pytest.mark.parametrize(
    ("gone", "line"),
    [('            self.bus.unsubscribe("x", self.on)\n', 10), ("            self.sock.close()\n", 7)],
)
def test_a_counterpart_that_went_is_carded_at_what_takes(repo, gone, line):
    after = HUB.replace(gone.replace("            ", "        "), "")
    (card,) = cards(review(repo, {"hub.py": HUB}, {"hub.py": after}), "release_removed")
    assert f"`hub.py` line {line}" in card.claim


def test_a_counterpart_that_moved_to_a_helper_refutes(repo):
    after = HUB.replace(
        "        self.sock.close()\n", "        self.end()\n\n    def end(self):\n        self.sock.close()\n"
    )
    ended = review(repo, {"hub.py": HUB}, {"hub.py": after})
    assert not [card for one in ended for card in one.cards]


def test_what_is_not_taken_any_more_stays_silent(repo):
    after = HUB.replace('        self.bus.unsubscribe("x", self.on)\n', "").replace(
        '        self.bus.subscribe("x", self.on)\n', "        pass\n"
    )
    ended = review(repo, {"hub.py": HUB}, {"hub.py": after})
    assert not [card for one in ended for card in one.cards]


PAGES = source(
    """
    class Pages:
        def read(self, number):
            frame = self.pool.pin(number)
            data = bytes(frame)
            self.release(number)
            return data

        def count(self):
            return 3

        def release(self, number):
            self.pool.unpin(number)
    """
)


def test_a_release_that_takes_is_carded(repo):
    ended = review(repo, {"pages.py": PAGES}, {"pages.py": PAGES.replace("unpin(", "pin(")})
    (card,) = cards(ended, "release_replaced")
    assert "`pages.py` line 3 takes it by `pin` already" in card.claim


STATE = source(
    """
    import os


    def build():
        return os.listdir(".")


    def render(path):
        old = os.getcwd()
        os.chdir(path)
        try:
            return build()
        finally:
            os.chdir(old)
    """
)
PAGES_OF = "from state import render\n\n\ndef pages(paths):\n    return [render(path) for path in paths]\n"


@pytest.mark.parametrize(
    ("after", "count"),
    [
        ("    return build()\n", 1),
        ("    found = build()\n    os.chdir(old)\n    return found\n", 1),
        ("    try:\n        found = build()\n    finally:\n        os.chdir(old)\n    return found\n", 0),
    ],
)
def test_state_that_is_not_put_back(repo, after, count):
    before = "    try:\n        return build()\n    finally:\n        os.chdir(old)\n"
    files = {"state.py": STATE, "pages.py": PAGES_OF}
    ended = review(repo, files, {"state.py": STATE.replace(before, after)})
    found = cards(ended, "state_not_restored")
    assert len(found) == count
    assert all("`pages.py` line 5 calls it" in card.claim for card in found)


def test_a_setting_beside_others_that_are_put_back(repo):
    before = source(
        """
        class TestRates:
            def setUp(self):
                self.old = settings.CURRENCY
                settings.CURRENCY = "EUR"

            def test_one(self):
                self.assertEqual(settings.CURRENCY, "EUR")

            def test_two(self):
                self.assertTrue(settings.CURRENCY)

            def tearDown(self):
                settings.CURRENCY = self.old
        """
    )
    after = before.replace('"EUR"\n\n', '"EUR"\n        settings.LOCALE = "de"\n\n', 1)
    (card,) = cards(review(repo, {"tests/test_rates.py": before}, {"tests/test_rates.py": after}), "state_not_restored")
    assert "puts `CURRENCY` back" in card.claim


def test_a_helper_that_opens_and_loses_the_close(repo):
    after = STORE.replace(
        "    with open(path) as handle:\n        return parse(handle.read())\n", "    return parse(text_of(path))\n"
    )
    after += "\n\ndef text_of(path):\n    handle = open(path)\n    return handle.read()\n"
    (card,) = cards(review(repo, REPO, {"app/store.py": after}), LIVES)
    assert "`text_of` takes it" in card.claim
    assert "`app/api.py` line 5 calls `load`" in card.claim

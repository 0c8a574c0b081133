"""persistence: what is there goes before its replacement exists."""

from functools import partial

import pytest
import reviewing
from reviewing import cards, codes

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

review = partial(reviewing.review, kind=ChangeKind.PERSISTENCE)

INDEX = '''"""The search index."""

import json
import os

PATH = "index.json"


def build(pages):
    """Words of all pages."""
    if not pages:
        raise ValueError("no pages")
    return {page.name: page.words for page in pages}


def rebuild(store, pages):
    """A fresh index in place of the old one."""
    write(store, build(pages))
    store.delete_old(PATH)
    store.log("done")


def write(store, words):
    """Put it into the store."""
    if not words:
        raise RuntimeError("empty")
    store.put(PATH, json.dumps(words))


def lookup(word):
    """Pages of a word."""
    with open(PATH) as file:
        return json.load(file)[word]
'''


def test_a_deletion_that_moved_in_front(repo):
    after = INDEX.replace(
        "    write(store, build(pages))\n    store.delete_old(PATH)\n",
        "    store.delete_old(PATH)\n    write(store, build(pages))\n",
    )
    (card,) = cards(review(repo, {"index.py": INDEX}, {"index.py": after}), "destroyed_before_replaced")
    assert "`RuntimeError`" in card.claim


def test_a_deletion_in_front_inside_a_transaction(repo):
    before = INDEX.replace(
        "    write(store, build(pages))\n    store.delete_old(PATH)\n",
        "    with store.transaction():\n        write(store, build(pages))\n        store.delete_old(PATH)\n",
    )
    after = INDEX.replace(
        "    write(store, build(pages))\n    store.delete_old(PATH)\n",
        "    with store.transaction():\n        store.delete_old(PATH)\n        write(store, build(pages))\n",
    )
    ended = review(repo, {"index.py": before}, {"index.py": after})
    assert codes(ended, "destroyed_before_replaced") == ["refuted"]


def test_a_move_in_front_of_something_that_cannot_fail(repo):
    quiet = INDEX.replace('    if not words:\n        raise RuntimeError("empty")\n', "")
    after = quiet.replace(
        "    write(store, build(pages))\n    store.delete_old(PATH)\n",
        "    store.delete_old(PATH)\n    write(store, build(pages))\n",
    )
    ended = review(repo, {"index.py": quiet}, {"index.py": after})
    assert codes(ended, "destroyed_before_replaced") == ["insufficient_evidence"]


STATE = '''"""Kept state."""

import json
import os


class State:
    """A small file."""

    def __init__(self, path):
        self._path = path

    def save(self, values):
        """Write all."""
        temporary = self._path + ".new"
        with open(temporary, "w") as file:
            json.dump(values, file)
        os.replace(temporary, self._path)

    def describe(self):
        """For the log."""
        return "state"

    def load(self):
        """Read all."""
        with open(self._path) as file:
            return json.load(file)
'''


def test_a_file_that_is_now_written_in_place(repo):
    after = (
        STATE.replace('        temporary = self._path + ".new"\n', "")
        .replace("open(temporary", "open(self._path")
        .replace("        os.replace(temporary, self._path)\n", "")
    )
    (card,) = cards(review(repo, {"state.py": STATE}, {"state.py": after}), "written_in_place")
    assert "`State.load`" in card.claim


def test_a_file_that_another_rename_puts_in_place(repo):
    after = STATE.replace("os.replace(temporary, self._path)", "Path(temporary).rename(self._path)")
    assert not cards(review(repo, {"state.py": STATE}, {"state.py": after}), "written_in_place")


GO = """package state

import "os"

// Store keeps one file.
type Store struct {
	path string
}

// Save writes all.
func (s *Store) Save(data []byte) error {
	tmp := s.path + ".new"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, s.path)
}

// Name is for the log.
func (s *Store) Name() string {
	return "state"
}

// Load reads all.
func (s *Store) Load() ([]byte, error) {
	return os.ReadFile(s.path)
}
"""


def test_a_go_file_that_is_now_written_in_place(repo):
    inplace = GO.replace('	tmp := s.path + ".new"\n	if err := ', "	if err := ").replace(
        "WriteFile(tmp", "WriteFile(s.path"
    )
    after = inplace.replace("return os.Rename(tmp, s.path)", "return nil")
    base = {"go.mod": "module example.com/state\n\ngo 1.22\n", "state/state.go": GO}
    (card,) = cards(review(repo, base, {"state/state.go": after}), "written_in_place")
    assert "`Store.Load`" in card.claim


PURGE = '''"""Purging."""


def purge(store, older_than, confirmed):
    """Erase what is old."""
    rows = store.older(older_than)
    if confirmed and not store.locked:
        store.delete_all(rows)
    return len(rows)
'''
TOOL = '''"""Command line."""

from app.purge import purge


def preview(store):
    """Say what would go."""
    return purge(store, 30, False)


def run(store):
    """Erase."""
    return purge(store, 30, True)
'''
TOOLS = {"app/__init__.py": "", "app/purge.py": PURGE, "app/cli.py": TOOL}


def test_a_condition_that_lets_more_through(repo):
    after = PURGE.replace("confirmed and not", "confirmed or not")
    (card,) = cards(review(repo, TOOLS, {"app/purge.py": after}), "store_condition_changed")
    assert "`preview`" in card.claim


def test_a_condition_whose_parts_nobody_separates(repo):
    quiet = TOOL.replace("30, False", "30, store.confirmed").replace("30, True", "30, store.confirmed")
    after = PURGE.replace("confirmed and not", "confirmed or not")
    ended = review(repo, {**TOOLS, "app/cli.py": quiet}, {"app/purge.py": after})
    assert codes(ended, "store_condition_changed") == ["insufficient_evidence"]


def test_a_condition_around_something_that_stores_nothing(repo):
    plain = PURGE.replace("store.delete_all(rows)", "print(rows)")
    after = plain.replace("confirmed and not", "confirmed or not")
    ended = review(repo, {**TOOLS, "app/purge.py": plain}, {"app/purge.py": after})
    assert codes(ended, "store_condition_changed") == []

"""A deleted test that alone gave one value in two places of a call."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.TEST_REMOVAL)
silent = partial(silence_of, kind=ChangeKind.TEST_REMOVAL)
RULE = "test_removed_code_lives"

SAME = """

def test_move_onto_itself():
    shelf = Shelf(["a"])
    shelf.move("a", "a")
"""
BEFORE = {
    "shelf/__init__.py": "",
    "shelf/shelf.py": '''"""A shelf."""


class Shelf:
    def __init__(self, names):
        self.names = names

    def move(self, old, new):
        self.names.remove(old)
        self.names.append(new)
''',
    "tests/test_shelf.py": f"""from shelf.shelf import Shelf


def test_move():
    shelf = Shelf(["a"])
    shelf.move("a", "b")
    assert shelf.names == ["b"]
{SAME}""",
}
GONE = ("tests/test_shelf.py", SAME, "")


def test_the_only_call_with_one_value_twice(repo):
    card = one_card(repo, BEFORE, RULE, GONE)
    assert "`shelf/shelf.py` line 8" in card.claim
    assert card.effect.subject == "test_move_onto_itself"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('shelf.move("a", "b")', 'shelf.move("b", "b")'),
        ("test_move_onto_itself", "test_move_of_one"),
        ('shelf.move("a", "a")', 'shelf.move("a", "c")'),
    ],
    ids=["another test does it", "its name is of something else", "two values"],
)
def test_look_alikes(repo, old, new):
    before = {**BEFORE, "tests/test_shelf.py": BEFORE["tests/test_shelf.py"].replace(old, new)}
    assert silent(repo, before, RULE, ("tests/test_shelf.py", SAME.replace(old, new), "")) == ["refuted"]

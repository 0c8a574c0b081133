"""A result that is kept by hand: handed out in any layout, handed to nobody, or perhaps in what was not read."""

import pytest
from reviewing import cards, review
from settling import source

from review_agent.kinds.bodies import results

pytestmark = pytest.mark.slow

RULE = "memo_of_changing_state"
CART = source("""
    class Cart:
        def __init__(self, items):
            self.items = items
            self.seen = 0
            self._total = None

        def add(self, item):
            self.items.append(item)

        def owner(self):
            print(self.seen)
            return None

        def total(self):
            return sum(self.items)
""")


def kept(end, count=0):
    steps = "".join(f"        trace({n})\n" for n in range(count))
    made = f"        if self._total is None:\n            self._total = sum(self.items)\n{steps}{end}"
    return CART.replace("        return sum(self.items)\n", made)


def ended(repo, after):
    return [one for one in review(repo, {"cart.py": CART}, {"cart.py": after}) if one.rule == RULE]


HANDED = [
    "        return self._total\n",
    "        return (\n            self._total\n        )\n",
    "        return round(\n            self._total,\n            2,\n        )\n",
    "        return {\n            'total': self._total,\n        }\n",
    "        return 1 + \\\n            self._total\n",
    "        result = self._total\n        return (\n            result\n        )\n",
]


@pytest.mark.parametrize("end", HANDED)
def test_what_is_kept_is_handed_out_in_any_layout(repo, end):
    assert len(cards(ended(repo, kept(end)), RULE)) == 1


@pytest.mark.parametrize(
    "end",
    [
        "        self.seen = len(self.items)\n",
        "        return {\n            '_total': len(self.items),\n        }\n",
        "        if self.seen:\n            return\n        self.seen = self._total\n",
        "        return (\n            len(self.items)\n        )\n        print(self._total)\n",
    ],
)
def test_what_is_kept_is_handed_to_nobody(repo, end):
    assert {one.code for one in ended(repo, kept(end))} == {"no_candidate"}


def test_a_function_that_was_not_read_to_its_end_may_hand_it_out(repo):
    assert [one.code for one in ended(repo, kept(HANDED[0], 170))] == ["insufficient_evidence"]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("return a\nb", " a"),
        ("return (\n  a\n)\nb", " (\n  a\n)"),
        ("return a\n  .c\nb", " a\n  .c"),
        ("return a ||\n  c\nb", " a ||\n  c"),
        ("if (x) { return a }\nb", " a "),
        ("return a; b", " a"),
        ("return\nb", ""),
        ("return ')'\nb", " ')'"),
    ],
)
def test_a_return_gives_what_stands_to_the_end_of_its_statement(text, given):
    assert results(text) == given

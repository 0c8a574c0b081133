"""Likeness at a bounded cost."""

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from review_agent.syntax.matching import Matcher

ITEMS = st.lists(st.sampled_from("abcde"), max_size=30)


@given(ITEMS, ITEMS)
def test_small_sequences_are_matched_as_difflib_matches_them(one, other):
    plain = SequenceMatcher(None, one, other, autojunk=False)
    assert Matcher(one, other).get_opcodes() == plain.get_opcodes()


def test_sequences_of_like_items_are_cut():
    """A hundred thousand like items against as many would take days."""
    (block, _) = Matcher("x" * 100_000, "x" * 100_000).get_matching_blocks()
    assert (block.a, block.b, block.size) == (0, 0, 1_000)


def test_long_sequences_with_few_like_items_are_compared_whole():
    one = [str(number) for number in range(20_000)]
    assert Matcher(one, [*one[:10_000], "new", *one[10_000:]]).ratio() > 0.99

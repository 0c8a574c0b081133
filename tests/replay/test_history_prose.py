"""Documentation among the lines of a file: what a fix takes away there mended nothing."""

import pytest

from review_agent.replay.history_prose import prose_lines

PYTHON = '''"""Carts of a shop."""

TEXT = """
select price
"""


def total(cart):
    """The sum.

    Of all prices.
    """
    return sum(cart.prices)  # """no"""


class Cart:
    r\'\'\'One \'\'\'
    size = 4
'''
GO = "package shop\n\n/* Total is\nthe sum. */\nfunc Total() int {\n\treturn 1 /* one */\n}\n"


@pytest.mark.parametrize(
    ("path", "text", "prose"),
    [("shop/cart.py", PYTHON, {1, 9, 10, 11, 12, 17}), ("cart.go", GO, {3, 4})],
    ids=["docstrings", "block comments"],
)
def test_documentation_is_told_from_code_and_from_strings_that_are_used(path, text, prose):
    assert prose_lines(path, text) == prose

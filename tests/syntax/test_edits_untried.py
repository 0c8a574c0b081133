"""Files of code that came without a test file, told by the paths at head."""

import pytest
from differences import change_of

from review_agent.syntax.edits.untried import untried
from review_agent.vocabulary import EditOp

CODE = "".join(f"def step_{n}():\n    return {n}\n" for n in range(12))
BESIDE = ["shop/carts.py", "shop/orders.py", "shop/prices.py"]
TESTS = ["tests/test_carts.py", "tests/test_orders.py", "shop/prices_test.py"]


def of(paths, path="shop/vouchers.py", old=None):
    return untried(change_of(old, CODE, path), [path, *paths])


def test_a_file_without_a_test_among_those_that_have_one():
    (edit,) = of(BESIDE + TESTS)
    assert (edit.op, edit.subject, edit.start_line) == (EditOp.FILE_UNTESTED, "shop/vouchers.py", 1)
    assert edit.facts["tested"] == tuple(BESIDE)
    assert edit.facts["tests"] == tuple(TESTS)
    assert edit.facts["every"] is True


def test_one_in_four_may_have_none():
    (edit,) = of([*BESIDE, "shop/refunds.py", *TESTS])
    assert edit.facts["every"] is False


@pytest.mark.parametrize(
    "paths",
    [
        BESIDE,
        BESIDE[:2] + TESTS[:2],
        [*BESIDE, "shop/refunds.py", "shop/returns.py", *TESTS],
        [*BESIDE, *TESTS, "tests/unit/test_vouchers.py"],
        [one.replace("shop/", "else/") for one in BESIDE] + TESTS,
    ],
)
def test_none_where_it_is_no_exception(paths):
    assert of(paths) == ()


def test_none_of_a_file_that_stood_before():
    assert of(BESIDE + TESTS, old="X = 1\n") == ()

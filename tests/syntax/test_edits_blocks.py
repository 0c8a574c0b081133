"""Edits of runs of code that came, told by their telling lines."""

import pytest
from differences import change_of

from review_agent.syntax.edits.blocks_added import added_blocks
from review_agent.vocabulary import EditOp

LINES = [f"    total_{n} = price_of(order, {n}) * count_of(order, {n}) + {n}\n" for n in range(24)]


def of(new, old="", path="shop/a.py"):
    return added_blocks(change_of(old, new, path))


def test_a_block_and_how_far_its_lines_stand_apart():
    (edit,) = of("".join([*LINES[:2], "\n", "    # and\n", *LINES[2:6]]))
    assert edit.op is EditOp.BLOCK_ADDED
    assert edit.facts["keys"] == tuple(line.strip() for line in LINES[:6])
    assert edit.facts["offsets"] == ("0", "1", "4", "5", "6", "7")
    assert (edit.start_line, edit.end_line) == (1, 8)


@pytest.mark.parametrize(("lines", "last"), [(9, "8"), (16, "15"), (24, "15")])
def test_of_a_long_block_eight_lines_and_once(lines, last):
    (edit,) = of("".join(LINES[:lines]))
    assert len(set(edit.facts["offsets"])) == 8
    assert edit.facts["offsets"][-1] == last


def test_at_most_two_a_hunk():
    new = "\n".join(f"def part_{n}(order):\n" + "".join(LINES[8 * n : 8 * n + 7]) for n in range(3))
    assert len(of(new)) == 2


def test_functions_are_told_apart():
    new = "def first(order):\n" + "".join(LINES[:7]) + "\n\ndef second(order):\n" + "".join(LINES[8:15])
    assert [edit.start_line for edit in of(new)] == [1, 11]


@pytest.mark.parametrize("path", ["shop/a.md", "tests/test_a.py", "shop/migrations/a.py", "dist/a.js", "a.config.js"])
def test_none_of_what_is_no_code_of_the_product(path):
    assert of("".join(LINES), path=path) == ()


@pytest.mark.parametrize(
    "new",
    [
        "".join(LINES[:4]),
        "".join(f"import package_{n}.module_{n}.{'x' * 30}\n" for n in range(8)),
        "".join(f"    # a remark that is long enough to count, number {n}\n" for n in range(8)),
        "".join(f'    "name_{n}": "value that is long enough",\n' for n in range(8)),
    ],
)
def test_none_of_what_tells_too_little(new):
    assert of(new) == ()


def test_none_of_what_only_moved_within_the_file():
    old = "".join(LINES[:8]) + "\n" + "".join(f"    step_{n} = other_of({n})\n" for n in range(12))
    new = "".join(f"    step_{n} = other_of({n})\n" for n in range(12)) + "\n" + "".join(LINES[:8])
    assert of(new, old) == ()

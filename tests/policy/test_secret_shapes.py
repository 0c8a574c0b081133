"""What the shipped patterns mask and what they leave: the bars are 39 of 40 shapes and 1 of 60 look-alikes."""

from __future__ import annotations

import pytest
from secret_shapes import LOOK_ALIKES, SHAPES

from review_agent.policy.load import load


@pytest.fixture(scope="module")
def mask():
    return load().masker()


@pytest.mark.parametrize(("name", "before", "value", "after"), SHAPES, ids=[shape[0] for shape in SHAPES])
def test_the_value_goes_and_what_stands_around_it_stays(mask, name, before, value, after):
    text = f"x = 1\n{before}{value}{after}\ny = 2\n"
    masked = mask(text)
    assert not any(part in masked for part in value.split("\n"))
    assert masked.count("\n") == text.count("\n")
    start = before.rsplit("\n", 1)[-1]
    assert masked.startswith(f"x = 1\n{before}") or start in masked
    assert masked.endswith(f"{after}\ny = 2\n")


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_a_secret_is_left(mask, text):
    assert mask(f"x = 1\n{text}\ny = 2\n") == f"x = 1\n{text}\ny = 2\n"


def test_there_are_enough_of_both():
    assert len(SHAPES) >= 40
    assert len(LOOK_ALIKES) >= 60

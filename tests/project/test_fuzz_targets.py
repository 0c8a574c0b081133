"""What is fuzzed at length elsewhere takes its own seeds, and bytes of any kind, in every run of the suite."""

from __future__ import annotations

import random
import sys
from itertools import islice
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "bench")]

from fuzz_targets import TARGETS, seeds  # noqa: E402 - bench/ is no package

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_its_seeds_and_any_bytes(name):
    run = TARGETS[name][1]()
    given = list(islice(seeds(name), 40))
    assert given
    random_bytes = random.Random(7)
    for seed in given:
        run(seed)
        run(bytes(random_bytes.choice((one, random_bytes.randrange(256))) for one in seed))
    for length in range(60):
        run(random_bytes.randbytes(length))

"""The set of attempts stands: each is told apart, and every act of an obeying engine is tried by one."""

from attempts import ATTEMPTS
from obeying import ACTS


def test_the_set_stands_and_every_act_is_tried() -> None:
    assert len(ATTEMPTS) >= 80
    assert len({attempt.name for attempt in ATTEMPTS}) == len(ATTEMPTS)
    assert {attempt.act for attempt in ATTEMPTS} == set(ACTS)

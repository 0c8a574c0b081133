"""Nothing is concluded from finding nothing where the search for it was cut."""

import pytest
from changing import changed
from reviewing import cards, review

pytestmark = pytest.mark.slow

RULE = "written_key_gone"
READ = '''"""Reads an order."""


def show(message):
    return message["placed_by"], message["grand_total"]
'''
APP = {
    "app/orders.py": '''"""Writes an order."""


def publish(order, bus):
    bus.publish({"placed_by": order.buyer, "grand_total": order.total})
''',
    "app/reader.py": READ,
}
GONE = ("app/orders.py", '"placed_by": order.buyer, ', "")


def ended(repo, before):
    return review(repo, before, changed(before, GONE))


def test_a_reader_of_a_key_that_nothing_writes(repo):
    assert len(cards(ended(repo, APP), RULE)) == 1


def test_a_search_for_writers_that_was_cut(repo):
    many = {f"app/reader_{number}.py": READ for number in range(12)}
    found = ended(repo, {**APP, **many})
    assert [one.code for one in found if one.rule == RULE] == ["budget_exhausted"]


DEEP = f"x = {'(' * 5_000}1{')' * 5_000}\n\nbus.publish({{'placed_by': 1}})\n"
UNREAD = {
    "too_deep_to_parse": {"app/more.py": DEEP},
    "too_large_to_read": {"app/more.py": "bus.publish({'placed_by': 1})\n" + "x = 1\n" * 200_000},
    "made_by_a_program": {"app/more_pb2.py": "bus.publish({'placed_by': 1})\n"},
}


@pytest.mark.parametrize("name", UNREAD)
def test_a_writer_may_stand_where_nobody_could_read(repo, name):
    found = ended(repo, {**APP, **UNREAD[name]})
    assert [one.code for one in found if one.rule == RULE] == ["insufficient_evidence"]

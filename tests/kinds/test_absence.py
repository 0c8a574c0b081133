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


LIB = {"app/__init__.py": "", "app/lib.py": '"""A library."""\n\n\ndef show(order):\n    return order.total\n'}
RENAMED = ("app/lib.py", "def show(", "def show_it(")
GIVEN = {
    f"other/view_{number:02}.py": f"def view(order, app):\n    return app.show(order, {number})\n"
    for number in range(20)
}
IMPORTER = {"app/api.py": '"""Serves."""\n\nfrom app.lib import show\n\n\ndef serve(order):\n    return show(order)\n'}


def of_renamed(found):
    return [one for one in found if one.rule == "symbol_renamed_still_referenced"]


def test_one_resolved_use_settles_that_a_name_is_used_still(repo):
    (one,) = of_renamed(ended_with(repo, {**LIB, **IMPORTER, **GIVEN}))
    (card,) = one.cards
    assert "breaks `app/api.py` line 3" in card.claim


def test_uses_of_something_unknown_settle_nothing_where_the_search_was_cut(repo):
    (one,) = of_renamed(ended_with(repo, {**LIB, **GIVEN}))
    assert (one.cards, one.code) == ((), "budget_exhausted")


def test_only_a_whole_search_finds_that_nobody_uses_a_name(repo):
    (one,) = of_renamed(ended_with(repo, LIB))
    assert (one.cards, one.code) == ((), "no_candidate")


def ended_with(repo, before):
    return review(repo, before, changed(before, RENAMED))

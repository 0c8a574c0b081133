"""Guards that went or were loosened, from real source on both sides; and the many ways in which they live on."""

import pytest
from differences import between, told

from review_agent.vocabulary import EditOp, Side

REMOVED, WEAKENED = EditOp.GUARD_REMOVED, EditOp.GUARD_WEAKENED


def body(text):
    return "def f(order, strict=False):\n" + "".join(f"    {line}\n" for line in text.strip("\n").split("\n"))


def python(before, after):
    return between(body(before), body(after), "python", REMOVED, WEAKENED)


GUARD = """
if order is None:
    return 0
total = order.net + 1
return total
"""


def test_a_guard_that_went_while_what_it_guarded_stays():
    (edit,) = python(GUARD, "total = order.net + 1\nreturn total")
    assert (edit.op, edit.side, edit.start_line, edit.end_line) == (REMOVED, Side.OLD, 2, 2)
    assert edit.facts == {
        "test": "order is None",
        "testKind": "none",
        "action": "return",
        "subjects": ("order",),
        "function": "f",
        "guardedStart": 2,
        "guardedEnd": 3,
        "literalStart": 0,
        "origin": "",
        "used": True,
        "body": "return 0",
        "following": (),
        "decorators": (),
        "within": (),
        "held": (),
    }
    assert edit.before == "if order is None: return 0"


def test_a_guard_that_went_while_the_next_line_changed_too():
    found = python(GUARD, "total = order.net + order.tax + 1\nreturn total")
    assert told(found) == [("guard_removed", "order")]


def test_a_wrapping_guard_that_went_while_its_body_stays():
    before = "if order.open:\n    order.close()\n    order.save()\nreturn order"
    after = "order.close()\norder.save()\nreturn order"
    assert told(python(before, after)) == [("guard_removed", "order.open")]


@pytest.mark.parametrize(
    "after",
    [
        # not used any more
        "return 1",
        # turned round
        "if order is not None:\n    total = order.net + 1\n    return total\nreturn 0",
        "if order is None:\n    total = 0\nelse:\n    total = order.net + 1\nreturn total",
        # says at least as much
        "if not order:\n    return 0\ntotal = order.net + 1\nreturn total",
        "if order is None or strict:\n    return 0\ntotal = order.net + 1\nreturn total",
        "if None is order: return 0\ntotal = order.net + 1\nreturn total",
        # another way to say it
        "total = order.net + 1 if order is not None else 0\nreturn total",
        "assert order is not None\ntotal = order.net + 1\nreturn total",
        "try:\n    total = order.net + 1\nexcept AttributeError:\n    return 0\nreturn total",
        "require(order)\ntotal = order.net + 1\nreturn total",
        "order = order or Order()\ntotal = order.net + 1\nreturn total",
        "match order:\n    case None:\n        return 0\ntotal = order.net + 1\nreturn total",
        # tested for something else as well
        "if not order or order.void:\n    return 0\ntotal = order.net + 1\nreturn total",
        # only moved
        "note(strict)\nif order is None:\n    return 0\ntotal = order.net + 1\nreturn total",
    ],
)
def test_a_guard_that_lives_on(after):
    assert [one for one in python(GUARD, after) if one.op is REMOVED] == []


def test_a_guard_that_moved_into_a_helper():
    old = body(GUARD)
    new = "def check(value):\n    if value is None:\n        raise ValueError(value)\n\n\n" + body(
        "check(order)\ntotal = order.net + 1\nreturn total"
    )
    assert told(between(old, new, "python", REMOVED)) == []


def test_a_guard_under_another_name_for_the_same_thing():
    old = body("found = load(order)\nif found is None:\n    return 0\nreturn found.net")
    new = body("loaded = load(order)\nif loaded is None:\n    return 0\nreturn loaded.net")
    assert told(between(old, new)) == []


def test_a_guard_that_went_with_the_branch_it_stood_in():
    before = "if order.kind == 'a':\n    if order.size < 0:\n        raise ValueError\n    grow(order)\nreturn order"
    assert told(python(before, "return order")) == []


def test_a_special_case_that_became_the_rule():
    before = "if order.big:\n    return pack(order)\nreturn send(order)"
    assert told(python(before, "return pack(order)")) == []


def test_a_repair_that_a_new_default_makes_needless():
    old = "def f(order, rate=None):\n    if rate is None:\n        rate = 2\n    return order * rate\n"
    new = "def f(order, rate=2):\n    return order * rate\n"
    assert told(between(old, new, "python", REMOVED)) == []


def test_dropping_support_for_a_platform_lets_no_value_through():
    old = "import sys\n\n\ndef f(a):\n    if sys.version_info > (3, 8):\n        run(a)\n    return sys.version_info\n"
    new = "import sys\n\n\ndef f(a):\n    run(a)\n    return sys.version_info\n"
    assert told(between(old, new, "python", REMOVED)) == []


def test_an_assertion_guards_code_but_not_in_a_test():
    old = "def f(a):\n    assert a\n    return a.b\n"
    new = "def f(a):\n    return a.b\n"
    assert told(between(old, new, "python", REMOVED)) == [("guard_removed", "a")]
    tested = [text.replace("def f", "def test_f") for text in (old, new)]
    assert told(between(*tested, path="tests/test_a.py")) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("not order", "not order and strict"),
        ("not order or order.void", "not order"),
        ("len(order) > 10", "len(order) > 100"),
        ("order.n <= 0", "order.n < 0"),
        ("0 >= order.n", "order.n < 0"),
        ("not order", "order is None"),
        ("not isinstance(order, A)", "not isinstance(order, (A, B))"),
        ("not (order and strict)", "not order"),
    ],
)
def test_a_test_that_refuses_less_is_weakened(before, after):
    frame = "if {}:\n    raise ValueError(order)\nreturn order"
    (edit,) = python(frame.format(before), frame.format(after))
    assert (edit.op, edit.side, edit.start_line) == (WEAKENED, Side.NEW, 2)
    assert (edit.facts["beforeTest"], edit.facts["afterTest"]) == (before, after)
    assert told(python(frame.format(after), frame.format(before))) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a < b", "b > a"),
        ("not a == b", "a != b"),
        ("a and b", "b and a"),
        ("not (a or b)", "not a and not b"),
        ("a == 'x'", 'a == "x"'),
        ("(a)", "a"),
    ],
)
def test_the_same_test_in_other_words(before, after):
    frame = "if {}:\n    raise ValueError(order)\nreturn order + a + b"
    assert told(python(frame.format(before), frame.format(after))) == []


def test_a_lost_alternative_that_has_a_guard_of_its_own():
    before = "if order is None or order.void:\n    return 0\nreturn order.net"
    after = "if order is None:\n    return 0\nif order.void:\n    return 1\nreturn order.net"
    assert told(python(before, after)) == []


GO = """
package p

func Allow(route *Route, caller string) bool {
	if route.Quota == nil {
		return true
	}
	return route.Quota.take(caller)
}
"""


def test_go_guards():
    after = GO.replace("\tif route.Quota == nil {\n\t\treturn true\n\t}\n", "")
    (edit,) = between(GO, after, "go", REMOVED)
    assert (edit.subject, edit.facts["testKind"], edit.facts["action"]) == ("route.Quota", "none", "return")
    swapped = GO.replace(
        "== nil {\n\t\treturn true\n\t}\n\treturn route.Quota.take(caller)",
        "!= nil {\n\t\treturn route.Quota.take(caller)\n\t}\n\treturn true",
    )
    assert told(between(GO, swapped, "go", REMOVED, WEAKENED)) == []
    narrower = GO.replace("route.Quota == nil", 'route.Quota == nil && caller != ""')
    assert told(between(GO, narrower, "go", REMOVED, WEAKENED)) == [("guard_weakened", "route.Quota")]


def test_gos_error_checks_are_no_guards():
    look = "\tif err != nil {\n\t\treturn err\n\t}\n"
    old = f"package p\n\nfunc f() error {{\n\terr := g()\n{look}\tuse(err)\n\treturn nil\n}}\n"
    new = old.replace(look, "")
    assert told(between(old, new, "go", REMOVED, WEAKENED)) == []


def test_a_test_for_nothing_that_gave_way_to_a_look_into_it():
    before = "if order is None:\n    return 0\nreturn order.net + 1"
    after = "if order.net == 0:\n    return 0\nreturn order.net + 1"
    assert told(python(before, after)) == [("guard_removed", "order")]


def test_a_test_for_nothing_that_came_to_ask_for_more():
    before = "if order is None:\n    return 0\nreturn order.net + 1"
    after = "if order is None or order.net == 0:\n    return 0\nreturn order.net + 1"
    assert python(before, after) == []

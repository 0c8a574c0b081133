"""Edits of what a test would have to show: refusals that came, and cases and options that came to others."""

import pytest
from differences import between

from review_agent.vocabulary import EditOp

BASE = """
def place(order, kind):
    account = order.account
    if kind == "fast":
        return 1
    elif kind == "slow":
        return 2
    return account
"""
ACCOUNT = "    account = order.account\n"
REFUSES = """    if not order.lines:
        raise ValueError(
            "an order "
            "without lines"
        )
"""


def of(op, old, new, language="python"):
    return between(old, new, language, op)


def test_a_refusal_behind_a_new_condition():
    (edit,) = of(EditOp.REFUSAL_ADDED, BASE, BASE.replace(ACCOUNT, REFUSES + ACCOUNT))
    assert (edit.subject, edit.facts["function"]) == ("ValueError", "place")
    assert (edit.facts["test"], edit.facts["message"]) == ("not order.lines", "an order without lines")


@pytest.mark.parametrize(
    "before",
    [
        "    check_lines(order)\n",
        '    if not order.lines:\n        raise ValueError("none")\n',
        "    assert order.lines\n",
    ],
)
def test_a_refusal_in_the_place_of_another(before):
    assert not of(
        EditOp.REFUSAL_ADDED, BASE.replace(ACCOUNT, before + ACCOUNT), BASE.replace(ACCOUNT, REFUSES + ACCOUNT)
    )


@pytest.mark.parametrize(
    "refuses",
    [
        "    if not order.lines:\n        raise NotImplementedError('lines are missing here')\n",
        "    if not order.lines:\n        raise ValueError\n",
        "    if order.error:\n        raise ValueError('it failed before: %s' % order.name, error)\n",
        "    raise ValueError('orders are placed elsewhere')\n",
    ],
)
def test_what_is_no_refusal_of_its_own(refuses):
    assert not of(EditOp.REFUSAL_ADDED, BASE, BASE.replace(ACCOUNT, refuses + ACCOUNT))


def test_a_refusal_in_go():
    old = "package a\n\nfunc Add(n int) error {\n\treturn store(n)\n}\n"
    more = '\tif n < 0 {\n\t\treturn fmt.Errorf("count %d is negative", n)\n\t}\n'
    (edit,) = of(EditOp.REFUSAL_ADDED, old, old.replace("\treturn store", more + "\treturn store"), "go")
    assert (edit.subject, edit.facts["test"]) == ("fmt.Errorf", "n < 0")


def test_a_case_of_a_chain():
    last = "        return 2\n"
    (edit,) = of(EditOp.CASE_ADDED, BASE, BASE.replace(last, last + '    elif kind == "late":\n        return 3\n'))
    assert (edit.subject, edit.facts["form"], edit.facts["beside"]) == ("late", "case", ("slow", "fast"))


def test_a_case_that_the_file_knew():
    last = "        return 2\n"
    old = BASE + 'LATE = "late"\n'
    assert not of(EditOp.CASE_ADDED, old, old.replace(last, last + '    elif kind == "late":\n        return 3\n'))


SWITCH = """package a

func Set(name string) {
	switch name {
	case "size":
		one()
	case "keep", "hold":
		if ok {
			two()
		}
	}
	switch other {
	case "apart":
		three()
	}
}
"""


def test_a_case_of_a_switch():
    new = SWITCH.replace('\tcase "keep"', '\tcase "local":\n\t\tfour()\n\tcase "keep"')
    (edit,) = of(EditOp.CASE_ADDED, SWITCH, new, "go")
    assert (edit.subject, edit.facts["beside"]) == ("local", ("size", "keep", "hold"))


def test_an_option_of_a_command_line():
    old = 'def make(p):\n    p.add_argument("--input")\n    p.add_argument("--output")\n    return p\n'
    (edit,) = of(EditOp.CASE_ADDED, old, old.replace("    return", '    p.add_argument("--dry-run")\n    return'))
    assert (edit.subject, edit.facts["form"], edit.facts["beside"]) == ("dry-run", "flag", ("output", "input"))


def test_an_option_with_a_letter():
    old = 'def make(p):\n    p.add_argument("--input")\n    p.add_argument("--output")\n    return p\n'
    assert not of(
        EditOp.CASE_ADDED, old, old.replace("    return", '    p.add_argument("-n", "--dry-run")\n    return')
    )

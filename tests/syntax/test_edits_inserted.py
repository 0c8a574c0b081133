"""Edits of lines that came between others, and of comments that name another function."""

import pytest
from differences import between

from review_agent.vocabulary import EditOp

BASE = """
def place(session, request):
    account = session.account(request.user)
    total = sum_of(request.lines)
    entry = session.open(account, total)
    return entry.number
"""
ENTRY = "    entry = session.open(account, total)\n"
CHECK = "    account.refuse_if_blocked(request)\n"


def of(op, old, new, language="python"):
    return between(old, new, language, op)


def test_a_line_that_came_between_others():
    (edit,) = of(EditOp.LINES_INSERTED, BASE, BASE.replace(ENTRY, CHECK + ENTRY))
    assert edit.subject == "account.refuse_if_blocked(request)"
    assert edit.facts["keys"] == (
        "account = session.account(request.user)",
        "total = sum_of(request.lines)",
        "entry = session.open(account, total)",
    )
    assert edit.facts["offsets"] == ("-2", "-1", "1")


@pytest.mark.parametrize(
    "new",
    [
        BASE.replace(ENTRY, "    # The account may be blocked by now.\n" + ENTRY),
        BASE.replace(ENTRY, "    limit = account.limit()\n" + ENTRY).replace("entry.number", "entry.number, limit"),
        BASE.replace("    account =", "    refuse(request)\n    account ="),
        BASE + "\n\ndef take_back(session):\n    return session.back()\n",
    ],
)
def test_remarks_parts_of_more_and_new_functions(new):
    assert not of(EditOp.LINES_INSERTED, BASE, new)


GO = """package out

// SetOut sets where results go.
func SetOut(w int) {
	out = w
}
"""


@pytest.mark.parametrize(
    ("comment", "count"), [("SetOut sets where input is", 1), ("SetIn sets it", 0), ("Sets where input is", 0)]
)
def test_a_comment_that_names_another_function(comment, count):
    new = f"{GO}\n// {comment}.\nfunc SetIn(w int) {{\n\tin = w\n}}\n"
    found = of(EditOp.COMMENT_OF_ANOTHER, GO, new, "go")
    assert [edit.facts["named"] for edit in found] == ["SetOut"] * count

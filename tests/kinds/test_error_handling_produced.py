"""A test of what a call gave went, or gave way to a look into it: whether that call can give nothing decides."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

RULE = "guard_removed_dereferenced"
one_card = partial(card_of, kind=ChangeKind.ERROR_HANDLING)
silent = partial(silence_of, kind=ChangeKind.ERROR_HANDLING)
PADDED = "\n".join(f"// {n}" for n in range(8))

SHELF = {
    "go.mod": "module example.com/shelf\n\ngo 1.22\n",
    "shelf/shelf.go": f"""package shelf

type book struct {{
	title string
}}

type row []book

func (r row) at(n int) *book {{
	if n < len(r) {{
		return &r[n]
	}}
	return nil
}}

{PADDED}

func label(r row, n int) string {{
	b := r.at(n)
	if b == nil {{
		return "empty place"
	}}
	return "book " + b.title
}}
""",
}
LOOKS = ("shelf/shelf.go", 'if b == nil {\n\t\treturn "empty place"', 'if b.title == "" {\n\t\treturn "untitled"')
DESK = {
    "desk.py": """def find(rows, key):
    for row in rows:
        if row.key == key:
            return row
    return None


# 1
# 2
# 3
# 4
# 5
# 6
def weight(rows, key):
    row = find(rows, key)
    if row is None:
        return 0
    return row.weight * 2
""",
}
GONE = ("desk.py", "    if row is None:\n        return 0\n    return row.weight", "    return row.weight")


@pytest.mark.parametrize(
    ("before", "edit", "said"),
    [(SHELF, LOOKS, "`r.at`, defined at `shelf/shelf.go` line 9"), (DESK, GONE, "`find`, defined at `desk.py` line 1")],
    ids=["go", "python"],
)
def test_what_a_call_can_leave_out(repo, before, edit, said):
    assert said in one_card(repo, before, RULE, edit).claim


@pytest.mark.parametrize(
    ("before", "edit", "old", "new"),
    [(SHELF, LOOKS, "return nil", "return &book{}"), (DESK, GONE, "return None", "raise KeyError(key)")],
    ids=["go", "python"],
)
def test_a_call_that_always_gives_something(repo, before, edit, old, new):
    always = {path: text.replace(old, new) for path, text in before.items()}
    assert silent(repo, always, RULE, edit) == ["refuted"]

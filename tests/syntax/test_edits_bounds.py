"""A function that a program made, of thousands of like statements, is compared in seconds, or by its lines."""

import time

import pytest
from differences import change_of

from review_agent.syntax.edits import comparable, edits
from review_agent.syntax.outline import outline

pytestmark = pytest.mark.slow

# A walk over all others for each takes some twenty times as long.
_SECONDS = 8
_MANY = {
    "returns": ("python", "def f(a):\n" + "".join(f"    if a == {n}:\n        return {n}\n" for n in range(8000))),
    "names": ("python", "def f(a):\n    b = []\n" + "".join("    if a:\n        return b\n" for _ in range(8000))),
    "calls": ("python", "def f(a):\n" + "".join(f"    g(a, {n})\n" for n in range(8000))),
    "taken": ("python", "def f(a):\n" + "".join(f"    a.x{n} = g{n}(a)\n" for n in range(5000))),
    "tries": (
        "python",
        "def f(a):\n"
        + "".join(f"    try:\n        g({n})\n    except E:\n        raise F({n})\n" for n in range(4000)),
    ),
    "functions": ("python", "def f(a):\n    pass\n" + "".join(f"def f{n}(a):\n    return {n}\n" for n in range(8000))),
    "go": (
        "go",
        "package p\n\nfunc f(a) error {\n"
        + "".join(f"\tif err := g({n}); err != nil {{\n\t\treturn err\n\t}}\n" for n in range(4000))
        + "\treturn nil\n}\n",
    ),
    "one line": ("javascript", "function f(a){" + "if(a){return a.b};" * 8000 + "}\n"),
}


@pytest.mark.parametrize("name", _MANY)
def test_a_changed_header_of_a_long_function_is_compared_in_seconds(name):
    language, old = _MANY[name]
    new = old.replace("f(a)", "f(a, b)", 1)
    change, before, after = _head(old, new), outline(old, language), outline(new, language)
    start = time.process_time()
    found = edits(
        change, language=language, old=before, new=after, old_lines=old.splitlines(), new_lines=new.splitlines()
    )
    spent = time.process_time() - start
    assert found
    assert spent < _SECONDS


def _head(old, new):
    """The change of the first lines alone; the rest is the same on both sides."""
    return change_of("\n".join(old.splitlines()[:4]), "\n".join(new.splitlines()[:4]))


def _conditions(count, sign):
    return "def f(a):\n" + "".join(f"    if a {sign} {n}:\n        return g({n})\n" for n in range(count))


def _handlers(count, body):
    return "def f(a):\n    try:\n        g()\n" + "".join(f"    except E{n}:\n        {body}\n" for n in range(count))


def _literals(count, key):
    return "x = [\n" + "".join(f'    {{"a": {n}, "{key}": f({n})}},\n' for n in range(count)) + "]\n"


@pytest.mark.parametrize(
    ("made", "spellings", "few", "many"),
    [
        (_conditions, ("<", ">"), 50, 1100),
        (_handlers, ("raise", "pass"), 20, 330),
        (_literals, ("b", "c"), 50, 2100),
    ],
)
def test_more_changed_facts_than_are_compared_are_read_by_lines(made, spellings, few, many):
    for count, whole in ((few, True), (many, False)):
        old, new = (made(count, one) for one in spellings)
        change, before, after = change_of(old, new), outline(old, "python"), outline(new, "python")
        found = edits(
            change, language="python", old=before, new=after, old_lines=old.splitlines(), new_lines=new.splitlines()
        )
        assert comparable(change, before, after) is whole
        assert ({str(one.op) for one in found} == {"lines_changed"}) is not whole

"""Text that nobody would review and that someone will send."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent.syntax.outline import outline, tokens, uses
from review_agent.syntax.tree import MAX_DEPTH, TooLargeError

pytestmark = pytest.mark.slow

PYTHON = ["def f(x):\n", "    return x\n", "if x:", "class A", "try:", "except E as e:", "x = ", "lambda: ", "await "]
IMPORTS = [
    "import a.b as c\n",
    "from . import *\n",
    "while (x := y):",
    "match x:",
    "case _:",
    "@d\n",
    "->",
    "**",
    "...",
]
GO = ["func (s *T) f() error {", "if err != nil {", "return nil, err", "for {", "type T struct {", '`json:"a"`']
MORE_GO = ["x.(T)", "m[k].F", "*p.x", ":=", "`", "//", '"""']
TEXT = ["\n", "    ", "\t", "\r\n", "\0", "\ufeff", "é€😀", "\ud800", "'", "#", "\\", "f(", ")", "[", "]", "{", "}"]
PIECES = st.sampled_from([*PYTHON, *IMPORTS, *GO, *MORE_GO, *TEXT])
RECORDS = ("symbols", "calls", "handlers", "raises", "returns", "guards", "accesses", "assigns", "settings", "loops")


@given(st.lists(PIECES, max_size=30).map("".join), st.sampled_from(["python", "go"]))
def test_any_text_has_an_outline_within_its_lines(text, language):
    found = outline(text, language)
    lines = text.count("\n") + (not text.endswith("\n") and text != "")
    assert found.lines == lines == len(tokens(text, language).lines)
    for name in RECORDS:
        for record in getattr(found, name):
            assert 1 <= record.start <= record.end <= lines
    assert all(1 <= use.line <= lines for use in uses(text, language, ["x", "f", "err"]))


def test_errors_are_counted_and_the_rest_is_there():
    found = outline("def f(x):\n    return g(x)\n\ny = = 3\n\ndef h(:\n    k()\n", "python")
    assert found.errors > 0
    assert {"f", "g"} <= {s.name for s in found.symbols} | {c.name for c in found.calls}
    assert outline("x = 1\n", "python").errors == 0
    missing = outline("package p\nfunc f() { x := ; g() }\nfunc h() {}\n", "go")
    assert missing.errors > 0
    assert "h" in {s.name for s in missing.symbols}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_counted_by_line_feeds_only(end):
    text = end.join(["\ufeffx = 1", "y = '\x0b\x0c\u2028'", "def f(): g()", ""])
    found = outline(text, "python")
    assert [c.start for c in found.calls] == [3]
    assert found.lines == 3


def test_text_is_cut_at_two_hundred_characters():
    long = "x" * 150 + " + " + "y" * 150
    found = outline(f"if {long}:\n    z = {long}\n", "python")
    assert found.guards[0].test == found.assigns[0].value == long[:200]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("f(" * MAX_DEPTH + ")" * MAX_DEPTH, "python"),
        ("a" + ".b()" * MAX_DEPTH, "python"),
        ("".join(" " * n + "if x:\n" for n in range(MAX_DEPTH // 2)) + " " * MAX_DEPTH + "f()\n", "python"),
        ("package p\nfunc f() {" + "{" * MAX_DEPTH + "}" * MAX_DEPTH + "}\n", "go"),
    ],
)
def test_what_is_nested_too_deep_is_refused(text, language):
    with pytest.raises(TooLargeError, match="levels"):
        outline(text, language)


@pytest.mark.parametrize(
    ("piece", "head", "language"),
    [
        ("x = d.get(k)\nx.y\n", "", "python"),
        ("elif a is None: b\n", "if a: c\n", "python"),
        ('v = os.getenv("A")\nif w: f()\n', "import os\n", "python"),
        ("'''s'''\n", "", "python"),
        ("a, ", "x = ", "python"),
        ("(", "", "python"),
        ("if err != nil { return }\n", "package p\nfunc f() {\n", "go"),
        ("x, err := f()\n*p.x = 3\n", "package p\nfunc f() {\n", "go"),
    ],
)
def test_cost_grows_with_the_text_and_not_with_its_square(piece, head, language):
    def cost(count):
        start = time.process_time()
        outline(head + piece * count, language)
        uses(head + piece * count, language, ["x", "a", "p", "w"])
        return time.process_time() - start

    cost(10)
    small = cost(125)
    assert cost(1_000) < 8 * 6 * max(small, 0.01)

import pytest

from review_agent.syntax.outline import uses


def found(text, language, *names):
    return [(u.use, u.text, u.receiver, u.line, u.scope) for u in uses(text, language, names)]


def test_python_uses_of_a_name():
    text = (
        "from m import x\n"
        '__all__ = ["x", "y"]\n'
        "def f(x, k=x):\n"
        "    x.a.b; x[0]; x(); a.x.b\n"
        "    x = y = g(x=x)\n"
        "    del x\n"
        "    try: ...\n"
        "    except x: ...\n"
        "    for x in z: ...\n"
        "def x(): ...\n"
        "# x\n"
        "'x'\n"
    )
    assert found(text, "python", "x") == [
        ("import", "x", "", 1, ""),
        ("export", "x", "", 2, ""),
        ("parameter", "x", "", 3, "f"),
        ("read", "x", "", 3, "f"),
        ("attribute", "x.a.b", "", 4, "f"),
        ("subscript", "x", "", 4, "f"),
        ("call", "x", "", 4, "f"),
        ("attribute", "a.x.b", "a", 4, "f"),
        ("write", "x", "", 5, "f"),
        ("keyword", "x", "", 5, "f"),
        ("read", "x", "", 5, "f"),
        ("write", "x", "", 6, "f"),
        ("catch", "x", "", 8, "f"),
        ("write", "x", "", 9, "f"),
        ("definition", "x", "", 10, ""),
    ]


def test_go_uses_of_a_name():
    text = (
        "package p\n"
        "type x struct { x int }\n"
        "func f(x *T) {\n"
        "\tx.a(); a.x.b = *x; x[0] = 1; x()\n"
        "\tx, y := T{x: x}, 1\n"
        "\tx++\n"
        "}\n"
    )
    assert [(use, text, receiver, line) for use, text, receiver, line, _ in found(text, "go", "x")] == [
        ("definition", "x", "", 2),
        ("definition", "x", "", 2),
        ("parameter", "x", "", 3),
        ("attribute", "x.a", "", 4),
        ("attribute", "a.x.b", "a", 4),
        ("dereference", "x", "", 4),
        ("subscript", "x", "", 4),
        ("call", "x", "", 4),
        ("write", "x", "", 5),
        ("keyword", "x", "", 5),
        ("read", "x", "", 5),
        ("write", "x", "", 6),
    ]


@pytest.mark.parametrize(
    ("text", "guards"),
    [
        ("if x: f(x)\n", [None, "x"]),
        ("if x is None: raise E\nx.y\n", [None, "x is None"]),
        ("if a.x: a.x.y\n", [None, "a.x"]),
        ("if x: ...\nx = f()\nx.y\n", [None, None, None]),
    ],
)
def test_the_test_that_guards_a_use(text, guards):
    assert [use.guarded_by for use in uses(text, "python", ["x"])] == guards


def test_many_names_at_once_in_source_order():
    assert [u.name for u in uses("b = a\nc.b\n", "python", ["a", "b"])] == ["b", "a", "b"]
    assert uses("b = a\n", "python", []) == ()

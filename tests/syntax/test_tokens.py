import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent.syntax.outline import tokens


def rows(text, language="python"):
    return tokens(text, language).lines


def flat(text, language="python"):
    return [token for row in rows(text, language) for token in row]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x=1\n", "x  =  1  # why\n"),
        ("f(a, b)\n", "f(\n    a,\n    b,\n)\n"),
        ('def f():\n    """Old."""\n    return 1\n', 'def f():\n    """New\n    text."""\n    return 1\n'),
        ("if x:\n  y\n", "if x:\n        y\n"),
        ("x = [1, 2]\n", "x = [\n    1,\n    2,  # two\n]\n"),
        ("x = a + \\\n    b\n", "x = a + b\n"),
        ("x = 1\r\n", "x = 1\n"),
    ],
)
def test_python_layout_is_cosmetic(old, new):
    assert flat(old) == flat(new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = 1\n", "x = 2\n"),
        ("x = 'a b'\n", "x = 'a  b'\n"),
        ("x = 'a'\n", "x = 'b'\n"),
        ("x = f'{a}b'\n", "x = f'{a} b'\n"),
        ("x = 'a\\n'\n", "x = 'a\\t'\n"),
        ("x = (1,)\n", "x = (1)\n"),
        ("if x:\n    a\n    b\n", "if x:\n    a\nb\n"),
        ("x = a is not b\n", "x = a is b\n"),
        ("'text'\nf()\n'more'\n", "'text'\nf()\n'less'\n"),
    ],
)
def test_python_changes_are_not_cosmetic(old, new):
    assert flat(old) != flat(new)


def test_go_layout_and_changes():
    assert flat("package p\nvar x=1 // one\n", "go") == flat("package p\n\nvar  x = 1\n", "go")
    assert flat("package p\nvar x = f(a,\n\tb,\n)\n", "go") == flat("package p\nvar x = f(a, b)\n", "go")
    assert flat("package p\nvar x = `a  b`\n", "go") != flat("package p\nvar x = `a b`\n", "go")


def test_a_token_over_several_lines_shows_on_each():
    assert rows('x = """a\nb\n  c"""\ny\n') == (("x", "=", '"""', "a"), ("b",), ("  c", '"""'), ("y",))
    assert rows("package p\nvar x = `a\nb`\n", "go")[1:] == (("var", "x", "=", "`a"), ("b`",))


def test_each_line_has_its_row():
    assert rows("") == ()
    assert rows("x") == (("x",),)
    assert rows("\n# c\nx\n\n") == ((), (), ("x",), ())


@given(st.text(alphabet="xy01=+()[]{}:,.'\"#\\ \n\té€\0\r", max_size=60), st.sampled_from(["python", "go"]))
def test_nothing_but_white_space_comments_and_commas_is_lost(text, language):
    found = rows(text, language)
    assert len(found) == text.count("\n") + (not text.endswith("\n") and text != "")
    if "#" in text or '"' in text or "'" in text or "\\" in text:
        return
    kept = "".join("".join(row) for row in found)
    assert _bare(kept) == _bare(text)


def _bare(text):
    return "".join(text.split()).replace(",", "")

import pytest
from outlined import go, pick, python


@pytest.mark.parametrize(
    ("value", "shapes"),
    [
        ("", ["none"]),
        ("None", ["none"]),
        ("(None)", ["none"]),
        ("a, b", ["tuple:2"]),
        ("(a, b, c)", ["tuple:3"]),
        ("a, *b", ["other"]),
        ("-1", ["literal"]),
        ("'a' 'b'", ["literal"]),
        ("True", ["literal"]),
        ("{}", ["dict"]),
        ("{k: v for k in x}", ["dict"]),
        ("[x for x in y]", ["list"]),
        ("f()", ["call"]),
        ("await f()", ["call"]),
        ("a.b", ["name"]),
        ("a + b", ["other"]),
        ("a if c else None", ["name", "none"]),
        ("[] if c else (a, b) if d else f()", ["list", "tuple:2", "call"]),
    ],
)
def test_shapes_of_python_values(value, shapes):
    assert pick(python(f"async def s():\n    return {value}\n").returns, "shape") == shapes


@pytest.mark.parametrize(
    ("body", "falls"),
    [
        ("if x: return 1", True),
        ("if x: return 1\nelse: return 2", False),
        ("if x: return 1\nelif y: return 2\nelse: raise E", False),
        ("if x: return 1\nelif y: return 2", True),
        ("for i in x: return i", True),
        ("for i in x: return i\nelse: raise E", False),
        ("while True: \n  if x: return 1", False),
        ("while True: \n  if x: return 1\n  if y: break", True),
        ("while x: return 1", True),
        ("with x: return 1", False),
        ("try: return 1\nexcept E: pass", True),
        ("try: return 1\nexcept E: raise", False),
        ("try: return 1\nfinally: f()", False),
        ("try: f()\nexcept E: raise\nelse: return 1", False),
        ("if x: return 1\nsys.exit()", False),
        ("match x:\n  case 1: return 1\n  case _: raise E", False),
        ("def g(): return 1\ng()", False),
        ("return", False),
        ("if x: return\nf()", False),
    ],
)
def test_falling_off_the_end_returns_none_beside_a_value(body, falls):
    text = "def s():\n" + "".join(f"    {line}\n" for line in body.split("\n")) + "    # end\n"
    off = [
        r for r in python(text).returns if r.text == "" and r.scope == "s" and r.start == python(text).symbols[0].end
    ]
    assert [r.shape for r in off if body != "return"] == (["none"] if falls else [])


def test_generators_have_no_shape_of_their_own():
    returns = python("def s():\n    yield 1\n    return None\ndef t():\n    f(lambda: (yield))\n    return 1\n").returns
    assert pick(returns, "shape", "scope", "start") == [("other", "s", 2), ("other", "s", 3), ("literal", "t", 6)]


def test_returns_belong_to_the_innermost_function():
    returns = python("class A:\n    def f(self):\n        def g():\n            return 1\n        return g\n").returns
    assert pick(returns, "shape", "scope", "text") == [("literal", "A.f.g", "1"), ("name", "A.f", "g")]


@pytest.mark.parametrize(
    ("results", "value", "shape"),
    [
        ("", "", "none"),
        ("(int, error)", "1, nil", "tuple:2"),
        ("(n int, err error)", "", "tuple:2"),
        ("(err error)", "", "name"),
        ("error", "nil", "nil"),
        ("int", "-1", "literal"),
        ("string", "`x`", "literal"),
        ("bool", "true", "literal"),
        ("map[string]int", "map[string]int{}", "dict"),
        ("[]int", "[]int{1}", "list"),
        ("(int, error)", "f()", "call"),
        ("int", "a.b", "name"),
        ("*T", "&T{}", "other"),
    ],
)
def test_shapes_of_go_values(results, value, shape):
    assert pick(go(f"func s() {results} {{\nreturn {value}\n}}\n").returns, "shape", "text") == [(shape, value)]


def test_a_function_literal_returns_for_itself():
    returns = go("func s() int {\nf(func() error { return nil })\nreturn 1\n}\n").returns
    assert pick(returns, "shape", "scope") == [("literal", "s")]

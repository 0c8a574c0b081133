"""Parameters, their defaults and order, async and results, from real source on both sides."""

import pytest
from differences import between, told

from review_agent.vocabulary import EditOp


def signature(before, after, language="python"):
    if language == "go":
        return between(f"package p\n\nfunc {before} {{\n}}\n", f"package p\n\nfunc {after} {{\n}}\n", "go")
    return between(f"def {before}:\n    pass\n", f"def {after}:\n    pass\n")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("f(a)", "f(a, b)", [("parameter_added", "b")]),
        ("f(a)", "f(a, b=1)", [("parameter_added", "b")]),
        ("f(a, b)", "f(a)", [("parameter_removed", "b")]),
        ("f(a, b)", "f(a, c)", [("parameter_renamed", "b")]),
        ("f(a, *, b=1)", "f(a, *, c=1)", [("parameter_renamed", "b")]),
        ("f(a, b=1)", "f(a, c=2)", [("parameter_removed", "b"), ("parameter_added", "c")]),
        ("f(a, *, b)", "f(a, c)", [("parameter_removed", "b"), ("parameter_added", "c")]),
        ("f(a, b)", "f(b, a)", [("parameters_reordered", "f")]),
        ("f(a, b, c)", "f(a, c)", [("parameter_removed", "b")]),
        ("f(a=1)", "f(a=2)", [("default_changed", "a")]),
        ("f(a='x')", 'f(a="x")', []),
        ("f(a: int)", "f(a: str)", []),
        ("f(*args)", "f(*rest)", []),
        ("f(a)", "f(a, *args, **kwargs)", []),
        ("f(a, b)", "f(\n    a,\n    b,\n)", []),
    ],
)
def test_python_signatures(before, after, expected):
    assert sorted(told(signature(before, after))) == sorted(expected)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("F(a int)", "F(a int, b string)", [("parameter_added", "b")]),
        ("F(a int, b string)", "F(a int)", [("parameter_removed", "b")]),
        ("F(a int)", "F(size int)", []),
        ("F(a string, now int)", "F(a string, weight bool, start int)", [("parameter_added", "weight")]),
        ("F(a, b string)", "F(b, a string)", [("parameters_reordered", "F")]),
        ("F(a int)", "F(a int, rest ...string)", []),
        ("F(a interface{})", "F(a any)", []),
        ("F(a int, _ string, _ bool)", "F(a int, _ bool)", [("parameter_removed", "string")]),
        ("F(int, string)", "F(int)", [("parameter_removed", "string")]),
        ("F(_ map[string]interface{}, _ int)", "F(_ map[string]any, _ int)", []),
        ("F(int, string)", "F(int, bool)", []),
        ("F() error", "F() (int, error)", [("return_shape_changed", "F")]),
    ],
)
def test_go_signatures(before, after, expected):
    assert told(signature(before, after, "go")) == expected


def test_facts_of_an_added_parameter_count_call_positions():
    old = "class A:\n    def f(self, a):\n        pass\n"
    new = "class A:\n    def f(self, a, b, *, c):\n        pass\n"
    found = {edit.subject: edit.facts for edit in between(old, new)}
    assert found["b"] == {
        "function": "A.f",
        "symbolKind": "method",
        "index": 1,
        "keywordOnly": False,
        "required": True,
        "others": ("a",),
    }
    assert (found["c"]["index"], found["c"]["keywordOnly"]) == (-1, True)


def test_facts_of_a_removed_parameter_say_what_the_new_signature_takes():
    (edit,) = signature("f(a, b=1, *, c=2)", "f(a, *, c=2, **rest)")
    assert edit.facts["hadDefault"] is True
    assert edit.facts["acceptsAny"] is True
    assert edit.facts["positionalMax"] == 1
    (edit,) = signature("f(a, b)", "f(a, *more)")
    assert edit.facts["positionalMax"] == -1


def test_facts_of_a_reordering_list_both_orders():
    (edit,) = signature("f(a, b, c)", "f(a, c, b)")
    assert edit.facts["beforeOrder"] == ("a", "b", "c")
    assert edit.facts["afterOrder"] == ("a", "c", "b")


def test_a_parameter_inserted_in_the_middle_is_added_not_renamed():
    found = signature("f(a, b, c)", "f(a, new, b, c)")
    assert [(edit.op, edit.subject, edit.facts["index"]) for edit in found] == [(EditOp.PARAMETER_ADDED, "new", 1)]


@pytest.mark.parametrize("decorator", ["@pytest.fixture", "@overload", "@thing.setter"])
def test_functions_that_no_code_calls_have_no_parameter_edits(decorator):
    old = f"{decorator}\ndef f(a):\n    pass\n"
    assert told(between(old, old.replace("(a)", "(a, b)"))) == []
    assert told(between("def test_x(a):\n    pass\n", "def test_x(a, b):\n    pass\n")) == []


def test_parameters_of_local_functions_stay_local():
    old = "def f():\n    def g(a):\n        return a\n    return g\n"
    assert told(between(old, old.replace("g(a)", "g(a, b)"))) == []


def test_the_line_of_a_parameter_is_the_one_that_names_it():
    old = "def f(\n    a,\n    b,\n):\n    pass\n"
    new = "def f(\n    a,\n    b,\n    c,\n    d=None,\n):\n    pass\n"
    assert [(edit.subject, edit.start_line, edit.end_line) for edit in between(old, new)] == [("c", 4, 4), ("d", 5, 5)]


def test_async_comes_and_goes():
    assert told(between("def f():\n    pass\n", "async def f():\n    pass\n")) == [("became_async", "f")]
    assert told(between("async def f():\n    pass\n", "def f():\n    pass\n")) == [("became_sync", "f")]


def returns(before, after):
    frame = "def f(x, y):\n{}\n"
    return between(frame.format(before), frame.format(after))


@pytest.mark.parametrize(
    ("before", "after", "shapes"),
    [
        ("    return x, y", "    return x, y, 1", ("tuple:2", "tuple:3")),
        ("    return x", "    return x, y", ("name", "tuple:2")),
        ("    return {'a': x}", "    return [x]", ("dict", "list")),
        ("    return g(x)", "    g(x)", ("call", "none")),
        ("    return [x]", "    x.append(1)", ("list", "none")),
    ],
)
def test_another_shape_on_all_paths(before, after, shapes):
    (edit,) = (one for one in returns(before, after) if one.op is EditOp.RETURN_SHAPE_CHANGED)
    assert (edit.facts["beforeShape"], edit.facts["afterShape"]) == shapes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    return g(x)", "    found = g(x)\n    return found"),
        ("    return x, y", "    return pair(x, y)"),
        ("    return x, y", "    both = (x, y)\n    return both"),
        ("    return 1", "    return x"),
        ("    if x:\n        return x, y\n    return y", "    if x:\n        return x, y, 1\n    return y"),
        ("    raise NotImplementedError", "    return x"),
        ("    yield x", "    yield x, y"),
        ("    return x", "    raise ValueError(x)"),
    ],
)
def test_shapes_that_cannot_be_told_apart(before, after):
    assert [one for one in returns(before, after) if one.op is EditOp.RETURN_SHAPE_CHANGED] == []


def test_a_path_that_returned_a_value_now_returns_none():
    old = "    if not x:\n        raise KeyError(x)\n    return g(x)"
    (edit,) = (
        one
        for one in returns(old, old.replace("raise KeyError(x)", "return None"))
        if one.op is not EditOp.GUARD_REMOVED
    )
    assert (edit.op, edit.facts["beforeShape"], edit.start_line) == (EditOp.NONE_RETURN_ADDED, "call", 3)


def test_falling_off_the_end_is_a_none_return():
    old = "    if x:\n        return 1\n    return 2"
    new = "    if x:\n        return 1\n    print(y)"
    assert told(returns(old, new)) == [("none_return_added", "f")]


def test_a_function_that_returned_none_before_gains_nothing():
    old = "    if x:\n        return None\n    return 2"
    new = "    if x:\n        return None\n    if y:\n        return None\n    return 2"
    assert told(returns(old, new)) == []


GO = """
package p

func Find(id string) ({results}) {{
	if id == "" {{
		{failure}
	}}
	return {success}
}}
"""


def find(results, success, before, after):
    old, new = (GO.format(results=results, success=success, failure=failure) for failure in (before, after))
    return between(old, new, "go", EditOp.NONE_RETURN_ADDED)


def test_nil_without_an_error_is_a_none_return_in_go():
    (edit,) = find("*Thing, error", "&Thing{}, nil", "return nil, ErrMissing", "return nil, nil")
    assert (edit.subject, edit.facts["beforeShape"], edit.start_line) == ("Find", "tuple:2", 5)
    assert told(find("*Thing", "&Thing{}", "return &Thing{}", "return nil")) == [("none_return_added", "Find")]


@pytest.mark.parametrize(
    ("results", "success", "before", "after"),
    [
        ("[]Thing, error", "nil, nil", "return nil, ErrMissing", "return nil, nil"),
        ("error", "nil", "return ErrMissing", "return nil"),
        ("*Thing, error", "&Thing{}, nil", "return nil, ErrMissing", "return nil, ErrOther"),
    ],
)
def test_nil_that_callers_need_not_fear(results, success, before, after):
    assert told(find(results, success, before, after)) == []

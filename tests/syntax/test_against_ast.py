"""The outline of real modules agrees with the standard library's own parser."""

import ast
import email.message
import importlib
import inspect
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent.syntax.outline import outline

pytestmark = pytest.mark.slow

MODULES = (
    "argparse", "ast", "asyncio.base_events", "collections", "configparser", "dataclasses", "email.message",
    "functools", "http.client", "logging.config", "shutil", "tarfile",
)  # fmt: skip


def definitions(tree):
    found, rest = [], [(tree, "")]
    while rest:
        node, scope = rest.pop()
        for child in ast.iter_child_nodes(node):
            name = scope
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                name = f"{scope}.{child.name}" if scope else child.name
                found.append((name, child.lineno))
            rest.append((child, name))
    return Counter(found)


def places(tree, *kinds):
    return Counter((n.lineno, n.end_lineno) for n in ast.walk(tree) if isinstance(n, kinds))


def spans(records):
    return Counter((r.start, r.end) for r in records)


@pytest.mark.parametrize("name", MODULES)
def test_real_modules(name):
    text = inspect.getsource(importlib.import_module(name))
    tree, found = ast.parse(text), outline(text, "python")
    assert found.errors == 0
    kinds = ("function", "method", "class")
    assert Counter((s.qualname, s.name_line) for s in found.symbols if s.kind in kinds) == definitions(tree)
    assert spans(found.calls) == places(tree, ast.Call)
    assert spans(found.raises) == places(tree, ast.Raise)
    assert len(found.handlers) == places(tree, ast.ExceptHandler).total()
    assert len(found.loops) == places(tree, ast.For, ast.AsyncFor, ast.While).total()
    assert len(found.guards) == places(tree, ast.If, ast.Assert).total()
    imported = [a for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names]
    assert len(found.imports) == len(imported)


ARGUMENTS = st.lists(
    st.sampled_from(["a", "1", "*b", "**c", "k=a", "f()", "x.y(1)", "lambda: 0", "'s'"]), max_size=5
).filter(lambda a: _parses(f"f({', '.join(a)})"))


def _parses(text):
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@given(ARGUMENTS, st.sampled_from(["f", "a.b", "a.b().c", "a[0].d"]))
def test_arguments(arguments, callee):
    text = f"{callee}({', '.join(arguments)})"
    call = outline(text, "python").calls[0]
    expected = ast.parse(text, mode="eval").body
    assert call.callee == ast.unparse(expected.func)
    named = [k for k in expected.keywords if k.arg]
    assert Counter(a.keyword for a in call.args if a.keyword) == Counter(k.arg for k in named)
    stars = [a for a in expected.args if isinstance(a, ast.Starred)] + [k for k in expected.keywords if not k.arg]
    assert sum(a.star for a in call.args) == len(stars)
    assert len(call.args) == len(expected.args) + len(expected.keywords)


def test_the_modules_are_worth_comparing():
    assert len(outline(inspect.getsource(email.message), "python").calls) > 100

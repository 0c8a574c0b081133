"""Text that is written to overflow or to stall name resolution: it ends soon, and nothing is taken for resolved."""

import time

import pytest
from drawn import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from made_world import MadeWorld, said

from review_agent.syntax.resolution_python import Python

DEEP = {
    "calls": "f" + "()" * 90,
    "attributes": ".".join("a" * 90),
    "parentheses": "(" * 90 + "x" + ")" * 90,
    "unions": " | ".join("x" * 60),
    "a long text": "x + " * 400_000 + "x",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_deep_expressions_are_unknown(text):
    names = Python(MadeWorld({"m.py": "def f():\n    return f\na = f\nx = f\n"}))
    assert {one.kind for one in names.expression("m.py", "", text)} <= {"unknown", "function", "variable"}
    assert {one.kind for one in names.annotation("m.py", "", text)} <= {"unknown"}


def test_chains_of_assignments_and_bases_end():
    chain = "x0 = Target()\n" + "".join(f"x{n + 1} = x{n}\n" for n in range(300))
    classes = "class C0: ...\n" + "".join(f"class C{n + 1}(C{n}, C{n // 2}): ...\n" for n in range(60))
    text = f"class Target:\n    def run(self): ...\n{chain}x300.run()\n{classes}C60().run()\n"
    assert said({"m.py": text}, "m.py", "Target", "run") == {
        ("m.py", 304): ["ambiguous"],
        ("m.py", 366): ["unresolved"],
    }


def test_functions_that_return_each_other_end():
    text = "".join(f"def f{n}():\n    return f{n + 1}() or f{(n * 7) % 40}()\n" for n in range(40))
    text += "def f40():\n    return f0()\nf0().run()\n"
    assert list(said({"m.py": text}, "m.py", "", "run").values()) == [["ambiguous"]]


def test_long_lines_and_blank_files_cost_linear_time():
    started = time.process_time()
    listed = "a, " * 10_000
    texts = {
        "go.mod": "module m\n",
        "m/a.go": f"package m\n\nfunc run() {{}}\n\nfunc f() {{\n\t{listed}run := 1\n\trun()\n}}\n",
        "m/b.go": "package m\n" + "\n" * 100_000,
    }
    said(texts, "m/a.go", "", "run")
    assert time.process_time() - started < 20


@settings(max_examples=examples(60), deadline=None)
@given(st.text(alphabet="ab.()[]|'\" ,:=+*\\\n", max_size=60))
def test_any_expression_has_values(text):
    names = Python(MadeWorld({"m.py": "a = b\nb = a\n"}))
    assert all(one.kind for one in (*names.expression("m.py", "", text), *names.annotation("m.py", "", text)))

import pytest
from outlined import go, pick, python

from review_agent.syntax.model import Arg, Assign


@pytest.mark.parametrize(
    ("statement", "result", "targets"),
    [
        ("f()", "ignored", ()),
        ("x = f()", "assigned", ("x",)),
        ("x: int = f()", "assigned", ("x",)),
        ("self.x = (f())", "assigned", ("self.x",)),
        ("a = b = f()", "assigned", ("a", "b")),
        ("a, (b, c), *d = f()", "unpacked", ("a", "(b, c)", "*d")),
        ("a, b = f(), 1", "assigned", ("a",)),
        ("x += f()", "other", ()),
        ("return f()", "returned", ()),
        ("return f(), 1", "other", ()),
        ("raise f()", "raised", ()),
        ("raise E from f()", "other", ()),
        ("f().x", "attribute", ()),
        ("f()[0]", "subscript", ()),
        ("d[f()]", "other", ()),
        ("f()()", "called", ()),
        ("g(f())", "argument", ()),
        ("g(k=f())", "argument", ()),
        ("if f(): pass", "condition", ()),
        ("if not f() and x: pass", "condition", ()),
        ("x = f() or y", "other", ()),
        ("while f(): pass", "condition", ()),
        ("x = 1 if f() else 2", "condition", ()),
        ("assert f()", "condition", ()),
        ("if f() == 1: pass", "compared", ()),
        ("for x in f(): pass", "iterated", ()),
        ("[x for x in f()]", "iterated", ()),
        ("with f() as x: pass", "context", ("x",)),
        ("with f(): pass", "context", ()),
        ("if (x := f()): pass", "assigned", ("x",)),
        ("lambda: f()", "other", ()),
    ],
)
def test_what_python_does_with_a_result(statement, result, targets):
    call = next(c for c in python(f"def s(self):\n    {statement}\n").calls if c.callee == "f")
    assert (call.result, call.targets) == (result, targets)
    assert call.scope == "s"


def test_awaited_calls_are_used_as_what_they_give():
    calls = python("async def s():\n    x = await f()\n    await g()\n    async with h() as y: ...\n").calls
    assert pick(calls, "callee", "awaited", "result", "targets") == [
        ("f", True, "assigned", ("x",)),
        ("g", True, "awaited", ()),
        ("h", False, "context", ("y",)),
    ]


@pytest.mark.parametrize(
    ("statement", "result", "targets"),
    [
        ("f()", "ignored", ()),
        ("x := f()", "assigned", ("x",)),
        ("v, err := f()", "unpacked", ("v", "err")),
        ("_, s.err = f()", "unpacked", ("_", "s.err")),
        ("var v, err = f()", "unpacked", ("v", "err")),
        ("a, b := f(), g()", "assigned", ("a",)),
        ("_ = f()", "assigned", ("_",)),
        ("return f()", "returned", ()),
        ("return 1, f()", "returned", ()),
        ("f().X()", "attribute", ()),
        ("f()[0]()", "subscript", ()),
        ("f()()", "called", ()),
        ("g(f())", "argument", ()),
        ("g(f()...)", "argument", ()),
        ("if !f() {}", "condition", ()),
        ("for f() {}", "condition", ()),
        ("if f() != nil {}", "compared", ()),
        ("for i < f() {}", "compared", ()),
        ("for range f() {}", "iterated", ()),
        ("x = y + f()", "computed", ()),
    ],
)
def test_what_go_does_with_a_result(statement, result, targets):
    call = next(c for c in go(f"func s() {{\n{statement}\n}}\n").calls if c.callee == "f")
    assert (call.result, call.targets) == (result, targets)


def test_callee_receiver_and_arguments():
    call = python("self.client.get(1, *rest, key=a + b, **options)\n").calls[0]
    assert (call.callee, call.receiver, call.name) == ("self.client.get", "self.client", "get")
    assert call.args == (
        Arg("1", None, False),
        Arg("*rest", None, True),
        Arg("a + b", "key", False),
        Arg("**options", None, True),
    )


def test_a_chain_over_several_lines_reads_as_one():
    outer, inner = python("(\n    a.b(x)  # first\n    .c(\n        y,\n    )\n)\n").calls
    assert (outer.callee, outer.receiver, outer.name) == ("a.b(x).c", "a.b(x)", "c")
    assert (outer.start, outer.end) == (2, 5)
    assert inner.callee == "a.b"


def test_a_generator_is_one_argument():
    assert python("any(x for x in y)\n").calls[0].args == (Arg("(x for x in y)", None, False),)


def test_types_caught_around_a_call_inner_first():
    outline = python(
        """
        def s():
            try:
                try:
                    f()
                except (A, m.B):
                    g()
                else:
                    h()
            except C as e:
                i()
            except:
                pass
            finally:
                j()
            def inner():
                k()
        try:
            l(lambda: m())
        except D:
            pass
        """
    )
    assert dict(pick(outline.calls, "callee", "caught")) == {
        "f": ("A", "m.B", "C", "BaseException"),
        "g": ("C", "BaseException"),
        "h": ("C", "BaseException"),
        "i": (),
        "j": (),
        "k": (),
        "l": ("D",),
        "m": (),
    }


def test_loops_around_a_call():
    outline = python(
        """
        for x in a():
            b()
        else:
            c()
        while d():
            e()
        while True:
            f()
            def g():
                h()
        """
    )
    assert dict(pick(outline.calls, "callee", "loop")) == {
        "a": "",
        "b": "for",
        "c": "",
        "d": "while",
        "e": "while",
        "f": "while_true",
        "h": "",
    }
    assert pick(outline.loops, "kind", "test") == [("for", "x in a()"), ("while", "d()"), ("while_true", "True")]


def test_go_calls_belong_to_the_function_around_their_literal():
    outline = go(
        """
        func (s *Store) Run() {
            defer s.mu.Unlock()
            go func() { work() }()
            for { wait() }
            for i := first(); more(i); i = next(i) { body() }
            for idle() { sleep() }
        }
        """
    )
    assert set(pick(outline.calls, "scope")) == {"Store.Run"}
    assert pick(outline.calls, "callee", "loop", "deferred") == [
        ("s.mu.Unlock", "", True),
        ("func() { work() }", "", True),
        ("work", "", False),
        ("wait", "while_true", False),
        ("first", "", False),
        ("more", "for", False),
        ("next", "for", False),
        ("body", "for", False),
        ("idle", "while", False),
        ("sleep", "while", False),
    ]


def test_go_type_arguments_are_no_part_of_a_callee():
    calls = go("func s() {\nf[int](x)\ng[Key, int](a, b)\np.h[T](y)\nfs[i](z)\nfs[0](a, b)\n}\n").calls
    assert pick(calls, "callee", "name") == [
        ("f", "f"),
        ("g", "g"),
        ("p.h", "h"),
        ("fs[i]", "fs[i]"),
        ("fs[0]", "fs[0]"),
    ]
    assert go("func s() { f(a, b...) }\n").calls[0].args == (Arg("a", None, False), Arg("b...", None, True))


def test_python_assignments():
    assert python(
        "def s(self):\n    self.a, (b, *c) = d\n    e = g = await h(1)\n    i += 2\n    j: int\n"
    ).assigns == (
        Assign(("self.a", "b", "c"), "d", "", 2, 2, "s"),
        Assign(("e", "g"), "await h(1)", "h", 3, 3, "s"),
        Assign(("i",), "+= 2", "", 4, 4, "s"),
    )


def test_go_assignments():
    assert go("var a, b = 1, 2\nfunc s() {\n_, x.err = f()\ny.n, z = 1, 2\nc -= 3\n}\n").assigns == (
        Assign(("a", "b"), "1, 2", "", 2, 2, ""),
        Assign(("_", "x.err"), "f()", "f", 4, 4, "s"),
        Assign(("y.n", "z"), "1, 2", "", 5, 5, "s"),
        Assign(("c",), "-= 3", "", 6, 6, "s"),
    )


def test_go_new_takes_a_type_or_a_value():
    outline = go("func s() {\na := new(b.c.d())\ne := new([]int)\nf(new(T), new(!g), new(*T))\n}\n")
    assert outline.errors == 0
    assert pick(outline.calls, "callee") == ["new", "b.c.d", "new", "f", "new", "new", "new"]
    assert pick(outline.calls[0].args, "text") == ["b.c.d()"]
    assert outline.accesses == ()

import pytest
from outlined import go, pick, python


@pytest.mark.parametrize(
    ("test", "kind", "subjects"),
    [
        ("x is None", "none", ("x",)),
        ("x.y != None", "none", ("x.y",)),
        ("isinstance(x, str)", "type", ("x",)),
        ("not callable(x)", "type", ("x",)),
        ("type(x) is int", "type", ("x", "int")),
        ("0 <= x < LIMIT", "bounds", ("x", "LIMIT")),
        ("MAX < x", "bounds", ("x", "MAX")),
        ("len(x) == 3", "bounds", ("x",)),
        ("x not in y", "membership", ("x", "y")),
        ("not x", "falsy", ("x",)),
        ("x.y[0]", "falsy", ("x.y",)),
        ('x == ""', "falsy", ("x",)),
        ("x == 3", "comparison", ("x",)),
        ("user.is_admin()", "other", ("user",)),
        ("self.allowed(x)", "other", ("self.allowed", "x")),
        ("os.path.exists(path)", "other", ("path",)),
        ("x and len(y) > 3", "bounds", ("x", "y")),
        ("check(x, key=z)", "other", ("x", "z")),
        ("f(a).b", "falsy", ("a",)),
    ],
)
def test_kind_and_subjects_of_a_test(test, kind, subjects):
    guard = python(f"import os\nif ({test}):\n    pass\n").guards[0]
    assert (guard.test, guard.test_kind, guard.subjects) == (test, kind, subjects)


@pytest.mark.parametrize(
    ("body", "action"),
    [
        ("return", "return"),
        ("log(x)\n    raise E", "raise"),
        ("continue", "continue"),
        ("break", "break"),
        ("sys.exit(2)", "exit"),
        ("x = 3", "assign"),
        ("logger.info(x)\n    x = x or 3", "assign"),
        ("y = 3", "wraps"),
        ("x = 3\n    f(x)", "wraps"),
        ("f(x)", "wraps"),
        ("if a: return\n    else: raise E", "return"),
        ("if a: return", "wraps"),
    ],
)
def test_what_a_guard_does(body, action):
    assert python(f"if not x:\n    {body}\n").guards[0].action == action


def test_lines_of_guards():
    outline = python(
        """
        def s(x):
            if x is None:
                # no x
                return 1

            elif x > 3:
                f()
            else:
                g()
            assert x, "why"
        """
    )
    assert pick(outline.guards, "test", "action", "start", "end", "body_start", "body_end", "scope") == [
        ("x is None", "return", 2, 9, 4, 4, "s"),
        ("x > 3", "wraps", 6, 7, 7, 7, "s"),
        ("x", "raise", 10, 10, 10, 10, "s"),
    ]


def test_a_comment_is_no_part_of_a_test():
    assert python("if (\n    a  # first\n    and b\n):\n    pass\n").guards[0].test == "a and b"


@pytest.mark.parametrize(
    ("statement", "kind", "action", "subjects"),
    [
        ("if err != nil { return }", "error", "return", ("err",)),
        ("if errors.Is(err, io.EOF) { break }", "error", "break", ("err", "io.EOF")),
        ("if p == nil { p = q }", "none", "assign", ("p",)),
        ('if s == "" { s = "x" }', "falsy", "assign", ("s",)),
        ("if len(a) > 3 { panic(1) }", "bounds", "raise", ("a",)),
        ("if v, ok := m[k]; !ok { continue }", "membership", "continue", ("ok",)),
        ("if v, ok := x.(T); ok { use(v) }", "type", "wraps", ("ok",)),
        ("if !b { os.Exit(1) }", "falsy", "exit", ("b",)),
        ("switch { case a < 3: return }", "bounds", "return", ("a",)),
        ("switch { case a, b: break }", "falsy", "wraps", ("a", "b")),
        ("if io.can(x) { f() }", "other", "wraps", ("x",)),
    ],
)
def test_go_guards(statement, kind, action, subjects):
    guard = go(f'import ("errors"; "io")\nfunc s() {{\nfor {{\n{statement}\n}}\n}}\n').guards[0]
    assert (guard.test_kind, guard.action, guard.subjects) == (kind, action, subjects)


def test_a_name_of_a_package_may_be_a_parameter():
    guard = go('import "cache"\nfunc s(cache Store) {\nif cache.has(x) { f() }\n}\n').guards[0]
    assert guard.subjects == ("cache", "x")


@pytest.mark.parametrize(
    ("body", "leaves"),
    [
        ("f()", False),
        ("if x: break", True),
        ("return 1", True),
        ("raise E", True),
        ("for y in z: break", False),
        ("try: f()\n        except E: break", False),
        ("try: return f()\n        except E: pass", True),
        ("def g(): return 1", False),
    ],
)
def test_python_loops_leave_by_what_is_outside_handlers(body, leaves):
    loop = python(f"def s():\n    while True:\n        {body}\n").loops[0]
    assert (loop.kind, loop.leaves, loop.scope, loop.start) == ("while_true", leaves, "s", 2)


@pytest.mark.parametrize(
    ("loop", "kind", "test", "leaves"),
    [
        ("for { f() }", "while_true", "", False),
        ("for ;; { return }", "while_true", ";;", True),
        ("for i < 3 { i++ }", "while", "i < 3", False),
        ("for i := 0; i < 3; i++ { break }", "for", "i := 0; i < 3; i++", True),
        ("for _, x := range y { }", "for", "_, x := range y", False),
        ("for { if err := f(); err != nil { return } }", "while_true", "", False),
        ("for { switch { case a: break } }", "while_true", "", False),
        ("for { select { case <-c: return } }", "while_true", "", True),
        ("for { func() { return }() }", "while_true", "", False),
    ],
)
def test_go_loops(loop, kind, test, leaves):
    found = go(f"func s() {{\n{loop}\n}}\n").loops[0]
    assert (found.kind, found.test, found.leaves) == (kind, test, leaves)


def test_a_label_names_the_loop_that_a_break_leaves():
    loops = go("func s() {\nL:\nfor a() {\nfor b() { break L }\n}\nfor c() { for d() { break } }\n}\n").loops
    assert pick(loops, "test", "leaves") == [("a()", True), ("b()", True), ("c()", False), ("d()", True)]

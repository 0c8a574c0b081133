import pytest
from outlined import go, pick, python


def access(body, *, head="def s(d, p=None):"):
    found = python(f"import re\nimport requests\n{head}\n" + "".join(f"    {line}\n" for line in body.split("\n")))
    return [(a.origin, a.kind, a.base, a.member, a.producer, a.guarded_by) for a in found.accesses]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('d.get(k)["x"]', ("dict_get", "subscript", "d.get(k)", '"x"', "d", None)),
        ("d.get(k, None).x", ("dict_get", "attribute", "d.get(k, None)", "x", "d", None)),
        ("self.d.get(k).x", ("dict_get", "attribute", "self.d.get(k)", "x", "self.d", None)),
        ("d.get(k)()", ("dict_get", "call", "d.get(k)", "", "d", None)),
        ("x = d.get(k)\nx.y()", ("dict_get", "attribute", "x", "y", "d", None)),
        ("re.match(a, b).group(1)", ("re_match", "attribute", "re.match(a, b)", "group", "re.match", None)),
        ("m = PATTERN.search(a)\nm[1]", ("re_match", "subscript", "m", "1", "PATTERN.search", None)),
        ("find(a).name", ("call", "attribute", "find(a)", "name", "find", None)),
        ("x = await find(a)\nx.name", ("call", "attribute", "x", "name", "find", None)),
        ("p.y", ("name", "attribute", "p", "y", "", None)),
        ("x = None\nx[0]", ("name", "subscript", "x", "0", "", None)),
        ('requests.get("u").text', ("call", "attribute", 'requests.get("u")', "text", "requests.get", None)),
        ("session.get(u).text", ("call", "attribute", "session.get(u)", "text", "session.get", None)),
    ],
)
def test_python_uses_of_what_may_be_none(body, expected):
    assert access(body) == [expected]


@pytest.mark.parametrize(
    "body",
    [
        'd.get(k, {})["x"]',
        "x = d.get(k)\nf(x)",
        "x = d.get(k)\nx = 3\nx.y",
        "x = d.get(k) or {}\nx.y",
        "x, y = f()\nx.z",
        "Thing().run()",
        "super().run()",
        "', '.join(a).strip()",
        "next(i).x",
        "str(a).lower()",
        "x = d.get(k)\n[x.y for x in z]",
        "x = d.get(k)\nf(lambda x: x.y)",
        "if a:\n    x = d.get(k)\nelse:\n    x.y",
        "var.get({}).x",
    ],
)
def test_python_values_that_are_there(body):
    assert access(body) == []


@pytest.mark.parametrize(
    ("body", "guard"),
    [
        ("if x: x.y", "x"),
        ("if x is not None: x.y", "x is not None"),
        ("if x is None: pass\nelse: x.y", "x is None"),
        ("if a: pass\nelif x: x.y", "x"),
        ("if not x: return\nx.y", "not x"),
        ("if x is None or a: raise E\nx.y", "x is None or a"),
        ("if x is None: x = f\nf(x)", None),
        ("if a and x:\n    for b in c:\n        x.y", "a and x"),
        ("x and x.y", "x"),
        ("not x or x.y", "not x"),
        ("x.y if x else 0", "x"),
        ("0 if x is None else x.y", "x is None"),
        ("[x.y for b in c if x]", "x"),
        ("assert x\nx.y", "x"),
        ("self.assertIsNotNone(x)\nx.y", "self.assertIsNotNone(x)"),
        ("while x is None: f()\nx.y", "x is None"),
        ("try: x.y\nexcept (AttributeError, ValueError): pass", "except AttributeError"),
        ("try: x.y\nexcept Exception: pass", "except Exception"),
        ("try: x.y\nexcept Exception as e:\n    f()\n    raise e", None),
        ("try: x.y\nexcept AttributeError as e: raise E from e", "except AttributeError"),
        ("if isinstance(x, A): x.y", "isinstance(x, A)"),
        ("if k in d: x.y", "k in d"),
        ("if k not in d: return\nx.y", "k not in d"),
        ("if x == 3: x.y", "x == 3"),
        ("if x != 3: x.y", None),
        ("if not x: f()\nx.y", None),
        ("if a or x: x.y", None),
        ("try: f()\nexcept AttributeError: x.y", None),
        ("x.y\nif x: pass", None),
    ],
)
def test_python_tests_that_guard(body, guard):
    found = access("x = d.get(k)\n" + body)
    assert [a[-1] for a in found] == ([] if body.startswith("if x is None: x = f") else [guard])


def test_a_walrus_is_its_own_guard():
    assert access("if (m := re.match(a, b)):\n    m.group()")[0][-1] == "(m := re.match(a, b))"
    assert access("while (m := r.match(b)) is not None:\n    m.group()")[0][-1] == "(m := r.match(b)) is not None"


def test_a_guard_before_the_assignment_does_not_count():
    assert access("if not x: return\nx = d.get(k)\nx.y")[0][-1] is None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x := *p.F", ("pointer", "dereference", "p.F", "", "", None)),
        ("*p = 3", ("pointer", "dereference", "p", "", "", None)),
        ("q := find(a)\nuse(*q)", ("pointer", "dereference", "q", "", "find", None)),
        ("if p.F != nil { use(*p.F) }", ("pointer", "dereference", "p.F", "", "", "p.F != nil")),
        ("if p == nil { return }\nuse(*p)", ("pointer", "dereference", "p", "", "", "p == nil")),
        ("use(p != nil && *p > 3)", ("pointer", "dereference", "p", "", "", "p != nil")),
        ("if p == nil { p = q }\nuse(*p)", ("pointer", "dereference", "p", "", "", "p == nil")),
        ("if q == nil { return }\nuse(*p)", ("pointer", "dereference", "p", "", "", None)),
        ("m[k].Run()", ("map_index", "attribute", "m[k]", "Run", "m", None)),
        ('any["x"].Y', ("map_index", "attribute", 'any["x"]', "Y", "any", None)),
        ("if _, ok := m[k]; ok { m[k].Run() }", ("map_index", "attribute", "m[k]", "Run", "m", "ok")),
        ("_, ok := m[k]\nif !ok { return }\nm[k].Run()", ("map_index", "attribute", "m[k]", "Run", "m", "!ok")),
        ("x.(T).Run()", ("type_assertion", "attribute", "x.(T)", "Run", "x", None)),
        ("v := x.(*T)", ("type_assertion", "dereference", "x.(*T)", "", "x", None)),
    ],
)
def test_go_uses_of_what_may_be_nil(body, expected):
    found = go(f"func s(p *T, m map[string]*T, l []*T) {{\n{body}\n}}\n").accesses
    assert pick(found, "origin", "kind", "base", "member", "producer", "guarded_by") == [expected]


@pytest.mark.parametrize(
    "body",
    [
        "l[0].Run()",
        "v, ok := m[k]",
        "v := m[k]",
        "v, ok := x.(T)",
        "switch v := x.(type) { case *T: }",
        "f((*T)(nil), new(*T))",
        "q := &v\n*q = 3",
        "q := new(int)\n*q = 3",
        "var v *T",
        "a := b * c",
    ],
)
def test_go_values_that_are_there(body):
    assert go(f"func s(p *T, m map[string]*T, l []*T) *T {{\n{body}\n}}\n").accesses == ()


def test_go_knows_maps_by_their_declaration():
    outline = go(
        """
        type S struct { byName map[string]*T }
        var all = map[string]func(){}
        func (s *S) run() {
            s.byName[n].F()
            all[n]()
            local := make(map[int]*T)
            local[1].F()
        }
        """
    )
    assert pick(outline.accesses, "base", "kind") == [
        ("s.byName[n]", "attribute"),
        ("all[n]", "call"),
        ("local[1]", "attribute"),
    ]

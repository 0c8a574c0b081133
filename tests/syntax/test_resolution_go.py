"""Whether an occurrence of a Go name is the thing asked for, on small modules whose lines say what they are."""

# ruff: noqa: E501  (a small repository stands on one line, so that a table shows it beside its name)

import pytest
from made_world import MadeWorld, check

from review_agent.syntax.resolution import resolver
from review_agent.syntax.resolution_world import Target

MOD = {"go.mod": "module example.com/shop\n\ngo 1.22\n"}
STORE = """package store

type Store struct {
	client *Client
	*Base
	log  Logger
}

type Client struct{}

func (c *Client) Do(x int) error { return nil }

type Base struct{}

func (b *Base) Close() error { return nil }

type Logger interface {
	Print(string)
}

func New(path string) (*Store, error) { return &Store{}, nil }

func (s *Store) Get(key string) string {
	return key
}

func Open() *Store {
	return nil
}
"""


def module(**more):
    return {**MOD, "store/store.go": STORE, **more}


def inside(text):
    return module(**{"store/more.go": f"package store\n\n{text}"})


def outside(text):
    return module(**{"app/app.go": f'package app\n\nimport "example.com/shop/store"\n\n{text}'})


FUNCTIONS = {
    "the same package": inside("func f() {\n\tOpen() // yes\n}\n"),
    "a parameter": inside("func f(Open func()) {\n\tOpen() // no\n}\n"),
    "a local": inside("func f() {\n\tOpen := 1\n\tuse(Open) // no\n}\n"),
    "a local of another block": inside("func f() {\n\tif true {\n\t\tOpen := 1\n\t\tuse(Open)\n\t}\n\tOpen() // yes\n}\n"),
    "a function literal's parameter": inside("func f() {\n\tgo func(Open int) {\n\t\tuse(Open) // no\n\t}(1)\n\tOpen() // yes\n}\n"),
    "an import": outside("func f() {\n\tstore.Open() // yes\n}\n"),
    "a shadowed import": outside("func f(store *T) {\n\tstore.Open() // maybe\n}\n"),
    "another name for the import": module(**{"a/a.go": 'package a\n\nimport st "example.com/shop/store"\n\nvar x = st.Open() // yes\n'}),
    "a dot import": module(**{"a/a.go": 'package a\n\nimport . "example.com/shop/store"\n\nvar x = Open() // maybe\n'}),
    "another module": module(**{"a/a.go": 'package a\n\nimport "example.org/shop/store"\n\nvar x = store.Open() // no\n'}),
    "another package": module(**{"a/a.go": "package a\n\nfunc Open() {}\n\nfunc f() {\n\tOpen() // no\n}\n"}),
    "a test of the package": module(**{"store/x_test.go": "package store\n\nfunc f() {\n\tOpen() // yes\n}\n"}),
    "a test beside the package": module(**{"store/x_test.go": "package store_test\n\nfunc f() {\n\tOpen() // no\n}\n"}),
    "a test beside it, by import": module(
        **{"store/x_test.go": 'package store_test\n\nimport "example.com/shop/store"\n\nvar x = store.Open() // yes\n'}
    ),
    "a program in the same folder": module(**{"store/gen.go": "//go:build ignore\n\npackage main\n\nfunc f() {\n\tOpen() // no\n}\n"}),
    "a method of that name": outside("func f(x *T) {\n\tx.Open() // maybe\n}\n\ntype U struct{}\n\nfunc (U) Open() {}\n\n"
                                     "func g(u U) {\n\tu.Open() // no\n}\n"),
}  # fmt: skip


@pytest.mark.parametrize("texts", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_function_resolves_in_its_package_and_through_imports(texts):
    check(texts, "store/store.go", "", "Open")


RECEIVERS = {
    "the receiver": inside("func (s *Store) f() {\n\ts.Get(\"\") // yes\n}\n"),
    "a parameter": outside("func f(s *store.Store) {\n\ts.Get(\"\") // yes\n}\n"),
    "a parameter of another type": inside("import \"net/http\"\n\nfunc f(s *http.Client) {\n\ts.Get(\"\") // no\n}\n"),
    "a constructor's first result": outside("func f() {\n\ts, err := store.New(\"\")\n\ts.Get(err) // yes\n}\n"),
    "a literal": outside("func f() {\n\ts := &store.Store{}\n\ts.Get(\"\") // yes\n}\n"),
    "a literal over lines": inside("func f() {\n\ts := &Store{\n\t\tclient: nil,\n\t}\n\ts.Get(\"\") // yes\n}\n"),
    "new": outside("func f() {\n\ts := new(store.Store)\n\ts.Get(\"\") // yes\n}\n"),
    "a declared variable": outside("func f() {\n\tvar s store.Store\n\ts.Get(\"\") // yes\n}\n"),
    "a variable of a group": inside("func f() {\n\tvar (\n\t\tn int\n\t\ts *Store\n\t)\n\tn++\n\ts.Get(\"\") // yes\n}\n"),
    "a variable of a group with a value": inside("func f() {\n\tvar (\n\t\tn int\n\t\ts = Open()\n\t)\n\tn++\n\ts.Get(\"\") // yes\n}\n"),
    "an assignment of another type": inside("func f(x any) {\n\tvar s any\n\ts = Open()\n\ts.Get(\"\") // maybe\n}\n"),
    "the declaration just above": inside("func (s *Store) Self() *Store { return s }\n\nfunc f() {\n\ts := Open()\n\tt := s.Self()\n\tt.Get(\"\") // yes\n}\n"),
    "one of two declared at once": inside("func f() {\n\tn, s := 1, Open()\n\ts.Get(n) // yes\n}\n"),
    "a package's variable": inside("var shared = Open()\n\nfunc f() {\n\tshared.Get(\"\") // yes\n}\n"),
    "a call": outside("func f() {\n\tstore.Open().Get(\"\") // yes\n}\n"),
    "an unknown result": outside("func f() {\n\ts := what()\n\ts.Get(\"\") // maybe\n}\n"),
    "the inner of two": inside("func f(m map[string]int) {\n\ts := Open()\n\tfor _, s := range m {\n\t\ts.Get(\"\") // no\n\t}\n\ts.Get(\"\") // yes\n}\n"),
    "a range": inside("func f(all []*Store) {\n\tfor _, s := range all {\n\t\ts.Get(\"\") // yes\n\t}\n\tall[0].Get(\"\") // yes\n}\n"),
    "a channel": inside("func f(all chan *Store) {\n\tfor s := range all {\n\t\ts.Get(\"\") // yes\n\t}\n}\n"),
    "a type assertion": inside("func f(x any) {\n\tx.(*Store).Get(\"\") // yes\n}\n"),
    "a type switch": inside("func f(x any) {\n\tswitch s := x.(type) {\n\tcase *Store:\n\t\ts.Get(\"\") // yes\n\tcase *Client:\n\t\ts.Get(\"\") // no\n\t}\n}\n"),
    "an if statement": inside("func f() {\n\tif s := Open(); s.Get(\"\") != \"\" { // yes\n\t\ts.Get(\"\") // yes\n\t}\n}\n"),
    "what it was before": inside("func f(s *Store) {\n\t{\n\t\ts := s.Get(\"\") // yes\n\t\tuse(s)\n\t}\n}\n"),
    "an embedding": inside("type Wide struct {\n\tStore\n}\n\nfunc f(w *Wide) {\n\tw.Get(\"\") // yes\n}\n"),
    "an embedding with its own": inside("type Wide struct {\n\tStore\n}\n\nfunc (w *Wide) Get() {}\n\nfunc f(w *Wide) {\n\tw.Get(\"\") // no\n}\n"),
    "a generic function's result": inside("func made[T any](x T) *Store { return nil }\n\nfunc f() {\n\tmade[int](1).Get(\"\") // yes\n}\n"),
    "a field without a named type": inside("type Odd struct {\n\tin struct{ s *Store }\n}\n\nfunc f(o *Odd) {\n\to.in.s.Get(\"\") // maybe\n}\n"),
}  # fmt: skip


@pytest.mark.parametrize("texts", RECEIVERS.values(), ids=RECEIVERS)
def test_a_method_resolves_through_its_receivers_type(texts):
    check(texts, "store/store.go", "Store", "Get")


def test_a_field_of_a_known_type_is_followed():
    check(inside("func (s *Store) f() {\n\ts.client.Do(1) // yes\n}\n"), "store/store.go", "Client", "Do")


def test_a_promoted_method_is_the_embedded_types():
    check(inside("func f(s *Store) {\n\ts.Close() // yes\n}\n"), "store/store.go", "Base", "Close")


INTERFACES = {
    "a type that has its methods": "type Text struct{}\n\nfunc (t *Text) Print(s string) {}\n\n"
    "func f(l Logger) {\n\tl.Print(\"\") // maybe\n}\n\nfunc (s *Store) g() {\n\ts.log.Print(\"\") // maybe\n}\n",
    "a type that lacks one": "type Text struct{}\n\nfunc (t *Text) Print(s string) {}\n\n"
    "type Both interface {\n\tLogger\n\tFlush()\n}\n\nfunc f(b Both) {\n\tb.Print(\"\") // no\n}\n",
    "an interface of other code": "import \"io\"\n\ntype Text struct{}\n\nfunc (t *Text) Print(s string) {}\n\n"
    "func f(w io.Writer) {\n\tw.Print(\"\") // maybe\n}\n",
}  # fmt: skip


@pytest.mark.parametrize("text", INTERFACES.values(), ids=INTERFACES)
def test_a_call_through_an_interface_is_ambiguous_where_the_type_may_stand_behind_it(text):
    check(inside(text), "store/more.go", "Text", "Print")


def test_a_call_through_an_interface_is_a_call_of_its_member():
    check(inside('func f(l Logger) {\n\tl.Print("") // yes\n}\n'), "store/store.go", "Logger", "Print")


def test_variants_for_several_systems_are_ambiguous_where_they_differ():
    texts = {
        "go.mod": "module m\n",
        "a_linux.go": "package m\n\nfunc same(x int) {}\n\nfunc diff(x int) {}\n",
        "a_windows.go": "package m\n\nfunc same(x int) {}\n\nfunc diff(x string) {}\n",
    }
    check({**texts, "b.go": "package m\n\nfunc f() {\n\tdiff(1) // maybe\n}\n"}, "a_linux.go", "", "diff")
    check({**texts, "b.go": "package m\n\nfunc f() {\n\tsame(1) // yes\n}\n"}, "a_linux.go", "", "same")


def test_a_file_with_its_own_variant_calls_that_one():
    kept = "package m\n\ntype Checker interface {\n\tCheck()\n}\n\nfunc f(c Checker) {\n\tc.Check() // MARK\n}\n"
    texts = {"go.mod": "module m\n", "a.go": kept.replace("MARK", "yes"), "b.go": kept.replace("MARK", "no")}
    check(texts, "a.go", "Checker", "Check")


def test_a_module_nested_in_another_has_its_own_import_paths():
    texts = module(**{
        "tool/go.mod": "module example.com/tool\n",
        "tool/store/store.go": "package store\n\nfunc Open() {}\n",
        "tool/a.go": 'package tool\n\nimport "example.com/tool/store"\n\nvar x = store.Open() // no\n',
        "tool/b.go": 'package tool\n\nimport "example.com/shop/store"\n\nvar y = store.Open() // maybe\n',
    })  # fmt: skip
    check(texts, "store/store.go", "", "Open")


def test_a_package_may_be_called_otherwise_than_its_folder():
    texts = {
        "go.mod": "module example.com/kit/v2\n",
        "go-store/s.go": "package store\n\nfunc Open() {}\n",
        "app/a.go": 'package app\n\nimport "example.com/kit/v2/go-store"\n\nvar x = store.Open() // yes\n',
    }
    check(texts, "go-store/s.go", "", "Open")


def test_a_target_that_is_gone_is_still_what_its_callers_mean():
    texts = outside("func f(s *store.Store) {\n\tstore.Gone() // yes\n}\n")
    check(texts, "store/store.go", "", "Gone")
    check(outside("func f(s *store.Store) {\n\ts.Gone() // yes\n}\n"), "store/store.go", "Store", "Gone")


def test_reasons_name_the_import_and_the_interface():
    world = MadeWorld(outside("func f(l store.Logger) {\n\tstore.Open()\n\tl.Print(\"\")\n}\n"))  # fmt: skip
    verdict = resolver(world, "go", Target("store/store.go", "", "Open")).at("app/app.go", "f", "store", "Open", 6)
    assert verdict.reason == '`store` is the module `store`: import "example.com/shop/store", line 3'
    print_ = Target("app/app.go", "Text", "Print")
    verdict = resolver(world, "go", print_).at("app/app.go", "f", "l", "Print", 7)
    assert "interface" not in verdict.reason or "may implement" in verdict.reason

"""An option, a case or a refusal that came without a test to what tests know well."""

import pytest
from changing import changed, one_card, silent
from reviewing import codes, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

OPTION, CASE, REFUSAL = "option_without_test", "case_without_test", "refusal_without_test"
KIND = ChangeKind.INCOMPLETE_CHANGE

PY = {
    "shop/__init__.py": "",
    "shop/render.py": '''"""Rendering."""


def render(order, template="plain", line_width=80, show_total=True, date_format="iso"):
    if order is None:
        return ""
    shown = order.lines(line_width, date_format)
    return template.join(shown) + (str(order.total) if show_total else "")


def export(order, kind):
    if kind == "csv_lines":
        return ",".join(order)
    elif kind == "json_lines":
        return "[]"
    elif kind == "xml_lines":
        return "<order/>"
    return ""
''',
    "tests/test_render.py": '''"""Tests of rendering."""

from shop.render import export, render


def test_widths(order):
    assert render(order, line_width=20) == "a"
    assert render(order, show_total=False) == "b"
    assert render(order, date_format="us") == "c"


def test_exports(order):
    assert export(order, "csv_lines") == "a"
    assert export(order, "json_lines") == "[]"
    assert export(order, "xml_lines") == "<order/>"
''',
}
SIGNATURE = 'date_format="iso"):\n'
READ = "    shown = order.lines(line_width, date_format)\n"
ADDED = (
    ("shop/render.py", SIGNATURE, 'date_format="iso", page_break=None):\n'),
    ("shop/render.py", READ, READ + "    shown += [page_break] if page_break else []\n"),
)
LAST = '        return "<order/>"\n'
ELIF = ("shop/render.py", LAST, LAST + '    elif kind == "yaml_lines":\n        return "---"\n')
NONE = "    if order is None:\n"
REFUSES = (
    "shop/render.py",
    NONE,
    '    if line_width < 10:\n        raise ValueError("line width is too narrow to render")\n' + NONE,
)


def test_the_one_option_that_no_test_names(repo):
    card = one_card(repo, PY, OPTION, *ADDED, kind=KIND)
    assert "no test at head names `page_break`" in card.claim
    assert "`tests/test_render.py` has `line_width` (line 7)" in card.claim


def test_an_option_that_a_table_of_tests_names(repo):
    table = ("tests/test_render.py", "def test_exports", 'CASES = [{"page_break": "-"}]\n\n\ndef test_exports')
    assert silent(repo, PY, OPTION, *ADDED, table, kind=KIND) == ["refuted"]


def test_an_option_that_a_helper_of_tests_is_named_for(repo):
    helper = {"tests/helpers.py": "class PageBreakCase:\n    pass\n"}
    assert codes(review(repo, {**PY, **helper}, changed(PY, *ADDED), KIND), OPTION) == ["refuted"]


def test_others_that_tests_do_not_name(repo):
    before = {
        **PY,
        "tests/test_render.py": "from shop.render import render\n\n\ndef test_it(order):\n    render(order)\n",
    }
    assert silent(repo, before, OPTION, *ADDED, kind=KIND) == ["no_candidate"]


def test_a_parameter_that_must_be_given(repo):
    asked = ("shop/render.py", "render(order, ", "render(order, locale, ")
    assert silent(repo, PY, OPTION, asked, kind=KIND) == []


def test_the_one_case_that_no_test_names(repo):
    card = one_card(repo, PY, CASE, ELIF, kind=KIND)
    assert "Adding the case `yaml_lines` to `export`" in card.claim


def test_a_case_that_a_parametrised_test_names(repo):
    tested = ("tests/test_render.py", "def test_exports", '@parametrize("kind", ["yaml_lines"])\ndef test_exports')
    assert silent(repo, PY, CASE, ELIF, tested, kind=KIND) == ["refuted"]


def test_a_refusal_that_no_test_knows(repo):
    card = one_card(repo, PY, REFUSAL, REFUSES, kind=KIND)
    assert "Adding `ValueError` to `render` where `line_width < 10`" in card.claim
    assert "the change expects no failure in one" in card.claim


def test_a_refusal_whose_message_a_test_matches(repo):
    more = {
        "tests/test_narrow.py": 'def test_narrow(order):\n    with raises(match="is too narrow"):\n        order()\n'
    }
    before = {**PY, **more}
    assert codes(review(repo, before, changed(before, REFUSES), KIND), REFUSAL) == ["refuted"]


def test_a_refusal_where_a_test_expects_the_call_to_fail(repo):
    fails = "\n\ndef test_none(order):\n    with pytest.raises(ValueError):\n        render(order, line_width=1)\n"
    before = {**PY, "tests/test_render.py": PY["tests/test_render.py"] + fails}
    assert codes(review(repo, before, changed(before, REFUSES), KIND), REFUSAL) == ["refuted"]


def test_a_refusal_that_came_with_a_changed_test(repo):
    tested = ("tests/test_render.py", 'line_width=20) == "a"', 'line_width=9) == "refused"')
    assert silent(repo, PY, REFUSAL, REFUSES, tested, kind=KIND) == []


def test_a_refusal_that_took_the_place_of_another(repo):
    before = changed(PY, ("shop/render.py", NONE, "    check_width(line_width)\n" + NONE))
    instead = ("shop/render.py", "    check_width(line_width)\n", REFUSES[2].removesuffix(NONE))
    assert silent(repo, {**PY, **before}, REFUSAL, instead, kind=KIND) == []


def test_a_failure_that_is_passed_on(repo):
    passes = (
        "shop/render.py",
        READ,
        "    try:\n        order.load()\n    except OSError as error:\n"
        '        raise ValueError("the order cannot be loaded") from error\n' + READ,
    )
    assert silent(repo, PY, REFUSAL, passes, kind=KIND) == []


GO = {
    "go.mod": "module example.com/logs\n\ngo 1.22\n",
    "writer.go": """package logs

import "fmt"

// Writer writes to files that roll.
type Writer struct {
	RollSize    int  `json:"roll_size,omitempty"`
	RollKeep    int  `json:"roll_keep,omitempty"`
	RollKeepFor int  `json:"roll_keep_for,omitempty"`
	RollLocal   bool `json:"roll_local,omitempty"`
}

// Set sets one of them.
func (w *Writer) Set(name string) error {
	switch name {
	case "roll_size":
		w.RollSize = 1
	case "roll_keep":
		w.RollKeep = 1
	case "roll_local":
		w.RollLocal = true
	default:
		return fmt.Errorf("unknown: %s", name)
	}
	return nil
}
""",
    "testdata/writer.json": '{\n  "roll_size": 1,\n  "roll_keep": 2,\n  "roll_keep_for": 3,\n  "roll_local": true\n}\n',
    "writer_test.go": """package logs

import "testing"

func TestSet(t *testing.T) {
	w := &Writer{}
	if err := w.Set("roll_size"); err != nil {
		t.Fatal(err)
	}
}
""",
}
FIELD = '\tRollLocal   bool `json:"roll_local,omitempty"`\n'
NEW_FIELD = ("writer.go", FIELD, FIELD + '\tRollFormat  string `json:"roll_format,omitempty"`\n')


def test_a_field_in_go(repo):
    card = one_card(repo, GO, OPTION, NEW_FIELD, kind=KIND)
    assert "no test at head names `RollFormat` or `roll_format`" in card.claim
    assert "`testdata/writer.json`" in card.claim


def test_a_field_that_test_data_sets_by_its_key(repo):
    data = ("testdata/writer.json", "{\n", '{\n  "roll_format": "text",\n')
    assert silent(repo, GO, OPTION, NEW_FIELD, data, kind=KIND) == ["refuted"]


def test_a_case_in_go(repo):
    last = "\t\tw.RollLocal = true\n"
    card = one_card(
        repo, GO, CASE, ("writer.go", last, last + '\tcase "roll_format":\n\t\tw.RollSize = 0\n'), kind=KIND
    )
    assert "Adding the case `roll_format` to `Set`" in card.claim


def test_a_refusal_in_go(repo):
    switch = "\tswitch name {\n"
    more = '\tif len(name) > 99 {\n\t\treturn fmt.Errorf("the name is longer than allowed")\n\t}\n'
    card = one_card(repo, GO, REFUSAL, ("writer.go", switch, more + switch), kind=KIND)
    assert "Tests do call `Set`, as at `writer_test.go` line 7" in card.claim


JS = {
    "package.json": '{"name": "shop", "type": "module"}\n',
    "lib/send.js": """export function send(order, {retryLimit = 3} = {}) {
  if (order === null) {
    return 0;
  }
  return order.total * retryLimit;
}
""",
    "test/send.test.js": """import {send} from '../lib/send.js';

test('sends', () => {
  expect(send({total: 2}, {retryLimit: 1})).toBe(2);
});
""",
}
THROWS = "  if (order.lines.length > 99) {\n    throw new OversizedOrderError('order has too many lines');\n  }\n"
JS_NEW = ("lib/send.js", "  return order.total", THROWS + "  return order.total")


def test_a_refusal_in_javascript(repo):
    card = one_card(repo, JS, REFUSAL, JS_NEW, kind=KIND)
    assert "none names `OversizedOrderError`" in card.claim


def test_a_refusal_in_javascript_whose_type_a_test_expects(repo):
    tested = ("test/send.test.js", "test('sends'", "expect(() => send({})).toThrow(OversizedOrderError);\ntest('sends'")
    assert silent(repo, JS, REFUSAL, JS_NEW, tested, kind=KIND) == ["refuted"]


def test_a_refusal_in_java(repo):
    path, tests = "src/main/java/shop/Cart.java", "src/test/java/shop/CartTest.java"
    before = {
        path: "package shop;\n\npublic class Cart {\n  private int size;\n\n  public void add(String a, int count) {\n"
        "    size += count;\n  }\n}\n",
        tests: "package shop;\n\nclass CartTest {\n  @Test\n  void adds() {\n    Cart cart = new Cart();\n"
        '    cart.add("a", 2);\n  }\n}\n',
    }
    refuses = '    if (count < 0) {\n      throw new IllegalArgumentException("count must not be negative");\n    }\n'
    card = one_card(repo, before, REFUSAL, (path, "    size +=", refuses + "    size +="), kind=KIND)
    assert "Adding `IllegalArgumentException` to `add` where `count < 0`" in card.claim


def test_an_option_of_a_command_line(repo):
    code = "import argparse\n\n\ndef make():\n    parser = argparse.ArgumentParser()\n"
    code += "".join(f'    parser.add_argument("--{one}")\n' for one in ("input", "output", "format"))
    before = {
        "tool/__init__.py": "",
        "tool/cli.py": code + "    return parser\n",
        "tests/test_cli.py": 'from tool.cli import make\n\n\ndef test_it():\n    make().parse_args(["--input", "a"])\n'
        '    make().parse_args(["--output", "b"])\n    make().parse_args(["--format", "c"])\n',
    }
    more = ("tool/cli.py", "    return parser\n", '    parser.add_argument("--dry-run")\n    return parser\n')
    card = one_card(repo, before, OPTION, more, kind=KIND)
    assert "Adding the option `dry-run` to `make`" in card.claim

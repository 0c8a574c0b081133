"""An option or a case that came without a test to what tests know well."""

import pytest
from changing import changed, one_card, silent
from reviewing import codes, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

OPTION, CASE = "option_without_test", "case_without_test"
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

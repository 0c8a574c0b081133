"""Constants, settings and keys read in code, from real source on both sides."""

import pytest
from differences import between, told

from review_agent.syntax.edits.transitions import is_literal, same_value, transition
from review_agent.vocabulary import EditOp, Side

VALUES = (EditOp.DEFAULT_CHANGED, EditOp.FALLBACK_REMOVED, EditOp.KEY_RENAMED, EditOp.KEY_REMOVED)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("True", "False", "flipped"),
        ("false", "true", "flipped"),
        ("30", "None", "to_none"),
        ("nil", "x", "from_none"),
        ("30", "0", "to_zero"),
        ("1.5", "0.0", "to_zero"),
        ("15 * time.Second", "0", "to_zero"),
        ("30", "60", "number"),
        ("60 * 60", "60 * 60 * 24", "number"),
        ("'a'", '"b"', "text"),
        ("a", "b", "other"),
        ("1", "'1'", "other"),
        ("10", "0x10", "number"),
    ],
)
def test_transitions(before, after, kind):
    assert transition(before, after) == kind


def test_literals_and_equal_values():
    literals = ("1", "-2.5", "1_000", "'a'", "`a`", "True", "nil", "30 * time.Second", "1 << 20", "")
    assert [text for text in literals if not is_literal(text)] == []
    assert [text for text in ("a", "f()", "[1]", "1 if a else 2", "a + 1") if is_literal(text)] == []
    assert same_value("'a'", '"a"')
    assert same_value("1_000", "1000")
    assert same_value("f(a, b,)", "f(a,b)")
    assert not same_value("'a b'", "'ab'")
    assert not same_value(None, "None")


def test_a_constant_with_another_literal():
    (edit,) = between("LIMIT = 10\n", "LIMIT = 20\n")
    assert (edit.op, edit.subject, edit.before, edit.after) == (EditOp.DEFAULT_CHANGED, "LIMIT", "10", "20")
    assert edit.facts == {"carrier": "constant", "key": "LIMIT", "transition": "number"}


def test_a_field_with_another_literal():
    (edit,) = between("class A:\n    strict: bool = True\n", "class A:\n    strict: bool = False\n")
    assert (edit.scope, edit.facts["carrier"], edit.facts["transition"]) == ("A", "field", "flipped")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("LIMIT = 10\n", "LIMIT = 10  # ten\n"),
        ("LIMIT = 1000\n", "LIMIT = 1_000\n"),
        ("LIMIT = 10\n", "LIMIT = compute()\n"),
        ('__version__ = "1"\n', '__version__ = "2"\n'),
        ('NAME = "a"\n', "NAME = 'a'\n"),
        ("def f():\n    n = 1\n    return n\n", "def f():\n    n = 2\n    return n\n"),
    ],
)
def test_values_that_are_no_other_default(before, after):
    assert told(between(before, after, "python", *VALUES)) == []


def test_go_constants():
    old = 'package p\n\nconst (\n\tlimit = 10\n\tname  = "a"\n)\n'
    assert told(between(old, old.replace("10", "0"), "go")) == [("default_changed", "limit")]


def env(before, after):
    frame = "import os\n\n\ndef url():\n    return {}\n"
    return between(frame.format(before), frame.format(after), "python", *VALUES)


def test_a_fallback_that_changed():
    (edit,) = env('os.environ.get("URL", "a")', 'os.environ.get("URL", "b")')
    assert (edit.op, edit.subject, edit.before, edit.after) == (EditOp.DEFAULT_CHANGED, "URL", '"a"', '"b"')
    assert edit.facts == {"carrier": "environment", "key": "URL", "transition": "text"}


def test_a_fallback_that_went():
    (edit,) = env('os.environ.get("URL", "a")', 'os.environ["URL"]')
    assert edit.op is EditOp.FALLBACK_REMOVED
    assert edit.facts == {"carrier": "environment", "key": "URL", "fallback": '"a"', "required": True}
    (edit,) = env('os.getenv("URL", "a")', 'os.getenv("URL")')
    assert edit.facts["required"] is False


def test_a_key_under_another_name():
    (edit,) = env('os.environ["URL"]', 'os.environ["BASE_URL"]')
    assert (edit.op, edit.subject, edit.side) == (EditOp.KEY_RENAMED, "URL", Side.NEW)
    assert (edit.facts["newKey"], edit.facts["act"], edit.facts["carrier"]) == ("BASE_URL", "reads", "environment")


def test_a_key_that_is_no_longer_read():
    old = 'import os\n\nA = os.environ["A_KEY"]\nB = os.environ["B_KEY"]\n'
    (edit,) = between(old, 'import os\n\nA = os.environ["A_KEY"]\n', "python", *VALUES)
    assert (edit.op, edit.subject, edit.side) == (EditOp.KEY_REMOVED, "B_KEY", Side.OLD)
    assert (edit.facts["act"], edit.facts["siblings"]) == ("reads", ("A_KEY",))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('os.environ["URL"]', 'os.environ.get("URL", "a")'),
        ('os.environ["URL"]', 'str(os.environ["URL"])'),
        ('os.environ["URL"]', 'read("URL")'),
        ('os.getenv("URL", "a")', "os.getenv('URL', 'a')"),
    ],
)
def test_reads_that_lose_nothing(before, after):
    assert told(env(before, after)) == []


def test_go_flags_and_environment():
    frame = 'package p\n\nvar wait = flag.Duration("wait", {}, "how long")\n\nvar url = os.Getenv("{}")\n'
    found = between(frame.format("15*time.Second", "URL"), frame.format("0", "BASE_URL"), "go", *VALUES)
    assert [(edit.op, edit.subject, edit.facts["carrier"]) for edit in found] == [
        (EditOp.DEFAULT_CHANGED, "wait", "flag"),
        (EditOp.KEY_RENAMED, "URL", "environment"),
    ]


def test_go_struct_tags():
    old = 'package p\n\ntype Config struct {\n\tURL string `json:"url"`\n}\n'
    found = between(old, old.replace('"url"', '"base_url"'), "go", *VALUES)
    assert [(edit.op, edit.subject, edit.facts["newKey"]) for edit in found] == [
        (EditOp.KEY_RENAMED, "url", "base_url")
    ]


WRITTEN_OUT = """
const limits = { tries: 3, strict: true };
module.exports = {
  send: flag("SEND", true),
  async close(id) {
    if (!id) throw new Error("no id");
    await store.close(id);
  },
};
export const api = {
  async load(id) {
    try {
      return await fetch(id);
    } catch (err) {
      throw err;
    }
  },
};
function flag(name, otherwise) { return process.env[name] ?? otherwise; }
"""


def test_what_an_object_written_out_holds_is_compared_key_by_key():
    (edit,) = between(WRITTEN_OUT, WRITTEN_OUT.replace("strict: true", "strict: false"), "javascript")
    assert (edit.op, edit.subject, edit.before, edit.after) == (EditOp.DEFAULT_CHANGED, "strict", "true", "false")
    assert (edit.scope, edit.facts["carrier"]) == ("limits", "constant")
    (edit,) = between(WRITTEN_OUT, WRITTEN_OUT.replace('"SEND", true', '"SEND", false'), "javascript")
    assert (edit.op, edit.subject, edit.facts["carrier"]) == (EditOp.DEFAULT_CHANGED, "SEND", "environment")


def test_functions_of_an_object_written_out_are_compared_like_others():
    swallows = WRITTEN_OUT.replace("throw err", "return null")
    (edit,) = between(WRITTEN_OUT, swallows, "javascript", EditOp.HANDLER_SWALLOWS)
    assert edit.scope == "api.load"
    dropped = WRITTEN_OUT.replace("    await store.close(id);\n", "")
    (edit,) = between(WRITTEN_OUT, dropped, "javascript", EditOp.CALL_REMOVED)
    assert (edit.subject, edit.scope) == ("store.close", "close")


def test_keys_of_an_object_written_out_are_no_definitions_of_their_own():
    assert between("const a = { one: 1, two: 2 };", "const a = { one: 1 };", "javascript") == []
    assert between("const a = { one: 1 };", "const a = { one: 1, two: 2 };", "javascript") == []


COLUMNS = {
    "typescript": 'const COLS = "id, code, note";\nexport function one(id: string) {\n'
    "  return pool.query(`SELECT ${COLS} FROM t WHERE id = $1`, [id]);\n}\n",
    "python": 'COLS = "id, code, note"\n\n\ndef one(db, id):\n'
    '    return db.execute(f"SELECT {COLS} FROM t WHERE id = ?", (id,))\n',
    "java": 'class S {\n  static final String COLS = "id, code, note";\n  R one(long id) {\n'
    '    return db.query("SELECT " + COLS + " FROM t WHERE id = ?", id);\n  }\n}\n',
}


@pytest.mark.parametrize("language", COLUMNS)
def test_a_statement_is_told_with_the_text_that_its_file_holds_under_a_name(language):
    text = COLUMNS[language]
    (edit,) = between(text, text.replace(", note", ""), language, EditOp.SQL_CHANGED)
    assert edit.facts["columnsRemoved"] == ("note",)
    (edit,) = between(text.replace("COLS", "FIELDS"), text.replace(", code", ""), language, EditOp.SQL_CHANGED)
    assert edit.facts["columnsRemoved"] == ("code",)
    assert between(text.replace("COLS", "FIELDS"), text, language, EditOp.SQL_CHANGED) == []

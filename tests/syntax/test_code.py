"""What of a line can read a name: quotes and comments that are none hide nothing, and those that are hide words."""

import re

import pytest

from review_agent.syntax.code import read_lines


def words(text, language, *, doubtful=True):
    read = read_lines(text.splitlines(), language, doubtful=doubtful)
    return set(re.findall(r"[^\W\d]\w*", "\n".join(read)))


@pytest.mark.parametrize("language", ["javascript", "tsx"])
@pytest.mark.parametrize(
    "text",
    [
        "return <p>It isn't {name} that can't pay</p>;",
        "<p>\n  It isn't {name} that can't pay\n</p>",
        "<p>It isn't <b>{open && name}</b> that can't pay</p>",
        "<p>See https://shop.example/{name}</p>",
        '<p>called "{name}"</p>',
        "<p>images/*</p>\n<p>{name}</p>",
        "const all = /[/*]/;\nreturn name;",
        "list.map((one) => /it's/.test(one) ? name : 'x');",
        "return `\n${name}\n`;",
    ],
)
def test_what_looks_like_a_text_or_a_comment_of_a_script_hides_no_read(text, language):
    assert "name" in words(text, language)


@pytest.mark.parametrize(
    "text",
    [
        "// The name went.",
        "get(url); // no name",
        "/*\n * The name went.\n */",
        "call('name', \"name\");",
        "{/* name */}",
    ],
)
def test_a_text_or_a_comment_of_a_script_hides_its_words(text):
    assert "name" not in words(text, "javascript")


@pytest.mark.parametrize(
    "text",
    [
        'text = f"""\n{row.title:{name}}|\n"""',
        'text = f"""\n{row["a"]} {"b" if name else ""}\n"""',
        'log(f"{url!r}: {{}} {other:{name}}")',
        'a = """x"""; b = rf"""\n{name}\n"""',
    ],
)
def test_what_an_f_string_takes_in_is_read(text):
    assert "name" in words(text, "python")


@pytest.mark.parametrize(
    "text",
    [
        'frame.query("score > @name")',
        'frame.query(\n    "score > @name"\n)',
        'duckdb.sql("from name")',
        'duckdb.sql("""\nselect score\nfrom name\n""")',
        'eval("name + 1")',
    ],
)
def test_a_text_that_is_run_may_read_a_name(text):
    assert "name" in words(text, "python")
    assert "name" not in words(text, "python", doubtful=False)


@pytest.mark.parametrize(
    "text", ['text = """\nThe name went.\n"""', "# The name went.", 'log("name")', 'f"x"\nt = """\nname\n"""']
)
def test_a_text_of_python_hides_its_words(text):
    assert "name" not in words(text, "python")


def test_a_hole_behind_another_is_a_read_for_certain():
    assert "width" in words('f"{row.name:{width}}"', "python", doubtful=False)


def test_an_escaped_brace_puts_nothing_in():
    assert "width" not in words('f"{{width}}"', "python", doubtful=False)

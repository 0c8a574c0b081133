"""Names that a library reads out of a text that it is given, and texts that only have the word."""

import pytest

from review_agent.syntax.edits.evaluated import is_evaluated


@pytest.mark.parametrize(
    "body",
    [
        'return rows.query("score > @limit")',
        'return duckdb.sql("select * from limit")',
        'return con.execute("""\n    select *\n    from limit\n""").df()',
        'return pd.read_sql_query(\n    "select * from limit",\n    con,\n)',
        'wanted = "score > @limit"\nreturn rows.query(wanted)',
        'wanted = "score > 1"\nwanted += " and score < @limit"\nreturn rows.query(wanted, inplace=False)',
        'wanted = """\n    select * from limit\n"""\nreturn duckdb.sql(wanted)',
        'return numexpr.evaluate("score > limit")',
    ],
)
def test_a_name_in_a_text_that_is_evaluated_may_be_read(body):
    assert is_evaluated(body.splitlines(), "limit")


@pytest.mark.parametrize(
    "body",
    [
        'log("over the limit")\nreturn rows',
        'log("over the limit")\nreturn rows.query("score > 1")',
        'return rows.query("score > @limits")',
        'return rows.query("rows.limit > 1")',
        '# rows.query("score > @limit")\nreturn rows',
        'title = "over the limit"\nwanted = "score > 1"\nreturn rows.query(wanted)',
        'return rows.requery("score > @limit")',
        "",
    ],
)
def test_a_word_of_another_text_is_no_name(body):
    assert not is_evaluated(body.splitlines(), "limit")

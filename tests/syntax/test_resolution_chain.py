"""Reading Go's operands as steps, on any text."""

from hypothesis import given
from hypothesis import strategies as st

from review_agent.syntax.resolution_chain import chain, closing, split_arguments


def steps(text):
    found = chain(text)
    return None if found is None else [(one.act, one.text) for one in found]


def test_members_calls_indexes_literals_and_assertions_are_steps():
    assert steps("a.b(c, d).e[0].(*T)") == [
        ("name", "a"), ("member", "b"), ("call", "c, d"), ("member", "e"), ("index", "0"), ("assertion", "*T"),
    ]  # fmt: skip
    assert steps("store.Store{}") == [("name", "store"), ("member", "Store"), ("literal", "")]


def test_other_expressions_have_no_steps():
    for text in ("", "1 + 2", "a + b", "<-ch", '"x"', "!a"):
        assert steps(text) is None


def test_a_line_that_ends_inside_brackets_is_read_to_its_end():
    assert steps("New(ctx, &T{") == [("name", "New"), ("call", "ctx, &T{")]


def test_brackets_in_strings_do_not_count():
    assert closing('f(")", 1)', 1) == 8
    assert closing("f('(')", 1) == 5
    assert closing("f(", 1) == -1


def test_arguments_split_at_outer_commas_only():
    assert split_arguments("a, f(b, c), []int{1, 2}") == ["a", "f(b, c)", "[]int{1, 2}"]
    assert split_arguments("") == [""]


@given(st.text(alphabet="ab.()[]{},\"'`\\ *&<-1", max_size=40))
def test_any_text_is_read_without_an_error(text):
    found = chain(text)
    assert found is None or found[0].act == "name"
    assert ",".join(split_arguments(text)).replace(" ", "") == text.replace(" ", "")

"""Names within a text: which ``$`` belong to a name, and which put its value into a text."""

import re

import pytest

from review_agent.syntax.words import whole_name, words_in

DOLLAR = ["javascript", "typescript", "tsx", "java"]


@pytest.mark.parametrize("name", ["$pos", "user$", "$", "$$", "a$b", "pos"])
@pytest.mark.parametrize("language", ["", *DOLLAR])
@pytest.mark.parametrize("form", ["f({}, 1)", "{}", "this.{}", "...{}", "`${{{}}}`", "{}.x", "x={};", "!{}"])
def test_a_name_is_found_wherever_it_stands_alone(name, language, form):
    assert re.search(whole_name(name, language), form.format(name))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pos", "position"),
        ("pos", "apos"),
        ("$pos", "$$pos"),
        ("$pos", "$position"),
        ("$pos", "pos"),
        ("$pos", "a$pos"),
    ],
)
@pytest.mark.parametrize("language", ["", "python", "go", *DOLLAR])
def test_a_part_of_a_longer_name_is_another(name, text, language):
    assert not re.search(whole_name(name, language), text)


@pytest.mark.parametrize("text", ["$pos", "pos$", "f($pos)"])
def test_a_dollar_beside_a_name_belongs_to_it_where_names_have_dollars(text):
    assert not any(re.search(whole_name("pos", one), text) for one in DOLLAR)
    assert "pos" not in [word for one in DOLLAR for word in words_in(text, one)]


@pytest.mark.parametrize("language", ["", "python", "go"])
def test_elsewhere_it_puts_the_value_into_a_text(language):
    assert re.search(whole_name("pos", language), "echo $pos")
    assert words_in("echo $pos", language) == ["echo", "pos"]


@pytest.mark.parametrize("language", DOLLAR)
def test_words_have_their_dollars(language):
    assert words_in("new Gap($pos, user$, a1, 12, `${side}`)", language)[1:] == [
        "Gap",
        "$pos",
        "user$",
        "a1",
        "$",
        "side",
    ]

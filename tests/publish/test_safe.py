from hypothesis import given
from hypothesis import strategies as st

from review_agent.publish.safe import terminal


def test_escape_sequences_and_bidi_marks_are_shown_not_obeyed() -> None:
    assert terminal("\x1b[31mred\u202eevil\u200b") == "\\u{1b}[31mred\\u{202e}evil\\u{200b}"


def test_a_tab_becomes_spaces_and_letters_of_any_script_stay() -> None:
    assert terminal("\tπ = größe") == "    π = größe"


@given(st.text())
def test_the_result_is_one_printable_line(text: str) -> None:
    shown = terminal(text)
    assert "\n" not in shown
    assert "\x1b" not in shown
    assert shown.isprintable()

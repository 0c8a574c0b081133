import html as markup
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent.publish import safe
from review_agent.publish.safe import terminal

WORDS = """@ org/team user # 12 GH- /merge /approve
![ ](http://x.y) [a] <!-- --> <script> </details> ` ``` ~~~ & &#64; * _
| --- review-agent: www. https:// $x$ a : 1. !7 ~bug %v1 &4 dependabot mailto:a@b.c"""
SIGNS = [
    " ",
    "\\",
    "\n",
    "\r",
    "+ ",
    "> ",
    "\x1b[2J",
    "\x9b",
    "\u202e",
    "\u2066",
    "\u200b",
    "\u2028",
    "\ufeff",
    "\U000e0041",
]
NASTY = st.lists(st.sampled_from([*WORDS.split(), *SIGNS]), max_size=14).map("".join)
TEXTS = st.text(max_size=60) | NASTY


def test_escape_sequences_and_bidi_marks_are_shown_not_obeyed() -> None:
    assert terminal("\x1b[31mred\u202eevil\u200b") == "\\u{1b}[31mred\\u{202e}evil\\u{200b}"


def test_a_tab_becomes_spaces_and_letters_of_any_script_stay() -> None:
    assert terminal("\tπ = größe") == "    π = größe"


@given(TEXTS)
def test_the_result_is_one_printable_line(text: str) -> None:
    shown = terminal(text)
    assert "\n" not in shown
    assert "\x1b" not in shown
    assert shown.isprintable()


@given(TEXTS)
def test_several_lines_stay_several_and_each_is_printable(text: str) -> None:
    lines = safe.terminal_lines(text).split("\n")
    assert len(lines) == text.count("\n") + 1
    assert all(line.isprintable() for line in lines)


@given(st.recursive(TEXTS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)))
def test_json_says_the_same_and_holds_nothing_that_a_terminal_obeys(data: object) -> None:
    text = safe.json_text(data)
    assert json.loads(text) == data
    assert all(line.isprintable() for line in text.split("\n"))


@given(TEXTS)
def test_html_has_no_tag_no_attribute_and_no_hidden_order(text: str) -> None:
    shown = safe.html(text)
    assert not set("<>\"'") & set(shown)
    assert not re.search(r"&(?!(?:amp|lt|gt|quot|#x27);)", shown)
    assert markup.unescape(shown) == safe.terminal_lines(text)


# What raw Markdown may not hold outside a code span: each would be obeyed by GitHub, GitLab or a bot on the raw text.
OBEYED = (
    r"(?<!\\)[`*_~|\[\]$]",  # markup
    r"<",  # tags, comments, autolinks
    r"@(?=\w)",
    r"(?<!&)#(?=\d)",
    r"(?i)\bGH-\d",
    r"://",
    r"(?i)\bwww\.",
    r"(?:^|\s)[/!]\w",  # commands
    r"-->",
    r"&(?!amp;|lt;|#8203;)",  # an entity that comes out as a sign
    r"(?<!\\)!(?=\\?\[)",  # an image
    r"^\s*(?:[-+>=#]|\d+[.)])(?:\s|$)",  # a block
)


@given(TEXTS)
@pytest.mark.parametrize("obeyed", OBEYED)
def test_prose_in_markdown_is_obeyed_by_nobody(obeyed: str, text: str) -> None:
    shown = safe.markdown(text)
    assert not re.search(obeyed, shown), shown
    assert "\n" not in shown
    assert shown.isprintable()


@given(TEXTS)
def test_prose_in_markdown_reads_as_the_text(text: str) -> None:
    read = safe.markdown(text).replace("&#8203;", "")
    read = re.sub(r"\\(.)", r"\1", read).replace("&lt;", "<").replace("&amp;", "&")
    assert read == " ".join(terminal(text).split())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@org/team see #12", "@&#8203;org/team see \\#&#8203;12"),
        ("/merge", "/&#8203;merge"),
        ("<!-- review-agent: approved -->", "&lt;\\!&#8203;\\-\\- review\\-agent\\: approved \\-\\-\\>"),
        ("![x](https://e.org/p.png)", "\\!&#8203;[x\\]\\(https\\:&#8203;//e\\.org/p\\.png\\)"),
    ],
)
def test_the_attempts_that_people_make(text: str, shown: str) -> None:
    assert safe.markdown(text).replace("\\[", "[") == shown


@given(TEXTS)
def test_code_in_a_line_ends_where_it_is_meant_to(text: str) -> None:
    span = safe.code_span(text)
    fence = re.match("`+", span)
    assert fence is not None
    inside = span[fence.end() : -fence.end()]
    assert span.endswith(fence.group())
    assert f"{fence.group()}`" not in span
    assert fence.group() not in re.findall("`+", inside)
    assert inside.strip() == "" or not inside.startswith("`") or inside.startswith(" ")
    assert not re.search(r"@\w|<!-|-->|(?:^|\s)/\w|(?i:review-agent\s*:)", inside)


@given(TEXTS)
def test_no_line_of_a_block_ends_it(text: str) -> None:
    first, *lines, last, end = safe.code_block(text, "python").split("\n")
    assert (end, first) == ("", f"{last}python")
    assert len(lines) == text.count("\n") + 1
    assert not [line for line in lines if line.strip().startswith(last)]
    assert not [line for line in lines if re.search(r"@\w|<!-|-->|(?:^|\s)/\w|(?i:review-agent\s*:)", line)]


def test_a_block_takes_no_name_that_is_none() -> None:
    assert safe.code_block("x", "py`\n@a") == "```\nx\n```\n"

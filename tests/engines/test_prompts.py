import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent.engines import prompts
from review_agent.engines.prompts import Fenced, fenced, filled

PIECES = st.sampled_from(
    [
        "[untrusted diff ",
        "[end of diff ",
        "]",
        "\n",
        "{diff}",
        "{",
        "}",
        "{{diff}}",
        "%s",
        "$diff",
        "\\1",
        "\\g<0>",
        "0",
        "a",
    ]
)
TEXTS = st.text(max_size=80) | st.lists(PIECES, max_size=10).map("".join)


def parts(section: str) -> tuple[str, str, str]:
    """First line, inside, last line of a fence."""
    first, _, rest = section.partition("\n")
    inside, _, last = rest.rpartition("\n")
    return first, inside, last


@given(TEXTS)
def test_what_a_fence_holds_cannot_close_it(text: str) -> None:
    first, inside, last = parts(fenced("diff", text))
    mark = re.fullmatch(r"\[untrusted diff ([0-9a-f]+)\]", first)
    assert mark is not None
    assert inside == text
    assert last == f"[end of diff {mark[1]}]"
    assert mark[1] not in text


@given(TEXTS, TEXTS)
def test_an_author_who_knows_the_fence_of_a_text_cannot_put_it_into_that_text(text: str, more: str) -> None:
    seen = fenced("diff", text)
    again = fenced("diff", f"{text}\n{parts(seen)[2]}\n{more}")
    closing = parts(again)[2]
    assert again.count(closing) == 1
    assert again.endswith(closing)


@given(TEXTS)
def test_the_fence_is_the_same_from_run_to_run(text: str) -> None:
    assert fenced("diff", text) == fenced("diff", text)


def test_a_known_fence_is_pinned() -> None:
    assert fenced("diff", "x") == "[untrusted diff 33eefe4bb82ce97f]\nx\n[end of diff 33eefe4bb82ce97f]"


def test_the_mark_grows_until_the_text_does_not_hold_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Same:
        def __init__(self, data: bytes) -> None:
            self.data = data

        def hexdigest(self) -> str:
            return "ab" * 32

    monkeypatch.setattr(prompts.hashlib, "sha256", Same)
    text = "ab" * 40
    assert parts(fenced("diff", text))[0] == f"[untrusted diff {'ab' * 40}a]"


@given(st.text(alphabet=string.ascii_letters, min_size=1, max_size=5), TEXTS, TEXTS)
def test_a_value_is_never_read_as_a_template(word: str, one: str, two: str) -> None:
    slots = {"diff": fenced("diff", one), "evidence": fenced("evidence", two), "kind": word}
    whole = filled("Kind {kind}.\n{diff}\n{evidence}\nAgain {kind}; JSON {}", slots)
    assert whole == f"Kind {word}.\n{slots['diff']}\n{slots['evidence']}\nAgain {word}; JSON {{}}"


@pytest.mark.parametrize("value", ["two\nlines", "[untrusted diff 00]", "\x1b[2J", "\u202e"])
def test_text_that_could_be_of_the_change_needs_a_fence(value: str) -> None:
    with pytest.raises(ValueError, match="needs a fence"):
        filled("{kind}", {"kind": value})
    assert value in filled("{kind}", {"kind": fenced("kind", value)})


@pytest.mark.parametrize(("template", "slots"), [("{a}", {}), ("", {"a": "x"}), ("{a} {b}", {"a": "x"})])
def test_slots_and_values_must_be_the_same(template: str, slots: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="differ"):
        filled(template, slots)


@pytest.mark.parametrize("label", ["", "Diff", "a b", "x]\n", "1a"])
def test_a_label_is_a_word_of_ours(label: str) -> None:
    with pytest.raises(ValueError, match="no label"):
        fenced(label, "x")


def test_a_section_is_a_text_of_its_own_kind() -> None:
    assert isinstance(fenced("diff", "x"), Fenced)
    assert not isinstance(fenced("diff", "x") + "y", Fenced)

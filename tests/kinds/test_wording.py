"""Source text stands in sentences as it is, or in an exact piece of it."""

from __future__ import annotations

import pytest

from review_agent.kinds.wording import code, snippet


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("const x = 1;", "`const x = 1;`"),
        ("const url = `/api/${id}/items`;", "`const url =`"),
        ("`/api/${id}/items`", "`/api/${id}/items`"),
        ("a(`x` + `/a/longer/one`)", "`/a/longer/one`"),
        ("`", "nothing"),
        ("", "nothing"),
        (f"{'x' * 40} == req.{'y' * 50}", f"`{'x' * 40} == req`"),
        (f"raise {'x' * 50} from {'y' * 50}", f"`raise {'x' * 50}`"),
    ],
)
def test_a_piece_of_source_is_quoted_exactly(text: str, said: str) -> None:
    assert snippet(text) == said
    assert code(text).strip("`") in text or code(text) == "nothing"

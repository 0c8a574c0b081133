"""Text of the panel stands out in both themes: at least 4.5 to 1, as WCAG 2 wants it for text of this size."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

import dashboard

CSS = Path(str(dashboard.__file__)).with_name("frame.css").read_text(encoding="utf-8")
PAIR = r"light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)"
NAMED = {name: (light, dark) for name, light, dark in re.findall(rf"--([\w-]+): {PAIR}", CSS)}
SYNTAX = {name: (light, dark) for name, light, dark in re.findall(rf"\.src \.(\w) \{{ color: {PAIR}", CSS)}
TEXTS = ("ink", "soft", "accent", "blocking", "important", "suggestion", "good")
GROUNDS = ("bg", "paper", "raised")
CODE = ("paper", "add", "del", "mark")


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_words_stand_out_from_every_ground(theme: int) -> None:
    pairs = [(text, ground) for text, ground in product(TEXTS, GROUNDS)]
    weak = [pair for pair in pairs if contrast(NAMED[pair[0]][theme], NAMED[pair[1]][theme]) < 4.5]
    assert weak == []


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_code_stands_out_from_the_ground_of_its_line(theme: int) -> None:
    assert set(SYNTAX) == set("kscmfdbo")
    weak = [
        (name, ground)
        for name, ground in product(SYNTAX, CODE)
        if contrast(SYNTAX[name][theme], NAMED[ground][theme]) < 4.5
    ]
    assert weak == []


def test_no_style_reaches_outside_this_machine() -> None:
    assert not re.search(r"url\(|@import|https?:", CSS)

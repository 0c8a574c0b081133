"""A word by which one room knows another's work is named once, in the vocabulary: written twice, the two can part."""

from pathlib import Path

import pytest

import review_agent
from review_agent.vocabulary import COMPILED, RULES_ENGINE

ROOT = Path(review_agent.__file__).parent


@pytest.mark.parametrize(("word", "home"), [(COMPILED, "question.py"), (RULES_ENGINE, "engine.py")])
def test_the_word_stands_in_its_one_place_alone(word, home):
    found = [path for path in ROOT.rglob("*.py") if f'"{word}' in path.read_text(encoding="utf-8")]
    assert found == [ROOT / "vocabulary" / home]

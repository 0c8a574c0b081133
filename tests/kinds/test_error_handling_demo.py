"""The demo repository through the rules of error_handling."""

import pytest
from settling import settled

from review_agent.demo import build
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import ReviewEvidenceCard

pytestmark = pytest.mark.slow


def test_the_demo_repository_shows_six_of_them(tmp_path):
    build(tmp_path / "shop")
    with Parser() as parser:
        outcomes = list(settled(tmp_path / "shop", parser))
    cards = sorted(rule for rule, one in outcomes if isinstance(one, ReviewEvidenceCard))
    assert cards == [
        "error_dropped",
        "guard_removed_dereferenced",
        "handler_broadened_hides",
        "missing_value_dereferenced",
        "missing_value_dereferenced",
        "raise_type_changed_uncaught",
    ]
    silent = {(rule, one.code.value) for rule, one in outcomes if not isinstance(one, ReviewEvidenceCard)}
    assert silent >= {
        ("error_dropped", "refuted"),
        ("guard_removed_dereferenced", "insufficient_evidence"),
        ("handler_broadened_hides", "refuted"),
    }

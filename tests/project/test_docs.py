import re
import subprocess
import sys
from pathlib import Path

import pytest

from review_agent.policy.check import check_file
from review_agent.resources import shipped
from review_agent.vocabulary import ContractCode, NoFindingCode, SkipRule, UnansweredCause

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_documents_repeat_what_the_product_says() -> None:
    done = subprocess.run([sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_readme_opens_with_the_two_commands() -> None:
    opening = (ROOT / "README.md").read_text(encoding="utf-8")[:800]
    assert "make demo" in opening
    assert "make test" in opening


def test_the_trigger_that_the_guide_shows_is_in_order() -> None:
    guide = (ROOT / "docs/edits.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```yaml\n(triggers:.*?)```", guide, re.DOTALL)
    text = (shipped("policy") / "change-kinds.yml").read_text(encoding="utf-8") + shown
    value, problems = check_file("change-kinds.yml", text.encode())
    assert problems == []
    assert [one.name for one in value.triggers] == ["audit_call_removed"]


@pytest.mark.slow
def test_the_index_of_rules_says_what_the_rules_say() -> None:
    """A rule whose edits the index does not name would never be asked."""
    done = subprocess.run([sys.executable, "docs/kinds_index.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("No finding", NoFindingCode),
        ("Skipped", SkipRule),
        ("Unanswered", UnansweredCause),
        ("Rejected", ContractCode),
    ],
)
def test_the_page_of_endings_explains_every_word_of_the_vocabulary(heading, words) -> None:
    page = (ROOT / "docs/endings.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^## {heading}$(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    told = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert sorted(told) == sorted(words)
    assert "docs/endings.md" in (ROOT / "README.md").read_text(encoding="utf-8")

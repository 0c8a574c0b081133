"""Every error says what to do next: where its class does not, the place that raises it does."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import review_agent
from review_agent.errors import DiffError, GitError, ProcessError, ReviewAgentError, UsageError

SOURCE = Path(review_agent.__file__).parent
OWN_HINT = {"UsageError", "SnapshotError", "PolicyError", "TransitionError", "StorageFullError", "RefusedError"}
TOLD_ELSEWHERE = {"gitwrite.py": 1}
"""What git apply says is a part of a message that has its next step."""


def test_a_class_may_know_what_usually_helps_and_a_place_knows_better() -> None:
    assert "git fsck" in GitError("x").hint
    assert GitError("x", hint="y").hint == "y"
    assert ReviewAgentError("x").hint == UsageError("x").hint == ""


@pytest.mark.parametrize("kind", [GitError, DiffError, ProcessError])
def test_what_is_nobodys_mistake_has_a_usual_hint(kind: type[ReviewAgentError]) -> None:
    assert kind("x").hint == kind.usual_hint != ""


def test_what_a_person_can_mend_is_raised_with_the_next_step() -> None:
    bare: dict[str, int] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _named(node.func) in OWN_HINT and not _hinted(node):
                bare[path.name] = bare.get(path.name, 0) + 1
    assert bare == TOLD_ELSEWHERE


def _named(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _hinted(call: ast.Call) -> bool:
    return any(keyword.arg in ("hint", None) for keyword in call.keywords)

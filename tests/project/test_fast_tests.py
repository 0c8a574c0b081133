"""``make check`` stays fast: a module whose tests run whole reviews, or processes in numbers, says that it is slow."""

import ast
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
# Helpers that review a repository from its commits to its cards, and what starts workers.
WHOLE = {
    "changing",
    "reviewing",
    "settling",
    "replaycases.reviewed",
    "review_agent.replay.calibrate_run",
    "review_agent.replay.run",
}
MODULES = sorted(TESTS.rglob("test_*.py"))


@cache
def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def imported(path: Path) -> set[str]:
    """Dotted names of the modules that a file imports, helpers beside the tests by their own name."""
    found = set()
    for node in ast.walk(ast.parse(text(path))):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
    return {name.removeprefix("tests.").removeprefix("kinds.") for name in found}


def reviews(path: Path) -> bool:
    """Whether a module imports what reviews a whole repository; one that names none of it is not parsed."""
    words = {name.rpartition(".")[2] for name in WHOLE}
    return any(word in text(path) for word in words) and bool(imported(path) & WHOLE)


def is_slow(path: Path) -> bool:
    """As conftest tells it, which leaves such a module out of the fast tests without an import."""
    return "\npytestmark = pytest.mark.slow\n" in text(path)


def test_a_module_of_whole_reviews_is_slow() -> None:
    fast = [str(path.relative_to(TESTS)) for path in MODULES if not is_slow(path) and reviews(path)]
    assert fast == [], "put `pytestmark = pytest.mark.slow` below their imports: `make check` has a minute"


def test_every_room_keeps_fast_tests() -> None:
    rooms = {path.parent for path in MODULES} - {TESTS / "replay"}
    assert rooms == {path.parent for path in MODULES if not is_slow(path)} - {TESTS / "replay"}

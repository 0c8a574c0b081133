"""Of a large change a model reads the parts that change most of what runs; what it does not read is on record."""

from __future__ import annotations

import pytest
from test_grouping import file

from review_agent.policy.load import load
from review_agent.stages.grouping import Groups, grouped
from review_agent.stages.picking import picked
from review_agent.vocabulary import FileChange, SkipRule

POLICY = load()
BYTES = 2_000


def of(most: int, *files: FileChange) -> tuple[list[str], list[str]]:
    """The first path of each part that is shown, and of each that is not."""
    policy = POLICY.model_copy(update={"engine": POLICY.engine.model_copy(update={"groups_per_run": most})})
    shown, left = picked(parts(*files), policy)
    assert {one.rule for one in left} <= {SkipRule.PART_CAP}
    return [group.paths[0] for group in shown], [one.path for one in left]


def parts(*files: FileChange) -> Groups:
    return grouped(files, set(), BYTES)


def long(path: str, lines: int = 24) -> FileChange:
    """A file that fills a part of its own."""
    return file(path, *(f"{'x' * 50} {n}" for n in range(lines)))


def test_a_change_within_the_number_comes_whole_in_the_order_of_the_diff() -> None:
    assert of(3, long("README.md"), long("test_a.py"), long("a.py")) == (["README.md", "test_a.py", "a.py"], [])


@pytest.mark.parametrize(
    "lighter",
    [
        "README.md",
        "openapi/all.json",
        "web/locales/de.ts",
        "app/translations/de.po",
        "tests/test_a.py",
        "src/a.spec.ts",
        "x.vue",
    ],
)
def test_product_code_comes_before_what_breaks_less(lighter: str) -> None:
    assert of(1, long(lighter), long("src/latest.py")) == (["src/latest.py"], [lighter])
    assert of(1, long("src/latest.py"), long(lighter)) == (["src/latest.py"], [lighter])


def test_tests_come_before_prose_and_more_changed_lines_before_fewer() -> None:
    shown, left = of(2, long("a.md"), long("b.py", 20), long("tests/c.py"), long("d.py", 24))
    assert (shown, left) == (["d.py", "b.py"], ["tests/c.py", "a.md"])


def test_a_sensitive_path_weighs_double() -> None:
    assert of(1, long("src/plain.py", 24), long("src/auth/login.py", 18))[0] == ["src/auth/login.py"]


def test_equals_keep_the_order_of_the_diff() -> None:
    assert of(2, *(long(f"src/{name}.py") for name in "abcd")) == (["src/a.py", "src/b.py"], ["src/c.py", "src/d.py"])


def test_a_part_that_is_left_says_how_many_files_it_has() -> None:
    few = [file(f"doc/{n}.md", *(["words " * 9] * 4)) for n in range(6)]
    policy = POLICY.model_copy(update={"engine": POLICY.engine.model_copy(update={"groups_per_run": 1})})
    _, (left,) = picked(parts(*few, long("src/a.py")), policy)
    assert left.detail == "no model read this part of it and of 5 files after it: beyond 1 part of a change a run"
    assert (left.hunk_id, left.path) == (None, "doc/0.md")
    assert left.question_id

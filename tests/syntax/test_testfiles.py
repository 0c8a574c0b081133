"""Which files nothing loads, and which are run by their path all the same."""

import pytest

from review_agent.syntax.testfiles import is_unloaded, run_line


@pytest.mark.parametrize(
    "path",
    [
        "shop/orders.py",
        "nightly-run.py",
        "jobs/nightly-run.py",
        "scripts/nightly-run.py",
        ".github/scripts/make-release.py",
        ".circleci/steps.js",
        ".storybook/main.ts",
        "src/package-info.java",
        "shop/order-list.ts",
    ],
)
def test_a_file_that_is_loaded_or_run(path):
    assert not is_unloaded(path)


@pytest.mark.parametrize(
    ("path", "runs"),
    [
        ("rules/no-quote.py", False),
        (".semgrep/quote.py", False),
        ("playwright/fixtures/orders.py", False),
        ("docs/_build/quote.py", True),
        ("pkg/testdata/quote.go", True),
        ("pkg/_old/quote.go", True),
        ("site/javadoc/Quote.java", True),
    ],
)
def test_a_file_that_nothing_loads(path, runs):
    assert is_unloaded(path)
    assert is_unloaded(path, runs=True) is runs


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("#!/usr/bin/env python3\nx = 1", 1),
        ("x = 1\nif __name__ == '__main__':\n    run()", 2),
        ('x = 1\n\nif __name__=="__main__": run()', 3),
        ("x = 1\n# if __name__ == '__main__':", 0),
        ("def go():\n    if __name__ == '__main__':\n        pass", 0),
        ("", 0),
    ],
)
def test_the_line_by_which_a_file_is_run(text, line):
    assert run_line(text.splitlines()) == line

"""The block around lines, by layout alone."""

import pytest

from review_agent.syntax.enclosing import block_around

CODE = """class One {
  a() {
    x
// note at the margin
    y
  }

  b() {
    x
  }
}
x
"""
DOCUMENT = "x\n# One\nx\n## Part\nx\n  x\n# Other\nx\n"
SETTINGS = "x = 0\n[one]\nx = 1\n  deep = 1\n[[two]]\nx = 2\n"


@pytest.mark.parametrize(
    ("text", "path", "numbers", "block"),
    [
        (CODE, "a.js", (3, 5), (2, 5)),
        (CODE, "a.js", (3, 9), (1, 10)),
        (CODE, "a.js", (3, 12), None),
        (CODE, "a.js", (99,), None),
        (DOCUMENT, "a.md", (3, 5), (2, 6)),
        (DOCUMENT, "a.md", (5, 6), (4, 6)),
        (DOCUMENT, "a.md", (1, 5), None),
        (SETTINGS, "a.toml", (3, 4), (2, 4)),
        (SETTINGS, "a.toml", (3, 6), None),
        ("", "a.py", (1,), None),
    ],
)
def test_the_block_around_lines(text, path, numbers, block):
    assert block_around(text.splitlines(), numbers, path) == block

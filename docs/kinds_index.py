"""Write review_agent/kinds/index.py: which edits wake which rule of which file.

    python docs/kinds_index.py [--check]

With --check nothing is written; the exit code is 1 where the index has drifted from the rules.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

INDEX = Path(__file__).resolve().parents[1] / "review_agent/kinds/index.py"
HEAD = '''"""The edits that wake each rule, by the file the rule stands in; `make docs` writes this from the rules."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["RULES"]

RULES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
'''


def index() -> str:
    """The text of index.py. Each module that has ``RULES`` of its own gives one entry."""
    lines = []
    for file in sorted(INDEX.parent.glob("*_*.py")):
        rules = getattr(import_module(f"review_agent.kinds.{file.stem}"), "RULES", ())
        if not rules:
            continue
        woken = {rule.name: tuple(sorted(op.value for op in rule.ops)) for rule in rules}
        lines.append(f'    "{file.stem}": {woken!r},\n')
    return formatted(HEAD + "".join(lines) + "}\n")


def formatted(text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(INDEX), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def main() -> None:
    text = index()
    if INDEX.read_text(encoding="utf-8") == text:
        return
    if "--check" in sys.argv:
        sys.exit(f"{INDEX.name} has drifted from the rules: run `make docs`")
    INDEX.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Write what the documents repeat from the product: docs/commands.md from --help, and README's card from the demo.

    python docs/generate.py [--check]

With --check nothing is written; the exit code is 1 where a document has drifted.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from review_agent.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
GROUPS = {"cards": ("list", "show"), "ledger": ("doctor", "rebuild"), "policy": ("check", "show")}


def help_of(*words: str) -> str:
    environment = {**os.environ, "COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "review_agent.cli", *words, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    shown = re.sub(r"^Usage: .*?review-agent", "Usage: review-agent", done.stdout.strip())
    return "\n".join(line.rstrip() for line in shown.splitlines())


def commands() -> str:
    """The reference of all commands, as each explains itself."""
    parts = ["# Commands", "", "Made from `--help` by `make docs`.", "", "```text", help_of(), "```"]
    for name in COMMANDS:
        for words in ((name,), *((name, sub) for sub in GROUPS.get(name, ()))):
            parts += ["", f"## {' '.join(words)}", "", "```text", help_of(*words), "```"]
    return "\n".join(parts) + "\n"


def readme() -> str:
    """README with the first card of the demo between its marks."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    card = (ROOT / "tests/goldens/demo.txt").read_text(encoding="utf-8").split("\n\n")[0]
    block = f"<!-- demo-card -->\n```text\n{card}\n```\n<!-- /demo-card -->"
    return re.sub(r"<!-- demo-card -->.*?<!-- /demo-card -->", lambda _: block, text, flags=re.DOTALL)


def main() -> None:
    drifted = []
    for path, text in ((ROOT / "docs/commands.md", commands()), (ROOT / "README.md", readme())):
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        drifted.append(path.name)
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
    if drifted and "--check" in sys.argv:
        sys.exit(f"drifted: {', '.join(drifted)}: run `make docs`")


if __name__ == "__main__":
    main()

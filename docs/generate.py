"""Write what the documents repeat from the product: docs/commands.md from --help, README's card from the demo, and
docs/replay-results.md from the committed results of the seeded cases.

    python docs/generate.py [--check]

With --check nothing is written; the exit code is 1 where a document has drifted.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import typer.main

from review_agent import cli

ROOT = Path(__file__).resolve().parents[1]
SEEDED = ROOT / "fixtures/seeded-regressions"


def help_of(*words: str) -> str:
    environment = {**os.environ, "COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "review_agent.cli", *words, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    shown = re.sub(r"^Usage: python -m review_agent\.cli", "Usage: review-agent", done.stdout.strip())
    return "\n".join(line.rstrip() for line in shown.splitlines())


def commands() -> str:
    """The reference of all commands, as each explains itself."""
    parts = ["# Commands", "", "Made from `--help` by `make docs`.", "", "```text", help_of(), "```"]
    known = vars(typer.main.get_command(cli._app()))["commands"]
    for name in cli.COMMANDS:
        for words in ((name,), *((name, sub) for sub in vars(known[name]).get("commands", ()))):
            parts += ["", f"## {' '.join(words)}", "", "```text", help_of(*words), "```"]
    return "\n".join(parts) + "\n"


def readme() -> str:
    """README with the first card of the demo between its marks."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    card = (ROOT / "tests/goldens/demo.txt").read_text(encoding="utf-8").split("\n\n")[0]
    block = f"<!-- demo-card -->\n```text\n{card}\n```\n<!-- /demo-card -->"
    return re.sub(r"<!-- demo-card -->.*?<!-- /demo-card -->", lambda _: block, text, flags=re.DOTALL)


def results() -> str:
    """The seeded cases: shares and a table by kind and language, the first run beside; every miss with its layer."""
    now = json.loads((SEEDED / "results.json").read_text(encoding="utf-8"))
    first_file = SEEDED / "first-run.json"
    first = json.loads(first_file.read_text(encoding="utf-8")) if first_file.exists() else None
    one = now["identity"]
    parts = [
        "# The seeded cases, replayed",
        "",
        "Made from `fixtures/seeded-regressions/results.json` by `make docs`; `make replay-results` writes that file.",
        f"Engine `{one['engine']}`, policy `{one['policyHash'][:12]}`, product {one['product']}. The first run is",
        "the one in which the detectors first met the cases (`first-run.json`).",
        "",
        *shares(now["figures"], first and first["figures"]),
        "",
        "Found of cases by kind and language; in brackets the first run.",
        "",
        *kind_table(now["figures"], first and first["figures"]),
        "",
        *misses(now["entries"]),
    ]
    return "\n".join(parts).rstrip() + "\n"


def shares(now: dict[str, Any], first: dict[str, Any] | None) -> list[str]:
    def rows(figures: dict[str, Any]) -> dict[str, Any]:
        of = {row["name"]: row["found"] for row in figures["byEvidence"]}
        return {
            "found, evidence in the same file": of.get("same_file"),
            "found, evidence elsewhere": of.get("elsewhere"),
            "twins left silent": figures["whole"]["silent"],
            "cards on a defect that hit it": figures["precision"],
            "cards beside the defect (scope inflation)": figures["whole"]["besideDefect"],
        }

    before = rows(first) if first else {}
    lines = ["| share | now (Wilson 95%) | first run |", "|---|---|---|"]
    return lines + [f"| {name} | {share(one)} | {share(before.get(name))} |" for name, one in rows(now).items()]


def share(one: dict[str, Any] | None) -> str:
    if one is None or one["rate"] is None:
        return "–"
    return f"{one['hits']}/{one['of']}, {one['rate']:.2f} ({one['low']:.2f}–{one['high']:.2f})"


def kind_table(now: dict[str, Any], first: dict[str, Any] | None) -> list[str]:
    languages = [row["name"] for row in now["byLanguage"]]

    def cells(figures: dict[str, Any]) -> dict[str, str]:
        rows = figures["byKindAndLanguage"] + figures["byKind"] + figures["byLanguage"] + [figures["whole"]]
        return {row["name"]: f"{row['found']['hits']}/{row['found']['of']}" for row in rows if row["found"]["of"]}

    current, before = cells(now), cells(first) if first else {}

    def cell(name: str) -> str:
        return f"{current[name]} ({before.get(name, '–')})" if name in current else "–"

    lines = [f"| kind | {' | '.join(languages)} | all | twins silent |", "|---" * (len(languages) + 3) + "|"]
    for row in now["byKind"]:
        across = [cell(f"{row['name']} {language}") for language in languages]
        twins = f"{row['silent']['hits']}/{row['silent']['of']}"
        lines.append(f"| `{row['name']}` | {' | '.join(across)} | {cell(row['name'])} | {twins} |")
    twins = f"{now['whole']['silent']['hits']}/{now['whole']['silent']['of']}"
    return [*lines, f"| all | {' | '.join(map(cell, languages))} | {cell('all')} | {twins} |"]


def misses(entries: list[dict[str, Any]]) -> list[str]:
    """Every case that was not found, by the earliest layer at fault."""
    missed = [(entry["case"], entry["result"]["miss"]) for entry in entries if entry["result"]["miss"] is not None]
    if not missed:
        return ["Every case is found."]
    lines = ["Not found:", "", "| case | layer | why |", "|---|---|---|"]
    return lines + [
        f"| {case} | {miss['layer']} | {miss['why'].replace('|', chr(92) + '|')} |" for case, miss in missed
    ]


def main() -> None:
    drifted = []
    documents = [(ROOT / "docs/commands.md", commands()), (ROOT / "README.md", readme())]
    if (SEEDED / "results.json").exists():
        documents.append((ROOT / "docs/replay-results.md", results()))
    for path, text in documents:
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        drifted.append(path.name)
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
    if drifted and "--check" in sys.argv:
        sys.exit(f"drifted: {', '.join(drifted)}: run `make docs`")


if __name__ == "__main__":
    main()

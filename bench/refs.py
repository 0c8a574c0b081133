"""A second implementation of what a SourceRef claims: plain git commands, nothing of review_agent."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from typing import Any

ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_NO_REPLACE_OBJECTS": "1"}


def git(repo: Path, *arguments: str) -> bytes:
    """Stdout of a git command in ``repo``. Raises CalledProcessError."""
    command = ["git", "-C", str(repo), *arguments]
    return subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT).stdout


def faults(repo: Path, ref: dict[str, Any]) -> list[str]:
    """What is untrue about a ref: its blob, its lines, its quote. Empty where all of it holds."""
    place = f"{ref['path']}:{ref['startLine']}-{ref['endLine']}@{ref['commit'][:12]}"
    try:
        blob = git(repo, "rev-parse", f"{ref['commit']}:{ref['path']}").decode().strip()
        lines = git(repo, "cat-file", "blob", blob).split(b"\n")
    except subprocess.CalledProcessError:
        return [f"{place}: no such file at that commit"]
    found = []
    if blob != ref["blob"]:
        found.append(f"{place}: blob is {blob[:12]}")
    last = len(lines) - (lines[-1] == b"")
    if not 1 <= ref["startLine"] <= ref["endLine"] <= last:
        return [*found, f"{place}: the file has {last} lines"]
    ended = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    quote = b"".join(ended[ref["startLine"] - 1 : ref["endLine"]])
    if hashlib.sha256(quote).hexdigest() != ref["quoteSha256"]:
        found.append(f"{place}: the quote's hash differs")
    return found

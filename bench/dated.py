"""Where a benchmark keeps its result: a file with the day and its name, in a folder that is there before it begins."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path


def folder(text: str) -> Path:
    """The folder that an option names, made where it is not: hours of measuring must not end at a missing one."""
    path = Path(text)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text} cannot be made: {error.strerror}") from error
    return path


def keep(into: Path | None, name: str, text: str) -> None:
    """Writes the result of today, where a folder was given; one of the same day is replaced."""
    if into is not None:
        (into / f"{datetime.now(UTC):%Y-%m-%d}-{name}.md").write_text(text, encoding="utf-8")

"""What other tools found, out of a SARIF file: the results on changed files, a masked line each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

__all__ = ["findings"]

_LONGEST, _MOST_MASKED, _LAST_LINE = 300, 20_000, 10_000_000


def findings(text: str, changed: Sequence[str], mask: Callable[[str], str], most: int) -> str:
    """Path, line, rule and message of each result on a changed path, in order; about ``most`` characters of them.

    Raises ValueError for what is no JSON, or has no runs. What is malformed in it says nothing.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("is no JSON") from error
    runs = data.get("runs") if isinstance(data, dict) else None
    if not isinstance(runs, list):
        raise ValueError("has no runs")
    found = {one for run in runs for result in _list(run, "results") for one in _result(result, changed)}
    lines: dict[str, None] = {}
    length = 0
    for path, line, rule, message in sorted(found):
        said = f"{path}:{line} {_line(mask, rule, message)}"
        length += 0 if said in lines else len(said) + 1
        lines[said] = None
        if length > most:
            break
    return "\n".join(lines)


def _line(mask: Callable[[str], str], *texts: str) -> str:
    """Masked as they are written, before they are one line and cut: a joined or halved secret is none to a pattern."""
    text = " ".join(" ".join(mask(one[:_MOST_MASKED]) for one in texts).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _result(result: Any, changed: Sequence[str]) -> Iterator[tuple[str, int, str, str]]:
    """At its first place alone."""
    place = next(iter(_list(result, "locations")), None)
    physical = _in(place, "physicalLocation")
    path = _changed(_text(_in(physical, "artifactLocation"), "uri"), changed)
    line = _in(physical, "region").get("startLine")
    if path is not None and type(line) is int and 0 < line < _LAST_LINE:
        yield path, line, _text(_in(result, ""), "ruleId"), _text(_in(result, "message"), "text")


def _changed(uri: str, changed: Sequence[str]) -> str | None:
    """The changed path that a URI means: itself, or the one path that a longer one ends in."""
    try:
        path = unquote(urlsplit(uri).path if "://" in uri else uri).removeprefix("./")
    except ValueError:
        return None
    if path in changed:
        return path
    ends = [one for one in changed if path.endswith(f"/{one}")]
    return max(ends, key=len, default=None)


def _in(data: Any, name: str) -> dict[str, Any]:
    """The object under a name (the data itself without one); an empty one where there is none."""
    found = data.get(name) if name and isinstance(data, dict) else data
    return found if isinstance(found, dict) else {}


def _text(data: dict[str, Any], name: str) -> str:
    found = data.get(name)
    return found if isinstance(found, str) else ""


def _list(data: Any, name: str) -> list[Any]:
    found = data.get(name) if isinstance(data, dict) else None
    return found if isinstance(found, list) else []

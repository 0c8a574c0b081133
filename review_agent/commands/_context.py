"""What people and tools say about the change: read from options, masked, cut to size, labelled; never obeyed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import unquote, urlsplit

import typer

from review_agent.errors import UsageError

if TYPE_CHECKING:
    from review_agent.policy.model import Policy
    from review_agent.vocabulary import ContextItem

__all__ = ["Background", "CiSummary", "Description", "Said", "Sarif", "Title"]

Title = Annotated[str | None, typer.Option("--title", help="The change's title, for a model to read.", metavar="TEXT")]
Description = Annotated[
    Path | None, typer.Option("--description", help="The change's description, for a model to read.", metavar="FILE")
]
Background = Annotated[
    Path | None, typer.Option("--background", help="More on the change, for a model to read.", metavar="FILE")
]
CiSummary = Annotated[
    Path | None, typer.Option("--ci-summary", help="What CI said, for a model to read.", metavar="FILE")
]
Sarif = Annotated[
    list[Path] | None,
    typer.Option(
        "--sarif",
        help="Findings of other tools on changed files, for a model to read; may be repeated.",
        metavar="FILE",
    ),
]

_MOST_TEXT, _MOST_SARIF = 1_048_576, 64 * 1_048_576
_LONGEST = 300
_Label = Literal["title", "description", "background", "ci_summary", "sarif"]


@dataclass(frozen=True)
class Said:
    """What was given, a field an option."""

    title: str | None = None
    description: Path | None = None
    background: Path | None = None
    ci_summary: Path | None = None
    sarif: list[Path] | None = None

    def __bool__(self) -> bool:
        return any((self.title, self.description, self.background, self.ci_summary, self.sarif))

    def items(self, policy: Policy, changed: Iterable[str]) -> tuple[ContextItem, ...]:
        """As a model is shown it; of SARIF only what is about ``changed`` paths.

        Raises UsageError for a file that cannot be read.
        """
        if not policy.engine.context_bytes:
            return ()
        texts: list[tuple[_Label, str, str]] = [("title", "--title", self.title)] if self.title else []
        files: tuple[tuple[_Label, Path | None], ...] = (
            ("description", self.description),
            ("background", self.background),
            ("ci_summary", self.ci_summary),
        )
        texts += [(label, file.name, _read(file, _MOST_TEXT, label)) for label, file in files if file is not None]
        paths = sorted(changed) if self.sarif else []
        texts += [("sarif", file.name, _findings(file, paths)) for file in self.sarif or ()]
        return tuple(_item(policy, *one) for one in texts if one[2].strip())


def _item(policy: Policy, label: _Label, source: str, text: str) -> ContextItem:
    from review_agent.stages.context import cut
    from review_agent.vocabulary import ContextItem, Role

    role: Any = Role.LOG if label in ("ci_summary", "sarif") else Role.INSTRUCTION
    item = ContextItem(label=label, role=role, source=source, text=policy.masker()(text.strip()))
    return cut(item, policy.engine.context_bytes)


def _read(file: Path, most: int, what: str) -> str:
    """A file's text, as much of it as could matter."""
    option = f"--{what.replace('_', '-')}"
    try:
        with file.open("rb") as opened:
            raw = opened.read(most + 1)
    except OSError as error:
        hint = "name a text file that can be read"
        raise UsageError(f"{option} cannot be read: {error.strerror}", where=str(file), hint=hint) from error
    if what == "sarif" and len(raw) > most:
        message = f"--sarif is larger than {most // 1_048_576} MiB"
        raise UsageError(message, where=str(file), hint="give the results of changed files alone")
    return raw[:most].decode("utf-8-sig", "replace")


def _findings(file: Path, changed: Sequence[str]) -> str:
    """The results on changed files, a line each: path, line, rule and message."""
    try:
        data = json.loads(_read(file, _MOST_SARIF, "sarif"))
    except (ValueError, RecursionError) as error:
        hint = "give a SARIF 2.1.0 file, as CodeQL and Semgrep write it"
        raise UsageError("--sarif is no JSON", where=str(file), hint=hint) from error
    runs = data.get("runs") if isinstance(data, dict) else None
    if not isinstance(runs, list):
        hint = "give a SARIF 2.1.0 file, as CodeQL and Semgrep write it"
        raise UsageError("--sarif has no runs", where=str(file), hint=hint)
    found = {line for run in runs for result in _list(run, "results") for line in _result(result, changed)}
    return "\n".join(f"{path}:{line} {text}" for path, line, text in sorted(found))


def _result(result: Any, changed: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """At its first place alone; what is malformed says nothing."""
    place = next(iter(_list(result, "locations")), None)
    physical = _in(place, "physicalLocation")
    path = _changed(str(_in(physical, "artifactLocation").get("uri") or ""), changed)
    line = _in(physical, "region").get("startLine")
    if path is None or not isinstance(line, int):
        return
    said = f"{_in(result, '').get('ruleId') or ''} {_in(result, 'message').get('text') or ''}"
    text = " ".join(said.split())
    yield path, line, text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _changed(uri: str, changed: Sequence[str]) -> str | None:
    """The changed path that a URI means: itself, or the one path that a longer one ends in."""
    path = unquote(urlsplit(uri).path if "://" in uri else uri).removeprefix("./")
    if path in changed:
        return path
    ends = [one for one in changed if path.endswith(f"/{one}")]
    return max(ends, key=len, default=None)


def _in(data: Any, name: str) -> dict[str, Any]:
    """The object under a name (the data itself without one); an empty one where there is none."""
    found = data.get(name) if name and isinstance(data, dict) else data
    return found if isinstance(found, dict) else {}


def _list(data: Any, name: str) -> list[Any]:
    found = data.get(name) if isinstance(data, dict) else None
    return found if isinstance(found, list) else []

"""What people and tools say about the change: read from options, masked, cut to size, labelled; never obeyed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
        texts += [("sarif", file.name, _findings(file, paths, policy)) for file in self.sarif or ()]
        return tuple(_item(policy, *one) for one in texts if one[2].strip())


def _item(policy: Policy, label: _Label, source: str, text: str) -> ContextItem:
    from review_agent.stages.context import cut, prose
    from review_agent.vocabulary import ContextItem, Role

    mask = policy.masker()
    role: Any = Role.LOG if label in ("ci_summary", "sarif") else Role.INSTRUCTION
    # A byte of an option, or half of a character in JSON, that no record can hold stands as a question mark.
    by, said = (prose(one.encode("utf-8", "replace").decode("utf-8"), mask) for one in (source, text.strip()))
    return cut(ContextItem(label=label, role=role, source=by, text=said), policy.engine.context_bytes)


def _read(file: Path, most: int, what: str) -> str:
    """A file's text, as much of it as could matter; the last line of a longer one is left out, as it may be cut."""
    from review_agent.given import read_up_to

    option = f"--{what.replace('_', '-')}"
    try:
        raw = read_up_to(file, most, option)
    except OSError as error:
        hint = "name a text file that can be read"
        raise UsageError(f"{option} cannot be read: {error.strerror}", where=str(file), hint=hint) from error
    if what == "sarif" and len(raw) > most:
        message = f"--sarif is larger than {most // 1_048_576} MiB"
        raise UsageError(message, where=str(file), hint="give the results of changed files alone")
    if len(raw) > most:
        raw = raw[: max(raw.rfind(b"\n"), 0) or most]
    return raw.decode("utf-8-sig", "replace")


def _findings(file: Path, changed: Sequence[str], policy: Policy) -> str:
    """The results on changed files. Raises UsageError for what is no SARIF."""
    from review_agent.commands._sarif import findings

    try:
        text = _read(file, _MOST_SARIF, "sarif")
        return findings(text, changed, policy.masker(), policy.engine.context_bytes)
    except ValueError as error:
        hint = "give a SARIF 2.1.0 file, as CodeQL and Semgrep write it"
        raise UsageError(f"--sarif {error}", where=str(file), hint=hint) from error

"""The options of ``review-agent replay``: what the command line takes, and what was asked as one value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from review_agent.commands._common import Output, PolicyDir
from review_agent.commands._engine import (
    Answers,
    BaseUrl,
    Engine,
    EngineOptions,
    Header,
    KeyCommand,
    Model,
    Recorded,
)


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    HTML = "html"


class Gate(StrEnum):
    LOSS = "loss"
    ANY_CHANGE = "any-change"
    NEVER = "never"


Cases = Annotated[list[Path] | None, typer.Argument(help="Folders of cases.", metavar="CASES")]
Listing = Annotated[
    Path | None, typer.Option("--list", help="A TSV of projects, commits and locations.", metavar="FILE")
]
Repos = Annotated[Path | None, typer.Option("--repos", help="Where the list's repositories are.", metavar="DIR")]
Commits = Annotated[
    str | None, typer.Option("--commits", help="Past commits, each against its parent.", metavar="A..B")
]
FromHistory = Annotated[
    bool, typer.Option("--from-history", help="Cases mined from the past fixes of --repo: docs/calibration.md.")
]
Since = Annotated[
    str | None, typer.Option("--since", help="With --from-history: only what came after this.", metavar="REF")
]
Most = Annotated[
    int | None,
    typer.Option("--most", help="With --from-history: review at most so many faults, and clean commits.", min=1),
]
Limit = Annotated[
    int | None, typer.Option("--limit", help="At most so many commits of --commits or --from-history.", min=1)
]
Repository = Annotated[
    Path, typer.Option("--repo", help="Repository of --commits, of the policy and of the state.", metavar="DIR")
]
Kinds = Annotated[list[str] | None, typer.Option("--kind", help="Only this kind; may be repeated.")]
Languages = Annotated[list[str] | None, typer.Option("--language", help="Only this language; may be repeated.")]
Names = Annotated[list[str] | None, typer.Option("--case", help="Only names that hold this; may be repeated.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Worker processes; 0: one a core.", min=0)]
State = Annotated[
    Path | None,
    typer.Option("--state", help="Where results are kept, if not in .review-agent/replay.", metavar="DIR"),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Review everything again.")]
Printed = Annotated[Format, typer.Option("--format", help="What to print.")]
Marks = Annotated[Path | None, typer.Option("--marks", help="JSONL of cards a reading has undone.", metavar="FILE")]
Predictions = Annotated[
    Path | None, typer.Option("--predictions", help="Write all cards by line, as JSONL.", metavar="FILE")
]
Against = Annotated[
    Path | None, typer.Option("--against", help="Baseline to list changed outcomes against.", metavar="FILE")
]
WriteBaseline = Annotated[
    Path | None, typer.Option("--write-baseline", help="Write the outcomes as a baseline.", metavar="FILE")
]
FailOn = Annotated[
    Gate | None,
    typer.Option("--fail-on", help="Exit 1 on such a change against the baseline; loss, unless told otherwise."),
]


@dataclass(frozen=True)
class Options:
    """One invocation: a field a parameter of the command."""

    cases: Cases
    listing: Listing
    repos: Repos
    commits: Commits
    from_history: FromHistory
    since: Since
    most: Most
    limit: Limit
    repo: Repository
    engine: Engine
    model: Model
    base_url: BaseUrl
    header: Header
    key_command: KeyCommand
    answers: Answers
    recorded: Recorded
    policy: PolicyDir
    kind: Kinds
    language: Languages
    case: Names
    jobs: Jobs
    state: State
    fresh: Fresh
    format: Printed
    output: Output
    marks: Marks
    predictions: Predictions
    against: Against
    write_baseline: WriteBaseline
    fail_on: FailOn

    @property
    def of_engine(self) -> EngineOptions:
        """Those that choose who answers."""
        return EngineOptions(
            self.engine, self.model, self.base_url, self.header, self.key_command, self.answers, self.recorded
        )

"""``review-agent schema``: JSON Schemas of everything that is written for others to read, made from the records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["names", "register", "schema", "write"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_POLICY = "policy-"


def register(app: typer.Typer) -> None:
    app.command("schema")(show)


def show(
    name: Annotated[str | None, typer.Argument(help="Which schema; without it, all names are listed.")] = None,
    into: Annotated[
        Path | None, typer.Option("--write", help="Write all schemas to this folder.", metavar="DIR")
    ] = None,
) -> None:
    """Print a JSON Schema of what review-agent writes or reads, or write all of them. Exit: 0; 2 for no such name."""
    from review_agent.errors import UsageError

    if name is not None and into is not None:
        raise UsageError("one schema is printed, all are written", hint="leave out the name or --write")
    if into is not None:
        write(into)
    elif name is None:
        typer.echo("\n".join(names()))
    else:
        typer.echo(schema(name), nl=False)


def names() -> tuple[str, ...]:
    """The names of all schemas, in order."""
    return tuple(sorted(_records()))


def schema(name: str) -> str:
    """One schema as the text of its file. Raises UsageError for an unknown name."""
    import difflib
    import json

    from review_agent.errors import UsageError

    records = _records()
    if name not in records:
        near = [one for one in sorted(records) if name and name in one] or difflib.get_close_matches(name, records, n=1)
        hint = f"did you mean {' or '.join(near[:3])}?" if near else "`review-agent schema` lists the names"
        raise UsageError(f"no schema is called {name!r}", hint=hint)
    made = records[name].json_schema(by_alias=True, mode="validation")
    whole: dict[str, Any] = {"$schema": _DIALECT, "$id": f"{name}.schema.json", **made}
    return json.dumps(whole, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def write(folder: Path) -> None:
    """Write every schema to a folder, as ``NAME.schema.json``. Raises UsageError where that cannot be done,
    StorageFullError where there is no room."""
    from review_agent.commands._common import unwritten

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in names():
            (folder / f"{name}.schema.json").write_text(schema(name), encoding="utf-8")
    except OSError as error:
        raise unwritten(error, "the schemas cannot be written", folder, "name another folder") from error


def _records() -> dict[str, TypeAdapter[Any]]:
    from pydantic import TypeAdapter

    from review_agent import vocabulary as words
    from review_agent.adjudication import Intent
    from review_agent.ledger.exchange import Export
    from review_agent.metrics import Metrics
    from review_agent.policy.check import FILES
    from review_agent.replay.casefile import CaseFile
    from review_agent.replay.drift import Baseline
    from review_agent.replay.report import ReplayReport

    wire: dict[str, type[words.Record]] = {
        "answer": words.Answer,
        "bundle": words.Bundle,
        "call": words.Call,
        "check-summary": words.CheckSummary,
        "decision": words.Decision,
        "draft": words.Draft,
        "edit": words.Edit,
        "intent": Intent,
        "ledger-export": Export,
        "metrics": Metrics,
        "no-finding": words.NoFinding,
        "outcomes": words.Outcomes,
        "question": words.Question,
        "rejection": words.Rejection,
        "displaced": words.Displaced,
        "replay": words.Replay,
        "sample": words.Sample,
        "replay-baseline": Baseline,
        "replay-case": CaseFile,
        "replay-report": ReplayReport,
        "request": words.Request,
        "review-document": words.ReviewDocument,
        "review-evidence-card": words.ReviewEvidenceCard,
        "run-log-event": words.Event,
        "snapshot": words.Snapshot,
    }
    policy = {f"{_POLICY}{file.removesuffix('.yml')}": adapter for file, adapter in FILES.items()}
    return {**{name: TypeAdapter(record) for name, record in wire.items()}, **policy}

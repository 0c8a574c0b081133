"""The options that choose who answers, and the engine they come to: flag, then environment, then policy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from review_agent.engines.building import Built, Wanted
    from review_agent.policy.model import Policy

__all__ = [
    "Answers",
    "BaseUrl",
    "Engine",
    "EngineName",
    "EngineOptions",
    "Header",
    "KeyCommand",
    "Model",
    "Recorded",
    "built",
    "wanted",
]


class EngineName(StrEnum):
    RULES = "rules"
    OPENAI = "openai"
    BATCH = "batch"
    RECORDED = "recorded"


Engine = Annotated[
    EngineName | None,
    typer.Option("--engine", help="Who answers: rules unless REVIEW_AGENT_ENGINE or the policy says otherwise."),
]
Model = Annotated[
    str | None, typer.Option("--model", help="The model that is asked; else REVIEW_AGENT_MODEL.", metavar="NAME")
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url", help="OpenAI-compatible endpoint of the openai engine; else REVIEW_AGENT_BASE_URL.", metavar="URL"
    ),
]
Header = Annotated[
    list[str] | None,
    typer.Option("--header", help="Sent with each call to the endpoint; may be repeated.", metavar="NAME:VALUE"),
]
KeyCommand = Annotated[
    str | None,
    typer.Option(
        "--key-command",
        help="Prints the endpoint's key; else REVIEW_AGENT_API_KEY, then OPENAI_API_KEY.",
        metavar="COMMAND",
    ),
]
Answers = Annotated[
    list[Path] | None,
    typer.Option("--answers", help="Answers to a batch, a file or folder; may be repeated.", metavar="FILE"),
]
Recorded = Annotated[
    list[Path] | None,
    typer.Option("--recorded", help="Run logs to play, a file or folder; may be repeated.", metavar="FILE"),
]


@dataclass(frozen=True)
class EngineOptions:
    """What a command line says of the engine; a field an option."""

    engine: str | None = None
    model: str | None = None
    base_url: str | None = None
    header: list[str] | None = None
    key_command: str | None = None
    answers: list[Path] | None = None
    recorded: list[Path] | None = None


def wanted(options: EngineOptions, policy: Policy, environment: Mapping[str, str] = os.environ) -> Wanted:
    """What is asked for: by flag, by REVIEW_AGENT_ENGINE, _MODEL and _BASE_URL, by policy, in this order.

    Raises UsageError where the environment names no engine.
    """
    from review_agent.engines.building import NAMES, Wanted
    from review_agent.errors import UsageError

    named = environment.get("REVIEW_AGENT_ENGINE") or NAMES[0]
    if not options.engine and named not in NAMES:
        hint = f"set it to one of {', '.join(NAMES)}, or unset it"
        raise UsageError(f"there is no engine called {named!r}", where="REVIEW_AGENT_ENGINE", hint=hint)

    def first(flag: str | None, variable: str, by_policy: str) -> str:
        # Secrets and variables of CI often end in a line's end.
        said = (flag, environment.get(f"REVIEW_AGENT_{variable}"), by_policy)
        return next((text.strip() for text in said if text and text.strip()), "")

    return Wanted(
        name=first(options.engine, "ENGINE", policy.engine.engine),
        model=first(options.model, "MODEL", policy.engine.model),
        base_url=first(options.base_url, "BASE_URL", policy.engine.base_url),
        headers=tuple(options.header or ()),
        key_command=options.key_command or "",
        answers=tuple(path.absolute() for path in options.answers or ()),
        recorded=tuple(path.absolute() for path in options.recorded or ()),
    )


def built(options: EngineOptions, policy: Policy, state: Path) -> Built:
    """The engine of one review. Raises UsageError for what does not fit together or cannot be had."""
    from review_agent.engines.building import build

    return build(wanted(options, policy), policy, state)

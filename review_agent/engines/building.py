"""Which engine answers: named by flag, environment or policy, in this order; never guessed from a key that is set."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from review_agent.engines.endpoint import Endpoint, header, is_value
from review_agent.engines.rules import Rules
from review_agent.errors import ProcessError, UsageError
from review_agent.policy.addresses import address_fault, model_fault, plain_address
from review_agent.policy.model import Policy
from review_agent.process import run
from review_agent.vocabulary import Engine, Record

if TYPE_CHECKING:
    from review_agent.engines.batch import Batch
    from review_agent.engines.recorded import Recorded

__all__ = [
    "BATCH",
    "BATCH_FOLDER",
    "NAMES",
    "OPENAI",
    "RECORDED",
    "RULES",
    "Built",
    "Wanted",
    "api_key",
    "build",
    "endpoint",
]

RULES, OPENAI, BATCH, RECORDED = "rules", "openai", "batch", "recorded"
NAMES = (RULES, OPENAI, BATCH, RECORDED)
BATCH_FOLDER = "batch"
"""Where request files go, in the state folder."""
_KEYS = ("REVIEW_AGENT_API_KEY", "OPENAI_API_KEY")
_KEY_SECONDS, _KEY_BYTES = 30.0, 65_536


class Wanted(Record):
    """Which engine is asked for, and how it is reached; empty: as policy says. Paths are absolute."""

    name: str = RULES
    model: str = ""
    base_url: str = ""
    headers: tuple[str, ...] = ()
    key_command: str = ""
    answers: tuple[Path, ...] = ()
    recorded: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Built:
    """The engine of a review; ``batch`` is the part of it that writes request files, ``recorded`` the one that plays
    run logs, where one does."""

    engine: Engine
    batch: Batch | None = None
    recorded: Recorded | None = None


def build(wanted: Wanted, policy: Policy, state_dir: Path, environment: Mapping[str, str] = os.environ) -> Built:
    """The engine that is wanted. Raises UsageError for what does not fit together or cannot be had."""
    _check(wanted)
    if wanted.name == RULES:
        return Built(Rules())
    if wanted.name == RECORDED:
        from review_agent.engines.recorded import Recorded

        played = Recorded(wanted.recorded)
        return Built(played, recorded=played)
    from review_agent.engines.rules_first import RulesFirst

    most = policy.engine.rule_questions_per_run
    if wanted.name == BATCH:
        from review_agent.engines.batch import Batch

        model = wanted.model or policy.engine.model
        batch = Batch(policy, model=model, folder=state_dir / BATCH_FOLDER, answers=wanted.answers)
        return Built(RulesFirst(batch, Rules(), most), batch)
    return Built(RulesFirst(_openai(wanted, policy, environment), Rules(), most))


def _check(wanted: Wanted) -> None:
    if wanted.name not in NAMES:
        raise UsageError(f"there is no engine called {wanted.name!r}", hint=f"choose one of {', '.join(NAMES)}")
    own = {
        "--answers": (bool(wanted.answers), BATCH),
        "--recorded": (bool(wanted.recorded), RECORDED),
        "--header": (bool(wanted.headers), OPENAI),
        "--key-command": (bool(wanted.key_command), OPENAI),
    }
    for option, (is_given, engine) in own.items():
        if is_given and wanted.name != engine:
            hint = f"give --engine {engine} with it, or leave it out"
            raise UsageError(f"{option} belongs to the {engine} engine, this is {wanted.name}", hint=hint)
    if wanted.name in (OPENAI, BATCH) and (said := model_fault(wanted.model)):
        raise UsageError(said, hint="give the name as the endpoint lists it")
    if wanted.name == RECORDED and not wanted.recorded:
        hint = "give --recorded FILE: a run log of .review-agent/runs, or a folder of them"
        raise UsageError("the recorded engine plays run logs, and none is named", hint=hint)


def _openai(wanted: Wanted, policy: Policy, environment: Mapping[str, str]) -> Engine:
    model, place = endpoint(wanted, policy, environment)
    from review_agent.engines.openai import OpenAI

    return OpenAI(policy, model=model, base_url=place.base_url, key=place.key, headers=place.headers)


def endpoint(wanted: Wanted, policy: Policy, environment: Mapping[str, str]) -> tuple[str, Endpoint]:
    """Whom the openai engine asks, and where. Raises UsageError for what cannot be asked."""
    model, url = wanted.model or policy.engine.model, wanted.base_url or policy.engine.base_url
    if not model:
        hint = "give --model NAME, REVIEW_AGENT_MODEL, or model in the policy's engine.yml"
        raise UsageError("the openai engine needs the name of a model", hint=hint)
    hint = "give --base-url URL, such as http://127.0.0.1:8080/v1, REVIEW_AGENT_BASE_URL, or baseUrl in engine.yml"
    if not url.strip():
        raise UsageError("the openai engine needs the address of an endpoint", hint=hint)
    if said := address_fault(plain_address(url)):  # before a key is asked for
        raise UsageError(said, hint=hint)
    headers = dict(map(header, wanted.headers))
    return model, Endpoint(url, api_key(wanted, environment), headers)


def api_key(wanted: Wanted, environment: Mapping[str, str]) -> str:
    """The key: what the key command prints first, else the environment's; empty where there is none.

    Raises UsageError for a command that cannot be run or prints none; what it prints is never shown.
    """
    if not wanted.key_command:
        return next((key for name in _KEYS if (key := _sound(environment.get(name, ""), name))), "")
    said = "--key-command"
    try:
        argv = shlex.split(wanted.key_command)
        if not argv:
            raise ValueError("it names no program")
        # It is the user's own command: it finds its home and its settings. PATH stays as process.py cleans it.
        variables = {name: value for name, value in environment.items() if name != "PATH"}
        done = run(argv, timeout=_KEY_SECONDS, max_output=_KEY_BYTES, environment=variables)
    except (ProcessError, ValueError, IndexError) as error:
        raise UsageError(f"{said} cannot be run: {error}", hint="try it in a shell of its own") from error
    key = done.stdout.decode("utf-8", "replace").split("\n", 1)[0].strip()
    if done.returncode or not key:
        why = f"it left with exit code {done.returncode}" if done.returncode else "its first line is no key"
        raise UsageError(f"{said} gave no key: {why}", hint="its first line of output is taken as the key")
    return _sound(key, said)


def _sound(key: str, source: str) -> str:
    """The key without blanks and line ends around it. Raises UsageError, without the key, for what no header holds."""
    key = key.strip()
    if not is_value(key):
        message = f"{source} gave no key: it holds characters that no header has"
        raise UsageError(message, hint="a key is one line of plain ASCII: give it without quotes, colours and marks")
    return key

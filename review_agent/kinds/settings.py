"""What configuration files and code show of one key: who sets it, who reads it, who sets its neighbours without it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from review_agent.kinds.base import Found, every
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import Bundle, ConfigFact, Question, Side

__all__ = ["Places", "Settings", "distinctive", "is_tooling", "leaf", "places"]

# Documentation and samples say what a key is for; they configure no running service.
_SAMPLES = ("example", "sample", "template", "docs/", "doc/", ".md", ".rst", "dist")
_SERVICE_CARRIERS = frozenset({"environment", "config_file", "deployment", "flag"})

Settings = tuple[Found[ConfigFact], ...]


@dataclass(frozen=True)
class Places:
    """Places at head, tests and samples left out. ``bare``: files that set other keys of the reader, not this one."""

    sets: Settings
    reads: Settings
    bare: Settings


def leaf(key: str) -> str:
    """The last part of a dotted key: what code and other files name it by."""
    return key.rpartition(".")[2]


def places(question: Question, bundle: Bundle, key: str) -> Places:
    """Sort the configuration facts of a bundle around one key, known by its whole name or its last part."""
    names = {key, leaf(key)}
    facts = [one for one in every(bundle, ConfigFact) if one.ref.side is Side.NEW and not _aside(one.ref.path)]
    sets = [one for one in facts if one.fact.act == "sets" and one.fact.carrier in _SERVICE_CARRIERS]
    reads = [one for one in facts if one.fact.act == "reads"]
    here = [one.fact for one in reads if one.ref.path == question.path]
    own = {name for fact in here for name in (fact.key, *fact.siblings)} - names
    return Places(
        sets=_by_place(one for one in sets if one.fact.key in names),
        reads=_by_place(one for one in reads if one.fact.key in names),
        bare=_bare(sets, names, own),
    )


def _bare(sets: Sequence[Found[ConfigFact]], names: set[str], own: set[str]) -> Settings:
    """One setting a file, of a key that the same code reads, in a file that sets the key nowhere."""
    having = {one.ref.path for one in sets if names & {leaf(known) for known in (one.fact.key, *one.fact.siblings)}}
    found: dict[str, Found[ConfigFact]] = {}
    for one in _by_place(one for one in sets if one.fact.key in own and one.ref.path not in having):
        found.setdefault(one.ref.path, one)
    return tuple(found.values())


def _by_place(facts: Iterable[Found[ConfigFact]]) -> Settings:
    return tuple(sorted(facts, key=lambda one: (one.ref.path, one.ref.start_line)))


def _aside(path: str) -> bool:
    return in_test(path) or any(word in path.lower() for word in _SAMPLES)


# These configure building, testing and publishing, not a service that is running.
_TOOLING = re.compile(
    r"(^|/)\.(github|circleci|gitlab|azure-pipelines|devcontainer|vscode|buildkite)|(^|/)\.[^/]+$|"
    r"(^|/)(pyproject|cargo|pipfile|tox|setup|mypy|pytest|package|tsconfig|renovate|codecov|mkdocs|go)\b[^/]*$",
    re.IGNORECASE,
)


def is_tooling(path: str) -> bool:
    """Whether a configuration file is read by development tools."""
    return _TOOLING.search(path) is not None and not path.rpartition("/")[2].startswith(".env")


def distinctive(key: str) -> bool:
    """Whether a key is a name of its own, not a word like ``name`` or ``version`` that every file has."""
    name = leaf(key)
    if name.isupper():
        return len(name) >= 4
    return len(name) >= 6 and (any(sign in name for sign in "_-") or not name.islower())

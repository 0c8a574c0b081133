"""Configuration keys: who sets them, reads them and writes about them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import basename

from review_agent.stages.evidence_gather import Found
from review_agent.stages.evidence_view import View
from review_agent.syntax.keys import Key, config_language, keys
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import ConfigFact

__all__ = ["config_found", "is_carrier", "keys_read"]

_DOCS = (".md", ".rst", ".txt", ".adoc")
_UNIT = re.compile(r"\.(service|socket|timer)$")
_UNIT_VARIABLE = re.compile(r"^\s*Environment\s*=\s*\"?([A-Za-z_]\w*)=([^\"]*)\"?")
_DEPLOYMENT = re.compile(
    r"(^|/)(docker-)?compose[^/]*\.ya?ml$|(^|/)(k8s|kubernetes|deploy(ment)?s?|helm|charts?|manifests?)/"
    r"|(^|/)values[^/]*\.ya?ml$|(^|/)\.github/workflows/|(^|/)\.gitlab-ci\.yml$|(^|/)(Dockerfile|Containerfile)[^/]*$"
    r"|\.dockerfile$|\.(service|socket|timer)$|(^|/)(fly|render|app)\.(toml|ya?ml)$",
    re.IGNORECASE,
)


def is_carrier(path: str) -> bool:
    """Whether a file of this name can set, read or document a key."""
    named = config_language(path) or _UNIT.search(path) or language_of(path) in PARSED
    return bool(named) or path.endswith(_DOCS)


def config_found(view: View, path: str, names: Sequence[str], hits: Sequence[int]) -> list[Found]:
    """What the file does with any of these keys; ``hits`` are the lines that hold one as text."""
    if language_of(path) in PARSED:
        return list(_readers(view, path, names))
    if path.endswith(_DOCS):
        facts = [_fact(name, "documents", None, "docs", ()) for name in names[:1]]
        return [Found(path, line, line, (fact,), in_test(path)) for fact in facts for line in hits]
    return list(_setters(view, path, names))


def _readers(view: View, path: str, names: Sequence[str]) -> Iterator[Found]:
    index = view.index(path)
    settings = index.outline.settings if index else ()
    for one in settings:
        if one.key in names:
            siblings = tuple(dict.fromkeys(other.key for other in settings if other.key != one.key))
            carrier = {"environment": "environment", "flag": "flag", "tag": "config_file"}.get(one.carrier, "code")
            act = "reads"
            fact = _fact(one.key, act, one.fallback, carrier, siblings)
            yield Found(path, one.start, one.end, (fact,), in_test(path))


def _setters(view: View, path: str, names: Sequence[str]) -> Iterator[Found]:
    listed = _keys(view, path)
    for one in listed:
        if one.key in names or (one.key.rpartition(".")[2] in names and "." not in names[0]):
            siblings = tuple(dict.fromkeys(key.key for key in listed if key.block == one.block and key.key != one.key))
            fact = _fact(_known_as(one.key, names), "sets", one.value, carrier_of(path), siblings)
            yield Found(path, one.line, one.line, (fact,), in_test(path))


def _known_as(key: str, names: Sequence[str]) -> str:
    """The key under the name it was asked for, where it stands in a block of a file."""
    return key if key in names else key.rpartition(".")[2]


def _keys(view: View, path: str) -> Sequence[Key]:
    source, language = view.source(path), config_language(path)
    if source is None:
        return ()
    if language is not None:
        return keys(source.lines, language)
    found = []
    for number, line in enumerate(source.lines, 1):
        variable = _UNIT_VARIABLE.match(line) if _UNIT.search(path) else None
        if variable:
            found.append(Key(variable[1], variable[2], number, "Service"))
    return found


def carrier_of(path: str) -> str:
    """What kind of file sets a key: environment (env files), deployment (manifests, units, CI), or config_file."""
    name = basename(path)
    if name == ".env" or name.startswith(".env.") or name.endswith(".env"):
        return "environment"
    return "deployment" if _DEPLOYMENT.search(path) else "config_file"


def _fact(key: str, act: str, value: str | None, carrier: str, siblings: tuple[str, ...]) -> ConfigFact:
    return ConfigFact.model_validate(
        {"fact": "config", "key": key, "act": act, "value": value, "carrier": carrier, "siblings": siblings}
    )


def keys_read(view: View, path: str) -> tuple[str, ...]:
    """The configuration keys that a code file reads, in order."""
    index = view.index(path)
    return tuple(dict.fromkeys(one.key for one in index.outline.settings)) if index else ()

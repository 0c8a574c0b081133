"""What a model's answer looks like, by role: as told to a server that enforces it, and as checked when it comes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator

from review_agent.vocabulary import EngineRole, ProposedQuestions, Record, Refutation, Synthesis

__all__ = ["NAMES", "shape", "strict"]

_RECORDS: dict[EngineRole, type[Record]] = {
    EngineRole.COMPILE: ProposedQuestions,
    EngineRole.SYNTHESIZE: Synthesis,
    EngineRole.ABLATE: Synthesis,
    EngineRole.REFUTE: Refutation,
}
NAMES = {
    EngineRole.COMPILE: "questions",
    EngineRole.SYNTHESIZE: "synthesis",
    EngineRole.ABLATE: "synthesis",
    EngineRole.REFUTE: "refutation",
}
# Words that say something about a schema and restrict nothing; a server in strict mode may refuse them.
_SAID = frozenset({"title", "description", "default"})


@lru_cache(maxsize=8)
def strict(role: EngineRole) -> dict[str, Any]:
    """The JSON Schema that a server is told: every property required, no others, as OpenAI's strict mode asks."""
    return _changed(_RECORDS[role].model_json_schema(), _closed)


@lru_cache(maxsize=8)
def shape(role: EngineRole) -> Draft202012Validator:
    """Checks the shape of an answer: its fields and their types. What the words say is judged by the contract, which
    refuses an unknown word aloud; here it would only be lost."""
    return Draft202012Validator(_changed(_RECORDS[role].model_json_schema(), _opened))


def _changed(schema: dict[str, Any], change: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """A schema with each schema inside it changed; names of properties and definitions are no words of a schema."""
    named = {
        key: {name: _changed(inner, change) for name, inner in value.items()}
        for key, value in schema.items()
        if key in ("properties", "$defs")
    }
    inside = {
        key: _changed(value, change)
        for key, value in schema.items()
        if key in ("items", "additionalProperties") and isinstance(value, dict)
    }
    several = {
        key: [_changed(one, change) for one in value] for key, value in schema.items() if key in ("anyOf", "oneOf")
    }
    return change({**schema, **named, **inside, **several})


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in schema.items() if key not in _SAID}
    if "properties" in kept:
        return {**kept, "required": list(kept["properties"]), "additionalProperties": False}
    return kept


def _opened(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in {*_SAID, "enum", "const", "additionalProperties"}}

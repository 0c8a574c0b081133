"""What every record is made of: frozen, strict, camelCase on the wire, hashed as canonical JSON."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

__all__ = [
    "SCHEMA_VERSION",
    "Record",
    "canonical",
    "digest",
]

SCHEMA_VERSION = "1.0"


class Record(BaseModel):
    """A frozen record: unknown fields are refused, JSON names are camelCase."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, defer_build=True
    )

    def wire(self) -> dict[str, Any]:
        """The record as plain JSON data with the names it has on the wire."""
        return self.model_dump(mode="json", by_alias=True)


def canonical(data: Any) -> bytes:
    """Canonical JSON of plain data: sorted keys, no spaces, UTF-8. The same data gives the same bytes everywhere."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode(
        "utf-8", "surrogatepass"
    )


def digest(data: Any) -> str:
    """sha256 (64 hex digits) of the canonical JSON of plain data."""
    return hashlib.sha256(canonical(data)).hexdigest()

"""What the database refuses is told by its cause: only a file that cannot be read as one is damaged."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from review_agent.errors import StorageFullError
from review_agent.ledger.database import _told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("IO Error: Cannot open file: Permission denied", "cannot write the ledger"),
        ("IO Error: Cannot open file: Operation not permitted", "cannot write the ledger"),
        ("IO Error: Cannot open file: Read-only file system", "cannot write the ledger"),
        ("IO Error: Could not set lock on file", "another program holds the ledger"),
        ("IO Error: Could not write: No space left on device", "the disk refused a write"),
        ("IO Error: not a valid DuckDB database file", "the ledger file is damaged"),
    ],
)
def test_a_refusal_is_told_by_its_cause(text, said):
    told = _told(duckdb.IOException(text), Path("ledger.duckdb"))
    assert told.message.startswith(said)
    assert isinstance(told, StorageFullError) == ("disk" in said)
    assert told.hint


def test_what_holds_the_file_is_told_in_our_words():
    text = (
        'IO Error: Could not set lock on file "/r/ledger.duckdb": Conflicting lock is held in /usr/bin/duckdb (PID 12).'
        " See also https://duckdb.org/docs/current/connect/concurrency"
    )
    told = _told(duckdb.IOException(text), Path("/r/ledger.duckdb"))
    assert told.message == "another program holds the ledger (duckdb, process 12)"
    assert told.where == "/r/ledger.duckdb"

"""Opening the DuckDB file: per operation, never cached, and every failure told apart."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from review_agent.appendlog import RefusedError, fsync_folder, refused
from review_agent.errors import RecordError, StorageFullError

__all__ = ["HeldError", "in_memory", "opened", "refuse_other_things", "replaced", "set_aside", "told_apart"]

_REBUILD = "run `review-agent ledger rebuild`: the ledger is made again from run logs and journal"
_OFFLINE = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}

_HOLDER = re.compile(r"lock is held in (.+?) \(PID (\d+)\)")


class HeldError(RecordError):
    """A program that does not take the state folder's lock holds the DuckDB file."""


@contextmanager
def opened(path: Path, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection whose current database is the file.

    Raises HeldError, StorageFullError, RefusedError or RecordError.
    """
    refuse_other_things(path)
    quoted = str(path).replace("'", "''")
    option = "read_only" if read_only else "storage_version 'v1.4.0'"
    with _attached(f"attach '{quoted}' as ledger ({option})", path) as connection:
        yield connection


def refuse_other_things(path: Path) -> None:
    """Raises RecordError where something that is not a file has the ledger's name."""
    if path.exists() and not path.is_file():
        raise RecordError(
            "something that is not a file has the ledger's name",
            where=str(path),
            hint="move it away, then run `review-agent ledger rebuild`",
        )


@contextmanager
def in_memory() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to an empty database that is gone when it closes."""
    with _attached("attach ':memory:' as ledger", Path(":memory:")) as connection:
        yield connection


@contextmanager
def replaced(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a new file that takes the place of ``path``, in one step, when the block ends well.

    Raises what ``opened`` does.
    """
    refuse_other_things(path)
    new = path.with_name(path.name + ".new")
    _remove(new)
    try:
        with opened(new) as connection:
            yield connection
        _put(new, path)
    finally:
        _remove(new)


def set_aside(path: Path) -> Path:
    """Gives the file, and what it left unwritten, the name ``<name>.before``, over an older one; says where it is."""
    before = path.with_name(path.name + ".before")
    try:
        _wal(before).unlink(missing_ok=True)
        if _wal(path).exists():
            os.replace(_wal(path), _wal(before))
        os.replace(path, before)
    except OSError as error:
        raise refused(error, before) from error
    return before


def _put(new: Path, path: Path) -> None:
    try:
        _wal(path).unlink(missing_ok=True)
        os.replace(new, path)
        fsync_folder(path.parent)
    except OSError as error:
        raise refused(error, path) from error


@contextmanager
def _attached(statement: str, path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with told_apart(path), duckdb.connect(config=dict(_OFFLINE)) as connection:
        connection.execute(statement)
        connection.execute("use ledger")
        yield connection


@contextmanager
def told_apart(path: Path) -> Iterator[None]:
    """Turns what DuckDB raises about the file into errors of ours; a mistake in our SQL stays a bug."""
    try:
        yield
    except (duckdb.ProgrammingError, duckdb.DataError, duckdb.NotSupportedError):
        raise
    except duckdb.Error as error:
        raise _told(error, path) from error


def _told(error: duckdb.Error, path: Path) -> RecordError:
    text = str(error)
    if isinstance(error, duckdb.ResourceInUseException) or "set lock on file" in text:
        return HeldError(f"another program holds the ledger{_holder(text)}", where=str(path), hint="close that program")
    if "No space left" in text or "Disk quota" in text or "File too large" in text:
        return StorageFullError(f"the disk refused a write: {text}", where=str(path), hint="free some space")
    if any(said in text for said in ("Permission denied", "Read-only", "Operation not permitted")):
        return RefusedError(f"cannot write the ledger: {text}", where=str(path), hint="check the file's permissions")
    return RecordError(f"the ledger file is damaged: {text}", where=str(path), hint=_REBUILD)


def _holder(text: str) -> str:
    """Which program DuckDB says it is; empty where it does not say."""
    found = _HOLDER.search(text)
    return f" ({Path(found.group(1)).name}, process {found.group(2)})" if found else ""


def _wal(path: Path) -> Path:
    return path.with_name(path.name + ".wal")


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
        _wal(path).unlink(missing_ok=True)

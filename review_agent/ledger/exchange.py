"""The ledger's tables as files, and back: written and read by DuckDB itself, so that size does not matter.

``export.json`` names every file with its rows and digest and is written last: a folder without it is no whole export.

In CSV a cell that a spreadsheet would take for a formula (it begins with ``=``, ``+``, ``-``, ``@``, their full-width
forms, a tab or a line break) gets an apostrophe before it, and so does one that begins with an apostrophe; reading
takes it away again. Null is an empty cell without quotes, an empty text is one with them.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import duckdb
from pydantic import ValidationError

from review_agent import __version__
from review_agent.appendlog import encode, fsync_folder, refused
from review_agent.errors import RecordError, UsageError
from review_agent.journal import JOURNAL_FILE, fault
from review_agent.ledger.intake import count
from review_agent.ledger.migrations import MIGRATIONS
from review_agent.ledger.shown import refresh
from review_agent.ledger.tables import JOURNAL_TABLES, RUN_TABLES, TABLES
from review_agent.vocabulary import Record

__all__ = [
    "COMING",
    "EXPORTED",
    "FORMATS",
    "MANIFEST",
    "Export",
    "Format",
    "journal_of",
    "load",
    "put_journal",
    "write",
    "write_journal",
]

Format = Literal["jsonl", "csv", "parquet"]
FORMATS: tuple[Format, ...] = ("jsonl", "csv", "parquet")
MANIFEST = "export.json"
COMING = f"{JOURNAL_FILE}.import"
"""The journal of an import that is not whole yet."""
EXPORTED = tuple(name for name in TABLES if name != "shown")
"""The tables that go out: ``shown`` is made of them again."""

_MOST_GAPS = 1_000_000
_FORMULA = "^[=+@\\-\\t\\r\\n''\uff1d\uff0b\uff0d\uff20]"
_COPY = {"jsonl": "format json", "csv": "format csv, header, force_quote *, nullstr ''", "parquet": "format parquet"}
_CSV = (
    "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = '', "
    "allow_quoted_nulls = false, new_line = '\\n', max_line_size = 268435456"
)


class ExportedTable(Record):
    """``sha256`` is of the file's bytes."""

    file: str
    rows: int
    sha256: str


class Export(Record):
    """``export.json``. ``ledgerVersion`` is the schema version of the tables."""

    kind: Literal["ledger_export"]
    ledger_version: int
    product: str
    format: Format
    tables: dict[str, ExportedTable]


def write(connection: duckdb.DuckDBPyConnection, folder: Path, format: Format) -> Export:
    """Writes every table into a folder that is empty or not there yet.

    Raises UsageError where the folder holds something, RecordError or StorageFullError where it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError("the folder is not empty", where=str(folder), hint="name a new folder for the export")
    except (FileExistsError, NotADirectoryError) as error:
        message = "the export needs a folder, and a file is in its place"
        raise UsageError(message, where=str(folder), hint="name a folder that is new or empty") from error
    except OSError as error:
        raise refused(error, folder) from error
    tables = {name: _written(connection, folder, name, format) for name in EXPORTED}
    export = Export(
        kind="ledger_export", ledger_version=len(MIGRATIONS), product=__version__, format=format, tables=tables
    )
    _save(folder / MANIFEST, json.dumps(export.wire(), indent=2) + "\n")
    return export


def load(connection: duckdb.DuckDBPyConnection, folder: Path) -> Export:
    """Puts the rows that come from run logs, and their watermarks, into empty tables; whole, or it raises.

    Raises UsageError for a folder that is no export of this version, RecordError for a file that is not as it was
    written.
    """
    export = _manifest(folder)
    with _readable(connection, folder, export) as read:
        for name in RUN_TABLES:
            connection.execute(f"insert into {name} ({', '.join(TABLES[name])}) {read(name)}")
            _check_rows(connection, name, export, folder)
        connection.execute(f"insert into watermarks {read('watermarks')} where source in (select run_file from runs)")  # noqa: S608
    refresh(connection)
    return export


def journal_of(connection: duckdb.DuckDBPyConnection, folder: Path) -> list[dict[str, Any]]:
    """The journal's records in their places, as the export has them; a place it has none for is left out by readers.

    Raises as ``load`` does, and RecordError for a record that is none of a journal.
    """
    placed: dict[int, dict[str, Any]] = {}
    export = _manifest(folder)
    with _readable(connection, folder, export) as read:
        for name in JOURNAL_TABLES:
            if "data" in JOURNAL_TABLES[name]:
                rows = connection.execute(f"select position, data from ({read(name)})").fetchall()  # noqa: S608
                placed.update({position: json.loads(data) for position, data in rows})
    for position, record in placed.items():
        if not isinstance(record, dict) or fault(record) or not 0 <= position < len(placed) + _MOST_GAPS:
            raise _damaged(folder, f"the journal record at {position} is none")
    return [placed.get(position, {"kind": "left_out"}) for position in range(max(placed, default=-1) + 1)]


def write_journal(records: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Puts the records on disk as the lines of a new file. Raises StorageFullError or RecordError."""
    try:
        with path.open("wb") as file:
            file.writelines(map(encode, records))
            file.flush()
            os.fsync(file.fileno())
        fsync_folder(path.parent)
    except OSError as error:
        raise refused(error, path) from error


def put_journal(coming: Path, path: Path) -> None:
    """Gives the journal its name. Raises RecordError."""
    try:
        os.replace(coming, path)
        fsync_folder(path.parent)
    except OSError as error:
        raise refused(error, path) from error


def _written(connection: duckdb.DuckDBPyConnection, folder: Path, table: str, format: Format) -> ExportedTable:
    path = folder / f"{table}.{format}"
    columns = ", ".join(_guarded(*one) if format == "csv" else one[0] for one in TABLES[table].items())
    order = ", ".join(name for name in ("run_file", "position", "source") if name in TABLES[table])
    quoted = str(path).replace("'", "''")
    connection.execute(f"copy (select {columns} from {table} order by {order}) to '{quoted}' ({_COPY[format]})")  # noqa: S608
    return ExportedTable(file=path.name, rows=count(connection, table), sha256=_sha256(path))


def _guarded(column: str, kind: str) -> str:
    if kind not in ("VARCHAR", "JSON"):
        return column
    text = f"{column}::varchar"
    return f"case when regexp_matches({text}, '{_FORMULA}') then '''' || {text} else {text} end as {column}"


def _manifest(folder: Path) -> Export:
    path = folder / MANIFEST
    hint = f"name a folder that `review-agent ledger export` wrote whole: it holds {MANIFEST}"
    try:
        export = Export.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"there is no export: {error.strerror}", where=str(path), hint=hint) from error
    except ValidationError as error:
        raise UsageError(f"{MANIFEST} is of another shape", where=str(path), hint=hint) from error
    if export.ledger_version != len(MIGRATIONS) or set(export.tables) != set(EXPORTED):
        raise UsageError(
            f"the export is of ledger version {export.ledger_version}, this product reads {len(MIGRATIONS)}",
            where=str(path),
            hint=f"export it again with this version; it was written by review-agent {export.product}",
        )
    for name, table in export.tables.items():
        if table.file != f"{name}.{export.format}":
            raise _damaged(folder, f"{table.file!r} is not the file of {name}")
        if not (folder / table.file).is_file() or _sha256(folder / table.file) != table.sha256:
            raise _damaged(folder, f"{table.file} is not as it was written")
    return export


@contextmanager
def _readable(connection: duckdb.DuckDBPyConnection, folder: Path, export: Export) -> Iterator[Any]:
    """What gives the query that reads a table; DuckDB's complaints about files become ours.

    The folder is read through a link, as DuckDB takes ``*`` and ``[`` in its name for patterns.
    """
    with tempfile.TemporaryDirectory(prefix="review-agent-") as place:
        link = Path(place) / "export"
        link.symlink_to(folder.resolve())
        try:
            yield lambda table: _query(link / export.tables[table].file, table, export.format)
        except duckdb.Error as error:
            raise _damaged(folder, str(error).splitlines()[0]) from error


def _query(path: Path, table: str, format: Format) -> str:
    quoted = str(path).replace("'", "''")
    if format == "parquet":
        return f"select {', '.join(TABLES[table])} from read_parquet('{quoted}')"  # noqa: S608 - our own names
    kinds = {
        column: "VARCHAR" if format == "csv" and kind == "JSON" else kind for column, kind in TABLES[table].items()
    }
    columns = "{" + ", ".join(f"'{column}': '{kind}'" for column, kind in kinds.items()) + "}"
    if format == "jsonl":
        size = "maximum_object_size = 1073741824"
        source = f"read_json('{quoted}', columns = {columns}, format = 'newline_delimited', {size})"
        return f"select {', '.join(TABLES[table])} from {source}"  # noqa: S608 - our own names
    picked = ", ".join(_bare(*one) for one in TABLES[table].items())
    return f"select {picked} from read_csv('{quoted}', columns = {columns}, {_CSV})"  # noqa: S608 - our own names


def _bare(column: str, kind: str) -> str:
    if kind not in ("VARCHAR", "JSON"):
        return column
    return f"(case when starts_with({column}, '''') then substr({column}, 2) else {column} end)::{kind} as {column}"


def _check_rows(connection: duckdb.DuckDBPyConnection, table: str, export: Export, folder: Path) -> None:
    found = count(connection, table)
    if found != export.tables[table].rows:
        raise _damaged(folder, f"{table} has {found} rows, {export.tables[table].rows} were written")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _save(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise refused(error, path) from error


def _damaged(folder: Path, what: str) -> RecordError:
    return RecordError(f"the export is damaged: {what}", where=str(folder), hint="export it again")

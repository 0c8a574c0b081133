"""Tables go out as files and come back row for row, whatever the text in them; a damaged export is refused whole."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from made_states import varied
from test_store import dump

from review_agent.errors import RecordError, UsageError
from review_agent.ledger import exchange, store
from review_agent.ledger.exchange import EXPORTED, FORMATS, MANIFEST, Format
from review_agent.ledger.store import Ledger
from review_agent.ledger.tables import TABLES

pytestmark = pytest.mark.slow


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return varied(tmp_path / "one" / ".review-agent")


def rows(ledger: Ledger) -> dict[str, object]:
    """All but what is of the files themselves: where the journal ends, and what stood in its place unread."""
    tables = dump(ledger.path)
    tables["watermarks"] = [row for row in tables["watermarks"] if row[0] != "journal.jsonl"]
    del tables["journal_faults"]
    return tables


@pytest.mark.parametrize("format", FORMATS)
def test_an_export_comes_back_row_for_row(state: Path, tmp_path: Path, format: Format) -> None:
    ledger, other = Ledger(state), Ledger(tmp_path / "two" / ".review-agent")
    exported = ledger.export(tmp_path / "out [*]", format)
    assert {one.name for one in (tmp_path / "out [*]").iterdir()} == {MANIFEST, *(f"{n}.{format}" for n in EXPORTED)}
    assert other.import_(tmp_path / "out [*]") == exported
    assert rows(other) == rows(ledger)
    assert other.queue() == ledger.queue()
    assert rows(other) == rows(ledger)
    assert other.notices == []


def test_decisions_go_on_after_an_import(state: Path, tmp_path: Path) -> None:
    Ledger(state).export(tmp_path / "out", "parquet")
    other = Ledger(tmp_path / "two" / ".review-agent")
    other.import_(tmp_path / "out")
    before = other.decisions().total
    other.journal.append({**other.decisions(limit=1).rows[0].decision, "decisionId": "new"})
    assert other.decisions().total == before + 1
    assert other.rebuild() == [f"the ledger held more runs before ({19}): it is kept as ledger.duckdb.before"]
    assert other.decisions().total == before + 1


def test_no_cell_of_a_csv_is_a_formula(state: Path, tmp_path: Path) -> None:
    Ledger(state).export(tmp_path / "out", "csv")
    cells = 0
    for path in (tmp_path / "out").glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(line.replace("\0", "") for line in file):
                for column, cell in row.items():
                    cells += 1
                    number = TABLES[path.stem][column] in ("BIGINT", "DOUBLE")
                    assert number or not cell.startswith(("=", "+", "-", "@", "\t", "\n", "\r", "\uff1d")), cell
    assert cells > 1000


@pytest.mark.parametrize("place", ["take_journal", "put_journal"])
def test_an_import_that_was_killed_is_run_again(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    ledger, folder = Ledger(state), tmp_path / "two" / ".review-agent"
    exported = ledger.export(tmp_path / "out", "jsonl")

    def kill(*given: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(store if place == "take_journal" else exchange, place, kill)
        with pytest.raises(SystemExit):
            Ledger(folder).import_(tmp_path / "out")
    assert "an import was cut off" in [finding.what for finding in Ledger(folder).doctor()]
    assert not (folder / "journal.jsonl").exists()
    assert Ledger(folder).import_(tmp_path / "out") == exported
    assert rows(Ledger(folder)) == rows(ledger)
    assert [path.name for path in folder.glob("journal*")] == ["journal.jsonl"]
    with pytest.raises(UsageError, match="is here already"):
        Ledger(folder).import_(tmp_path / "out")


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_is_imported_from_a_damaged_export(state: Path, tmp_path: Path, format: Format) -> None:
    folder = tmp_path / "out"
    Ledger(state).export(folder, format)
    path = folder / f"cards.{format}"
    whole = path.read_bytes()
    for damage in (whole[:-20], whole.replace(b"q", b"Q", 1), b"", None):
        path.unlink() if damage is None else path.write_bytes(damage)
        other = Ledger(tmp_path / "two" / ".review-agent")
        with pytest.raises(RecordError, match="damaged"):
            other.import_(folder)
        assert not other.path.exists()
        assert not other.journal.path.exists()


def test_a_forged_file_whose_digest_fits_is_refused_for_what_it_holds(state: Path, tmp_path: Path) -> None:
    import hashlib

    folder = tmp_path / "out"
    Ledger(state).export(folder, "jsonl")
    manifest = json.loads((folder / MANIFEST).read_text())
    for table, text in (("cards", "no json\n"), ("decisions", '{"position": 1, "data": {"kind": "decision"}}\n')):
        path = folder / f"{table}.jsonl"
        kept = path.read_bytes()
        path.write_text(text)
        forged = {**manifest["tables"][table], "rows": 1, "sha256": hashlib.sha256(text.encode()).hexdigest()}
        tables = {**manifest["tables"], table: forged}
        (folder / MANIFEST).write_text(json.dumps({**manifest, "tables": tables}))
        with pytest.raises(RecordError, match="damaged"):
            Ledger(tmp_path / "two" / ".review-agent").import_(folder)
        path.write_bytes(kept)


def test_an_import_needs_a_place_where_nothing_is(state: Path, tmp_path: Path) -> None:
    ledger = Ledger(state)
    ledger.export(tmp_path / "out", "jsonl")
    before = dump(ledger.path)
    with pytest.raises(UsageError, match="is here already"):
        ledger.import_(tmp_path / "out")
    assert dump(ledger.path) == before
    with pytest.raises(UsageError, match="not empty"):
        ledger.export(tmp_path / "out", "csv")


def test_what_is_no_export_is_told_so(tmp_path: Path) -> None:
    other = Ledger(tmp_path / "two" / ".review-agent")
    with pytest.raises(UsageError, match="no export"):
        other.import_(tmp_path)
    (tmp_path / MANIFEST).write_text("{}")
    with pytest.raises(UsageError, match="another shape"):
        other.import_(tmp_path)

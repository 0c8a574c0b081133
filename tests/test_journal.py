"""An act is checked and appended under one lock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent import appendlog
from review_agent import journal as journal_module
from review_agent.errors import RecordError, TransitionError
from review_agent.journal import Journal, fault
from review_agent.vocabulary import Displaced


def test_a_journal_that_is_not_there_yet_is_empty(tmp_path: Path) -> None:
    assert list(Journal(tmp_path / "state" / "journal.jsonl").read()) == []


def test_records_are_read_in_the_order_they_were_appended(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "state" / "journal.jsonl")
    for n in range(3):
        journal.append({"n": n})
    assert list(journal.read()) == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert {path.name for path in journal.path.parent.iterdir()} == {"journal.jsonl", "lock", ".gitignore"}


def test_a_check_that_raises_keeps_the_record_out(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append({"n": 0})

    def refuse(before: Sequence[Mapping[str, Any]]) -> None:
        assert list(before) == [{"n": 0}]
        raise TransitionError("no")

    with pytest.raises(TransitionError):
        journal.append({"n": 1}, refuse)
    assert list(journal.read()) == [{"n": 0}]


def test_the_check_runs_while_no_other_writer_can_append(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    other = Journal(journal.path)._log

    def check(before: Sequence[Mapping[str, Any]]) -> None:
        with pytest.raises(RecordError, match="in use"), other.lock(wait=0):
            pass

    journal.append({"n": 1}, check)
    assert list(journal.read()) == [{"n": 1}]


def test_a_record_may_be_built_from_what_stands_before_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    built = [journal.append_built(lambda before: {"position": len(before)}) for _ in range(3)]
    assert built == list(journal.read()) == [{"position": 0}, {"position": 1}, {"position": 2}]


def test_several_records_are_appended_as_one_and_none_leave_the_journal_as_it_is(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append_many(lambda before: [{"n": 0}, {"n": 1}])
    bytes_before = journal.path.read_bytes()
    assert journal.append_many(lambda before: [] if len(before) == 2 else [{"n": 2}]) == []
    assert journal.path.read_bytes() == bytes_before


def test_a_torn_tail_is_never_glued_to_the_next_record(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append({"n": 0})
    with journal.path.open("ab") as file:
        file.write(b'{"n":')
    journal.append({"n": 1})
    assert list(journal.read()) == [{"n": 0}, {"n": 1}]


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({}, "no kind"),
        ({"kind": 3}, "no kind"),
        ({"kind": "decision"}, "required"),
        ({"kind": "replay"}, "required"),
        ({"kind": "later"}, ""),
    ],
)
def test_a_record_is_told_from_what_is_none(record: Mapping[str, Any], text: str) -> None:
    assert text in fault(record)
    assert bool(fault(record)) == bool(text)


def test_a_damaged_decision_is_not_built_on(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append({"kind": "decision", "cardId": "c"})
    assert journal.append_built(lambda before: {"position": len(before)}) == {"position": 0}


def test_a_journal_behind_a_link_is_not_read(tmp_path: Path) -> None:
    Journal(tmp_path / "outside" / "journal.jsonl").append({"n": 0})
    (tmp_path / "state").symlink_to(tmp_path / "outside")
    journal = Journal(tmp_path / "state" / "journal.jsonl")
    for use in (lambda: list(journal.read()), lambda: journal.append({"n": 1})):
        with pytest.raises(RecordError, match="symbolic link"):
            use()


WORDS = st.sampled_from(["ab01", "ab02", "cd", "x"])
RECORD = st.fixed_dictionaries({"kind": st.just("later"), "a": WORDS | st.text(max_size=8), "b": st.lists(WORDS)})


@given(st.lists(RECORD, max_size=12), st.sets(st.sampled_from(["ab01", "ab02", "cd"])), st.integers(20, 90))
def test_only_lines_that_hold_a_word_are_parsed_and_none_is_missed(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]], words: set[str], chunk: int
) -> None:
    journal = Journal(tmp_path_factory.mktemp("state") / "journal.jsonl")
    appendlog.state_folder(journal.path.parent)
    journal.path.write_bytes(b"".join(map(appendlog.encode, records)) + b'{"torn": "ab01"')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("review_agent.journal._CHUNK", chunk)
        named = list(journal.naming(words))
    sought = [record for record in records if any(word in (record["a"], *record["b"]) for word in words)]
    assert [record for record in named if any(word in (record["a"], *record["b"]) for word in words)] == sought


def test_a_word_is_found_however_json_spells_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append({"n": 0})
    with journal.path.open("ab") as file:
        file.write(b'{"cardId": "\\u0061b01"}\n{"cardId":\t"ab01"} \r\n')
    assert [record["cardId"] for record in journal.naming(["ab01"]) if "cardId" in record] == ["ab01", "ab01"]


@pytest.mark.parametrize("words", [["ab01"], [f"ab{n:02}" for n in range(1, 20)]])
def test_what_a_day_did_not_reach_is_not_parsed_for_each_card_it_names(
    tmp_path: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    ids = tuple(f"ab{n:02}" for n in range(1, 20))
    wire = Displaced(kind="displaced", at="a", day="2026-11-30", minutes=1, shown=ids, displaced=ids).wire()
    for record in (wire, {"id": "ab01"}, wire):
        journal.append(record)
    parsed: list[bytes] = []
    real = appendlog.parsed
    monkeypatch.setattr(
        appendlog, "parsed", lambda line, *where, **how: parsed.append(line) or real(line, *where, **how)
    )
    assert list(journal.naming(words)) == [{"id": "ab01"}]
    assert len(parsed) == 1
    with journal.path.open("ab") as file:
        file.write(appendlog.encode(wire)[:-1] + b'{"id":"ab01"}\n')
    with pytest.raises(RecordError, match="damaged"):
        list(journal.naming(words))


@pytest.mark.parametrize("line", [b"\0\0\0\n", b'{"id": "ab01"}{"n": 2}\n', b'{"n": 1\n', b"\n", b"[]\n"])
def test_a_damaged_line_stops_a_decision_wherever_it_stands(tmp_path: Path, line: bytes) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append({"n": 0, "id": "ab01"})
    with journal.path.open("ab") as file:
        file.write(line)
    before = journal.path.read_bytes()
    with pytest.raises(RecordError, match="damaged") as caught:
        journal.append_checked(["ab01"], lambda before, size: [{"n": 2}])
    assert caught.value.where.endswith(":2")
    assert journal.path.read_bytes() == before


def test_records_appended_together_are_all_there_or_none_wherever_the_writer_is_killed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append({"kind": "later", "id": "ab00"})
    before = len(journal.path.read_bytes())
    made = [{"kind": "later", "id": f"ab0{n}"} for n in range(1, 4)]
    journal.append_checked((), lambda records, size: made, together=True)
    whole = journal.path.read_bytes()
    for end in range(before, len(whole) + 1):
        journal.path.write_bytes(whole[:end])
        assert len(list(journal.read())) == (4 if end == len(whole) else 1)
    assert [record["id"] for record in journal.naming(["ab02"]) if record["id"] == "ab02"] == ["ab02"]
    assert journal.append_many(lambda records: [*records[1:3]]) == made[:2]
    assert len(list(journal.read())) == 6


def named(journal: Journal, words: Any, likely: list[str]) -> list[str]:
    """The ids of the records that a writer is given."""
    given: list[Any] = []

    def build(before: Any, size: int) -> list[dict[str, Any]]:
        given.extend(before)
        return []

    journal.append_checked(words, build, likely=likely)
    return [record["id"] for record in given]


@pytest.mark.parametrize("how", ["grown", "torn", "replaced", "another word"])
def test_what_came_between_the_look_and_the_lock_is_not_missed(tmp_path: Path, how: str) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    for name in ("ab01", "cd01", "ab02"):
        journal.append({"kind": "later", "id": name})
    words, expected = ["ab0"], ["ab01", "ab02", "ab03"]

    def meanwhile() -> list[str]:
        line = b'{"kind":"later","id":"ab03"}\n'
        if how == "replaced":
            other = tmp_path / "other"
            other.write_bytes(line)
            other.replace(journal.path)
        elif how != "another word":
            with journal.path.open("ab") as file:
                file.write(line + (b'{"kind":"la' if how == "torn" else b""))
        return words

    if how == "replaced":
        expected = ["ab03"]
    elif how == "another word":
        words, expected = ["cd01"], ["cd01"]
    found = named(journal, meanwhile, ["ab"])
    assert [one for one in found if one.startswith(words[0])] == expected
    assert len(found) == len(set(found)), "nothing is given twice"


def test_the_bytes_that_stood_before_are_not_read_under_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    for number in range(50):
        journal.append({"kind": "later", "id": f"ab{number:02}"})
    read: list[tuple[bool, int]] = []
    held: list[bool] = []
    real = journal_module._whole_lines

    def counting(file: Any) -> Any:
        for chunk in real(file):
            read.append((bool(held), len(chunk)))
            yield chunk

    monkeypatch.setattr(journal_module, "_whole_lines", counting)

    def words() -> list[str]:
        held.append(True)
        return ["ab07"]

    assert named(journal, words, ["ab07"]) == ["ab07"]
    assert [under for under, _ in read] == [False]

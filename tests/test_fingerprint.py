"""A finding keeps its identity through layout, quotes and shifted lines, and loses it with anything that counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from review_agent import fingerprint

BASE = {"rule": "key_removed", "path": "a/b.py", "scope": "f", "tokens": ["key", "=", "f'{sku}'"], "ordinal": 0}


def of(**changes: object) -> str:
    return fingerprint.of(**{**BASE, **changes})  # type: ignore[arg-type]


def test_it_is_32_hex_digits_and_the_same_on_every_machine() -> None:
    assert of() == "b7b23b255a495eb4082c315ee9bc654b"


def test_layout_and_quotes_do_not_count() -> None:
    assert of(tokens=["key =", '\tf"{sku}"\n']) == of()
    assert of(tokens=["key", "=", "f'''{sku}'''"]) == of()


def test_everything_else_counts() -> None:
    others = [of(rule="r"), of(path="a/c.py"), of(scope="g"), of(tokens=["key", "=", "sku"]), of(ordinal=1)]
    assert len({of(), *others}) == 6


@given(st.lists(st.text(max_size=8), max_size=6), st.text(" \t\n\r", max_size=4))
def test_whitespace_anywhere_changes_nothing(tokens: list[str], space: str) -> None:
    assert of(tokens=[f"{space}{token}{space}" for token in tokens]) == of(tokens=tokens)


REF = {"path": "a.py", "startLine": 3, "endLine": 4, "commit": "c", "role": "caller", "side": "new", "blob": "b"}
CALLER, USE = {**REF, "quoteSha256": "1" * 64}, {**REF, "quoteSha256": "2" * 64, "role": "use"}


def evidence(*refs: dict[str, object]) -> str:
    return fingerprint.evidence({"supportingRefs": list(refs)})


def test_evidence_is_the_same_wherever_its_lines_stand() -> None:
    moved = {**CALLER, "path": "b.py", "startLine": 53, "endLine": 54, "commit": "d", "blob": "e"}
    assert evidence(moved, USE) == evidence(USE, CALLER) == evidence(CALLER, USE)
    assert len(evidence()) == 32


def test_evidence_of_another_role_quote_or_count_is_another() -> None:
    others = [{**CALLER, "role": "test"}, {**CALLER, "quoteSha256": "3" * 64}]
    assert len({evidence(CALLER), evidence(CALLER, CALLER), evidence(), *map(evidence, others)}) == 5

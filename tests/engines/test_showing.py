"""Evidence as a model reads it: nothing twice, hits in short, and what is not shown is named."""

from __future__ import annotations

from review_agent.engines.showing import shown_evidence
from review_agent.vocabulary import (
    Evidence,
    PlanQuery,
    QueryKind,
    QueryResult,
    QueryStatus,
    Resolution,
    Role,
    Side,
    SourceRef,
    UseFact,
)

CALLERS = QueryResult(
    query=PlanQuery(kind=QueryKind.CALLERS, name="quote"),
    status=QueryStatus.ANSWERED,
    searched="all",
    files_searched=1,
    hits=1,
    resolved=1,
    ambiguous=0,
    unresolved=0,
    truncated=False,
    note="",
)


def place(path: str, start: int, end: int, *, origin: str = "hit", near: bool = False, use: str = "call") -> Evidence:
    sure = Resolution.RESOLVED if use == "call" else Resolution.AMBIGUOUS
    fact = UseFact(
        resolution=sure,
        reason="why",
        use=use,
        text="quote",
        scope="f",
        guarded_by=None,
        in_test=path.startswith("tests"),
    )
    ref = SourceRef(
        path=path,
        start_line=start,
        end_line=end,
        commit="c" * 40,
        role=Role.CALLER,
        side=Side.NEW,
        blob="b" * 40,
        quote_sha256="0" * 64,
    )
    text = "\n".join(f"    line {n}" for n in range(start, end + 1))
    return Evidence(
        ref=ref, query=0, origin=origin, text=text, facts=(fact,) if origin == "hit" else (), near_change=near
    )


def test_hits_of_one_file_stand_together_in_short() -> None:
    said = shown_evidence([place("a.py", 3, 3), place("a.py", 9, 9, use="attribute")], [CALLERS])
    assert said.split("\n") == [
        "a.py · new side · role caller · found by callers `quote`",
        "E1 3 | line 3   <use · resolved · use call · scope f>",
        "E2 9 | line 9   <use · ambiguous (why) · use attribute · scope f>",
    ]


def test_lines_that_were_read_are_shown_once() -> None:
    said = shown_evidence([place("a.py", 3, 3), place("a.py", 1, 4, origin="read")], [CALLERS])
    assert said.count("line 3") == 1
    assert "E1 3 in E2" in said
    assert "E2 · lines 1-4\n    1 |     line 1" in said


def test_of_many_hits_the_sure_ones_of_the_product_are_shown_and_the_rest_named() -> None:
    tests = [place(f"tests/t{n:02}.py", 1, 1) for n in range(20)]
    own = [place(f"src/a{n:02}.py", 1, 1) for n in range(10)]
    said = shown_evidence([*tests, *own], [CALLERS])
    assert all(f"src/a{n:02}.py · new side" in said for n in range(10))
    assert said.count("tests/t") == 2 + 10
    assert "18 further hits · found by callers `quote`, not shown and not to be cited: tests/t02.py (1)" in said
    assert said.endswith("and 8 more files")


def test_a_place_in_the_change_says_that_it_supports_nothing_there() -> None:
    assert "cite those" in shown_evidence([place("a.py", 3, 3, near=True)], [CALLERS])


def test_no_evidence_is_no_text() -> None:
    assert shown_evidence([]) == ""

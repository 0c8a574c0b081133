"""Anchors, the reach of a change, and fingerprints, over real hunks."""

import pytest
from judging import codes, sides, true_draft
from truecards import world

from review_agent.policy.load import load
from review_agent.stages.contract import judge
from review_agent.stages.contract_anchor import regions
from review_agent.stages.contract_case import Case
from review_agent.stages.regions import near_change
from review_agent.vocabulary import (
    Bundle,
    ChangeKind,
    ContractCode,
    Evidence,
    EvidenceSpend,
    Question,
    Rejection,
    Role,
    Side,
)

LINES = [f"value_{n} = {n}\n" for n in range(1, 41)]


@pytest.fixture
def around(repo):
    """Two regions in one hunk (lines 5 and 8), another hunk (line 20), and a pure deletion (line 35)."""
    repo.write("a.py", "".join(LINES))
    base = repo.commit("Before")
    text = "".join(LINES)
    for line in (5, 8, 20):
        text = text.replace(f"value_{line} = {line}\n", f"value_{line} = {line * 11}\n")
    repo.write("a.py", text.replace("value_35 = 35\n", ""))
    head = repo.commit("After")
    return sides(repo, base, head)


def case_of(around, line, side=Side.NEW):
    snapshot, sources = around
    (file,) = snapshot.files
    hunk = next(hunk for hunk in file.hunks if line in hunk.changed(side))
    question = Question(
        question_id="q",
        kind=ChangeKind.OTHER,
        rule="r",
        hunk_id=hunk.hunk_id,
        path="a.py",
        change="",
        precondition="",
        consequence="",
        refuted_if=(),
        anchor=sources[side].ref("a.py", line, line, Role.DIFF),
        plan=(),
        edits=(),
        risk=0,
    )
    evidence = Evidence(
        ref=sources[Side.NEW].ref("a.py", 13, 13, Role.USE), query=0, origin="hit", text="value_13 = 13", facts=()
    )
    spent = EvidenceSpend(queries=0, candidate_files=0, files_read=0, lines_read=0)
    bundle = Bundle(question_id="q", evidence=(evidence,), queries=(), left_out=(), spent=spent)
    return Case(question, bundle, snapshot, load(), sources)


def anchored(case, side, start, end):
    draft = {
        **true_draft(),
        "questionId": "q",
        "diffAnchor": case.sources[side].ref("a.py", start, end, Role.DIFF).wire(),
    }
    (verdict,) = judge(
        case.question,
        case.bundle,
        [draft],
        snapshot=case.snapshot,
        policy=case.policy,
        review_id="r",
        sources=case.sources,
        seen=set(),
    )
    return {code for code in codes(verdict) if code.value.startswith("anchor")}


@pytest.mark.parametrize(
    ("line", "side", "start", "end", "expected"),
    [
        (5, Side.NEW, 5, 5, None),
        (5, Side.NEW, 8, 8, None),
        (5, Side.OLD, 5, 5, None),
        (35, Side.OLD, 35, 35, None),
        (5, Side.NEW, 5, 8, ContractCode.ANCHOR_AMBIGUOUS),
        (5, Side.NEW, 5, 20, ContractCode.ANCHOR_AMBIGUOUS),
        (5, Side.NEW, 20, 20, ContractCode.ANCHOR_OUTSIDE_CHANGE),
        (5, Side.NEW, 5, 6, ContractCode.ANCHOR_OUTSIDE_CHANGE),
        (5, Side.NEW, 14, 14, ContractCode.ANCHOR_OUTSIDE_CHANGE),
        (35, Side.NEW, 34, 34, ContractCode.ANCHOR_WRONG_SIDE),
        (35, Side.NEW, 36, 37, ContractCode.ANCHOR_WRONG_SIDE),
    ],
)
def test_an_anchor_lies_in_one_region_of_its_hunk_on_the_side_that_shows_it(around, line, side, start, end, expected):
    case = case_of(around, line, Side.OLD if line == 35 else Side.NEW)
    assert anchored(case, side, start, end) == ({expected} if expected else set())


@pytest.mark.parametrize(
    ("side", "start", "end", "near"),
    [
        (Side.NEW, 1, 1, False),
        (Side.NEW, 2, 2, True),
        (Side.NEW, 11, 11, True),
        (Side.NEW, 12, 16, False),
        (Side.NEW, 12, 17, True),
        (Side.NEW, 31, 31, False),
        (Side.NEW, 32, 32, True),
        (Side.NEW, 37, 39, True),
        (Side.NEW, 38, 39, False),
        (Side.OLD, 12, 16, False),
        (Side.OLD, 38, 38, True),
        (Side.OLD, 39, 39, False),
    ],
)
def test_the_change_reaches_three_lines_around_it_on_both_sides(around, side, start, end, near):
    case = case_of(around, 5)
    assert near_change(case.sources[side].ref("a.py", start, end, Role.USE), case.snapshot) is near


def test_what_lies_beyond_the_context_of_a_deletion_is_outside(repo):
    repo.write("a.py", "".join(LINES))
    base = repo.commit("Before")
    repo.write("a.py", "".join(LINES[:14] + LINES[15:]))
    head = repo.commit("After")
    snapshot, sources = sides(repo, base, head)
    case = case_of((snapshot, sources), 15, Side.OLD)
    near = {
        side: [n for n in range(1, 30) if near_change(sources[side].ref("a.py", n, n, Role.USE), case.snapshot)]
        for side in Side
    }
    assert near == {Side.OLD: list(range(12, 19)), Side.NEW: list(range(12, 18))}


def test_regions_are_runs_of_consecutive_lines():
    assert regions(()) == []
    assert regions((3, 4, 5, 8, 10, 11)) == [range(3, 6), range(8, 9), range(10, 12)]


def fingerprint_of(repo, before, after, path="a.py", old_path="a.py"):
    repo.write(old_path, before)
    base = repo.commit("Before")
    (repo.root / old_path).unlink()
    repo.write(path, after)
    head = repo.commit("After")
    snapshot, sources = sides(repo, base, head)
    (file,) = snapshot.files
    line = next(n for n, text in enumerate(after.splitlines(), 1) if "limit" in text and "2" in text)
    question, bundle, draft = world().cases["number_default"]
    hunk = next(hunk for hunk in file.hunks if line in hunk.changed(Side.NEW))
    question = question.model_copy(update={"hunk_id": hunk.hunk_id, "path": path})
    (verdict,) = judge(
        question,
        bundle,
        [{**draft, "diffAnchor": sources[Side.NEW].ref(path, line, line, Role.DIFF).wire()}],
        snapshot=snapshot,
        policy=load(),
        review_id="r",
        sources=sources,
        seen=(marks := _Marks()),
    )
    assert isinstance(verdict, Rejection)
    return marks.asked[0]


class _Marks(set):
    """Remembers which fingerprints were looked up."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def __contains__(self, mark):
        self.asked.append(mark)
        return super().__contains__(mark)


BODY = "import os\n\n\ndef run():\n    limit = 1\n    return os.nice(limit)\n"


@pytest.mark.slow
def test_a_fingerprint_survives_shifted_lines_layout_and_renames_of_the_file(repo):
    first = fingerprint_of(repo, BODY, BODY.replace("limit = 1", "limit = 2"))
    shifted = "# one\n# two\n" + BODY
    assert fingerprint_of(repo, shifted, shifted.replace("limit = 1", "limit  =  2")) == first
    assert fingerprint_of(repo, BODY, BODY.replace("limit = 1", "limit = 2"), path="b.py") == first
    assert fingerprint_of(repo, BODY, BODY.replace("limit = 1", "limit = 2"), "c.py", "c.py") != first
    assert fingerprint_of(repo, BODY, BODY.replace("limit = 1", "limit = 22")) != first

"""A review in a terminal shows what each card rests on, and says what it leaves out."""

from __future__ import annotations

import pytest
from made_runs import bundle, card, hunk, question, ref, sha

from review_agent.publish.text import card_text, review_text
from review_agent.vocabulary import (
    ContractReason,
    Coverage,
    Evidence,
    Failure,
    NoFinding,
    Outcomes,
    Rejection,
    ReviewDocument,
    RunIdentity,
    RunStatus,
    Spend,
    Unanswered,
)

SHOWN = Evidence(
    ref=ref("src/use1.py", 40, role="caller").model_copy(update={"end_line": 44}),
    query=0,
    origin="read",
    text="forty\nforty-one\n\tforty-two\nforty-three\nforty-four",
    facts=(),
)


@pytest.mark.parametrize("width", [70, 110, 160])
def test_a_card_that_cites_a_part_of_an_excerpt_shows_the_lines_it_cites(width: int) -> None:
    part = ref("src/use1.py", 42, role="caller", quote_sha256=sha("part")).model_copy(update={"end_line": 43})
    cites = card(sha("review", 1), 0).model_copy(update={"supporting_refs": (part,)})
    whole = bundle(0).model_copy(update={"evidence": (*bundle(0).evidence, SHOWN)})
    lines = card_text(cites.wire(), {}, whole.wire(), hunk(0).wire(), state="hidden", width=width).split("\n")
    told = [line.split("│ ")[1] for line in lines if "│ " in line]
    assert told[:2] == ["use1.py:42  forty-two", "use1.py:43  forty-three"]
    assert not [line for line in lines if "forty-one" in line or "forty-four" in line]


def told(outcomes: dict[str, object], failures: tuple[Failure, ...] = (), *, details: bool = False) -> list[str]:
    """The lines of a review of four questions that ended so, but for its last ones."""
    names = ("cards", "no_findings", "rejections", "unanswered", "suppressed", "skipped")
    numbers = dict.fromkeys(("files", "files_examined", "files_skipped", "files_failed", "hunks", "hunks_examined"), 1)
    spent = dict.fromkeys(("questions", "queries", "candidate_files", "files_read", "lines_read", "requests"), 1)
    words = dict.fromkeys(("review_id", "attempt_id", "engine", "policy_hash", "base", "head", "merge_base"), "x")
    document = ReviewDocument(
        schema_version="1.0",
        run=RunIdentity(**words, status=RunStatus.INCOMPLETE),
        coverage=Coverage(**numbers, hunks_skipped=0, hunks_failed=0, line_facts_only=(), failed=(), failures=failures),
        outcomes=Outcomes(**{name: outcomes.get(name, ()) for name in names}),
        spend=Spend(**spent, prompt_tokens=None, completion_tokens=None, cost_usd=None),
    )
    asked = {f"q{n}": question(n) for n in range(4)}
    text = review_text(document, questions=asked, bundles={}, hunks={}, states={}, details=details)
    return text.split("\n")


def unanswered(n: int, detail: str) -> Unanswered:
    return Unanswered(kind="unanswered", question_id=f"q{n}", cause="endpoint_down", detail=detail)


def test_what_has_no_answer_is_told_by_place_and_rule_and_once() -> None:
    lines = told({"unanswered": (*(unanswered(n, "no connection") for n in range(3)), unanswered(3, "reset"))})
    assert lines[:5] == [
        "! unanswered × 3 · endpoint_down: no connection",
        *(f"    cache_key · key_component_removed · src/f{n}.py:{10 + n}" for n in range(3)),
        "! unanswered · cache_key · key_component_removed · src/f3.py:13 · endpoint_down: reset",
    ]
    assert not [line for line in lines if "q0" in line]


def test_a_failure_of_many_places_is_told_once_with_the_first_of_them() -> None:
    failures = [Failure(what="compile", name="the model's questions", path=f"{n}.py", detail="down") for n in range(7)]
    lines = told({}, tuple(failures))
    assert lines[:7] == [
        "! failed × 7 · compile the model's questions: down",
        *(f"    {n}.py" for n in range(5)),
        "    and 2 more: `review-agent explain` has each",
    ]


def test_a_rejection_names_place_and_rule_and_each_code_once() -> None:
    reasons = [
        ContractReason(code=code, detail=str(n)) for n, code in enumerate(["ref_not_read", "ref_not_read", "schema"])
    ]
    twice = [
        Rejection(kind="rejection", question_id="q1", ordinal=n, change_kind="cache_key", reasons=reasons, draft={})
        for n in (0, 1)
    ]
    lines = told({"rejections": tuple(twice)})
    assert lines[0] == "○ rejected × 2 · cache_key · key_component_removed · src/f1.py:11: ref_not_read, schema"


def nothing_found(n: int, code: str) -> NoFinding:
    return NoFinding(
        kind="no_finding",
        question_id=f"q{n}",
        rule="key_component_removed",
        change_kind="cache_key",
        path=f"src/f{n}.py",
        line=10 + n,
        code=code,
        detail=f"reason {n}",
        missing=(),
        searched=(),
        refs=(),
    )


ENDED = tuple(
    nothing_found(n, code) for n, code in enumerate(["refuted", "no_candidate", "needs_human_context", "no_candidate"])
)


def test_questions_that_found_nothing_are_counted_by_code_but_those_for_a_person_are_told() -> None:
    assert told({"no_findings": ENDED})[:4] == [
        "○ no finding · needs_human_context · cache_key · key_component_removed",
        "           src/f2.py:12: reason 2",
        "○ no finding × 3 · 2 no_candidate, 1 refuted",
        "           `review-agent explain x` has each with its reason, `review-agent review --details` too",
    ]


def test_with_details_each_question_that_found_nothing_is_told() -> None:
    lines = told({"no_findings": ENDED}, details=True)
    assert [f"reason {n}" for n in range(4)] == sorted(line.split(": ")[1] for line in lines if ": reason" in line)
    assert not [line for line in lines if "--details" in line]

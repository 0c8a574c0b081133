"""Run logs made by hand from real vocabulary records, for tests of what reads them."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from review_agent.appendlog import state_folder
from review_agent.runlog import RunLog, run_file_name
from review_agent.vocabulary import (
    Answer,
    Bundle,
    Call,
    CallError,
    ContractReason,
    Coverage,
    Edit,
    Effect,
    Evidence,
    EvidenceSpend,
    FailedFile,
    Failure,
    FileChange,
    Hunk,
    LeftOut,
    Line,
    NoFinding,
    Phase,
    PlanQuery,
    QueryResult,
    Question,
    Record,
    Rejection,
    ReviewEvidenceCard,
    Skipped,
    SourceRef,
    Spend,
    Suppressed,
    Unanswered,
    Usage,
    UseFact,
    Verification,
    digest,
)

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
COMMIT, BLOB = "c" * 40, "b" * 40


def sha(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def ref(path: str, line: int, **changes: Any) -> SourceRef:
    fields = {"role": "diff", "side": "new", "commit": COMMIT, "blob": BLOB, "quote_sha256": sha(path, line)}
    return SourceRef(path=path, start_line=line, end_line=line, **{**fields, **changes})


def hunk(n: int) -> Hunk:
    line = Line(tag="+", old=None, new=10 + n, text=f'key = f"quote:{{sku}}"  # é {n}')
    return Hunk(
        hunk_id=f"h{n}",
        path=f"src/f{n}.py",
        old_path=f"src/f{n}.py",
        old_start=10 + n,
        old_count=0,
        new_start=10 + n,
        new_count=1,
        section="def quote():",
        lines=(line,),
    )


def file_change(n: int) -> FileChange:
    return FileChange(
        path=f"src/f{n}.py",
        old_path=f"src/f{n}.py",
        status="modified",
        old_mode="100644",
        new_mode="100644",
        old_blob="a" * 40,
        new_blob=BLOB,
        binary=False,
        hunks=(hunk(n),),
    )


def edit(n: int) -> Edit:
    return Edit(
        edit_id=f"e{n}",
        op="lines_changed",
        hunk_id=f"h{n}",
        path=f"src/f{n}.py",
        old_path=f"src/f{n}.py",
        language="python",
        side="new",
        start_line=10 + n,
        end_line=10 + n,
        scope="quote",
        subject="key",
        before=None,
        after="key",
        facts={"names": ("sku",)},
    )


def question(n: int) -> Question:
    return Question(
        question_id=f"q{n}",
        kind="cache_key",
        rule="key_component_removed",
        hunk_id=f"h{n}",
        path=f"src/f{n}.py",
        change="the key lost `tenant.id`",
        precondition="the value depends on the tenant",
        consequence="one tenant gets another's price",
        refuted_if=("the cache is per tenant",),
        anchor=ref(f"src/f{n}.py", 10 + n),
        plan=(PlanQuery(kind="callers", name="quote"),),
        edits=(edit(n),),
        risk=70,
    )


def bundle(n: int) -> Bundle:
    fact = UseFact(
        resolution="resolved", reason="import", use="call", text="quote()", scope="g", guarded_by=None, in_test=False
    )
    evidence = [
        Evidence(ref=ref(f"src/use{k}.py", k, role="caller"), query=0, origin="hit", text=f"quote() {k}", facts=(fact,))
        for k in (1, 2)
    ]
    result = QueryResult(
        query=PlanQuery(kind="callers", name="quote"),
        status="answered",
        searched="3 files",
        files_searched=3,
        hits=2,
        resolved=2,
        ambiguous=0,
        unresolved=0,
        truncated=False,
        note="",
    )
    spent = EvidenceSpend(queries=1, candidate_files=2, files_read=0, lines_read=0)
    left_out = (LeftOut(what="vendor/x.py", why="vendored"),)
    return Bundle(question_id=f"q{n}", evidence=tuple(evidence), queries=(result,), left_out=left_out, spent=spent)


def card(review_id: str, n: int, *, claim: str = "Removing `tenant.id` serves one price to all") -> ReviewEvidenceCard:
    content = {
        "kind": "card",
        "schemaVersion": "1.0",
        "cardId": sha(review_id, f"q{n}", 0),
        "fingerprint": sha("fingerprint", n)[:32],
        "questionId": f"q{n}",
        "rule": "key_component_removed",
        "pr": None,
        "changeKind": "cache_key",
        "claim": f"{claim}, in place {n}.",
        "effect": Effect(op="removed", subject="tenant.id").wire(),
        "severity": "important",
        "diffAnchor": ref(f"src/f{n}.py", 10 + n).wire(),
        "supportingRefs": [ref("src/use1.py", 1, role="caller").wire()],
        "impactCondition": "two tenants ask for the same sku within an hour",
        "verification": [
            Verification(kind="manual-check", command_or_procedure="call it", expected_signal="equal").wire()
        ],
        "counterEvidence": [],
        "uncertainty": [],
        "confidence": "high",
        "modelMayPost": True,
    }
    return ReviewEvidenceCard.model_validate({**content, "cardVersion": digest(content)})


def calls() -> list[Call]:
    """Three tries at two requests: one that failed, one whose server tells all, one that tells nothing."""
    usage = Usage(prompt_tokens=1000, completion_tokens=50, cached_tokens=400, cost_usd=0.25)
    common: dict[str, Any] = {"model": "m", "form": "schema", "detail": ""}
    limited = CallError.RATE_LIMITED
    return [
        Call(request_id="r0", number=1, error=limited, status=429, milliseconds=30, **common),
        Call(request_id="r0", number=2, error=None, status=200, usage=usage, milliseconds=900, **common),
        Call(request_id="r1", number=1, error=None, status=None, **{**common, "model": "by hand", "form": "by_hand"}),
    ]


def events(review_id: str, cards: int, claim: str) -> list[tuple[Phase, str, Record | dict[str, Any]]]:
    """What a whole run writes between its phases' starts and ends: ``cards`` cards and one of every other outcome."""
    every = range(cards + 1)
    anchor = ref("src/f0.py", 10)
    no_finding = NoFinding(
        kind="no_finding",
        question_id=f"q{cards}",
        rule="r",
        change_kind="cache_key",
        path="src/f0.py",
        line=10,
        code="insufficient_evidence",
        detail="not established",
        missing=("definition of cache",),
        searched=("imports",),
        refs=(anchor,),
    )
    rejection = Rejection(
        kind="rejection",
        question_id="q0",
        ordinal=1,
        change_kind="cache_key",
        reasons=(ContractReason(code="schema", detail="no claim"), ContractReason(code="impact_empty", detail="")),
        draft={"claim": "\ud800 lone", "nested": [1, {"a": None}]},
    )
    skipped = Skipped(
        kind="skipped", path="uv.lock", hunk_id=None, question_id=None, rule="lock_file", detail="a lock file"
    )
    unanswered = Unanswered(kind="unanswered", question_id="q0", cause="endpoint_down", detail="refused")
    shown = card(review_id, 0, claim=claim)
    suppressed = Suppressed(
        kind="suppressed", question_id="q0", fingerprint="f", decision_id="d", detail="rejected", card=shown
    )
    answers = [Answer(request_id=f"r{n}", engine="rules/1", drafts=({"claim": "x"},)) for n in every]
    coverage = Coverage(
        files=1,
        files_examined=1,
        files_skipped=0,
        files_failed=0,
        hunks=1,
        hunks_examined=1,
        hunks_skipped=0,
        hunks_failed=0,
        line_facts_only=(),
        failed=(),
    )
    spend = Spend(
        questions=cards + 1,
        queries=1,
        candidate_files=2,
        files_read=0,
        lines_read=0,
        requests=cards + 1,
        prompt_tokens=None,
        completion_tokens=None,
        cost_usd=None,
    )
    asked = [{"requestId": f"r{n}", "role": "synthesize", "questionId": f"q{n}"} for n in every]
    ended = {"status": "complete", "coverage": coverage.wire(), "spend": spend.wire()}
    return [
        *((Phase.SNAPSHOT, "file", file_change(n)) for n in every),
        *((Phase.COMPILE, "edit", edit(n)) for n in every),
        *((Phase.COMPILE, "question", question(n)) for n in every),
        (Phase.COMPILE, "skipped", skipped),
        (Phase.COMPILE, "failed_file", FailedFile(path="bad.py", detail="parser hung")),
        (Phase.COMPILE, "failure", Failure(what="rule", name="broken", path="a.py", detail="KeyError: 'x'")),
        *((Phase.COLLECT, "bundle", bundle(n)) for n in every),
        *((Phase.SYNTHESIZE, "request", request) for request in asked),
        *((Phase.SYNTHESIZE, "call", one) for one in calls()),
        *((Phase.SYNTHESIZE, "answer", answer) for answer in answers),
        *((Phase.CONTRACT, "passed", card(review_id, n, claim=claim)) for n in range(cards)),
        (Phase.CONTRACT, "rejection", rejection),
        (Phase.CONTRACT, "no_finding", no_finding),
        (Phase.CONTRACT, "unanswered", unanswered),
        (Phase.CONTRACT, "suppressed", suppressed),
        *((Phase.VERIFY, "card", card(review_id, n, claim=claim)) for n in range(cards)),
        (Phase.RECORD, "run_ended", ended),
    ]


def started(review_id: str) -> dict[str, Any]:
    return {
        "reviewId": review_id,
        "engine": "rules/1",
        "policyHash": "p" * 64,
        "policySource": "shipped",
        "product": "0.1.0",
        "options": {},
        "base": "1" * 40,
        "head": "2" * 40,
        "mergeBase": "1" * 40,
        "chosen": "by hand",
    }


def write_run(
    state_dir: Path,
    *,
    review: int = 1,
    cards: int = 2,
    minute: int = 0,
    claim: str = "Removing `tenant.id` serves one price to all",
    stop_before: Phase | None = None,
) -> Path:
    """A run log in the state folder; with ``stop_before`` the run is killed just before that phase ends."""
    review_id = sha("review", review)
    runs = state_folder(state_dir) / "runs"
    path = runs / run_file_name(review_id, START + timedelta(minutes=minute))
    with RunLog.create(path, started(review_id), f"attempt{minute}") as log:
        write_phases(log, review_id, cards, claim, list(Phase), stop_before)
    return path


def write_phases(
    log: RunLog, review_id: str, cards: int, claim: str, phases: list[Phase], stop_before: Phase | None = None
) -> None:
    for phase in phases:
        log.event("phase_started", {}, phase)
        for of, kind, record in events(review_id, cards, claim):
            if of is phase:
                log.event(kind, record.wire() if isinstance(record, Record) else record, phase)
        if phase is stop_before:
            log.flush()
            return
        log.event("phase_ended", {}, phase)
    log.flush()

"""The ledger's tables of today, column by column. A column that came later stands last in its table."""

from __future__ import annotations

__all__ = ["JOURNAL_TABLES", "RUN_TABLES", "SHOWN", "TABLES"]

RUN_TABLES: dict[str, dict[str, str]] = {
    "runs": {
        "review_id": "VARCHAR",
        "engine": "VARCHAR",
        "policy_hash": "VARCHAR",
        "policy_source": "VARCHAR",
        "product": "VARCHAR",
        "base": "VARCHAR",
        "head": "VARCHAR",
        "merge_base": "VARCHAR",
        "chosen": "VARCHAR",
        "options": "JSON",
        "started_at": "VARCHAR",
        "ended_at": "VARCHAR",
        "attempts": "BIGINT",
        "status": "VARCHAR",
        "coverage": "JSON",
        "spend": "JSON",
    },
    "attempts": {"attempt": "VARCHAR", "started_at": "VARCHAR", "last_at": "VARCHAR", "phases": "JSON"},
    "phases": {
        "attempt": "VARCHAR",
        "phase": "VARCHAR",
        "started_at": "VARCHAR",
        "ended_at": "VARCHAR",
        "events": "BIGINT",
    },
    "files": {"path": "VARCHAR", "old_path": "VARCHAR", "status": "VARCHAR", "data": "JSON"},
    "hunks": {"hunk_id": "VARCHAR", "path": "VARCHAR", "data": "JSON"},
    "edits": {
        "edit_id": "VARCHAR",
        "hunk_id": "VARCHAR",
        "op": "VARCHAR",
        "path": "VARCHAR",
        "scope": "VARCHAR",
        "subject": "VARCHAR",
        "data": "JSON",
    },
    "questions": {
        "question_id": "VARCHAR",
        "kind": "VARCHAR",
        "rule": "VARCHAR",
        "hunk_id": "VARCHAR",
        "path": "VARCHAR",
        "risk": "BIGINT",
        "data": "JSON",
    },
    "bundles": {"question_id": "VARCHAR", "left_out": "JSON", "spent": "JSON"},
    "queries": {
        "question_id": "VARCHAR",
        "kind": "VARCHAR",
        "name": "VARCHAR",
        "status": "VARCHAR",
        "hits": "BIGINT",
        "resolved": "BIGINT",
        "ambiguous": "BIGINT",
        "unresolved": "BIGINT",
        "truncated": "BOOLEAN",
        "data": "JSON",
    },
    "evidence": {
        "question_id": "VARCHAR",
        "query": "BIGINT",
        "origin": "VARCHAR",
        "role": "VARCHAR",
        "path": "VARCHAR",
        "start_line": "BIGINT",
        "end_line": "BIGINT",
        "data": "JSON",
    },
    "answers": {
        "request_id": "VARCHAR",
        "question_id": "VARCHAR",
        "role": "VARCHAR",
        "engine": "VARCHAR",
        "failure": "VARCHAR",
        "data": "JSON",
    },
    "cards": {
        "card_id": "VARCHAR",
        "card_version": "VARCHAR",
        "fingerprint": "VARCHAR",
        "question_id": "VARCHAR",
        "rule": "VARCHAR",
        "change_kind": "VARCHAR",
        "severity": "VARCHAR",
        "confidence": "VARCHAR",
        "path": "VARCHAR",
        "line": "BIGINT",
        "model_may_post": "BOOLEAN",
        "data": "JSON",
        "claim": "VARCHAR",
        "risk": "BIGINT",
    },
    "no_findings": {
        "question_id": "VARCHAR",
        "rule": "VARCHAR",
        "change_kind": "VARCHAR",
        "code": "VARCHAR",
        "path": "VARCHAR",
        "line": "BIGINT",
        "data": "JSON",
    },
    "rejections": {
        "question_id": "VARCHAR",
        "ordinal": "BIGINT",
        "change_kind": "VARCHAR",
        "codes": "JSON",
        "data": "JSON",
    },
    "unanswered": {"question_id": "VARCHAR", "cause": "VARCHAR", "data": "JSON"},
    "skipped": {
        "path": "VARCHAR",
        "hunk_id": "VARCHAR",
        "question_id": "VARCHAR",
        "rule": "VARCHAR",
        "data": "JSON",
    },
    "suppressed": {
        "question_id": "VARCHAR",
        "fingerprint": "VARCHAR",
        "decision_id": "VARCHAR",
        "data": "JSON",
    },
    "failed_files": {"path": "VARCHAR", "detail": "VARCHAR"},
    "failures": {"what": "VARCHAR", "name": "VARCHAR", "path": "VARCHAR", "detail": "VARCHAR"},
}
"""Tables made from run logs. Each has ``run_file`` and ``position``, the row's place within the run, before these."""

for _name, _columns in RUN_TABLES.items():
    RUN_TABLES[_name] = {"run_file": "VARCHAR", "position": "BIGINT", **_columns}

JOURNAL_TABLES: dict[str, dict[str, str]] = {
    "decisions": {
        "decision_id": "VARCHAR",
        "decided_at": "VARCHAR",
        "card_id": "VARCHAR",
        "card_version": "VARCHAR",
        "fingerprint": "VARCHAR",
        "act": "VARCHAR",
        "reason_code": "VARCHAR",
        "comment": "VARCHAR",
        "reviewer": "VARCHAR",
        "data": "JSON",
        "layer": "VARCHAR",
        "evidence": "VARCHAR",
        "seconds": "DOUBLE",
        "until": "VARCHAR",
        "batch": "VARCHAR",
        "successor": "VARCHAR",
        "proof": "JSON",
    },
    "samples": {
        "sample_id": "VARCHAR",
        "sampled_at": "VARCHAR",
        "run_file": "VARCHAR",
        "question_id": "VARCHAR",
        "source": "VARCHAR",
        "share": "DOUBLE",
        "card_id": "VARCHAR",
        "data": "JSON",
    },
    "displaced": {
        "displaced_at": "VARCHAR",
        "day": "VARCHAR",
        "minutes": "DOUBLE",
        "shown": "JSON",
        "displaced": "JSON",
        "data": "JSON",
    },
    "replays": {
        "replay_id": "VARCHAR",
        "replayed_at": "VARCHAR",
        "engine": "VARCHAR",
        "policy_hash": "VARCHAR",
        "product": "VARCHAR",
        "source": "VARCHAR",
        "found": "BIGINT",
        "defects": "BIGINT",
        "silent": "BIGINT",
        "clean": "BIGINT",
        "failed": "BIGINT",
        "data": "JSON",
    },
    "journal_faults": {"detail": "VARCHAR"},
}
"""Tables made from the journal. Each has ``position``, the record's place in the journal, before these."""

for _name, _columns in JOURNAL_TABLES.items():
    JOURNAL_TABLES[_name] = {"position": "BIGINT", **_columns}

SHOWN: dict[str, str] = {
    "card_id": "VARCHAR",
    "run_file": "VARCHAR",
    "review_id": "VARCHAR",
    "started_at": "VARCHAR",
    "rule": "VARCHAR",
    "change_kind": "VARCHAR",
    "severity": "VARCHAR",
    "confidence": "VARCHAR",
    "path": "VARCHAR",
    "line": "BIGINT",
    "risk": "BIGINT",
    "source": "VARCHAR",
    "words": "VARCHAR",
}
"""The table ``shown``: each card once, as its newest run has it, and each sample of the blind audit, with what the
queue filters and ranks by. ``source`` is null for a card; ``words`` is what text is searched in."""

TABLES: dict[str, dict[str, str]] = {
    **RUN_TABLES,
    **JOURNAL_TABLES,
    "shown": SHOWN,
    "watermarks": {"source": "VARCHAR", "bytes": "BIGINT", "records": "BIGINT", "tail": "VARCHAR"},
}
"""All tables; ``shown`` is made of the others. A watermark says how much of a source file the ledger has taken in: its
size in bytes then, its whole records and, of the journal, the digest of what stands before that place."""

"""A state folder with something of everything: runs ended, cut, resumed; all kinds of journal records; hostile text."""

from __future__ import annotations

from pathlib import Path

from made_runs import card, sha, write_phases, write_run

from review_agent.journal import Journal
from review_agent.runlog import RunLog
from review_agent.vocabulary import Act, Decision, Displaced, Phase, Proof, Replay, ReplayedHalf, Sample

__all__ = ["HOSTILE", "decision", "varied"]

HOSTILE = (
    '=HYPERLINK("http://x","y")',
    "@SUM(1)",
    "-1+1",
    "+1",
    "\t=1",
    "\n=1",
    "'quoted'",
    "''",
    '"a","b"\r\n=c',
    "\uff1d1",
    "'; drop table cards; --",
    "nul \x00 and \ud800 and \u2028 é",
    "",
    "null",
    "NULL",
)


def decision(n: int, act: Act, place: int = 0, *, review: int = 1, comment: str | None = None) -> Decision:
    seen = card(sha("review", review), n)
    proof = Proof(job="run_test", result="fail", log="it failed", log_sha256=sha("log"), log_bytes=9)
    return Decision(
        kind="decision",
        decision_id=sha(review, n, act, place),
        at=f"2026-01-02T00:00:{place % 60:02}.000+00:00",
        card_id=seen.card_id,
        card_version=seen.card_version,
        fingerprint=seen.fingerprint,
        act=act,
        reason_code="intended" if act is Act.REJECT else None,
        comment=comment,
        reviewer="Ada <ada@example.com>",
        layer="team" if act is Act.REJECT else None,
        seconds=12.25 if place % 2 else None,
        until="2026-02-01" if act is Act.REJECT and place % 2 else None,
        proof=proof if act is Act.ATTACH else None,
    )


def varied(state: Path) -> Path:
    """Fills a state folder that is empty; its ledger is not made yet."""
    first = write_run(state, cards=3)
    with first.open("ab") as file:
        file.write(b'{"seq": 99, torn')
    cut = write_run(state, review=2, minute=1, cards=2, stop_before=Phase.COLLECT)
    with RunLog.open(cut, "second") as log:
        write_phases(log, sha("review", 2), 2, "Removing it", list(Phase)[2:])
    write_run(state, review=1, minute=2, cards=3, claim="The same review, again")
    write_run(state, review=3, minute=3, stop_before=Phase.VERIFY)
    for n, text in enumerate(HOSTILE):
        write_run(state, review=10 + n, minute=4 + n, cards=1, claim=text)
    _journal(state, first.name)
    return state


def _journal(state: Path, run_file: str) -> None:
    journal = Journal(state / "journal.jsonl")
    acts = (Act.ACCEPT, Act.DOWNGRADE, Act.REJECT, Act.REOPEN, Act.NEEDS_PROOF, Act.ATTACH, Act.REJECT)
    for place, act in enumerate(acts):
        journal.append(decision(place % 2, act, place).wire())
    journal.append({"kind": "later", "of": "a newer product"})
    for n, text in enumerate(HOSTILE):
        journal.append(decision(0, Act.ACCEPT, 20 + n, review=10 + n, comment=text).wire())
    journal.append({"kind": "decision", "act": "none"})
    shown = {**card(sha("sampled"), 2).wire(), "claim": "=a sample"}
    journal.append(
        Sample(
            kind="sample",
            sample_id="s",
            at="2026-01-03",
            run_file=run_file,
            question_id="q2",
            source="refuted",
            share=0.05,
            card=shown,
        ).wire()
    )
    displaced = Displaced(kind="displaced", at="2026-01-03", day="2026-01-03", minutes=7.5, shown=("a",), displaced=())
    journal.append(displaced.wire())
    half = ReplayedHalf(unit="case:defect", verdict="missed", cards=0, layer="retrieval")
    counts = {"found": 1, "defects": 2, "silent": 3, "clean": 4, "failed": 0}
    names = {
        "replay_id": "r",
        "at": "2026-01-04",
        "engine": "rules/1",
        "policy_hash": "p",
        "product": "1",
    }
    journal.append(Replay(kind="replay", halves=(half,), source="s", **names, **counts).wire())

"""What happens when an act on a card is taken.

Nothing is recorded here: every act goes through ``adjudication`` with the version of the card that the person saw, and
with the latest decision on it that they saw.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.context import Panel
from dashboard.offers import MOST_LOG_BYTES, asked
from dashboard.shell import say
from dashboard.words import label, short, standing_word, when
from review_agent import adjudication, jobs
from review_agent.errors import RecordError, ReviewAgentError, TransitionError, UsageError
from review_agent.ledger.store import Ledger
from review_agent.transitions import RESULT
from review_agent.vocabulary import Act, Decision, Proof

__all__ = ["heard", "record"]

_SECONDS_A_DAY = 86_400
_WORDS = ("comment", "log")
"""The fields that a person writes in."""


def _proof(panel: Panel, event: Mapping[str, Any]) -> Proof | None:
    """The proof that the event asks for, or brings."""
    job, result = event.get("job"), event.get("result")
    if not isinstance(job, str):
        return None
    if result not in ("pass", "fail"):
        return Proof(job=job)
    policy, detail = panel.policy()[0], Ledger(panel.state_dir).card(str(event["card"]))
    jobs.check_attachable(detail.row.card, detail.question, policy, job, asked(detail) or None)
    file, words = _file(event), str(event.get("log") or "")
    data = words.encode("utf-8", "surrogatepass") if file is None and words.strip() else file
    proof = jobs.attach(job, result, data, policy.masker(), policy.jobs.log_characters)
    # What is typed or pasted has been through a field of the browser: it is no longer the bytes that a job printed.
    return proof if file is not None else proof.model_copy(update={"log_sha256": None, "log_bytes": None})


def _file(event: Mapping[str, Any]) -> bytes | None:
    """The bytes of the chosen file; null where none was. Raises UsageError where they cannot be taken."""
    sent = event.get("bytes")
    if sent is None:
        return None
    try:
        data = base64.b64decode(str(sent), validate=True)
    except ValueError:
        raise UsageError("the file came damaged", hint="choose it again") from None
    if len(data) > MOST_LOG_BYTES:
        raise UsageError(
            f"the log is larger than {MOST_LOG_BYTES // 1_000_000} MB", hint="attach it with `review-agent decide`"
        )
    return data


def heard(panel: Panel, event: Mapping[str, Any]) -> None:
    """Takes an act. What refuses it is shown with the other's decision, and the card as it is now."""
    if event["do"] == "undo":
        record(panel, {"card": event["card"], "seen": event["seen"], "act": Act.REOPEN.value})
    elif event["do"] == "decide":
        record(panel, event)


def record(panel: Panel, event: Mapping[str, Any]) -> Decision | None:
    """One act of an event through ``adjudication``; null where it was refused, and then nothing is recorded."""
    policy = panel.policy()[0]
    what = Act(str(event["act"]))
    comment = str(event.get("comment") or "").strip()
    before = st.session_state.get("rows", [])
    try:
        decision = adjudication.decide(
            panel.state_dir,
            str(event["card"]),
            what,
            reason_code=event.get("reason"),
            comment=comment or None,
            reviewer=panel.reviewer,
            expected_version=event.get("version"),
            expected_decision=str(event["seen"]),
            policy_reason_codes=policy.reason_codes,
            seconds=_seconds(event),
            proof=_proof(panel, event),
            mask=policy.masker(),
            notice=lambda text: None,
        )
    except (TransitionError, UsageError, RecordError) as error:
        _refused(panel, event, error)
        return None
    st.session_state["recorded"] = {"card": decision.card_id, "fields": [name for name in _WORDS if name in event]}
    _go_on(panel, decision, before)
    return decision


def _seconds(event: Mapping[str, Any]) -> float | None:
    """From the first view to the act, as the browser measured it; null where it says nothing that can be true."""
    given = event.get("seconds")
    return float(given) if isinstance(given, int | float) and 0 <= given <= _SECONDS_A_DAY else None


def _go_on(panel: Panel, decision: Decision, rows: Sequence[str]) -> None:
    """To the next card after a decision; back to the card after an undo."""
    here = decision.card_id
    name = short(here)
    if decision.act is Act.REOPEN:
        st.session_state.pop("decided", None)
        st.query_params["card"] = here
        say("done", f"Taken back: {name} is open again.")
        return
    st.session_state["decided"] = here, decision.decision_id
    reason = f" as {label(decision.reason_code)}" if decision.reason_code else ""
    said = (
        f"needs proof: {decision.proof.job}"
        if decision.act is Act.NEEDS_PROOF and decision.proof
        else standing_word(RESULT[decision.act])
    )
    audit = _audited(panel, decision)
    say("done", f"{name} {said}{reason}. `u` takes it back.", audit)
    if here in rows:
        later = [*rows[rows.index(here) + 1 :], *reversed(rows[: rows.index(here)])]
        if later:
            st.query_params["card"] = later[0]
        else:
            st.query_params.pop("card", None)


def _audited(panel: Panel, decision: Decision) -> str:
    """What the reviewer may know only now: that the card was a sample of the blind audit."""
    try:
        source = Ledger(panel.state_dir).card(decision.card_id).row.audit
    except (UsageError, RecordError):
        return ""
    return f"It was a sample of the blind audit: the review had kept it silent ({label(source)})." if source else ""


def _refused(panel: Panel, event: Mapping[str, Any], error: ReviewAgentError) -> None:
    """Not recorded, and why; where another decision came first, that one."""
    card_id = str(event["card"])
    try:
        decisions = Ledger(panel.state_dir).card(card_id).decisions
    except (UsageError, RecordError):
        decisions = []
    st.query_params["card"] = card_id
    if isinstance(error, TransitionError) and decisions and decisions[-1]["decisionId"] != event["seen"]:
        said = _first(decisions[-1], panel.reviewer)
        say("refused", f"Not recorded: {said} The card below is as it stands now.", error.hint)
    else:
        say("refused", f"Not recorded: {error.message}.", error.hint)


def _first(last: Mapping[str, Any], reviewer: str) -> str:
    """Who was first with what, when and why."""
    reason = f" as {label(last['reasonCode'])}" if last.get("reasonCode") else ""
    comment = f": “{last['comment']}”" if last.get("comment") else ""
    who = f"{last['reviewer']} was" if last["reviewer"] != reviewer else "you were"
    return f"{who} first: {_done(last)}{reason} at {when(last['at'])} UTC{comment}."


def _done(last: Mapping[str, Any]) -> str:
    what, proof = Act(last["act"]), last.get("proof") or {}
    if what is Act.ATTACH:
        return f"attached a {proof.get('result')} of {proof.get('job')}"
    if what is Act.REOPEN:
        return "took the decision back"
    return standing_word(RESULT[what]) + (f" by {proof['job']}" if proof else "")

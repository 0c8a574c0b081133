"""What happens when an act on a card is taken.

Nothing is recorded here: every act goes through ``adjudication`` with the version of the card that the person saw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.context import Panel
from dashboard.shell import say
from dashboard.words import label, short, standing_word, when
from review_agent import adjudication, jobs
from review_agent.errors import RecordError, TransitionError, UsageError
from review_agent.ledger.store import Ledger
from review_agent.transitions import RESULT
from review_agent.vocabulary import Act, Decision, Proof

__all__ = ["heard", "record"]

_SECONDS_A_DAY = 86_400


def _proof(panel: Panel, event: Mapping[str, Any]) -> Proof | None:
    """The proof that the event asks for, or brings."""
    job, result = event.get("job"), event.get("result")
    if not isinstance(job, str):
        return None
    if result not in ("pass", "fail"):
        return Proof(job=job)
    policy = panel.policy()[0]
    log = str(event.get("log") or "")
    data = log.encode("utf-8", "surrogatepass") if log.strip() else None
    return jobs.attach(job, result, data, policy.masker(), policy.jobs.log_characters)


def heard(panel: Panel, event: Mapping[str, Any]) -> None:
    """Takes an act. What refuses it is shown with the other's decision, and the card as it is now."""
    if event["do"] == "undo":
        record(panel, {"card": event["card"], "act": Act.REOPEN.value})
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
            policy_reason_codes=policy.reason_codes,
            seconds=_seconds(event),
            proof=_proof(panel, event),
            mask=policy.masker(),
            notice=lambda text: None,
        )
    except (TransitionError, UsageError, RecordError) as error:
        _refused(panel, str(event["card"]), error)
        return None
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
    st.session_state["decided"] = here
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


def _refused(panel: Panel, card_id: str, error: Any) -> None:
    """Not recorded, and why; where another was first, their decision."""
    other = ""
    try:
        decisions = Ledger(panel.state_dir).card(card_id).decisions
    except (UsageError, RecordError):
        decisions = []
    if isinstance(error, TransitionError) and decisions and decisions[-1]["reviewer"] != panel.reviewer:
        last = decisions[-1]
        reason = f" as {label(last['reasonCode'])}" if last.get("reasonCode") else ""
        comment = f": “{last['comment']}”" if last.get("comment") else ""
        word = standing_word(RESULT[Act(last["act"])]) if last["act"] in {one.value for one in RESULT} else last["act"]
        other = f" {last['reviewer']} was first: {word}{reason} at {when(last['at'])} UTC{comment}."
        other += " The card below is as it stands now."
    st.query_params["card"] = card_id
    say("refused", f"Not recorded: {error.message}.{other}", error.hint)

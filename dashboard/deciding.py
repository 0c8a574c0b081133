"""Acts on a card: the bar that offers them, the menus of reasons and jobs, and what happens when one is taken.

Nothing is recorded here: every act goes through ``adjudication`` with the version of the card that the person saw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.context import Panel
from dashboard.shell import say
from dashboard.tree import Node, act, el, key, prose
from dashboard.words import label, short, standing_word, when
from review_agent import adjudication, jobs
from review_agent.errors import RecordError, TransitionError, UsageError
from review_agent.ledger.store import CardDetail, Ledger
from review_agent.policy.model import ReasonCode
from review_agent.transitions import LEGAL, RESULT
from review_agent.vocabulary import Act, Decision, Proof

__all__ = ["bar", "heard", "keys", "menus", "record", "undo_key"]

LETTERS = "123456789abcdefghilopqrstvwxyz"
"""Keys of a menu's choices, in order; m leads to the comment."""

_DECIDABLE = (Act.ACCEPT, Act.REJECT, Act.NEEDS_PROOF)
_SECONDS_A_DAY = 86_400


def keys(panel: Panel, detail: CardDetail) -> dict[str, Mapping[str, Any]]:
    """The keys of the acts that the card's state allows."""
    legal = LEGAL[detail.row.state]
    found: dict[str, Mapping[str, Any]] = {}
    if Act.ACCEPT in legal:
        found["a"] = _event(detail, Act.ACCEPT)
    if Act.REJECT in legal:
        found["x"] = {"ui": "menu", "menu": "reject"}
    if Act.NEEDS_PROOF in legal:
        found["n"] = {"ui": "menu", "menu": "proof"}
    if Act.ATTACH in legal:
        found["t"] = {"ui": "menu", "menu": "attach"}
    if Act.REVOKE in legal:
        found["e"] = _event(detail, Act.REVOKE)
    if Act.DOWNGRADE in legal:
        found["w"] = _event(detail, Act.DOWNGRADE)
    return {**found, **undo_key(panel, detail)}


def undo_key(panel: Panel, detail: CardDetail | None) -> dict[str, Mapping[str, Any]]:
    """``u`` takes back the reviewer's own decision on this card, else their last one in this session."""
    mine = detail is not None and bool(detail.decisions) and detail.decisions[-1]["reviewer"] == panel.reviewer
    if detail is not None and mine and Act.REOPEN in LEGAL[detail.row.state]:
        return {"u": {"do": "undo", "card": detail.row.card["cardId"]}}
    last = st.session_state.get("decided")
    return {"u": {"do": "undo", "card": last}} if last else {}


def bar(panel: Panel, detail: CardDetail) -> Node:
    """The acts at the foot of the card, each with its key, the comment that goes along, and the menus."""
    legal = LEGAL[detail.row.state]
    known = keys(panel, detail)
    buttons = [
        act("Accept", known["a"], keys="a", of="button.accept") if "a" in known else None,
        act("Reject …", known["x"], keys="x", of="button.reject") if "x" in known else None,
        act("Needs proof …", known["n"], keys="n") if "n" in known else None,
        act("Attach a result …", known["t"], keys="t") if "t" in known else None,
        act("Revoke", known["e"], keys="e") if "e" in known else None,
        act("Downgrade", known["w"], keys="w") if "w" in known else None,
        act("Undo", known["u"], keys="u") if "u" in known else None,
    ]
    comment = el(
        "input.draft",
        placeholder="comment (m): goes with the decision",
        data_field="comment",
        aria_label="comment",
        title="comment",
    )
    overtaken = None if legal else el("span.none", "A newer push has overtaken this card: nothing is left to decide.")
    return el(
        "div.bar",
        el("div.buttons", buttons, overtaken),
        comment if legal else None,
        _reject_menu(panel, detail),
        _proof_menu(panel, detail),
        _attach_menu(panel, detail),
    )


def menus(panel: Panel, detail: CardDetail) -> dict[str, dict[str, Mapping[str, Any]]]:
    """What each key of a menu does while it is open."""
    legal = LEGAL[detail.row.state]
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    if Act.REJECT in legal:
        found["reject"] = {letter: _rejection(detail, code) for letter, code in _codes(panel)}
    if Act.NEEDS_PROOF in legal:
        found["proof"] = {letter: _request(detail, job.id) for letter, job in _jobs(panel, detail)}
        found["proof"]["0"] = _request(detail, None)
    if Act.ATTACH in legal:
        found["attach"] = {"p": _result(detail, "pass"), "f": _result(detail, "fail")}
    fields = {"attach": "log"}
    return {name: {**of, "m": {"ui": "focus", "field": fields.get(name, "comment")}} for name, of in found.items()}


def _event(detail: CardDetail, what: Act, **more: Any) -> dict[str, Any]:
    card = detail.row.card
    return {
        "do": "decide",
        "act": what.value,
        "card": card["cardId"],
        "version": card["cardVersion"],
        "take": ["comment"],
        "timed": True,
        **more,
    }


def _codes(panel: Panel) -> list[tuple[str, ReasonCode]]:
    return list(zip(LETTERS, panel.policy()[0].reason_codes, strict=False))


def _rejection(detail: CardDetail, code: ReasonCode) -> dict[str, Any]:
    needs = (
        {"needs": "comment", "asking": f"{label(code.code)}: say what it is, then Enter"} if code.needs_comment else {}
    )
    return _event(detail, Act.REJECT, reason=code.code, **needs)


def _reject_menu(panel: Panel, detail: CardDetail) -> Node | None:
    if Act.REJECT not in LEGAL[detail.row.state]:
        return None
    choices = [
        _choice(letter, label(code.code), code.about, _rejection(detail, code), f"layer at fault: {code.layer}")
        for letter, code in _codes(panel)
    ]
    return _menu("reject", "Reject, because", el("div.choices", choices))


def _jobs(panel: Panel, detail: CardDetail) -> list[tuple[str, jobs.Job]]:
    """Keys and jobs of the protected catalogue that can settle this card, those it proposes first."""
    return list(zip(LETTERS, jobs.applicable(detail.row.card, detail.question, panel.policy()[0]), strict=False))


def _request(detail: CardDetail, job: str | None) -> dict[str, Any]:
    needs = {} if job else {"needs": "comment", "asking": "what would prove it? then Enter"}
    return _event(detail, Act.NEEDS_PROOF, job=job, **needs)


def _proof_menu(panel: Panel, detail: CardDetail) -> Node | None:
    if Act.NEEDS_PROOF not in LEGAL[detail.row.state]:
        return None
    choices = [
        _choice(letter, f"{label(job.kind)} · {job.id}", job.procedure, _request(detail, job.id))
        for letter, job in _jobs(panel, detail)
    ]
    choices.append(_choice("0", "something else", "say in a comment what would prove it", _request(detail, None)))
    return _menu("proof", "Needs proof, by this job of the catalogue", el("div.choices.wide", choices))


def _attach_menu(panel: Panel, detail: CardDetail) -> Node | None:
    """The result of the job that was asked for: pass or fail, with what it printed."""
    if Act.ATTACH not in LEGAL[detail.row.state]:
        return None
    asked = _asked(detail)
    found = next((job for _, job in _jobs(panel, detail) if job.id == asked), None)
    card = short(detail.row.card["cardId"])
    run = f"review-agent decide {card} attach --job {asked} --run" if found and found.argv and not found.refusal else ""
    return _menu(
        "attach",
        f"Attach the result of {asked}" if asked else "Attach a result",
        el("p", prose(found.procedure)) if found else None,
        el("p.signal", prose(found.signal)) if found else None,
        el("p.signal", "Here it can be run: ", el("code", run), " ", el("button.copy", "Copy", copy=run, type="button"))
        if run
        else None,
        el(
            "textarea",
            placeholder="what it printed (m to write here), or choose a file",
            data_field="log",
            aria_label="log",
        ),
        el(
            "div.fields",
            el("input", type="file", name="log", aria_label="log file"),
            act("pass: the claim does not show", _result(detail, "pass"), keys="p"),
            act("fail: the claim shows", _result(detail, "fail"), keys="f"),
        ),
    )


def _asked(detail: CardDetail) -> str:
    """The job that the card waits for; the manual check where none was named."""
    proof = detail.decisions[-1].get("proof") if detail.decisions else None
    return str(proof["job"]) if proof else ""


def _result(detail: CardDetail, result: str) -> dict[str, Any]:
    event = _event(detail, Act.ATTACH, job=_asked(detail) or "by hand", result=result)
    return {**event, "take": ["comment", "log"]}


def _choice(letter: str, name: str, about: str, event: Mapping[str, Any], title: str | None = None) -> Node:
    said = el("span.about", prose(about))
    return el("button.choice", key(letter), el("b", name), said, do=event, type="button", title=title)


def _menu(name: str, title: str, *parts: Node | None) -> Node:
    return el(f"div.menu.{name}", el("h2", title), *parts, data_menu=name, role="dialog", aria_label=title)


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

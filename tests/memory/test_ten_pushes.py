"""Ten pushes of one branch over a real repository: each finding lives exactly as ten_pushes.yml says."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from review_agent.adjudication import decide
from review_agent.engines.rules import Rules
from review_agent.git import Git
from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.ledger.store import Ledger, QueueFilter
from review_agent.memory.settling import REOPENED
from review_agent.memory.verdicts import AGENT
from review_agent.pipeline import Asked, Reviewed, Setup, review
from review_agent.policy.load import load
from review_agent.publish.data import outcomes_text
from review_agent.transitions import LEGAL, RESULT
from review_agent.vocabulary import Act, CardState, Decision

pytestmark = pytest.mark.slow

SCENARIO = YAML(typ="safe").load((Path(__file__).parent / "ten_pushes.yml").read_text(encoding="utf-8"))
MODULE = '"""Orders."""\n\n\ndef {name}({parameters}):\n    total = order.total\n    return total\n'
PART = "\n\ndef {name}_{n}(order):\n    {name}_lines = order.lines[{n}:]\n    return {name}_lines\n"
JOB = '"""A job."""\n\nfrom shop.{module} import {name}\n\n\ndef run(order):\n    amount = {call}\n    return amount\n'


class Branch:
    """The branch under review; each method is one thing that a push may do to it."""

    def __init__(self, repo: Any) -> None:
        self.repo = repo
        self.module = {name: name for name in SCENARIO["findings"]}
        self.above = ""
        self.heads: dict[str, tuple[str, dict[str, str]]] = {}
        for name in self.module:
            self._define(name, "order")
            self._call(name, f"{name}(order)")
        repo.write("shop/__init__.py", "")
        repo.commit("base")
        repo.git("switch", "-q", "-c", "feature")

    def _define(self, name: str, parameters: str) -> None:
        text = MODULE.format(name=name, parameters=parameters)
        text += "".join(PART.format(name=name, n=n) for n in range(40))
        self.repo.write(f"shop/{self.module[name]}.py", self.above + text)

    def _call(self, name: str, call: str) -> None:
        self.repo.write(f"jobs/{name}_job.py", self.above + JOB.format(name=name, module=self.module[name], call=call))

    def push(self, name: str, changes: dict[str, Any]) -> None:
        for verb, value in changes.items():
            getattr(self, verb)(value)
        self.repo.commit(name)
        self.heads[name] = self.repo.git("rev-parse", "HEAD"), dict(self.module)

    def require(self, names: list[str]) -> None:
        for name in names:
            self._define(name, "order, currency")

    def shift(self, lines: int) -> None:
        self.above = "# licensed\n" * lines
        for name in self.module:
            self._define(name, "order, currency")
            self._call(name, f"{name}(order)")

    def rename(self, names: list[str]) -> None:
        for name in names:
            self.repo.git("mv", f"shop/{name}.py", f"shop/{name}s.py")
            self.module[name] = f"{name}s"
            self._call(name, f"{name}(order)")

    def rebase(self, _: bool) -> None:
        self.repo.git("switch", "-q", "main")
        self.repo.write("README.md", "# Shop\n")
        self.repo.commit("main moves on")
        self.repo.git("switch", "-q", "feature")
        self.repo.git("rebase", "-q", "main")

    def squash(self, _: bool) -> None:
        self.repo.git("reset", "-q", "--soft", "main")

    def fix(self, name: str) -> None:
        self._call(name, f'{name}(order, "EUR")')

    def revert(self, _: bool) -> None:
        self.repo.git("revert", "--no-edit", "HEAD")

    def edit_evidence(self, name: str) -> None:
        """A call is edited on main, and the branch rebased on that."""
        self.repo.git("switch", "-q", "main")
        job = self.repo.root / "jobs" / f"{name}_job.py"
        self.repo.write(f"jobs/{name}_job.py", job.read_text().replace(f"= {name}(", f"= 2 * {name}("))
        self.repo.commit("main edits a call")
        self.repo.git("switch", "-q", "feature")
        self.repo.git("rebase", "-q", "main")

    def take_out(self, name: str) -> None:
        self._define(name, "order")

    def touch(self, _: bool) -> None:
        self.repo.write("README.md", "# The shop\n")

    def elsewhere(self, _: bool) -> None:
        """Another branch that leaves the same commit of main, reviewed in the same state folder."""
        self.repo.commit("squashed")
        self.repo.git("switch", "-q", "-c", "other", "main")
        self.repo.write("shop/quote.py", MODULE.format(name="quote", parameters="order, rate"))
        self.repo.commit("other")
        assert reviewed(self.repo, "other").document.outcomes.cards
        self.repo.git("switch", "-q", "feature")

    def back_to(self, name: str) -> None:
        head, self.module = self.heads[name]
        self.repo.git("reset", "-q", "--hard", head)


def reviewed(repo: Any, head: str = "feature", today: str | None = None) -> Reviewed:
    git = Git(repo.root)
    day = None if today is None else date.fromisoformat(today)
    state = repo.root / ".review-agent"
    policy = load(git=git)
    unaudited = policy.model_copy(update={"queue": policy.queue.model_copy(update={"audit_percent": 0})})
    return review(Setup(git, unaudited, Rules(), state, asked=Asked("main", head), today=day))


def journal(repo: Any) -> list[dict[str, Any]]:
    return list(Journal(repo.root / ".review-agent" / JOURNAL_FILE).read())


def name_of(claim: str) -> str:
    return str(next(name for name in SCENARIO["findings"] if f"to `{name}`" in claim))


def acts(records: list[dict[str, Any]]) -> list[Decision]:
    return [Decision.model_validate(record) for record in records if record["kind"] == "decision"]


def lives(run: Reviewed, told: list[dict[str, Any]], names: dict[str, str], states: dict[str, CardState]) -> Any:
    """The life of each finding by its name. ``told``: what the push added to the journal; ``names``: by fingerprint."""
    outcomes = run.document.outcomes
    cards = {name_of(card.claim): card for card in outcomes.cards}
    silent = {name_of(one.card.claim) for one in outcomes.suppressed}
    found = {}
    for name in SCENARIO["findings"]:
        mine = [act for act in acts(told) if names[act.fingerprint] == name]
        if name in silent:
            found[name] = "suppressed" if name not in cards else "both"
        elif name in cards:
            found[name] = _life(cards[name].card_id, mine, states)
        else:
            gone = [str(act.comment).split(":")[0] for act in mine if act.act is Act.MARK_STALE]
            found[name] = gone[0] if gone else "absent"
    return found


def _life(card_id: str, mine: list[Decision], states: dict[str, CardState]) -> str:
    if states[card_id] is CardState.SUPERSEDED:
        (over,) = [act for act in mine if act.card_id == card_id]
        return states[str(over.successor)].value
    assert states[card_id] is CardState.HIDDEN
    replaced = [str(act.comment) for act in mine if act.successor == card_id]
    if not replaced:
        return "open"
    return "reopened" if any(text.startswith(REOPENED) for text in replaced) else "carried"


def test_each_finding_lives_as_the_scenario_says(repo: Any) -> None:
    branch = Branch(repo)
    state = repo.root / ".review-agent"
    names: dict[str, str] = {}
    for push in SCENARIO["pushes"]:
        branch.push(push["name"], push["do"])
        before = journal(repo)
        run = reviewed(repo, today=push.get("today"))
        after = journal(repo)
        rows = Ledger(state).cards()
        names |= {row.card["fingerprint"]: name_of(row.card["claim"]) for row in rows}
        states = {row.card["cardId"]: row.state for row in rows}
        assert (push["name"], lives(run, after[len(before) :], names, states)) == (push["name"], push["lives"])
        assert waiting(state) == expected(push)
        again(repo, run, push)
        for name, said in push.get("decide", {}).items():
            take(state, run, name, said)
    legal_throughout(journal(repo))


def waiting(state: Path) -> list[str]:
    """The findings that wait for a decision, the other branch's left out."""
    rows = Ledger(state).queue(QueueFilter(), limit=100).rows
    return sorted(name_of(row.card["claim"]) for row in rows if "`rate`" not in row.card["claim"])


def expected(push: dict[str, Any]) -> list[str]:
    asked = [name for name, life in push["lives"].items() if life in ("open", "carried", "reopened")]
    return sorted(asked + push.get("waiting", []))


def again(repo: Any, run: Reviewed, push: dict[str, Any]) -> None:
    """A second identical run adds nothing."""
    before = (repo.root / ".review-agent" / JOURNAL_FILE).read_bytes() if journal(repo) else b""
    second = reviewed(repo, today=push.get("today"))
    assert outcomes_text(second.document) == outcomes_text(run.document)
    assert second.document.run.review_id == run.document.run.review_id
    assert second.notices == ()
    assert ((repo.root / ".review-agent" / JOURNAL_FILE).read_bytes() if before else b"") == before


def take(state: Path, run: Reviewed, name: str, said: dict[str, str]) -> None:
    (card,) = [card for card in run.document.outcomes.cards if name_of(card.claim) == name]
    decide(
        state,
        card.card_id,
        Act(said["act"]),
        reason_code=said.get("reason"),
        comment=None,
        reviewer="Ada",
        until=said.get("until"),
        policy_reason_codes=load().reason_codes,
    )


def legal_throughout(records: list[dict[str, Any]]) -> None:
    """Every act was legal when it was made, and the product itself did nothing but supersede and mark as stale."""
    states: dict[str, CardState] = {}
    for act in acts(records):
        assert act.act in LEGAL[states.get(act.card_id, CardState.HIDDEN)]
        states[act.card_id] = RESULT[act.act]
        assert act.reviewer != AGENT or act.act in (Act.SUPERSEDE, Act.MARK_STALE)
        assert act.reviewer != AGENT or act.comment

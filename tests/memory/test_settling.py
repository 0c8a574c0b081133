"""What a run says of earlier cards: wherever and in whatever order the runs come in, and never of others' work."""

from __future__ import annotations

import itertools
import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from review_agent import cli
from review_agent.adjudication import decide
from review_agent.engines.rules import Rules
from review_agent.git import Git
from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.ledger.store import Ledger
from review_agent.memory.recorded import pending
from review_agent.memory.settle import settle
from review_agent.pipeline import Asked, Reviewed, Setup, review
from review_agent.policy.load import load
from review_agent.policy.model import TeamRejection
from review_agent.vocabulary import Act, CardState, Phase, RunStatus

pytestmark = pytest.mark.slow

TODAY = date(2026, 11, 30)
MODULE = '"""Orders."""\n\n\ndef {name}({parameters}):\n    return order.total\n'
JOB = "from shop.{name} import {name}\n\n\ndef run(order):\n    return {name}({arguments})\n"
NAMES = ("refund", "charge")


@pytest.fixture
def shop(repo: Any) -> Any:
    for name in NAMES:
        repo.write(f"shop/{name}.py", MODULE.format(name=name, parameters="order"))
        repo.write(f"jobs/{name}_job.py", JOB.format(name=name, arguments="order"))
    repo.write("shop/__init__.py", "")
    repo.commit("base")
    repo.git("switch", "-q", "-c", "feature")
    for name in NAMES:
        repo.write(f"shop/{name}.py", MODULE.format(name=name, parameters="order, currency"))
    repo.commit("change")
    return repo


def reviewed(repo: Any, state: Path | None = None, head: str = "feature", **changes: Any) -> Reviewed:
    policy = changes.pop("policy", load())
    unaudited = policy.model_copy(update={"queue": policy.queue.model_copy(update={"audit_percent": 0})})
    state = state or repo.root / ".review-agent"
    asked = Asked(changes.pop("base", "main"), head)
    return review(Setup(Git(repo.root), unaudited, Rules(), state, asked=asked, today=TODAY, **changes))


def cards(run: Reviewed) -> dict[str, str]:
    """Card ids by name."""
    return {name: one.card_id for one in run.document.outcomes.cards for name in NAMES if f"to `{name}`" in one.claim}


def reject(state: Path, card_id: str) -> None:
    said = load().reason_codes
    decide(state, card_id, Act.REJECT, reason_code="intended", comment=None, reviewer="Ada", policy_reason_codes=said)


def states(state: Path) -> dict[str, CardState]:
    return {row.card["cardId"]: row.state for row in Ledger(state).cards()}


def journal(state: Path) -> list[dict[str, Any]]:
    return list(Journal(state / JOURNAL_FILE).read())


@pytest.fixture
def three(shop: Any, tmp_path: Path) -> list[Reviewed]:
    """Three pushes reviewed where nothing is remembered, as in CI: both findings, both again, only ``refund``."""
    runs = [reviewed(shop, tmp_path / "ci1")]
    shop.write("README.md", "# Shop\n")
    shop.commit("more")
    runs.append(reviewed(shop, tmp_path / "ci2"))
    shop.write("jobs/charge_job.py", JOB.format(name="charge", arguments='order, "EUR"'))
    shop.commit("fixed")
    return [*runs, reviewed(shop, tmp_path / "ci3")]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_artifacts_settle_to_the_same_whatever_their_order(order: Any, three: list[Reviewed], tmp_path: Path) -> None:
    state = tmp_path / "state"
    runs = state / "runs"
    runs.mkdir(parents=True)
    for n in order:
        shutil.copy(three[n].path, runs)
        settle(state, [runs / three[n].path.name], TODAY)
    first, second, third = map(cards, three)
    found = states(state)
    assert found[third["refund"]] is CardState.HIDDEN
    assert {found[one["refund"]] for one in (first, second)} == {CardState.SUPERSEDED}
    assert found[second["charge"]] is CardState.STALE
    assert found[first["charge"]] in (CardState.SUPERSEDED, CardState.STALE)
    before = journal(state)
    settle(state, list(runs.glob("*.jsonl")), TODAY)
    assert journal(state) == before


def test_ingest_suppresses_what_was_rejected_before_the_artifact_came(
    shop: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "COMMANDS", ("ledger", "memory"))
    state = shop.root / ".review-agent"
    first = reviewed(shop)
    reject(state, cards(first)["refund"])
    shop.write("README.md", "# Shop\n")
    shop.commit("more")
    elsewhere = reviewed(shop, tmp_path / "ci")
    for _ in range(2):
        with pytest.raises(SystemExit) as left:
            cli.main(["ledger", "ingest", str(elsewhere.path), "--repo", str(shop.root)])
        assert left.value.code == 0
        found = states(state)
        assert found[cards(first)["refund"]] is CardState.REJECTED
        assert found[cards(elsewhere)["refund"]] is CardState.SUPERSEDED
        assert found[cards(elsewhere)["charge"]] is CardState.HIDDEN
        assert len([one for one in journal(state) if one["kind"] == "decision"]) == 3
    (over,) = [one for one in journal(state) if one["cardId"] == cards(elsewhere)["refund"]]
    assert over["successor"] == cards(first)["refund"]
    assert over["comment"].startswith("suppressed: rejected as intended on ")
    capsys.readouterr()


def test_one_edit_reviewed_as_work_tree_index_diff_and_commit_leaves_one_open_card(shop: Any) -> None:
    shop.git("switch", "-q", "main")
    shop.write("shop/refund.py", MODULE.format(name="refund", parameters="order, currency"))
    state = shop.root / ".review-agent"
    runs = [made(shop, Asked(worktree=True))]
    shop.git("add", "-A")
    runs.append(made(shop, Asked(staged=True)))
    runs.append(made(shop, Asked(patch=(shop.git("diff", "--cached") + "\n").encode())))
    shop.commit("the edit")
    runs.append(made(shop, Asked(commit="HEAD")))
    ids = [cards(run)["refund"] for run in runs]
    assert len(set(ids)) == 4
    found = states(state)
    assert [found[one] for one in ids] == [CardState.SUPERSEDED] * 3 + [CardState.HIDDEN]
    said = [one for one in journal(state) if one["kind"] == "decision"]
    assert [(one["cardId"], one["successor"]) for one in said] == list(itertools.pairwise(ids))
    assert {one["path"] for one in said} == {"shop/refund.py"}, "as on a person's decision"
    assert all(one["comment"].startswith("found again at ") for one in said)


def made(repo: Any, asked: Asked) -> Reviewed:
    policy = load()
    unaudited = policy.model_copy(update={"queue": policy.queue.model_copy(update={"audit_percent": 0})})
    state = repo.root / ".review-agent"
    return review(Setup(Git(repo.root), unaudited, Rules(), state, asked=asked, today=TODAY))


def accept(state: Path, card_id: str) -> None:
    said = {"reason_code": None, "comment": None, "policy_reason_codes": load().reason_codes}
    decide(state, card_id, Act.ACCEPT, reviewer="Ada", **said)  # type: ignore[arg-type]


def ingest(shop: Any, path: Path, *options: str) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["ledger", "ingest", str(path), "--repo", str(shop.root), *options])
    assert left.value.code == 0


def as_if(path: Path, **line: str) -> Path:
    """The artifact with another line of development in it: no identity that is checked holds the line."""
    first, rest = path.read_bytes().split(b"\n", 1)
    event = json.loads(first)
    event["data"]["line"] |= line
    path.write_bytes(json.dumps(event).encode() + b"\n" + rest)
    return path


def test_an_artifact_with_another_line_in_it_overtakes_nothing(
    shop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "COMMANDS", ("ledger", "memory"))
    state = shop.root / ".review-agent"
    first = reviewed(shop)
    accept(state, cards(first)["charge"])
    shop.git("switch", "-q", "-c", "other", "main")
    shop.write("README.md", "# Shop\n")
    shop.commit("other")
    other = reviewed(shop, tmp_path / "ci", head="other")
    ingest(shop, as_if(other.path, of="branch feature"))
    found = states(state)
    assert found[cards(first)["charge"]] is CardState.ACCEPTED
    assert found[cards(first)["refund"]] is CardState.HIDDEN
    assert [one["act"] for one in journal(state) if one["kind"] == "decision"] == ["accept"]
    shop.git("switch", "-q", "feature")
    shop.write("jobs/charge_job.py", JOB.format(name="charge", arguments='order, "EUR"'))
    shop.commit("fixed")
    shop.write("README.md", "# Shop\n")
    shop.commit("more")
    part = reviewed(shop, tmp_path / "ci2", base="feature~1")
    ingest(shop, as_if(part.path, scope="range from main"))
    assert states(state)[cards(first)["refund"]] is CardState.HIDDEN, "it looked at the last commit alone"
    ingest(shop, reviewed(shop, tmp_path / "ci3").path)
    assert states(state)[cards(first)["charge"]] is CardState.STALE, "git has the commits that lead there"


def test_after_a_force_push_the_caller_vouches_for_the_request(
    shop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "COMMANDS", ("ledger", "memory"))
    state = shop.root / ".review-agent"
    first = reviewed(shop, pr="12")
    accept(state, cards(first)["charge"])
    shop.write("jobs/charge_job.py", JOB.format(name="charge", arguments='order, "EUR"'))
    shop.git("commit", "-q", "-a", "--amend", "-m", "pushed over")
    path = reviewed(shop, tmp_path / "ci", pr="12").path
    ingest(shop, path)
    assert states(state)[cards(first)["charge"]] is CardState.ACCEPTED
    with pytest.raises(SystemExit) as left:
        cli.main(["ledger", "ingest", str(path), "--repo", str(shop.root), "--request", "13"])
    assert left.value.code == 2
    ingest(shop, path, "--request", "12")
    assert states(state)[cards(first)["charge"]] is CardState.STALE


def test_a_run_that_was_placed_and_not_settled_is_settled_by_the_next_ingest(
    shop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "COMMANDS", ("ledger", "memory"))
    state = shop.root / ".review-agent"
    first = reviewed(shop)
    reject(state, cards(first)["refund"])
    shop.write("README.md", "# Shop\n")
    shop.commit("more")
    elsewhere = reviewed(shop, tmp_path / "ci")
    Ledger(state).ingest([elsewhere.path])
    assert states(state)[cards(elsewhere)["refund"]] is CardState.HIDDEN
    assert len(pending(state)) == 1
    ingest(shop, elsewhere.path)
    assert states(state)[cards(elsewhere)["refund"]] is CardState.SUPERSEDED
    assert pending(state) == []


def test_nobody_speaks_for_another_branch_or_a_single_commit(shop: Any) -> None:
    state = shop.root / ".review-agent"
    first = reviewed(shop)
    shop.git("switch", "-q", "-c", "other", "main")
    shop.write("shop/refund.py", MODULE.format(name="refund", parameters="order, rate"))
    shop.commit("other")
    reviewed(shop, head="other")
    unaudited = load()
    review(Setup(Git(shop.root), unaudited, Rules(), state, asked=Asked(commit="other"), today=TODAY))
    assert [one for one in journal(state) if one["kind"] == "decision"] == []
    assert {states(state)[card_id] for card_id in cards(first).values()} == {CardState.HIDDEN}


def test_without_memory_nothing_is_suppressed_and_nothing_settled(shop: Any) -> None:
    state = shop.root / ".review-agent"
    first = reviewed(shop)
    reject(state, cards(first)["refund"])
    before = journal(state)
    bare = reviewed(shop, memory=False)
    assert set(cards(bare)) == set(NAMES)
    assert bare.document.run.review_id == first.document.run.review_id
    assert journal(state) == before
    again = reviewed(shop)
    assert set(cards(again)) == {"charge"}
    assert len(again.document.outcomes.suppressed) == 1


class StopError(Exception):
    pass


def stop(phase: Phase, done: int, total: int) -> None:
    if phase is Phase.SYNTHESIZE:
        raise StopError


def test_a_run_that_forgets_does_not_go_on_with_one_that_remembers(shop: Any) -> None:
    first = reviewed(shop)
    reject(shop.root / ".review-agent", cards(first)["refund"])
    with pytest.raises(StopError):
        reviewed(shop, progress=stop)
    bare = reviewed(shop, memory=False)
    assert len(bare.state.attempts) == 1
    assert not bare.document.outcomes.suppressed
    with pytest.raises(StopError):
        reviewed(shop, progress=stop, memory=False)
    assert len(reviewed(shop).document.outcomes.suppressed) == 1


def test_a_resumed_run_goes_on_with_the_memory_it_began_with(shop: Any) -> None:
    state = shop.root / ".review-agent"
    first = reviewed(shop)
    reject(state, cards(first)["refund"])

    with pytest.raises(StopError):
        reviewed(shop, progress=stop)
    reject(state, cards(first)["charge"])
    resumed = reviewed(shop)
    assert len(resumed.state.attempts) == 2
    assert resumed.document.run.status is RunStatus.COMPLETE
    assert [one.card.card_id for one in resumed.document.outcomes.suppressed]
    assert set(cards(resumed)) == {"charge"}, "what was rejected meanwhile was not known when it began"
    assert states(state)[cards(resumed)["charge"]] is CardState.SUPERSEDED, "and is settled when it ends"
    assert len(reviewed(shop).document.outcomes.suppressed) == 2


def test_a_policy_suppresses_for_everybody_and_says_so(shop: Any, tmp_path: Path) -> None:
    from review_agent.fingerprint import evidence

    run = reviewed(shop)
    (card,) = [one for one in run.document.outcomes.cards if "to `refund`" in one.claim]
    fields = {"fingerprint": card.fingerprint, "evidence": evidence(card.wire()), "decision": "d1"}
    entry = TeamRejection(**fields, reason="intended", day="2026-11-29", why="we pass it by name soon")
    policy = load()
    team = policy.model_copy(
        update={"queue": policy.queue.model_copy(update={"suppressed": (entry,)}), "hash": "another"}
    )
    (one,) = reviewed(shop, tmp_path / "ci", policy=team).document.outcomes.suppressed
    assert (one.decision_id, one.fingerprint) == ("d1", card.fingerprint)
    assert "by the team's policy" in one.detail
    assert one.card.claim == card.claim
    assert reviewed(shop, policy=team).document.outcomes.suppressed
    assert states(shop.root / ".review-agent")[card.card_id] is CardState.STALE


def test_a_run_log_that_is_none_costs_no_review(shop: Any) -> None:
    state = shop.root / ".review-agent"
    first = reviewed(shop)
    lines = first.path.read_bytes().splitlines(keepends=True)
    odd = [
        b"",
        b"\xff\n",
        b"[" * 100_000 + b"\n",
        b"[]\n",
        lines[0].replace(b'"line":{', b'"line":[{').replace(b'"},"pr"', b'"}],"pr"'),
        lines[0].replace(b'"data":{', b'"data":7,"more":{'),
        lines[0].replace(b'"line":{', b'"line":7,"lane":{').replace(b'"head":"', b'"head":"-'),
        b"".join(line.replace(b'"supportingRefs"', b'"supporting"') for line in lines),
        lines[0] + b'{"type":"card"\n' + lines[-1],
        b"".join(lines[:-1]),
    ]
    for n, content in enumerate(odd):
        (state / "runs" / f"20200101T00000{n:02}.000000Z-{n:012x}.jsonl").write_bytes(content)
    shop.write("README.md", "# Shop\n")
    shop.commit("more")
    second = reviewed(shop)
    assert {states(state)[card_id] for card_id in cards(second).values()} == {CardState.HIDDEN}
    assert [one["cardId"] for one in journal(state)] == list(cards(first).values())


def test_a_head_that_git_does_not_know_leads_to_nothing(shop: Any) -> None:
    state = shop.root / ".review-agent"
    shop.git("switch", "-q", "--detach", "feature")
    first = reviewed(shop, head="HEAD")
    text = first.path.read_text(encoding="utf-8").replace(first.document.run.head, "-" * 40)
    first.path.write_text(text, encoding="utf-8")
    shop.write("README.md", "# Shop\n")
    shop.commit("more")
    reviewed(shop, head="HEAD")
    assert journal(state) == []


def test_without_a_name_a_push_on_top_carries_on(shop: Any) -> None:
    state = shop.root / ".review-agent"
    shop.git("switch", "-q", "--detach", "feature")
    first = reviewed(shop, head="HEAD")
    shop.write("jobs/charge_job.py", JOB.format(name="charge", arguments='order, "EUR"'))
    shop.commit("fixed")
    second = reviewed(shop, head="HEAD")
    found = states(state)
    assert found[cards(first)["charge"]] is CardState.STALE
    assert found[cards(first)["refund"]] is CardState.SUPERSEDED
    assert found[cards(second)["refund"]] is CardState.HIDDEN


@pytest.mark.parametrize("named_first", [False, True], ids=["commits, then the branch", "the branch, then commits"])
def test_a_review_by_commit_ids_and_one_of_the_branch_ask_about_a_finding_once(shop: Any, named_first: bool) -> None:
    state = shop.root / ".review-agent"
    head = shop.git("rev-parse", "feature")
    names = ("feature", head) if named_first else (head, "feature")
    first = reviewed(shop, base=shop.git("rev-parse", "main"), head=names[0], memory=not named_first)
    accept(state, cards(first)["charge"])
    shop.write("README.md", "# Shop\n")
    on_top = shop.commit("more")
    second = reviewed(shop, base=shop.git("rev-parse", "main"), head=on_top if named_first else "feature")
    found = states(state)
    assert found[cards(first)["charge"]] is CardState.ACCEPTED
    assert found[cards(second)["charge"]] is CardState.SUPERSEDED, "it was accepted: nobody is asked again"
    assert found[cards(first)["refund"]] is CardState.SUPERSEDED
    assert found[cards(second)["refund"]] is CardState.HIDDEN


def test_commits_alone_join_no_finding_whose_evidence_is_another(shop: Any) -> None:
    state = shop.root / ".review-agent"
    first = reviewed(shop, head=shop.git("rev-parse", "feature"))
    accept(state, cards(first)["charge"])
    shop.git("switch", "-q", "main")
    shop.write("jobs/charge_job.py", JOB.format(name="charge", arguments="order").replace("return ", "return 2 * "))
    shop.commit("main edits a call")
    shop.git("switch", "-q", "feature")
    shop.git("merge", "-q", "--no-edit", "main")
    second = reviewed(shop)
    found = states(state)
    assert found[cards(second)["charge"]] is CardState.HIDDEN
    assert found[cards(first)["charge"]] is CardState.ACCEPTED
    assert found[cards(first)["refund"]] is CardState.SUPERSEDED


@pytest.mark.parametrize(
    ("acts", "stands"),
    [
        ([Act.NEEDS_PROOF], CardState.NEEDS_PROOF),
        ([Act.ACCEPT, Act.DOWNGRADE], CardState.DOWNGRADED),
        ([Act.ACCEPT, Act.REVOKE], CardState.REVOKED),
        ([Act.ACCEPT, Act.REOPEN], None),
    ],
    ids=["needs proof", "downgraded", "revoked", "undone"],
)
def test_what_a_person_decided_stands_and_what_they_took_back_is_carried(
    shop: Any, acts: list[Act], stands: CardState | None
) -> None:
    state = shop.root / ".review-agent"
    first = reviewed(shop)
    for act in acts:
        said = {"reason_code": None, "comment": None, "policy_reason_codes": load().reason_codes}
        decide(state, cards(first)["refund"], act, reviewer="Ada", **said)  # type: ignore[arg-type]
    shop.write("README.md", "# Shop\n")
    shop.commit("more")
    second = reviewed(shop)
    found = states(state)
    if stands is None:
        assert found[cards(first)["refund"]] is CardState.SUPERSEDED
        assert found[cards(second)["refund"]] is CardState.HIDDEN
    else:
        assert found[cards(first)["refund"]] is stands
        assert found[cards(second)["refund"]] is CardState.SUPERSEDED

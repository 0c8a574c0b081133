"""A trigger that fails costs its own questions; the run says so and is incomplete, never clean."""

from dataclasses import replace

import pytest

from review_agent.engines.rules import Rules
from review_agent.git import Git
from review_agent.kinds import KINDS
from review_agent.kinds.api_contract import ApiContract
from review_agent.pipeline import Asked, Setup, review
from review_agent.policy.load import load
from review_agent.policy.model import Trigger
from review_agent.publish.text import review_text
from review_agent.stages import asking
from review_agent.vocabulary import ChangeKind, Edit, EditOp, RunStatus, Side

pytestmark = pytest.mark.slow

BEFORE = {
    "a.py": "def gone(x):\n    return x\n\n\ndef kept(x):\n    return x\n",
    "b.py": "from a import gone, kept\n\nprint(gone(1), kept(1))\n",
}
AFTER = {"a.py": "def kept(x, y):\n    return x\n"}


@pytest.fixture
def reviewed(repo, tmp_path):
    for files in (BEFORE, AFTER):
        for path, content in files.items():
            repo.write(path, content)
        commit = repo.commit("next")

    def run():
        setup = Setup(
            git=Git(repo.root), policy=load(), engine=Rules(), state_dir=tmp_path / "state", asked=Asked(commit=commit)
        )
        return review(setup).document

    return run


API = ApiContract.rules


def fails(edit, edits):
    raise KeyError("function")


def rules(document):
    return {one.rule for one in document.outcomes.cards}


def test_a_rule_that_fails_costs_its_own_questions_only(reviewed, monkeypatch):
    whole = rules(reviewed())
    broken = "symbol_removed_still_referenced"
    assert whole > {broken}
    monkeypatch.setitem(API.loaded, broken, replace(API[broken], raises=fails))
    document = reviewed_again(reviewed, monkeypatch)
    assert rules(document) == whole - {broken}
    assert document.run.status is RunStatus.INCOMPLETE
    (failure,) = document.coverage.failures
    assert (failure.what, failure.name, failure.path) == ("rule", broken, "a.py")
    assert "KeyError: 'function'" in failure.detail


def reviewed_again(reviewed, monkeypatch):
    """Under another version, so that nothing is taken over from the first review."""
    monkeypatch.setattr("review_agent.pipeline.__version__", "next")
    return reviewed()


def test_the_text_names_the_rule(reviewed, monkeypatch):
    broken = "symbol_removed_still_referenced"
    monkeypatch.setitem(API.loaded, broken, replace(API[broken], raises=fails))
    document = reviewed()
    only = document.model_copy(update={"outcomes": document.outcomes.model_copy(update={"cards": ()})})
    said = review_text(only, questions={}, bundles={}, hunks={}, states={})
    assert (
        "! failed · a.py · rule symbol_removed_still_referenced: it raised no question, a bug of ours: KeyError" in said
    )
    assert "INCOMPLETE" in said


def test_a_kind_that_fails_as_a_whole_leaves_the_others(reviewed, monkeypatch):
    class Broken:
        kind = ChangeKind.AUTH

        def trigger(self, edits):
            raise RuntimeError("no edits")

        def settle(self, question, bundle):
            raise AssertionError("never asked")

    monkeypatch.setitem(KINDS._loaded, ChangeKind.AUTH, Broken())
    document = reviewed()
    assert "symbol_removed_still_referenced" in rules(document)
    assert [one.name for one in document.coverage.failures] == ["all of auth"]


def test_a_seed_that_speaks_of_lines_that_are_not_there_costs_itself(reviewed, monkeypatch):
    made = API["symbol_removed_still_referenced"].raises

    def beyond(edit, edits):
        seed = made(edit, edits)
        return seed and seed.model_copy(update={"anchor_start": 900, "anchor_end": 900})

    monkeypatch.setitem(
        API.loaded,
        "symbol_removed_still_referenced",
        replace(API["symbol_removed_still_referenced"], raises=beyond),
    )
    document = reviewed()
    assert "symbol_removed_still_referenced" not in rules(document)
    (failure,) = document.coverage.failures
    assert failure.name == "symbol_removed_still_referenced"
    assert document.run.status is RunStatus.INCOMPLETE


def test_a_team_trigger_that_fails_is_named(monkeypatch):
    policy = load()
    trigger = Trigger(
        name="mine",
        kind=ChangeKind.AUTH,
        ops=(EditOp.SYMBOL_REMOVED,),
        change="c",
        precondition="p",
        consequence="q",
        refuted_if=("r",),
        plan=(),
    )
    kinds = policy.change_kinds.model_copy(update={"triggers": (trigger,)})
    changed = policy.model_copy(update={"change_kinds": kinds})

    def broken(one, edits):
        raise ValueError("a bad pattern")

    monkeypatch.setattr(asking, "team_seeds", broken)
    edit = Edit(
        edit_id="e",
        op=EditOp.LINES_CHANGED,
        hunk_id="h",
        path="a.txt",
        old_path="a.txt",
        language="text",
        side=Side.NEW,
        start_line=1,
        end_line=1,
        scope="",
        subject="",
        before=None,
        after=None,
        facts={},
    )
    found = asking.Asking({}, changed, [edit], set())
    assert found.questions() == ((), ())
    assert [(one.name, one.path) for one in found.failures] == [("trigger mine", "")]

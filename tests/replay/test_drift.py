"""The drift report names exactly the outcomes that a changed policy, threshold or detector changed."""

from __future__ import annotations

import json

import pytest
from replaycases import CHANGED, PRICING, YML, make_cases, reviewed, with_budget, with_kind, write

from review_agent.engines.rules import Rules
from review_agent.errors import UsageError
from review_agent.kinds.api_contract import ApiContract
from review_agent.policy.load import load
from review_agent.replay.cases import jobs_of_folders
from review_agent.replay.drift import baseline, baseline_text, drift, read_baseline
from review_agent.replay.drift_text import drift_text
from review_agent.replay.half import failed
from review_agent.replay.product import identify
from review_agent.vocabulary import Severity

pytestmark = pytest.mark.slow

KEY = "question required_parameter_added shop/pricing.py:6"
PUBLIC = "question public_interface_broken shop/pricing.py:6"


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """A case of api_contract, and one of another kind that none of the changes below touches."""
    root = tmp_path_factory.mktemp("cases")
    cases = make_cases(root, "one")
    notes = {"defect/head/README.md": "# Other\n", "twin/head/README.md": "# Else\n"}
    write(cases / "two", {"case.yml": YML.replace("kind: api_contract", "kind: auth"), **notes})
    return jobs_of_folders([cases])


def of(jobs, folder, policy=None):
    policy = policy or load()
    return baseline(identify(policy, Rules()), [reviewed(job, folder, policy) for job in jobs])


@pytest.fixture(scope="module")
def before(jobs, tmp_path_factory):
    return of(jobs, tmp_path_factory.mktemp("runs"))


def changes(before, after):
    return [(one.unit, one.what, one.key) for one in drift(before, after, whole=True).changes]


def test_the_same_replay_drifts_nowhere_and_its_file_reads_back(jobs, before, tmp_path):
    assert changes(before, of(jobs, tmp_path)) == []
    (tmp_path / "baseline.json").write_text(baseline_text(before))
    assert read_baseline(tmp_path / "baseline.json") == before
    assert [half.unit for half in before.halves] == ["one:defect", "one:twin", "two:defect", "two:twin"]
    assert str(tmp_path) not in baseline_text(before)


def test_a_kind_disabled_in_the_policy_loses_its_questions_and_its_hit(jobs, before, tmp_path):
    after = of(jobs, tmp_path, with_kind(enabled=False))
    assert changes(before, after) == [
        ("one:defect", "hit lost", ""),
        ("one:defect", "question gone", PUBLIC),
        ("one:defect", "card lost", KEY),
        ("one:twin", "question gone", PUBLIC),
        ("one:twin", "question gone", KEY),
    ]


def test_a_threshold_of_the_policy_changes_the_endings_that_it_decides(jobs, before, tmp_path):
    after = of(jobs, tmp_path, with_budget(candidate_files=0))
    found = drift(before, after, whole=True)
    (lost,) = [one for one in found.changes if one.what == "card lost"]
    assert (lost.unit, lost.key) == ("one:defect", KEY)
    assert "no_finding" in lost.after
    assert {one.unit for one in found.changes} <= {"one:defect", "one:twin"}
    assert {one.key for one in found.changes} <= {KEY, ""}


def test_a_severity_no_longer_allowed_turns_the_card_into_a_rejection(jobs, before, tmp_path):
    after = of(jobs, tmp_path, with_kind(severities=(Severity.SUGGESTION,)))
    found = drift(before, after, whole=True).changes
    assert [(one.what, one.after) for one in found if one.key] == [("card lost", "rejection severity_not_allowed")]


def test_a_detector_that_words_its_claim_otherwise_changes_that_claim_alone(jobs, before, tmp_path, monkeypatch):
    real = ApiContract.settle

    def other(self, question, bundle):
        settled = real(self, question, bundle)
        if not isinstance(settled, tuple):
            return settled
        return tuple(draft.model_copy(update={"claim": draft.claim + " It does so today."}) for draft in settled)

    monkeypatch.setattr(ApiContract, "settle", other)
    assert changes(before, of(jobs, tmp_path)) == [("one:defect", "claim changed", KEY)]


def test_gates_trip_on_losses_or_on_any_change(jobs, before, tmp_path):
    lost = drift(before, of(jobs, tmp_path, with_kind(enabled=False)), whole=True)
    assert [one.what for one in lost.trips("loss")] == ["hit lost"]
    assert len(lost.trips("any-change")) == 5
    won = drift(of(jobs, tmp_path, with_kind(enabled=False)), before, whole=True)
    assert won.trips("loss") == ()
    assert {one.what for one in won.changes} == {"hit won", "card new", "question new"}


def test_a_twin_alarmed_and_a_failed_half_are_losses(jobs, before):
    twin = next(half for half in before.halves if half.unit == "one:twin")
    alarmed = twin.model_copy(update={"verdict": "alarmed"})
    others = [half for half in before.halves if half.unit != "one:twin"]
    after = before.model_copy(update={"halves": (*others, alarmed)})
    assert [one.what for one in drift(before, after, whole=True).trips("loss")] == ["twin alarmed"]
    gone = baseline(before.identity, [failed(jobs[0], "it broke")])
    assert [one.what for one in drift(before, gone, whole=False).trips("loss")] == ["failed"]
    whole = drift(before, gone, whole=True)
    assert [one.what for one in whole.changes].count("half gone") == 3


def test_the_text_says_who_answered_then_and_now(jobs, before, tmp_path):
    policy = with_kind(enabled=False).model_copy(update={"hash": "f" * 64})
    text = drift_text(drift(before, of(jobs, tmp_path, policy), whole=True))
    assert text.startswith("drift against the baseline: 5 changed outcomes in 4 halves\n")
    assert "policy " in text
    assert "→ ffffffffffff" in text
    assert f"  card lost · {KEY}\n" in text


@pytest.mark.parametrize("text", ["{", "[]", json.dumps({"schemaVersion": "1.0"})])
def test_a_file_that_is_no_baseline_is_refused(tmp_path, text):
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(UsageError, match="baseline"):
        read_baseline(tmp_path / "b.json")


def test_the_shop_of_these_tests_changes_in_one_line_that_matters():
    assert sum(a != b for a, b in zip(PRICING.splitlines(), CHANGED.splitlines(), strict=True)) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [({"schemaVersion": "0.9"}, "schemaVersion"), ({"schemaVersion": "2.0"}, "schemaVersion"), (None, "the file")],
)
def test_a_baseline_of_another_version_is_refused_and_its_fault_is_named(before, tmp_path, change, said):
    made = [] if change is None else {**json.loads(baseline_text(before)), **change}
    (tmp_path / "baseline.json").write_text(json.dumps(made))
    with pytest.raises(UsageError, match=f"no baseline of this version: {said}: "):
        read_baseline(tmp_path / "baseline.json")

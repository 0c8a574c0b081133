"""Calibration on a real repository: a fault is introduced, a fix with a test mends it, other work goes on."""

import json

import pytest

from review_agent.cli import _run
from review_agent.git import Git
from review_agent.policy.load import load
from review_agent.replay.calibrate import chosen
from review_agent.replay.calibrate_run import Calibrating, calibrate
from review_agent.replay.calibrate_text import calibration_text
from review_agent.replay.history_fixes import scan

pytestmark = pytest.mark.slow

CART = '''"""Carts."""

RATES = {"eu": 2, "us": 3}


def total(cart):
    return sum(cart.prices)
'''
FAULT = (
    CART
    + """

def shipping(cart):
    rate = RATES[cart.region]
    return rate * cart.weight
"""
)
FIXED = FAULT.replace(
    "    rate = RATES[cart.region]\n", "    rate = RATES.get(cart.region)\n    if rate is None:\n        return 0\n"
)
TEST = "from shop.cart import shipping\n\n\ndef test_unknown_region():\n    assert shipping(Cart('mars')) == 0\n"
CALM = '''"""Names."""


def short(name):
    plain = name.strip()
    return plain[:8]
'''


def _commits(repo, number, start=0):
    """Later work that touches the product's files, each time elsewhere."""
    for at in range(start, start + number):
        text = (repo.root / "shop/names.py").read_text(encoding="utf-8")
        repo.write("shop/names.py", f"{text}\n\ndef plain_{at}():\n    return {at}\n")
        repo.commit(f"More names {at}")


@pytest.fixture
def history(repo):
    repo.write("README.md", "# Shop\n")
    repo.commit("Begin")
    repo.write("shop/__init__.py", "")
    repo.write("shop/cart.py", CART)
    repo.commit("Carts")
    repo.write("shop/names.py", CALM)
    repo.write(
        "tests/test_names.py", "from shop.names import short\n\n\ndef test_short():\n    assert short(' a ') == 'a'\n"
    )
    calm = repo.commit("Short names")
    repo.write("shop/cart.py", FAULT)
    fault = repo.commit("Shipping")
    _commits(repo, 3)
    repo.write("shop/cart.py", FIXED)
    repo.write("tests/test_cart.py", TEST)
    fix = repo.commit("Regions without a rate ship free")
    _commits(repo, 62, 3)
    return {"repo": repo, "fault": fault, "fix": fix, "calm": calm}


def _scan(repo):
    git = Git(repo.root)
    return scan(git, git.commits(git.resolve("HEAD")))


def test_a_fix_is_found_without_a_word_of_it_and_traced_to_the_commit_that_brought_the_fault(history):
    found = _scan(history["repo"])
    assert [(one.commit, one.introduced_by) for one in found.fixes] == [(history["fix"], history["fault"])]
    (fix,) = found.fixes
    assert "said_fix" not in fix.signs
    assert {"test_names_it", "test_added", "small", "one_origin", "stands"} <= set(fix.signs)
    assert [place.text() for place in fix.places] == ["shop/cart.py:11"]


def test_words_alone_make_no_fix(history):
    repo = history["repo"]
    repo.write("shop/cart.py", FIXED.replace("return 0", "return None"))
    repo.commit("Fix a bug: crash, regression, broken, wrong")
    _commits(repo, 1, 90)
    assert [one.commit for one in _scan(repo).fixes] == [history["fix"]]


def test_a_fix_that_was_taken_back_is_none(history):
    repo = history["repo"]
    repo.write("shop/cart.py", FAULT)
    (repo.root / "tests/test_cart.py").unlink()
    repo.commit("As before")
    assert [one.commit for one in _scan(repo).fixes if one.introduced_by == history["fault"]] == [history["fix"]]
    git = Git(repo.root)
    commits = git.commits(git.resolve("HEAD"))
    near = scan(git, [commits[0], *commits[-8:]])
    assert near.fixes == ()


def test_a_commit_that_later_work_went_over_is_clean_and_the_one_that_was_mended_is_not(history):
    assert [one.commit for one in _scan(history["repo"]).clean] == [history["calm"]]


def test_a_moved_line_has_no_introducing_commit(repo):
    repo.write("README.md", "# Shop\n")
    repo.commit("Begin")
    repo.write("shop/cart.py", FAULT)
    repo.commit("Carts")
    (repo.root / "shop/cart.py").unlink()
    repo.write("shop/basket.py", "import os\n\n" + FAULT)
    repo.write("shop/other.py", "x = 1\n" * 40)
    repo.commit("Move")
    repo.write("shop/basket.py", "import os\n\n" + FIXED)
    repo.write("tests/test_cart.py", TEST)
    repo.commit("Regions")
    assert all(one.introduced_subject != "Move" for one in _scan(repo).fixes)


def test_the_best_fix_of_a_fault_is_chosen_and_subjects_are_masked(history):
    found = _scan(history["repo"])
    picked = chosen(
        found.model_copy(update={"fixes": found.fixes * 2}), 5, lambda text: text.replace("free", "[masked]")
    )
    assert [one.subject for one in picked.fixes] == ["Regions without a rate ship [masked]"]


def test_a_calibration_reports_each_case_with_its_signs_and_goes_on_after_an_interruption(history, tmp_path):
    seen = []

    def stop(done, total, unit):
        seen.append(unit)
        if len(seen) == 5:
            raise KeyboardInterrupt

    asked = {"git": Git(history["repo"].root), "policy": load(), "state": tmp_path / "state"}
    with pytest.raises(KeyboardInterrupt):
        calibrate(Calibrating(**asked, progress=stop))
    steps = (tmp_path / "state/history.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(steps) == 4
    made, _ = calibrate(Calibrating(**asked))
    assert (made.found.of, made.silent.of, made.failed) == (1, 1, 0)
    text = calibration_text(made)
    assert history["fix"][:12] in text
    assert "test_names_it" in text
    assert "so what they find here is not known: auth, input" in text
    assert "leave the kinds as they are" in text
    assert "more of them" not in text
    assert all(one.kind in text for one in made.kinds)
    few, _ = calibrate(Calibrating(**asked, limit=66))
    assert "--limit 198" in calibration_text(few)
    again, second = calibrate(Calibrating(**asked))
    assert (again.wire(), second.kept) == (made.wire(), 2)


def test_the_command_prints_it_as_json_and_refuses_what_does_not_go_with_it(history, capsys):
    at = ["--repo", str(history["repo"].root)]
    assert _run(["replay", "--from-history", "--jobs", "1", "--format", "json", *at], False) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["cases"][0]["fix"]["introducedBy"] == history["fault"]
    assert told["repository"] == history["repo"].root.name
    assert _run(["replay", "--from-history", "--jobs", "1", "--format", "html", *at], False) == 0
    page = capsys.readouterr().out
    assert page.startswith("<!doctype html>")
    assert history["fault"][:12] in page
    assert "Where the faults that were not met were lost" in page
    assert _run(["replay", "--from-history", "--format", "junit", *at], False) == 2
    assert _run(["replay", "--since", "HEAD", *at], False) == 2
    assert _run(["replay", "--from-history", "--since", "HEAD", *at], False) == 2


def test_init_writes_the_proposal_as_a_report_and_no_policy(history, capsys):
    at = history["repo"].root
    assert _run(["init", "--calibrate", "--repo", str(at)], False) == 0
    assert "it switches nothing" in capsys.readouterr().out
    folder = at / ".github/review-agent"
    assert [path.name for path in folder.iterdir()] == ["calibration.md"]
    assert history["fault"][:12] in (folder / "calibration.md").read_text(encoding="utf-8")
    assert _run(["init", "--calibrate", "--repo", str(at)], False) == 2

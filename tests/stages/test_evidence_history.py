"""History as evidence: removed lines, the commits they came from, and the tests that came with those."""

import time

import pytest
from evidence_room import Room, ask, hits

from review_agent.engines.rules import Rules
from review_agent.pipeline import Asked, Setup, review
from review_agent.policy.load import load
from review_agent.stages.history_signs import CommitDiff, said_fix
from review_agent.vocabulary import QueryStatus, Role, Side

BEFORE = '''"""Carts."""


def shipping(cart, rate):
    return rate.price * cart.weight


def total(cart):
    return sum(cart.prices)
'''
FIXED = BEFORE.replace("    return rate.price", "    if rate is None:\n        return 0\n    return rate.price")
TEST = """from shop.cart import shipping


def test_no_rate_is_free():
    assert shipping(Cart(3), rate=None) == 0
"""
CALLER = """from shop.cart import shipping


def quote(cart):
    return shipping(cart, None)
"""


def _past(repo, message, *, test=TEST, fixed=FIXED):
    repo.write("shop/__init__.py", "")
    repo.write("shop/cart.py", BEFORE)
    repo.write("shop/quotes.py", CALLER)
    repo.commit("Carts")
    repo.write("shop/cart.py", fixed)
    if test:
        repo.write("tests/test_cart.py", test)
    return repo.commit(message)


def _asked(repo, lines="5-6", **told):
    room = Room(repo, {"README.md": "# Shop\n"}, {"shop/cart.py": BEFORE, **told})
    return room.bundle(ask("history", lines, path="shop/cart.py", side=Side.OLD))


def test_lines_that_came_with_a_fix_say_so_without_a_word_of_the_message(repo):
    fix = _past(repo, "Rates")
    bundle = _asked(repo)
    lines, test = [one for one in bundle.evidence if one.origin == "hit"]
    assert (lines.ref.path, lines.ref.start_line, lines.ref.end_line, lines.ref.role) == (
        *("shop/cart.py", 5, 6),
        Role.HISTORY,
    )
    assert (test.ref.path, test.ref.start_line, test.ref.role) == ("tests/test_cart.py", 5, Role.TEST)
    (fact,) = lines.facts
    assert (fact.commit, fact.subject, fact.fixes, fact.tests) == (fix, "Rates", True, ("tests/test_cart.py",))
    assert "said_fix" not in fact.signs
    assert lines.near_change
    assert not test.near_change


@pytest.mark.parametrize("test", [None, "def test_other():\n    assert ledger() == 1\n"])
def test_a_message_alone_makes_no_fix(repo, test):
    _past(repo, "Fix a crash, a bug and a regression", test=test)
    ((_, _, fact),) = hits(_asked(repo))
    assert not fact.fixes


def test_a_test_that_the_change_takes_away_is_not_cited(repo):
    _past(repo, "Rates")
    bundle = _asked(repo, **{"tests/test_cart.py": None})
    assert [one.ref.role for one in bundle.evidence if one.origin == "hit"] == [Role.HISTORY]


def test_a_root_commit_is_no_fix_and_its_origin_is_uncertain(repo):
    repo.write("shop/cart.py", FIXED)
    repo.write("tests/test_cart.py", TEST)
    repo.commit("Begin")
    ((_, _, fact),) = hits(_asked(repo))
    assert (fact.fixes, fact.resolution.value) == (False, "ambiguous")


def test_a_query_without_lines_or_file_fails_aloud(repo):
    _past(repo, "Rates")
    room = Room(repo, {"README.md": "# Shop\n"})
    bundle = room.bundle(
        ask("history", "shipping", path="shop/cart.py", side=Side.OLD),
        ask("history", "1-2", path="shop/none.py", side=Side.OLD),
        ask("history", "1-2", path="shop/cart.py"),
    )
    assert [one.status for one in bundle.queries] == [QueryStatus.FAILED] * 3
    assert all(one.note for one in bundle.queries)


def test_a_secret_in_a_subject_is_masked(repo):
    secret = "ghp_" + "a1B2" * 9
    _past(repo, f"Rates with {secret}")
    assert secret not in _asked(repo).model_dump_json()


def test_many_lines_are_cut_and_it_says_so(repo):
    repo.write("shop/cart.py", "\n".join(f"x{n} = {n}" for n in range(99)) + "\n")
    repo.commit("Begin")
    bundle = _asked(repo, "1-90")
    assert bundle.queries[0].truncated
    assert any("lines 61 to 90" in one.what for one in bundle.left_out)


@pytest.mark.slow
def test_a_card_cites_the_test_of_the_fix_beside_its_own_evidence_and_not_alone(repo, tmp_path):
    _past(repo, "Rates")
    repo.write("shop/cart.py", BEFORE)
    repo.commit("Tidy")
    card = _card(repo, tmp_path / "one")
    assert [ref.path for ref in card.supporting_refs] == ["shop/quotes.py", "tests/test_cart.py"]
    assert "came with a fix" in card.impact_condition
    repo.git("checkout", "-q", "HEAD~1")
    repo.write("shop/quotes.py", CALLER.replace("None", "cart.rate"))
    repo.commit("Quotes")
    repo.write("shop/cart.py", BEFORE)
    repo.commit("Tidy")
    assert _card(repo, tmp_path / "two") is None


def _card(repo, state):
    from review_agent.git import Git

    setup = Setup(git=Git(repo.root), policy=load(), engine=Rules(), state_dir=state, asked=Asked(commit="HEAD"))
    cards = review(setup).document.outcomes.cards
    return next((card for card in cards if card.rule == "guard_removed_dereferenced"), None)


@pytest.mark.parametrize(
    "message",
    ["x\n" + "\n" * 300_000, "x\nfix" + "#" * 20_000, "x\nfixes" + " \n" * 100_000, "x\n" + "fix a" * 60_000],
    ids=["line ends", "number signs", "blanks", "words"],
)
def test_a_message_of_any_kind_is_read_in_time(message: str) -> None:
    began = time.thread_time()
    assert said_fix(CommitDiff("c", "p", message, ())) is False
    assert time.thread_time() - began < 2


@pytest.mark.parametrize("line", ["Fixes #12", "- closes: owner/name#3", "Resolved issue https://h/1", "(fix) #7"])
def test_a_message_that_closes_an_issue_says_that_it_fixes(line: str) -> None:
    assert said_fix(CommitDiff("c", "p", f"Change the walk\n\nWords.\n{line}\n", ()))

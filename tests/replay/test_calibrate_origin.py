"""Which commit a fault began in: carried along by moves and rewording, or brought by the rewording itself."""

import pytest

from review_agent.git import Git
from review_agent.replay.history_fixes import scan

pytestmark = pytest.mark.slow

FIRST = '''"""Carts."""


def shipping(cart, table):
    return table.price(cart.region) * cart.weight
'''
FIXED = "    return table.price(cart.region) * max(cart.weight, 1)\n"
TEST = "from shop.cart import shipping\n\n\ndef test_least_weight():\n    assert shipping(cart(0), table()) == 2\n"


def _mended(repo, *versions, fixed):
    """Commits of one file, then the fix of its last line with a test, then other work; the commits' ids."""
    repo.write("README.md", "# Shop\n")
    repo.commit("Begin")
    ids = []
    for number, files in enumerate(versions):
        for path in list(repo.root.rglob("*.py")):
            path.unlink()
        for path, text in files.items():
            repo.write(path, text)
        ids.append(repo.commit(f"Work {number}"))
    path = list(versions[-1])[-1]
    repo.write(path, fixed)
    repo.write("tests/test_cart.py", TEST)
    repo.commit("Fix carts of no weight")
    for number in range(11):
        repo.write("notes.txt", f"{number}\n")
        repo.commit(f"Notes {number}")
    return ids


def _blamed(repo, ids):
    git = Git(repo.root)
    (fix,) = scan(git, git.commits(git.resolve("HEAD"))).fixes
    return ids.index(fix.introduced_by)


def _last(text, line):
    return text[: text.rstrip("\n").rfind("\n") + 1] + line


@pytest.mark.parametrize(
    "carried",
    [
        {"shop/cart.py": FIRST.replace("    return", "    \treturn").replace("\t", "  ")},
        {"shop/cart.py": FIRST.replace("table.price(cart.region)", "table.price(str(cart.region))")},
        {
            "shop/basket.py": "import os\n\n\nclass Other:\n    size = 4\n    kind = 'x'\n\n\n" * 3
            + FIRST[FIRST.index("def") :]
        },
    ],
    ids=["layout", "reworded", "moved"],
)
def test_a_commit_that_carried_the_fault_along_did_not_bring_it(repo, carried):
    text = list(carried.values())[-1]
    end = text.rstrip("\n").rsplit("\n", 1)[-1]
    fixed = _last(text, end.replace("cart.weight", "max(cart.weight, 1)") + "\n")
    ids = _mended(repo, {"shop/cart.py": FIRST}, carried, fixed=fixed)
    assert _blamed(repo, ids) == 0


def test_a_rewording_that_loses_what_the_fix_restores_brought_the_fault(repo):
    right, wrong = _last(FIRST, FIXED), FIRST
    ids = _mended(repo, {"shop/cart.py": right}, {"shop/cart.py": wrong}, fixed=right)
    assert _blamed(repo, ids) == 1


def test_a_sign_that_a_commit_turned_is_its_own_fault(repo):
    right = _last(FIRST, "    return 0 if cart.weight < table.least(cart) else 1\n")
    wrong = right.replace("<", "<=")
    ids = _mended(repo, {"shop/cart.py": right}, {"shop/cart.py": wrong}, fixed=right)
    assert _blamed(repo, ids) == 1


def test_an_argument_that_went_with_the_lines_below_was_lost_by_the_commit_that_closed_the_bracket(repo):
    whole = _last(FIRST, "    return table.zone.price(\n        cart.region, cart.rebate\n    )\n")
    short = _last(FIRST, "    return table.zone.price()\n")
    mended = _last(FIRST, "    return table.zone.price(cart.region) if shipping else table.zone.price()\n")
    ids = _mended(repo, {"shop/cart.py": whole}, {"shop/cart.py": short}, fixed=mended)
    assert _blamed(repo, ids) == 1


def test_a_call_that_is_only_wrapped_anew_carries_the_fault_along(repo):
    wide = _last(FIRST, "    return table.price(cart.region, cart.rebate)\n")
    tall = _last(FIRST, "    return table.price(\n        cart.region, cart.rebate\n    )\n")
    mended = _last(FIRST, "    return table.cost(cart.region, cart.rebate)\n")
    ids = _mended(repo, {"shop/cart.py": tall}, {"shop/cart.py": wide}, fixed=mended)
    assert _blamed(repo, ids) == 0


def test_what_a_fix_rewords_in_documentation_and_test_folders_leads_nowhere(repo):
    told = FIRST.replace(
        "    return", '    """The price of shipping a cart\n\n    by weight and region of it.\n    """\n    return'
    )
    again = told.replace("by weight and region of it", "by region, then by weight of it")
    grown = again.replace("    return", "    if not cart.weight:\n        return 0\n    return")
    repo.write("README.md", "# Shop\n")
    repo.commit("Begin")
    repo.write("shop/cart.py", FIRST.replace("    return", "    weight = 1\n    return"))
    repo.commit("Carts")
    repo.write("shop/cart.py", told)
    repo.write("t/carts.py", "def cart(weight):\n    return weight\n")
    repo.commit("Told")
    repo.write("shop/cart.py", grown)
    repo.write("t/carts.py", "def cart(weight):\n    return max(weight, 0)\n")
    repo.write("tests/test_cart.py", TEST)
    repo.commit("Fix carts of no weight")
    for number in range(11):
        repo.write("notes.txt", f"{number}\n")
        repo.commit(f"Notes {number}")
    git = Git(repo.root)
    assert scan(git, git.commits(git.resolve("HEAD"))).fixes == ()

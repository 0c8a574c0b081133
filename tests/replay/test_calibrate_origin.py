"""Which commit a fault began in: carried along by moves and rewording, or brought by the rewording itself."""

import pytest

from review_agent.git import Git
from review_agent.replay.history_fixes import scan

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

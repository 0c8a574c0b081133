"""persistence: a commit or sync that went, or that a new exit passes over."""

from functools import partial

import pytest
import reviewing
from reviewing import cards, codes

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

review = partial(reviewing.review, kind=ChangeKind.PERSISTENCE)

LEDGER = '''"""Bookings in a local database."""

import sqlite3


class Ledger:
    """One connection for the process."""

    def __init__(self, path):
        self._db = sqlite3.connect(path)

    def book(self, account, amount):
        """Write one booking."""
        self._db.execute("INSERT INTO bookings VALUES (?, ?)", (account, amount))
        self._db.commit()

    def balance(self, account):
        """What is left."""
        row = self._db.execute("SELECT sum(amount) FROM bookings WHERE account = ?", (account,)).fetchone()
        return row[0] or 0

    def close_account(self, account):
        """Remove its bookings."""
        self._db.execute("DELETE FROM bookings WHERE account = ?", (account,))
        self._db.commit()
'''
LOST = LEDGER.replace("(account, amount))\n        self._db.commit()\n", "(account, amount))\n")
DESK = '''"""The desk."""

from shop.ledger import Ledger


def take(ledger: Ledger, account, amount):
    """Take a payment."""
    ledger.book(account, amount)
    return ledger.balance(account)
'''
BASE = {"shop/__init__.py": "", "shop/ledger.py": LEDGER, "shop/desk.py": DESK}

GO = """package orders

import "database/sql"

// Place stores an order.
func Place(db *sql.DB, id string, lines []string) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec("INSERT INTO orders VALUES (?)", id); err != nil {
		return err
	}
	for _, line := range lines {
		if _, err := tx.Exec("INSERT INTO lines VALUES (?, ?)", id, line); err != nil {
			return err
		}
	}
	return tx.Commit()
}
"""
GO_BASE = {"go.mod": "module example.com/shop\n\ngo 1.22\n", "orders/orders.go": GO}


def test_a_commit_that_went(repo):
    (card,) = cards(review(repo, BASE, {"shop/ledger.py": LOST}), "commit_lost")
    assert "`Ledger.close_account` does it itself" in card.claim


def test_a_commit_that_every_caller_makes(repo):
    outer = DESK.replace("    return ledger", "    ledger._db.commit()\n    return ledger")
    ended = review(repo, {**BASE, "shop/desk.py": outer}, {"shop/ledger.py": LOST})
    assert codes(ended, "commit_lost") == ["refuted"]


def test_a_commit_on_a_connection_that_commits_by_itself(repo):
    auto = LEDGER.replace("connect(path)", "connect(path, isolation_level=None)")
    ended = review(
        repo,
        {**BASE, "shop/ledger.py": auto},
        {"shop/ledger.py": auto.replace("(account, amount))\n        self._db.commit()\n", "(account, amount))\n")},
    )
    assert codes(ended, "commit_lost") == ["refuted"]


def test_a_commit_behind_a_read_only(repo):
    read = LEDGER.replace("        return row[0] or 0", "        self._db.commit()\n        return row[0] or 0")
    ended = review(repo, {**BASE, "shop/ledger.py": read}, {"shop/ledger.py": LEDGER})
    assert codes(ended, "commit_lost") == []


def test_a_go_commit_that_went_with_a_deferred_rollback(repo):
    (card,) = cards(
        review(repo, GO_BASE, {"orders/orders.go": GO.replace("return tx.Commit()", "return nil")}), "commit_lost"
    )
    assert "`tx.Rollback`" in card.claim


def test_an_exit_in_front_of_a_commit(repo):
    after = GO.replace("\tfor _, line", "\tif len(lines) == 0 {\n\t\treturn nil\n\t}\n\tfor _, line")
    (card,) = cards(review(repo, GO_BASE, {"orders/orders.go": after}), "commit_passed_over")
    assert "`tx.Commit`" in card.claim


def test_an_exit_in_front_of_where_the_transaction_begins(repo):
    before = GO.replace("\ttx, err := db.Begin()", "\tinsertAudit(db, id)\n\ttx, err := db.Begin()")
    after = before.replace("\ttx, err := db", "\tif len(lines) == 0 {\n\t\treturn nil\n\t}\n\ttx, err := db")
    base = {**GO_BASE, "orders/orders.go": before}
    assert codes(review(repo, base, {"orders/orders.go": after}), "commit_passed_over") == []


def test_an_exit_behind_a_branch_that_wrote_and_left(repo):
    branch = "\tif id == 0 {\n\t\ttx, _ := db.Begin()\n"
    branch += '\t\ttx.Exec("INSERT INTO lost VALUES (?)", id)\n\t\treturn tx.Commit()\n\t}\n'
    before = GO.replace("\ttx, err := db.Begin()", branch + "\ttx, err := db.Begin()", 1)
    after = before.replace("\ttx, err := db", "\tif len(lines) == 0 {\n\t\treturn nil\n\t}\n\ttx, err := db")
    base = {**GO_BASE, "orders/orders.go": before}
    assert codes(review(repo, base, {"orders/orders.go": after}), "commit_passed_over") == []


def test_an_exit_behind_a_branch_that_leaves_at_times(repo):
    branch = "\tif id == 0 {\n\t\tfor range lines {\n\t\t\treturn nil\n\t\t}\n\t}\n"
    after = GO.replace("\tfor _, line", branch + "\tif len(lines) == 0 {\n\t\treturn nil\n\t}\n\tfor _, line")
    assert cards(review(repo, GO_BASE, {"orders/orders.go": after}), "commit_passed_over")


def test_an_exit_that_fails_in_front_of_a_commit(repo):
    after = GO.replace("\tfor _, line", "\tif len(lines) == 0 {\n\t\treturn errEmpty\n\t}\n\tfor _, line")
    assert codes(review(repo, GO_BASE, {"orders/orders.go": after}), "commit_passed_over") == []


COMMIT = "        self._db.commit()\n"
BLOCKS = LEDGER.replace(COMMIT, "").replace(
    '        self._db.execute("INS', '        with self._db:\n            self._db.execute("INS'
)
BLOCKS = BLOCKS.replace('        self._db.execute("DEL', '        with self._db:\n            self._db.execute("DEL')
UNBLOCKED = BLOCKS.replace('        with self._db:\n            self._db.execute("INS', '        self._db.execute("INS')


def test_a_block_that_commits_at_its_end(repo):
    (card,) = cards(
        review(repo, {**BASE, "shop/ledger.py": BLOCKS}, {"shop/ledger.py": UNBLOCKED}), "commit_block_lost"
    )
    assert "`Ledger.close_account`" in card.claim


def test_a_block_that_became_a_commit(repo):
    after = UNBLOCKED.replace("(account, amount))\n", "(account, amount))\n        self._db.commit()\n")
    ended = review(repo, {**BASE, "shop/ledger.py": BLOCKS}, {"shop/ledger.py": after})
    assert codes(ended, "commit_block_lost") == ["refuted"]


USERS = '''"""Users."""

from django.db import models


class User(models.Model):
    """One user."""

    name = models.TextField()


def rename(pk, name):
    """Another name."""
    user = User.objects.get(pk=pk)
    user.name = name
    user.save()
    return user


def label(pk):
    """For lists."""
    return User.objects.get(pk=pk).name
'''
PAGE = '''"""The page."""

from site.users import rename


def post(request):
    """Take a new name."""
    user = rename(request.pk, request.name)
    return user.name
'''


def test_a_save_that_went(repo):
    base = {"site/__init__.py": "", "site/users.py": USERS, "site/page.py": PAGE}
    (card,) = cards(review(repo, base, {"site/users.py": USERS.replace("    user.save()\n", "")}), "commit_lost")
    assert "`user.name`" in card.claim


def test_a_save_that_the_caller_makes(repo):
    page = PAGE.replace("    return user.name", "    user.save()\n    return user.name")
    base = {"site/__init__.py": "", "site/users.py": USERS, "site/page.py": page}
    ended = review(repo, base, {"site/users.py": USERS.replace("    user.save()\n", "")})
    assert codes(ended, "commit_lost") == ["refuted"]


def test_an_exit_that_commits_itself(repo):
    given_back = GO.replace("\tfor _, line", "\tif len(lines) == 0 {\n\t\treturn tx.Commit()\n\t}\n\tfor _, line")
    in_front = GO.replace(
        "\tfor _, line", "\tif len(lines) == 0 {\n\t\ttx.Commit()\n\t\treturn nil\n\t}\n\tfor _, line"
    )
    assert codes(review(repo, GO_BASE, {"orders/orders.go": given_back}), "commit_passed_over") == []
    assert codes(review(repo, GO_BASE, {"orders/orders.go": in_front}), "commit_passed_over") == []


DIARY = '''"""A diary."""

import sqlite3


class Diary:
    """One connection."""

    def __init__(self, path):
        self._db = sqlite3.connect(path)

    def first(self):
        """The oldest entry."""
        return self._db.execute("SELECT text FROM entries ORDER BY day").fetchone()

    def note(self, day, text):
        """Write an entry."""
        self._db.execute("INSERT INTO entries VALUES (?, ?)", (day, text))
        self._db.commit()

    def days(self):
        """The days with an entry."""
        return [row[0] for row in self._db.execute("SELECT day FROM entries")]

    def close(self):
        """Let go of the file."""
        self._db.close()
'''


def test_the_only_commit_on_a_connection_that_begins_by_itself(repo):
    ended = review(repo, {"diary.py": DIARY}, {"diary.py": DIARY.replace(COMMIT, "")})
    (card,) = cards(ended, "commit_lost")
    assert "`self._db.close` in `Diary.close` without a commit" in card.claim
    assert "`_db` is made at `diary.py` line 10" in card.claim


def test_a_close_that_commits(repo):
    closing = DIARY.replace("        self._db.close()", "        self._db.commit()\n        self._db.close()")
    ended = review(
        repo, {"diary.py": closing}, {"diary.py": closing.replace(f"(day, text))\n{COMMIT}", "(day, text))\n")}
    )
    assert all("`self._db.close`" not in card.claim for card in cards(ended, "commit_lost"))


def test_a_commit_that_became_a_function_of_its_own(repo):
    own = COMMIT + "\n    def days"
    after = DIARY.replace(own, '\n    def commit(self):\n        """Keep it."""\n' + own)
    assert after != DIARY
    assert cards(review(repo, {"diary.py": DIARY}, {"diary.py": after}), "commit_lost") == []

"""persistence: transactions that went, statements that left theirs."""

from functools import partial

import pytest
import reviewing
from reviewing import cards, codes
from settling import source

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

review = partial(reviewing.review, kind=ChangeKind.PERSISTENCE)

ACCOUNTS = '''"""Accounts."""

from django.db import models


class Account(models.Model):
    """One account."""

    balance = models.IntegerField()


def debit(account, amount):
    """Take from it."""
    if account.balance < amount:
        raise ValueError("too little")
    account.balance -= amount
    account.save()


def credit(account, amount):
    """Give to it."""
    account.balance += amount
    account.save()
'''
TRANSFER = '''"""Transfers."""

from django.db import transaction

from bank.accounts import credit, debit


def transfer(source, target, amount):
    """Move money."""
    with transaction.atomic():
        credit(target, amount)
        debit(source, amount)
'''
BARE = (
    TRANSFER.replace("    with transaction.atomic():\n", "")
    .replace("        credit", "    credit")
    .replace("        debit", "    debit")
)
VIEW = '''"""Views."""

from bank.transfer import transfer


def post(request):
    """One transfer."""
    transfer(request.source, request.target, request.amount)
    return "ok"
'''
BASE = {"bank/__init__.py": "", "bank/accounts.py": ACCOUNTS, "bank/transfer.py": TRANSFER, "bank/views.py": VIEW}


def test_a_transaction_that_went_from_two_writes(repo):
    (card,) = cards(review(repo, BASE, {"bank/transfer.py": BARE}), "transaction_removed")
    assert "`credit`" in card.claim
    assert "`bank/accounts.py`" in card.claim


def test_a_transaction_that_the_caller_has(repo):
    view = VIEW.replace("    transfer(", "    with transaction.atomic():\n        transfer(")
    ended = review(repo, {**BASE, "bank/views.py": view}, {"bank/transfer.py": BARE})
    assert codes(ended, "transaction_removed") == ["refuted"]


def test_a_transaction_of_each_request(repo):
    settings = {"bank/settings.py": "DATABASES = {}\nATOMIC_REQUESTS = True\n"}
    ended = review(repo, {**BASE, **settings}, {"bank/transfer.py": BARE})
    assert codes(ended, "transaction_removed") == ["refuted"]


def test_a_transaction_around_one_write(repo):
    single = TRANSFER.replace("        credit(target, amount)\n", "        print(target)\n")
    after = BARE.replace("    credit(target, amount)\n", "    print(target)\n")
    ended = review(repo, {**BASE, "bank/transfer.py": single}, {"bank/transfer.py": after})
    assert codes(ended, "transaction_removed") == ["no_candidate"]


def test_a_decorator_that_went(repo):
    decorated = BARE.replace("def transfer", "@transaction.atomic\ndef transfer")
    (card,) = cards(
        review(repo, {**BASE, "bank/transfer.py": decorated}, {"bank/transfer.py": BARE}), "transaction_removed"
    )
    assert "`transaction.atomic`" in card.claim


def test_a_transaction_that_became_a_decorator(repo):
    decorated = BARE.replace("def transfer", "@transaction.atomic\ndef transfer")
    assert codes(review(repo, BASE, {"bank/transfer.py": decorated}), "transaction_removed") == ["refuted"]


GO = """package orders

import "database/sql"

// Store keeps orders.
type Store struct {
	db *sql.DB
}

// Place stores an order.
func (s *Store) Place(id string, lines []string) error {
	tx, err := s.db.Begin()
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
CALLER = """package orders

// Import stores many.
func Import(s *Store, ids []string) error {
	for _, id := range ids {
		if err := s.Place(id, nil); err != nil {
			return err
		}
	}
	return nil
}
"""
GO_BASE = {"go.mod": "module example.com/shop\n\ngo 1.22\n", "orders/orders.go": GO, "orders/import.go": CALLER}


def test_a_go_statement_on_the_pool(repo):
    after = GO.replace('tx.Exec("INSERT INTO lines', 's.db.Exec("INSERT INTO lines')
    (card,) = cards(review(repo, GO_BASE, {"orders/orders.go": after}), "statement_outside_transaction")
    assert "`s.db`" in card.claim


def test_a_go_transaction_that_went(repo):
    after = GO.replace("\ttx, err := s.db.Begin()\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer tx.Rollback()\n", "")
    after = after.replace("tx.Exec", "s.db.Exec").replace("return tx.Commit()", "return nil")
    ended = review(repo, GO_BASE, {"orders/orders.go": after})
    (card,) = cards(ended, "transaction_removed")
    assert "`Import`" in card.claim
    assert not cards(ended, "commit_lost")


SEATS = source("""
    from hall import notices
    from hall.db import db


    def book(seats):
        with db.transaction() as tx:
            tx.execute("INSERT INTO bookings (day) VALUES (1)")
            for seat in seats:
                tx.execute("UPDATE seats SET taken = 1 WHERE id = ?", (seat,))
        notices.save(seats)


    def order(request):
        return book(request.seats)
""")
KEPT_TOGETHER = source("""
    from hall import notices
    from hall.db import db


    def take(seats):
        with db.transaction() as tx:
            tx.execute("INSERT INTO bookings (day) VALUES (1)")
            for seat in seats:
                tx.execute("UPDATE seats SET taken = 1 WHERE id = ?", (seat,))


    def book(seats):
        take(seats)
        notices.save(seats)


    def order(request):
        return book(request.seats)
""")


def test_a_transaction_that_moved_into_a_new_function(repo):
    ended = review(repo, {"hall/seats.py": SEATS}, {"hall/seats.py": KEPT_TOGETHER})
    assert not [one.claim for ended_one in ended for one in ended_one.cards]

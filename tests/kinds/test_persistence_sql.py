"""persistence: conditions and columns that went from SQL statements."""

from functools import partial

import pytest
import reviewing
from reviewing import cards, codes

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

review = partial(reviewing.review, kind=ChangeKind.PERSISTENCE)

STORE = '''"""Notes of tenants."""


def note(db, tenant_id, note_id):
    """One note."""
    row = db.execute(
        "SELECT id, body, author FROM notes WHERE id = ? AND tenant_id = ?",
        (note_id, tenant_id),
    ).fetchone()
    return as_note(row)


def drop(db, tenant_id, note_id):
    """Remove one."""
    db.execute("DELETE FROM notes WHERE id = ? AND tenant_id = ?", (note_id, tenant_id))
    db.commit()


def as_note(row):
    """A row as others see it."""
    return {"id": row["id"], "body": row["body"], "by": row["author"]}
'''
API = '''"""The notes API."""

from site.store import drop, note


def show(request, note_id):
    """Show one."""
    return note(request.db, request.tenant.id, note_id)
'''
BASE = {"site/__init__.py": "", "site/store.py": STORE, "site/api.py": API}
LOST = STORE.replace(
    'FROM notes WHERE id = ? AND tenant_id = ?",\n        (note_id, tenant_id)',
    'FROM notes WHERE id = ?",\n        (note_id,)',
    1,
)


def test_a_condition_that_scoped_rows(repo):
    (card,) = cards(review(repo, BASE, {"site/store.py": LOST}), "condition_lost")
    assert "`tenant_id = ?`" in card.claim
    assert "`request.tenant.id`" in card.claim


def test_a_condition_that_is_tested_after_the_read(repo):
    after = LOST.replace(
        "    return as_note(row)",
        '    if row["tenant_id"] != tenant_id:\n        raise KeyError(note_id)\n    return as_note(row)',
    )
    assert codes(review(repo, BASE, {"site/store.py": after}), "condition_lost") == ["refuted"]


def test_a_condition_that_was_written_another_way(repo):
    after = STORE.replace('id = ? AND tenant_id = ?",\n', 'id = ? AND tenant_id IN (?)",\n')
    assert codes(review(repo, BASE, {"site/store.py": after}), "condition_lost") == []


def test_a_column_that_is_still_read(repo):
    after = STORE.replace("SELECT id, body, author", "SELECT id, body")
    (card,) = cards(review(repo, BASE, {"site/store.py": after}), "column_gone_still_read")
    assert "`author`" in card.claim


def test_a_column_that_nothing_reads(repo):
    quiet = STORE.replace(', "by": row["author"]', "")
    ended = review(
        repo, {**BASE, "site/store.py": quiet}, {"site/store.py": quiet.replace("id, body, author", "id, body")}
    )
    assert codes(ended, "column_gone_still_read") == ["no_candidate"]


GO = """package notes

import "database/sql"

// Archive sets a note apart.
func Archive(db *sql.DB, tenant, id string) error {
	_, err := db.Exec("UPDATE notes SET archived = 1 WHERE id = ? AND tenant_id = ?", id, tenant)
	return err
}

// Count counts the notes of a tenant.
func Count(db *sql.DB, tenant string) (int, error) {
	var n int
	err := db.QueryRow("SELECT count(*) FROM notes WHERE tenant_id = ?", tenant).Scan(&n)
	return n, err
}
"""


def test_a_go_update_that_reaches_every_tenant(repo):
    after = GO.replace('WHERE id = ? AND tenant_id = ?", id, tenant)', 'WHERE id = ?", id)')
    base = {"go.mod": "module example.com/notes\n\ngo 1.22\n", "notes/notes.go": GO}
    (card,) = cards(review(repo, base, {"notes/notes.go": after}), "condition_lost")
    assert card.severity == "blocking"


MODELS = '''"""Models."""

from django.db import models


class Invoice(models.Model):
    """An invoice."""

    owner = models.ForeignKey("auth.User", on_delete=models.CASCADE)
'''
VIEWS = '''"""Views."""

from billing.models import Invoice


def listing(request):
    """All of one's own."""
    return list(Invoice.objects.filter(owner=request.user))


def count(request):
    """How many."""
    return len(listing(request))


def erase(request, pk):
    """Remove one."""
    Invoice.objects.filter(pk=pk, owner=request.user).delete()
'''
BILLING = {"billing/__init__.py": "", "billing/models.py": MODELS, "billing/views.py": VIEWS}


def test_a_filter_on_the_owner_that_went(repo):
    after = VIEWS.replace("(pk=pk, owner=request.user)", "(pk=pk)")
    (card,) = cards(review(repo, BILLING, {"billing/views.py": after}), "filter_lost")
    assert "`listing`" in card.claim


def test_a_filter_that_staff_does_without(repo):
    staff = VIEWS.replace("def erase", "@staff_member_required\ndef erase")
    after = staff.replace("(pk=pk, owner=request.user)", "(pk=pk)")
    ended = review(repo, {**BILLING, "billing/views.py": staff}, {"billing/views.py": after})
    assert codes(ended, "filter_lost") == ["refuted"]


def test_a_column_that_a_migration_drops(repo):
    after = {"migrations/004.sql": "ALTER TABLE notes DROP COLUMN author;\n"}
    (card,) = cards(review(repo, BASE, after), "column_gone_still_read")
    assert "`author`" in card.claim


def test_a_column_that_a_migration_drops_by_a_call(repo):
    step = '"""Drop it."""\n\nfrom alembic import op\n\n\ndef upgrade():\n    op.drop_column("notes", "author")\n'
    (card,) = cards(review(repo, BASE, {"migrations/versions/004.py": step}), "column_gone_still_read")
    assert "`op.drop_column` for the column `author` of `notes`" in card.claim
    assert "`site/store.py`" in card.claim

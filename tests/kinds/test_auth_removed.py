"""``auth``: a check that went or became weaker, over real repositories."""

# ruff: noqa: E101, E501

import pytest

from tests.kinds.reviewing import cards, codes, review
from tests.kinds.settling import source

pytestmark = pytest.mark.slow

AUTH = source(
    """
    from functools import wraps
    from flask import abort, g


    def login_required(view):
        @wraps(view)
        def inner(*args, **kwargs):
            if g.user is None:
                abort(401)
            return view(*args, **kwargs)
        return inner


    def ensure_may(user, action):
        if action not in user.rights:
            abort(403)
    """
)
STORE = source(
    """
    from app.db import connect


    def remove_invoice(invoice_id):
        with connect() as db:
            db.execute("DELETE FROM invoices WHERE id = ?", (invoice_id,))
    """
)
SERVICE = source(
    """
    from app.auth import ensure_may
    from app.store import remove_invoice


    def delete_invoice(user, invoice_id):
        ensure_may(user, "invoices.delete")
        audit("delete", invoice_id)
        remove_invoice(invoice_id)


    def audit(action, thing):
        print(action, thing)
    """
)
ROUTES = source(
    """
    from flask import Blueprint, g

    from app.auth import login_required
    from app.service import delete_invoice

    bp = Blueprint("invoices", __name__)


    @bp.delete("/invoices/<int:invoice_id>")
    @login_required
    def remove(invoice_id):
        delete_invoice(g.user, invoice_id)
        return "", 204
    """
)
APP = {"app/auth.py": AUTH, "app/store.py": STORE, "app/service.py": SERVICE, "app/routes.py": ROUTES}
UNCHECKED = SERVICE.replace('    ensure_may(user, "invoices.delete")\n', "")


def test_a_check_that_went_while_the_route_asks_only_who_it_is(repo):
    ended = review(repo, APP, {"app/service.py": UNCHECKED})
    (card,) = cards(ended, "auth_check_removed")
    assert "`ensure_may`" in card.claim
    assert "`app/routes.py` line 12" in card.claim
    assert card.confidence == "high"


def test_a_check_that_moved_to_the_only_caller(repo):
    moved = ROUTES.replace("import login_required", "import ensure_may, login_required").replace(
        "    delete_invoice(g", '    ensure_may(g.user, "invoices.delete")\n    delete_invoice(g'
    )
    ended = review(repo, APP, {"app/service.py": UNCHECKED, "app/routes.py": moved})
    assert codes(ended, "auth_check_removed") == ["refuted"]


def test_a_check_that_moved_to_the_callee(repo):
    deeper = STORE.replace("(invoice_id):", "(user, invoice_id):\n    ensure_may(user, 'invoices.delete')")
    ended = review(
        repo,
        APP,
        {
            "app/service.py": UNCHECKED.replace("remove_invoice(inv", "remove_invoice(user, inv"),
            "app/store.py": "from app.auth import ensure_may\n" + deeper,
        },
    )
    assert codes(ended, "auth_check_removed") == ["refuted"]


def test_a_check_that_became_a_decorator(repo):
    decorated = UNCHECKED.replace("def delete_invoice", '@requires_permission("invoices.delete")\ndef delete_invoice')
    ended = review(repo, APP, {"app/service.py": decorated})
    assert codes(ended, "auth_check_removed") == ["refuted"]


def test_nobody_calls_the_function(repo):
    ended = review(repo, {**APP, "app/routes.py": "X = 1\n"}, {"app/service.py": UNCHECKED})
    assert codes(ended, "auth_check_removed") == ["insufficient_evidence"]


VIEWS = source(
    """
    from flask import Blueprint, abort, g, request

    from app.auth import login_required
    from app.db import connect

    bp = Blueprint("notes", __name__)


    @bp.get("/notes/<int:note_id>")
    @login_required
    def show(note_id):
        note = find(note_id)
        if note.owner_id != g.user.id:
            abort(403)
        return note.text


    @bp.put("/notes/<int:note_id>")
    @login_required
    def change(note_id):
        note = find(note_id)
        if note.owner_id != g.user.id:
            abort(403)
        note.text = request.json["text"]
        note.save()
        return "", 204


    def find(note_id):
        return connect().get("notes", note_id)


    def count():
        return connect().count("notes")


    @bp.delete("/notes/<int:note_id>")
    @login_required
    def remove(note_id):
        note = find(note_id)
        if note.owner_id != g.user.id:
            abort(403)
        note.delete()
        return "", 204
    """
)
OWNER = "    if note.owner_id != g.user.id:\n        abort(403)\n    note.delete()"


def test_an_owner_that_is_compared_no_more(repo):
    ended = review(
        repo,
        {"app/auth.py": AUTH, "app/notes.py": VIEWS},
        {"app/notes.py": VIEWS.replace(OWNER, "    note.delete()")},
    )
    (card,) = cards(ended, "auth_check_removed")
    assert "`app/notes.py` line 9" in card.claim


def test_an_owner_that_is_compared_in_the_helper_now(repo):
    moved = VIEWS.replace(OWNER, "    note.delete()").replace(
        '    return connect().get("notes", note_id)',
        '    note = connect().get("notes", note_id)\n    if note.owner_id != g.user.id:\n        abort(403)\n    return note',
    )
    ended = review(repo, {"app/auth.py": AUTH, "app/notes.py": VIEWS}, {"app/notes.py": moved})
    assert codes(ended, "auth_check_removed") in ([], ["refuted"])


def test_a_decorator_that_went(repo):
    changed = VIEWS.replace("@login_required\ndef remove", "def remove").replace(OWNER, OWNER)
    without = changed.replace("    if note.owner_id != g.user.id:\n        abort(403)\n", "")
    before = VIEWS.replace("    if note.owner_id != g.user.id:\n        abort(403)\n", "")
    ended = review(repo, {"app/auth.py": AUTH, "app/notes.py": before}, {"app/notes.py": without})
    (card,) = cards(ended, "auth_check_removed")
    assert "`show`" in card.claim
    assert "`login_required`" in card.claim


def test_a_decorator_that_the_blueprint_makes_needless(repo):
    before = VIEWS.replace("    if note.owner_id != g.user.id:\n        abort(403)\n", "")
    hook = "\n\n@bp.before_request\ndef check():\n    if g.user is None:\n        abort(401)\n"
    ended = review(
        repo,
        {"app/auth.py": AUTH, "app/notes.py": before + hook},
        {"app/notes.py": before.replace("@login_required\ndef remove", "def remove") + hook},
    )
    assert codes(ended, "auth_check_removed") == ["refuted"]


def test_a_condition_that_lets_more_through(repo):
    both = VIEWS.replace("if note.owner_id != g.user.id:", "if note.owner_id != g.user.id or note.locked:")
    weaker = both.replace(
        "if note.owner_id != g.user.id or note.locked:\n        abort(403)\n    note.delete()",
        "if note.owner_id != g.user.id and note.locked:\n        abort(403)\n    note.delete()",
    )
    ended = review(repo, {"app/auth.py": AUTH, "app/notes.py": both}, {"app/notes.py": weaker})
    (card,) = cards(ended, "auth_check_weakened")
    assert "`show`" in card.claim


def test_a_guard_that_never_asked_who_it_was(repo):
    before = VIEWS.replace(OWNER, "    if note is None:\n        abort(404)\n    note.delete()")
    ended = review(
        repo,
        {"app/auth.py": AUTH, "app/notes.py": before},
        {"app/notes.py": before.replace("    if note is None:\n        abort(404)\n", "")},
    )
    assert codes(ended, "auth_check_removed") == []


GO_SERVER = source(
    """
    package server

    import "net/http"

    type Server struct {
    	store Store
    }

    func (s *Server) Routes(mux *http.ServeMux) {
    	mux.Handle("GET /reports", s.loggedIn(s.ListReports))
    	mux.Handle("DELETE /reports/{id}", s.loggedIn(s.DeleteReport))
    }
    """
)
GO_HANDLERS = source(
    """
    package server

    import "net/http"

    func (s *Server) ListReports(w http.ResponseWriter, r *http.Request) {
    	s.write(w, s.store.All())
    }

    func (s *Server) DeleteReport(w http.ResponseWriter, r *http.Request) {
    	user := userFrom(r.Context())
    	if !user.IsAdmin {
    		http.Error(w, "forbidden", http.StatusForbidden)
    		return
    	}
    	s.store.Delete(r.PathValue("id"))
    	w.WriteHeader(http.StatusNoContent)
    	s.log(user.Name)
    }
    """
)
GO_GUARD = '\tif !user.IsAdmin {\n\t\thttp.Error(w, "forbidden", http.StatusForbidden)\n\t\treturn\n\t}\n'
GO = {"server/server.go": GO_SERVER, "server/handlers.go": GO_HANDLERS, "go.mod": "module x\n"}


def test_a_go_handler_registered_for_everybody_signed_in(repo):
    ended = review(repo, GO, {"server/handlers.go": GO_HANDLERS.replace(GO_GUARD, "")})
    (card,) = cards(ended, "auth_check_removed")
    assert "`server/server.go` line 11" in card.claim
    assert "`user.IsAdmin`" in card.claim or "`!user.IsAdmin`" in card.claim


def test_a_go_handler_wrapped_where_it_is_registered(repo):
    ended = review(
        repo,
        GO,
        {
            "server/handlers.go": GO_HANDLERS.replace(GO_GUARD, ""),
            "server/server.go": GO_SERVER.replace("s.loggedIn(s.DeleteReport)", "s.requireAdmin(s.DeleteReport)"),
        },
    )
    assert codes(ended, "auth_check_removed") == ["refuted"]

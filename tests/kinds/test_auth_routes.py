"""``auth``: routes without the guard that those beside them have, over real repositories."""

# ruff: noqa: E101

import pytest

from tests.kinds.reviewing import cards, codes, review
from tests.kinds.settling import source

pytestmark = pytest.mark.slow

VIEWS = source(
    """
    from flask import Blueprint, g, jsonify

    from app.auth import admin_required
    from app.db import users

    bp = Blueprint("admin", __name__)


    @bp.get("/admin/users")
    @admin_required
    def list_users():
        return jsonify(users.all())


    @bp.delete("/admin/users/<int:user_id>")
    @admin_required
    def remove_user(user_id):
        users.remove(user_id)
        return "", 204
    """
)
NEW = source(
    """


    @bp.get("/admin/users/<int:user_id>/export")
    def export_user(user_id):
        return jsonify(users.get(user_id).everything())
    """
)


def test_a_new_route_without_the_decorator_of_its_siblings(repo):
    ended = review(repo, {"app/admin.py": VIEWS}, {"app/admin.py": VIEWS + "\n\n" + NEW})
    (card,) = cards(ended, "route_added_unguarded")
    assert "`admin_required`" in card.claim
    assert "`list_users`" in card.claim


def test_a_new_route_that_asks_inside(repo):
    inside = NEW.replace("    return", "    require_admin(g.user)\n    return")
    ended = review(repo, {"app/admin.py": VIEWS}, {"app/admin.py": VIEWS + "\n\n" + inside})
    assert codes(ended, "route_added_unguarded") == []


def test_a_new_route_whose_callee_asks(repo):
    callee = NEW.replace("jsonify(users.get(user_id).everything())", "export(user_id)")
    helper = (
        "\n\ndef export(user_id):\n    require_admin(g.user)\n    return jsonify(users.get(user_id).everything())\n"
    )
    ended = review(repo, {"app/admin.py": VIEWS + helper}, {"app/admin.py": VIEWS + helper + "\n\n" + callee})
    assert codes(ended, "route_added_unguarded") == ["refuted"]


def test_a_new_route_beside_one_that_is_open(repo):
    open_ = VIEWS.replace('@bp.get("/admin/users")\n@admin_required', '@bp.get("/admin/users")')
    ended = review(repo, {"app/admin.py": open_}, {"app/admin.py": open_ + "\n\n" + NEW})
    assert codes(ended, "route_added_unguarded") == ["refuted"]


def test_a_new_health_route(repo):
    health = '\n\n@bp.get("/admin/health")\ndef health():\n    return "ok"\n'
    ended = review(repo, {"app/admin.py": VIEWS}, {"app/admin.py": VIEWS + health})
    assert codes(ended, "route_added_unguarded") == []


def test_a_fastapi_route_without_the_dependency(repo):
    before = source(
        """
        from fastapi import APIRouter, Depends

        from app.auth import require_admin
        from app.db import users

        router = APIRouter()


        @router.get("/users")
        def list_users(admin=Depends(require_admin)):
            return users.all()


        @router.delete("/users/{user_id}")
        def remove_user(user_id: int, admin=Depends(require_admin)):
            users.remove(user_id)
        """
    )
    new = '\n\n@router.post("/users/{user_id}/reset-quota")\ndef quota(user_id: int):\n    users.quota(user_id)\n'
    new = new.replace("reset-quota", "quota")
    ended = review(repo, {"app/api.py": before}, {"app/api.py": before + new})
    assert cards(ended, "route_added_unguarded")
    whole = before.replace("APIRouter()", "APIRouter(dependencies=[Depends(require_admin)])")
    assert whole != before


GO = source(
    """
    package server

    import "net/http"

    func Routes(mux *http.ServeMux, h *Handlers, guard Guard) {
    	mux.Handle("GET /staff/shifts", guard.Staff(http.HandlerFunc(h.ListShifts)))
    	mux.Handle("POST /staff/shifts", guard.Staff(http.HandlerFunc(h.AddShift)))
    	mux.Handle("DELETE /staff/shifts/{id}", guard.Staff(http.HandlerFunc(h.RemoveShift)))

    	mux.HandleFunc("GET /healthz", h.Health)
    	mux.HandleFunc("GET /menu", h.Menu)
    	mux.HandleFunc("GET /menu/{id}", h.Dish)
    }
    """
)
HANDLERS = source(
    """
    package server

    import "net/http"

    type Handlers struct{}

    func (h *Handlers) ExportShifts(w http.ResponseWriter, r *http.Request) {
    	writeCSV(w)
    }

    func (h *Handlers) RemoveShift(w http.ResponseWriter, r *http.Request) {
    	remove(r.PathValue("id"))
    }
    """
)
BOUND = '\tmux.HandleFunc("GET /menu/{id}", h.Dish)\n'


def test_a_go_route_bound_without_the_guard_of_its_like(repo):
    after = GO.replace(BOUND, BOUND + '\tmux.HandleFunc("GET /staff/shifts/export", h.ExportShifts)\n')
    ended = review(repo, {"s/routes.go": GO, "s/handlers.go": HANDLERS}, {"s/routes.go": after})
    (card,) = cards(ended, "route_bound_unguarded")
    assert "`guard.Staff`" in card.claim


def test_a_go_route_bound_beside_open_ones(repo):
    after = GO.replace(BOUND, BOUND + '\tmux.HandleFunc("GET /menu/today", h.Today)\n')
    ended = review(repo, {"s/routes.go": GO, "s/handlers.go": HANDLERS}, {"s/routes.go": after})
    assert codes(ended, "route_bound_unguarded") == ["refuted"]


def test_a_go_route_that_lost_its_guard(repo):
    after = GO.replace("guard.Staff(http.HandlerFunc(h.RemoveShift))", "http.HandlerFunc(h.RemoveShift)")
    ended = review(repo, {"s/routes.go": GO, "s/handlers.go": HANDLERS}, {"s/routes.go": after})
    assert cards(ended, "route_guard_removed")


def test_a_go_route_whose_handler_asks_now(repo):
    after = GO.replace("guard.Staff(http.HandlerFunc(h.RemoveShift))", "http.HandlerFunc(h.RemoveShift)")
    asking = HANDLERS.replace("\tremove(", "\tif !isStaff(r) {\n\t\treturn\n\t}\n\tremove(")
    ended = review(
        repo, {"s/routes.go": GO, "s/handlers.go": HANDLERS}, {"s/routes.go": after, "s/handlers.go": asking}
    )
    assert codes(ended, "route_guard_removed") == ["refuted"]

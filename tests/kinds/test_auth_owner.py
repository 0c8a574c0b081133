"""``auth``: whose a record is, routers that ask for themselves, and guards under several spellings, over real repositories."""

# ruff: noqa: E101, E501

import pytest

from tests.kinds.reviewing import cards, codes, review
from tests.kinds.settling import source

pytestmark = pytest.mark.slow

PARCELS = source(
    """
    package parcel

    import "errors"

    type Parcel struct {
    	ID        string
    	AccountID string
    }

    type Desk struct{ rows map[string]*Parcel }

    var errMissing = errors.New("missing")

    func (d *Desk) load(id string) (*Parcel, error) {
    	p, ok := d.rows[id]
    	if !ok {
    		return nil, errMissing
    	}
    	return p, nil
    }

    func (d *Desk) Drop(accountID, id string) error {
    	p, err := d.load(id)
    	if err != nil {
    		return err
    	}
    	if p.AccountID != accountID {
    		return errMissing
    	}
    	delete(d.rows, p.ID)
    	return nil
    }
    """
)
WEB = source(
    """
    package web

    import (
    	"net/http"

    	"example.com/p/parcel"
    )

    type site struct{ desk *parcel.Desk }

    func (s *site) routes(mux *http.ServeMux) {
    	mux.Handle("GET /hello", s.hello())
    	mux.Handle("DELETE /parcels/{id}", s.known(s.drop))
    }

    func (s *site) drop(w http.ResponseWriter, r *http.Request) {
    	if err := s.desk.Drop(account(r), r.PathValue("id")); err != nil {
    		http.Error(w, "no", http.StatusNotFound)
    	}
    }
    """
)
MODULE = {"go.mod": "module example.com/p\n\ngo 1.22\n", "parcel/parcel.go": PARCELS, "web/web.go": WEB}
ANYBODYS = PARCELS.replace("\tif p.AccountID != accountID {\n\t\treturn errMissing\n\t}\n", "")


def test_a_record_that_anybody_may_drop_now(repo):
    (card,) = cards(review(repo, MODULE, {"parcel/parcel.go": ANYBODYS}), "auth_check_removed")
    assert "`p.AccountID != accountID`" in card.claim
    assert "`web/web.go` line 17" in card.claim


def test_a_record_whose_owner_the_wrapper_of_the_route_asks(repo):
    wrapped = WEB.replace("s.known(s.drop)", "s.known(s.ownerOnly(s.drop))")
    ended = review(repo, {**MODULE, "web/web.go": wrapped}, {"parcel/parcel.go": ANYBODYS})
    # That the account is passed in vain is told apart; who has the right is asked for.
    assert [one.code for one in ended if one.rule == "auth_check_removed"] == ["refuted"]


def test_an_owner_that_the_new_helper_compares(repo):
    helper = (
        "\nfunc (d *Desk) mine(accountID, id string) (*Parcel, error) {\n\tp, err := d.load(id)\n\tif err != nil {\n"
        "\t\treturn nil, err\n\t}\n\tif p.AccountID != accountID {\n\t\treturn nil, errMissing\n\t}\n\treturn p, nil\n}\n"
    )
    moved = ANYBODYS.replace(
        "p, err := d.load(id)\n\tif err != nil {\n\t\treturn err",
        "p, err := d.mine(accountID, id)\n\tif err != nil {\n\t\treturn err",
    )
    assert "d.mine" in moved
    ended = review(repo, MODULE, {"parcel/parcel.go": moved + helper})
    assert not cards(ended, "auth_check_removed")


def test_a_record_that_nobody_is_seen_to_reach(repo):
    before = {name: text for name, text in MODULE.items() if not name.startswith("web")}
    ended = review(repo, before, {"parcel/parcel.go": ANYBODYS})
    assert not cards(ended, "auth_check_removed")


SERVER = source(
    """
    const express = require('express');
    const signedIn = require('./signedIn');
    const boats = require('./boats');
    const tides = require('./tides');

    const app = express();

    app.use(express.json());

    app.use('/weather', require('./weather'));

    app.use(signedIn.requireSession);

    app.use('/tides', tides);
    app.use('/boats', boats);

    module.exports = app;
    """
)
EARLY = SERVER.replace("app.use('/boats', boats);\n", "").replace(
    "app.use(express.json());\n", "app.use(express.json());\napp.use('/boats', boats);\n"
)
BOATS = source(
    """
    const { Router } = require('express');
    const signedIn = require('./signedIn');

    const router = Router();

    router.get('/:id', (req, res) => {
      res.json(load(req.params.id));
    });

    module.exports = router;
    """
)
HARBOUR = {
    "server.js": SERVER,
    "boats.js": BOATS,
    "tides.js": BOATS,
    "signedIn.js": "exports.requireSession = () => {};\n",
}


def test_a_router_in_front_of_the_guard_with_a_bare_route(repo):
    (card,) = cards(review(repo, HARBOUR, {"server.js": EARLY}), "route_before_guard")
    assert "(`boats.js` line 6) asks nothing itself" in card.claim


def test_a_router_in_front_of_the_guard_that_asks_for_itself(repo):
    asking = BOATS.replace(
        "const router = Router();\n", "const router = Router();\n\nrouter.use(signedIn.requireSession);\n"
    )
    ended = review(repo, {**HARBOUR, "boats.js": asking}, {"server.js": EARLY})
    assert codes(ended, "route_before_guard") == ["refuted"]


def test_a_router_in_front_of_the_guard_whose_routes_ask(repo):
    asking = BOATS.replace("'/:id', (req", "'/:id', signedIn.requireSession, (req")
    ended = review(repo, {**HARBOUR, "boats.js": asking}, {"server.js": EARLY})
    assert codes(ended, "route_before_guard") == ["refuted"]


ROUTES = source(
    """
    from fastapi import APIRouter, Depends

    from zoo.people import require_curator

    router = APIRouter(prefix="/cages")


    @router.get("/", dependencies=[Depends(require_curator)])
    def cages():
        return load()


    @router.post("/")
    def build(size: int, curator=Depends(require_curator)):
        return make(size, curator)


    @router.get("/empty", dependencies=[Depends(require_curator)])
    def empty():
        return [one for one in load() if not one.animals]
    """
)
ADDED = '\n\n@router.get("/full")\ndef full():\n    return [one for one in load() if one.animals]\n'


def test_a_route_beside_guards_in_two_spellings(repo):
    (card,) = cards(review(repo, {"zoo/cages.py": ROUTES}, {"zoo/cages.py": ROUTES + ADDED}), "route_added_unguarded")
    assert "`require_curator`" in card.claim


def test_a_route_on_a_router_that_asks(repo):
    asking = ROUTES.replace('prefix="/cages"', 'prefix="/cages", dependencies=[Depends(require_curator)]')
    ended = review(repo, {"zoo/cages.py": asking}, {"zoo/cages.py": asking + ADDED})
    assert codes(ended, "route_added_unguarded") == ["refuted"]

"""``input``: a check that went while values from outside still come in, over real repositories."""

# ruff: noqa: E101, E501

import pytest

from tests.kinds.reviewing import cards, codes, review
from tests.kinds.settling import source

pytestmark = pytest.mark.slow

STOCK = source(
    """
    def allocate(stock, qty):
        if qty <= 0:
            raise ValueError("qty")
        total = stock.total
        share = total / qty
        stock.available -= qty
        return share
    """
)
API = source(
    """
    from flask import request
    from shop.stock import allocate


    def view(stock):
        qty = int(request.json["qty"])
        return allocate(stock, qty)
    """
)
GUARD = '    if qty <= 0:\n        raise ValueError("qty")\n'
APP = {"shop/stock.py": STOCK, "shop/api.py": API}
OPEN = {"shop/stock.py": STOCK.replace(GUARD, "")}


def test_a_bound_that_went_while_a_request_brings_the_number(repo):
    (card,) = cards(review(repo, APP, OPEN), "input_check_removed")
    assert "`shop/api.py` line 7" in card.claim
    assert card.severity == "important"


def test_a_bound_that_the_caller_keeps(repo):
    checked = API.replace(
        "    return allocate", '    if qty < 1:\n        raise ValueError("qty")\n    return allocate'
    )
    assert codes(review(repo, {**APP, "shop/api.py": checked}, OPEN), "input_check_removed") == ["refuted"]


def test_a_bound_that_no_caller_needs(repo):
    constant = API.replace('int(request.json["qty"])', "1")
    assert codes(review(repo, {**APP, "shop/api.py": constant}, OPEN), "input_check_removed") == ["refuted"]


def test_a_caller_whose_value_is_not_followed(repo):
    unknown = API.replace('int(request.json["qty"])', "compute(stock)")
    ended = review(repo, {**APP, "shop/api.py": unknown}, OPEN)
    assert codes(ended, "input_check_removed") == ["insufficient_evidence"]


FILES = source(
    """
    import os

    ROOT = "/srv/files"


    def read(name):
        path = os.path.join(ROOT, name)
        if not os.path.realpath(path).startswith(ROOT):
            raise ValueError(name)
        with open(path) as stream:
            return stream.read()
    """
)
DOWNLOAD = source(
    """
    from flask import Blueprint

    from shop.files import read

    bp = Blueprint("files", __name__)


    @bp.get("/files/<path:name>")
    def download(name):
        return read(name)
    """
)


def test_a_path_that_is_not_kept_in_its_folder(repo):
    after = FILES.replace("        if not os", "    if not os").replace(
        "    if not os.path.realpath(path).startswith(ROOT):\n        raise ValueError(name)\n", ""
    )
    ended = review(repo, {"shop/files.py": FILES, "shop/web.py": DOWNLOAD}, {"shop/files.py": after})
    (card,) = cards(ended, "input_check_removed")
    assert "`shop/web.py` line 10" in card.claim
    assert card.severity == "blocking"


def test_a_test_that_moved_behind_the_read(repo):
    after = FILES.replace(
        "    if not os.path.realpath(path).startswith(ROOT):\n        raise ValueError(name)\n    with open(path) as stream:\n        return stream.read()\n",
        "    with open(path) as stream:\n        data = stream.read()\n    if not os.path.realpath(path).startswith(ROOT):\n        raise ValueError(name)\n    return data\n",
    )
    ended = review(repo, {"shop/files.py": FILES, "shop/web.py": DOWNLOAD}, {"shop/files.py": after})
    assert cards(ended, "input_check_late")


FIND = source(
    """
    def find(db, name):
        rows = db.execute("SELECT id FROM users WHERE name = ?", (name,))
        return [row[0] for row in rows]
    """
)
SEARCH = source(
    """
    from flask import request

    from shop.find import find


    def search(db):
        return find(db, request.args["name"])
    """
)


def test_a_value_that_is_written_into_a_statement(repo):
    after = FIND.replace(
        '"SELECT id FROM users WHERE name = ?", (name,)', "f\"SELECT id FROM users WHERE name = '{name}'\""
    )
    ended = review(repo, {"shop/find.py": FIND, "shop/web.py": SEARCH}, {"shop/find.py": after})
    (card,) = cards(ended, "input_in_statement")
    assert "`shop/web.py` line 7" in card.claim


def test_a_constant_that_is_written_into_a_statement(repo):
    after = FIND.replace(
        '"SELECT id FROM users WHERE name = ?", (name,)', "f\"SELECT id FROM users WHERE name = '{name}'\""
    )
    ended = review(
        repo,
        {"shop/find.py": FIND, "shop/web.py": SEARCH.replace('request.args["name"]', '"root"')},
        {"shop/find.py": after},
    )
    assert codes(ended, "input_in_statement") == ["refuted"]


GO = source(
    """
    package shop

    import (
    	"net/http"
    	"os"
    	"path/filepath"
    )

    func Download(w http.ResponseWriter, r *http.Request) {
    	name := r.URL.Query().Get("name")
    	if !filepath.IsLocal(name) {
    		http.Error(w, "bad name", http.StatusBadRequest)
    		return
    	}
    	w.Header().Set("X-Kind", "file")
    	w.Header().Set("X-Source", "disk")
    	w.Header().Set("X-Age", "0")
    	w.Header().Set("X-Store", "1")
    	data, err := os.ReadFile(filepath.Join("files", name))
    	if err != nil {
    		http.NotFound(w, r)
    		return
    	}
    	w.Write(data)
    }
    """
)
LOCAL = '\tif !filepath.IsLocal(name) {\n\t\thttp.Error(w, "bad name", http.StatusBadRequest)\n\t\treturn\n\t}\n'


def test_a_go_name_that_is_not_kept_local(repo):
    ended = review(repo, {"shop/download.go": GO}, {"shop/download.go": GO.replace(LOCAL, "")})
    (card,) = cards(ended, "input_check_removed")
    assert "os.ReadFile" in card.claim


def test_a_go_name_that_is_tested_otherwise(repo):
    other = GO.replace("!filepath.IsLocal(name)", 'strings.Contains(name, "..")')
    ended = review(repo, {"shop/download.go": GO}, {"shop/download.go": other})
    assert codes(ended, "input_check_removed") == []

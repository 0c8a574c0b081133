"""``input``: where checked values come from and go to: helpers, loops, checking functions, repairs, over real repositories."""

# ruff: noqa: E101, E501

import pytest

from tests.kinds.reviewing import cards, codes, review
from tests.kinds.settling import source

pytestmark = pytest.mark.slow

SHELF = source(
    """
    import re
    from pathlib import Path

    from werkzeug.utils import secure_filename

    SHELF = Path("/srv/shelf")
    PLAIN = re.compile(r"[a-z]+[.]txt")


    def read(title):
        if not PLAIN.fullmatch(title):
            return b""
        path = SHELF / title
        return path.read_bytes()


    def drop(title):
        title = secure_filename(title)
        path = SHELF / title
        path.unlink()


    def save(title, data):
        open(secure_filename(title), "wb").write(data)
    """
)
VIEW = source(
    """
    from flask import request

    from shop.shelf import drop, read, save


    def show():
        return read(request.args.get("title", ""))


    def remove():
        drop(request.args["title"])


    def put():
        save(request.args["title"], request.data)
    """
)
SHOP = {"shop/shelf.py": SHELF, "shop/view.py": VIEW}
LOOSE = SHELF.replace(
    '    if not PLAIN.fullmatch(title):\n        return b""\n    path = SHELF / title\n    return path.read_bytes()\n',
    '    for folder in (SHELF, SHELF / "old"):\n        path = folder / title\n        if path.is_file():\n'
    '            return path.read_bytes()\n    return b""\n',
)


def test_a_pattern_that_nothing_is_held_against_any_more(repo):
    ended = review(repo, SHOP, {"shop/shelf.py": LOOSE}, kind="input")
    (card,) = [card for one in ended for card in one.cards]
    assert "`shop/view.py` line 7" in card.claim
    assert "climbs out of its folder" in card.claim


def test_a_pattern_that_the_caller_holds_it_against(repo):
    asking = VIEW.replace(
        '    return read(request.args.get("title", ""))',
        '    title = request.args.get("title", "")\n    if "/" in title or ".." in title:\n        return b""\n'
        "    return read(title)",
    )
    ended = review(repo, {**SHOP, "shop/view.py": asking}, {"shop/shelf.py": LOOSE}, kind="input")
    assert not [card for one in ended for card in one.cards]


def test_a_pattern_in_place_of_which_only_the_ending_is_tested(repo):
    ending = SHELF.replace("not PLAIN.fullmatch(title)", 'not title.endswith(".txt")')
    (card,) = cards(review(repo, SHOP, {"shop/shelf.py": ending}), "input_repair_removed")
    assert "`PLAIN.fullmatch`" in card.claim


def test_an_ending_that_is_tested_no_more_lets_nobody_out_of_the_folder(repo):
    ending = SHELF.replace("not PLAIN.fullmatch(title)", 'not title.endswith(".txt")')
    free = ending.replace('    if not title.endswith(".txt"):\n        return b""\n', "")
    ended = review(repo, {**SHOP, "shop/shelf.py": ending}, {"shop/shelf.py": free}, kind="input")
    assert not [card for one in ended for card in one.cards]


def test_a_repair_that_went(repo):
    bare = SHELF.replace("    title = secure_filename(title)\n", "")
    (card,) = cards(review(repo, SHOP, {"shop/shelf.py": bare}), "input_repair_removed")
    assert "Removing `secure_filename` from `drop`" in card.claim
    assert "climbs out of its folder" in card.claim


def test_a_repair_that_the_caller_makes(repo):
    bare = SHELF.replace("    title = secure_filename(title)\n", "")
    repairing = VIEW.replace('drop(request.args["title"])', 'drop(clean_name(request.args["title"]))')
    ended = review(repo, {**SHOP, "shop/view.py": repairing}, {"shop/shelf.py": bare}, kind="input")
    assert not [card for one in ended for card in one.cards]


def test_a_repair_around_an_argument_that_went(repo):
    bare = SHELF.replace("open(secure_filename(title)", "open(title")
    (card,) = cards(review(repo, SHOP, {"shop/shelf.py": bare}), "input_escape_removed")
    assert "`secure_filename(title)`" in card.claim


def test_a_repair_around_an_argument_that_is_a_constant(repo):
    bare = SHELF.replace("open(secure_filename(title)", "open(title")
    constant = VIEW.replace('save(request.args["title"], request.data)', 'save("today.txt", request.data)')
    ended = review(repo, {**SHOP, "shop/view.py": constant}, {"shop/shelf.py": bare})
    assert codes(ended, "input_escape_removed") == ["refuted"]


FIGURES = source(
    """
    from fastapi import APIRouter, HTTPException, Query

    router = APIRouter()

    LONGEST = 30


    def check_span(days: int) -> int:
        if days < 1 or days > LONGEST:
            raise HTTPException(422, "too long")
        return days


    def load(days):
        return list(TABLE)[-days:]


    def mean(total: int, span: int) -> float:
        part = total / span
        return round(part, 2)


    @router.get("/mean")
    def daily(days: int = Query(7)):
        span = check_span(days)
        return mean(len(TABLE), span)
    """
)


def test_a_checking_function_that_lets_zero_pass(repo):
    ended = review(
        repo,
        {"f/figures.py": FIGURES},
        {"f/figures.py": FIGURES.replace("days < 1 or days > LONGEST", "days > LONGEST")},
    )
    (card,) = cards(ended, "input_check_weakened")
    assert "in `mean`" in card.claim
    assert "zero ends in a division by zero" in card.claim


def test_a_checking_function_whose_value_is_bounded_where_it_comes_in(repo):
    bounded = FIGURES.replace("Query(7)", "Query(7, ge=1)")
    ended = review(
        repo,
        {"f/figures.py": bounded},
        {"f/figures.py": bounded.replace("days < 1 or days > LONGEST", "days > LONGEST")},
    )
    assert codes(ended, "input_check_weakened") == ["refuted"]


def test_a_checking_function_that_lets_more_than_the_most_pass(repo):
    ended = review(
        repo, {"f/figures.py": FIGURES}, {"f/figures.py": FIGURES.replace("days < 1 or days > LONGEST", "days < 1")}
    )
    assert not [one for one in cards(ended, "input_check_weakened") if "division" in one.claim]


PICTURES = source(
    """
    package pictures

    import (
    	"errors"
    	"net/http"
    	"os"
    	"path/filepath"
    )

    var errTitle = errors.New("title")

    type Album struct{ dir string }

    func (a *Album) show(w http.ResponseWriter, r *http.Request) {
    	title, ok := asked(r)
    	if !ok {
    		return
    	}
    	file, err := a.file(title)
    	if err != nil {
    		return
    	}
    	http.ServeFile(w, r, file)
    }

    func asked(r *http.Request) (string, bool) {
    	return r.URL.Query().Get("title"), true
    }

    func size(file string) (int64, error) {
    	info, err := os.Stat(file)
    	if err != nil {
    		return 0, err
    	}
    	return info.Size(), nil
    }

    func (a *Album) file(title string) (string, error) {
    	if !filepath.IsLocal(title) {
    		return "", errTitle
    	}
    	return filepath.Join(a.dir, title), nil
    }
    """
)
ANY = PICTURES.replace(
    '\tif !filepath.IsLocal(title) {\n\t\treturn "", errTitle\n\t}\n', "\ttitle = filepath.Clean(title)\n"
)


def test_a_value_that_a_helper_reads_from_the_request(repo):
    ended = review(
        repo, {"go.mod": "module example.com/p\n", "p/album.go": PICTURES}, {"p/album.go": ANY}, kind="input"
    )
    (card,) = [card for one in ended for card in one.cards]
    assert '`r.URL.Query().Get("title")`' in card.claim


def test_a_value_that_a_helper_reads_and_tests(repo):
    reads = '\ttitle := r.URL.Query().Get("title")\n\tif !plain.MatchString(title) {\n\t\treturn "", false\n\t}\n\treturn title, true\n'
    tested = PICTURES.replace('\treturn r.URL.Query().Get("title"), true\n', reads)
    gone = ANY.replace('\treturn r.URL.Query().Get("title"), true\n', reads)
    ended = review(repo, {"go.mod": "module example.com/p\n", "p/album.go": tested}, {"p/album.go": gone}, kind="input")
    assert not [card for one in ended for card in one.cards]


SCANS = source(
    """
    package scans;

    @RestController
    public class ScanController {
        private final Path root = Path.of("/srv");

        @GetMapping("/scans")
        public Resource scan(@RequestParam String title) {
            return new FileSystemResource(find(title));
        }

        @GetMapping("/empty")
        public String empty() {
            return "";
        }

        private Path find(String title) {
            Path file = root.resolve(title).normalize();
            if (!file.startsWith(root)) {
                throw new IllegalArgumentException("title");
            }
            return file;
        }
    }
    """
)


def test_a_path_that_is_made_plain_no_more_before_it_is_tested(repo):
    bare = SCANS.replace(".normalize()", "")
    (card,) = cards(
        review(repo, {"s/ScanController.java": SCANS}, {"s/ScanController.java": bare}), "input_repair_removed"
    )
    assert "`root.resolve(title).normalize`" in card.claim


def test_a_path_whose_name_the_route_tests(repo):
    tested = SCANS.replace(
        "        return new File",
        '        if (!TITLE.matcher(title).matches()) {\n            throw new IllegalArgumentException("title");\n        }\n        return new File',
    )
    bare = tested.replace(".normalize()", "")
    ended = review(repo, {"s/ScanController.java": tested}, {"s/ScanController.java": bare})
    assert codes(ended, "input_repair_removed") == ["refuted"]

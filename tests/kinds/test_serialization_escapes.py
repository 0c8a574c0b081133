"""What goes into a path, escaped as what goes into a query."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.SERIALIZATION)
silent = partial(silence_of, kind=ChangeKind.SERIALIZATION)
RULE = "path_escaped_as_query"

GO = {
    "go.mod": "module example.com/depot\n\ngo 1.22\n",
    "escape.go": """package depot

import "net/url"

func safe(name string) string {
	return url.PathEscape(name)
}
""",
    "fetch.go": """package depot

import "net/http"

// Fetch gets a crate.
func Fetch(name string) (*http.Response, error) {
	return http.Get("https://depot.example/crates/" + safe(name))
}
""",
}
PYTHON = {
    "depot/__init__.py": "",
    "depot/escape.py": "from urllib import parse\n\n\ndef safe(name):\n    return parse.quote(name)\n",
    "depot/fetch.py": """from depot.escape import safe


def fetch(client, name):
    return client.get("/crates/" + safe(name))
""",
}


def test_go(repo):
    card = one_card(repo, GO, RULE, ("escape.go", "url.PathEscape", "url.QueryEscape"))
    assert "`fetch.go` line 7" in card.claim


def test_python(repo):
    card = one_card(repo, PYTHON, RULE, ("depot/escape.py", "parse.quote(", "parse.quote_plus("))
    assert "`depot/fetch.py` line 5" in card.claim


def test_a_query(repo):
    before = {**PYTHON, "depot/fetch.py": PYTHON["depot/fetch.py"].replace('"/crates/"', '"/crates?name="')}
    assert silent(repo, before, RULE, ("depot/escape.py", "parse.quote(", "parse.quote_plus(")) == ["refuted"]


def test_nobody_is_seen_to_build_a_path(repo):
    before = {**PYTHON, "depot/fetch.py": PYTHON["depot/fetch.py"].replace('"/crates/" + safe(name)', "safe(name)")}
    ended = silent(repo, before, RULE, ("depot/escape.py", "parse.quote(", "parse.quote_plus("))
    assert ended == ["insufficient_evidence"]


def test_the_other_way_round(repo):
    before = {**GO, "escape.go": GO["escape.go"].replace("PathEscape", "QueryEscape")}
    assert silent(repo, before, RULE, ("escape.go", "url.QueryEscape", "url.PathEscape")) == []

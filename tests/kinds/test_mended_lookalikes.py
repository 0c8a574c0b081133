"""Changes of checks, limits and copies that only look like a loss, and the true losses beside them."""

import pytest
from changing import changed, one_card
from reviewing import cards, review

pytestmark = pytest.mark.slow


def silent(repo, before, rule, *edits):
    return not cards(review(repo, before, changed(before, *edits)), rule)


WATCH = {
    "app/__init__.py": "",
    "app/watch.py": """from flask import abort


def watch(user, repo):
    if user.can_read(repo):
        abort(403)
    repo.watchers.append(user)
    repo.save()
    return repo
""",
    "app/routes.py": """from app.watch import watch


@app.post("/watch/<int:number>")
def post_watch(number):
    return watch(current_user, find(number))
""",
}
READABLE = "    if user.can_read(repo):\n"


def test_python_a_check_that_was_the_wrong_way_round(repo):
    edit = ("app/watch.py", READABLE, "    if not user.can_read(repo):\n")
    assert silent(repo, WATCH, "auth_check_weakened", edit)


VIEWS = {
    "front/views.py": """def log(request, code):
    check, rights = find_for_user(request, code)
    return check.log


def details(request, code):
    check, rights = find_for_user(request, code)
    return check.details


def change(request, code):
    check, rights = find_for_user(request, code)
    if not rights:
        raise PermissionError(code)
    return check
""",
}


def test_python_a_name_that_is_given_anew_at_several_places(repo):
    old, new = (
        "    check, rights = find_for_user(request, code)\n    return",
        "    check, _rights = find_for_user(request, code)\n    return",
    )
    assert silent(repo, VIEWS, "repeated_edit_left", ("front/views.py", old, new))


def test_templates_that_choose_alike_are_no_copies(repo):
    line = '{% if status == "down" and ping %}\n'
    before = {
        "one/templates/description.html": f"Told of {{{{ name }}}} here.\n{line}Last ping.\n{{% endif %}}\n",
        "two/templates/description.html": f"Told of {{{{ name }}}} here.\n{line}Last ping.\n{{% endif %}}\n",
    }
    edit = ("one/templates/description.html", line, '{% if status == "down" %}\n')
    assert silent(repo, before, "copied_line_left", edit)


HANDLER = {
    "go.mod": "module example.com/feed\n\ngo 1.22\n",
    "api.go": """package feed

import "net/http"

// Routes binds what is asked for.
func Routes(mux *http.ServeMux, h *handler) {
	mux.HandleFunc("GET /files/{id}", h.file)
}
""",
    "handler.go": """package feed

import "net/http"

type handler struct{ store *Store }

func (h *handler) file(w http.ResponseWriter, r *http.Request) {
	file, err := h.store.File(r.PathValue("id"))
	if err != nil || file == nil {
		w.WriteHeader(404)
		return
	}
	userID := userOf(r)
	if file.UserID != userID {
		w.WriteHeader(404)
		return
	}
	w.Write(file.Body)
}
""",
    "store.go": """package feed

import "net/http"

// Store keeps files.
type Store struct{ files map[string]*File }

// File is one.
type File struct {
	UserID string
	Body   []byte
}

func userOf(r *http.Request) string { return r.Header.Get("X-User") }

// File finds one.
func (s *Store) File(id string) (*File, error) { return s.files[id], nil }

// FileOf finds one of a user.
func (s *Store) FileOf(userID, id string) (*File, error) { return s.files[userID+id], nil }
""",
}
COMPARED = "\tuserID := userOf(r)\n\tif file.UserID != userID {\n\t\tw.WriteHeader(404)\n\t\treturn\n\t}\n"


def test_go_a_lookup_by_whose_it_is_takes_the_place_of_the_comparison(repo):
    found = ("handler.go", 'h.store.File(r.PathValue("id"))', 'h.store.FileOf(userOf(r), r.PathValue("id"))')
    assert silent(repo, HANDLER, "auth_check_removed", ("handler.go", COMPARED, ""), found)


def test_go_a_comparison_that_went(repo):
    card = one_card(repo, HANDLER, "auth_check_removed", ("handler.go", COMPARED, ""))
    assert "`file.UserID != userID`" in card.claim


FETCH = {
    "go.mod": "module example.com/feed\n\ngo 1.22\n",
    "fetch.go": """package feed

// Fetch reads a page.
func Fetch(agent, url string) (string, error) {
	builder := NewBuilder()
	builder.WithUserAgent(agent)
	builder.WithTimeout(30)
	return builder.Ask(url)
}
""",
    "builder.go": """package feed

// Builder makes a request.
type Builder struct{ agent string; limit int }

// NewBuilder begins one.
func NewBuilder() *Builder { return &Builder{} }

// WithUserAgent names the asker.
func (b *Builder) WithUserAgent(agent string) *Builder { b.agent = agent; return b }

// WithTimeout limits it.
func (b *Builder) WithTimeout(limit int) *Builder { b.limit = limit; return b }

// Ask sends it.
func (b *Builder) Ask(url string) (string, error) { return url, nil }
""",
    "main.go": """package feed

import "net/http"

// Routes binds the page.
func Routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /page", page)
}

func page(w http.ResponseWriter, r *http.Request) {
	text, _ := Fetch("a", "u")
	w.Write([]byte(text))
}
""",
}
STEPS = "\tbuilder := NewBuilder()\n\tbuilder.WithUserAgent(agent)\n\tbuilder.WithTimeout(30)\n"


@pytest.mark.parametrize("rule", ["auth_check_removed", "timeout_dropped"])
def test_go_steps_that_became_a_chain(repo, rule):
    chain = "\tbuilder := NewBuilder().\n\t\tWithUserAgent(agent).\n\t\tWithTimeout(30)\n"
    assert silent(repo, FETCH, rule, ("fetch.go", STEPS, chain))


def test_go_the_agent_is_nobody_who_is_asked(repo):
    assert silent(repo, FETCH, "auth_check_removed", ("fetch.go", "\tbuilder.WithUserAgent(agent)\n", ""))


def test_go_a_limit_that_went(repo):
    card = one_card(repo, FETCH, "timeout_dropped", ("fetch.go", "\tbuilder.WithTimeout(30)\n", ""))
    assert "`main.go`" in card.claim


CHECKS = {
    "hc/__init__.py": "",
    "hc/views.py": """from django.db import transaction

from hc.saving import save_check


def update(request, check):
    spec = request.spec
    check.lock()
    with transaction.atomic():
        save_check(check, spec)
    return check
""",
    "hc/saving.py": """def save_check(check, spec):
    chosen = set()
    for name in spec.channels:
        chosen.add(name)
    check.channels = chosen
    check.write_all()
""",
    "hc/urls.py": "from hc.views import update\n\n\ndef single(request, check):\n    return update(request, check)\n",
}


def test_python_a_set_that_is_filled_is_no_second_write(repo):
    bare = (
        "hc/views.py",
        "    with transaction.atomic():\n        save_check(check, spec)\n",
        "    save_check(check, spec)\n",
    )
    assert silent(repo, CHECKS, "transaction_removed", bare)


def test_python_two_writes_of_a_helper_that_come_apart(repo):
    written = CHECKS["hc/saving.py"].replace("check.channels = chosen", "check.journal.insert_row(chosen)")
    bare = (
        "hc/views.py",
        "    with transaction.atomic():\n        save_check(check, spec)\n",
        "    save_check(check, spec)\n",
    )
    card = one_card(repo, {**CHECKS, "hc/saving.py": written}, "transaction_removed", bare)
    assert "`check.journal.insert_row`" in card.claim


SESSIONS = {
    "go.mod": "module example.com/gate\n\ngo 1.22\n",
    "session.go": """package gate

// API answers.
type API struct{ DB *DB }

// Logout ends a session.
func (a *API) Logout(ctx *Ctx) {
	client, _ := a.DB.ClientByToken(tokenOf(ctx))
	if client == nil {
		return
	}
	a.DB.DeleteClient(client.ID)
}

func (a *API) exists(token string) bool {
	client, _ := a.DB.ClientByToken(token)
	return client != nil
}
""",
    "db.go": """package gate

// DB keeps clients.
type DB struct{ clients map[string]*Client }

type Client struct{ ID string }

type Ctx struct{ client *Client }

func tokenOf(ctx *Ctx) string { return ctx.client.ID }

// GetClient is who asks.
func GetClient(ctx *Ctx) *Client { return ctx.client }

// ClientByToken finds one.
func (d *DB) ClientByToken(token string) (*Client, error) { return d.clients[token], nil }

// DeleteClient drops one.
func (d *DB) DeleteClient(id string) { delete(d.clients, id) }
""",
}


def test_go_what_looks_up_the_asker_is_no_step_to_a_key(repo):
    asks = ("session.go", "\tclient, _ := a.DB.ClientByToken(tokenOf(ctx))\n", "\tclient := GetClient(ctx)\n")
    assert silent(repo, SESSIONS, "step_left_out", asks)

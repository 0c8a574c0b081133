"""Lines that came between others, which stand elsewhere too: with them, without them, or only nearly so."""

import pytest
from changing import changed, one_card, silent
from reviewing import cards, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

RULE = "like_place_without_it"
KIND = ChangeKind.INCOMPLETE_CHANGE

GO = {
    "go.mod": "module example.com/intake\n\ngo 1.22\n",
    "admin.go": """package intake

import (
	"bytes"
	"io"
	"net/http"
)

func handleConfig(w http.ResponseWriter, r *http.Request) error {
	buf := pool.Get().(*bytes.Buffer)
	buf.Reset()
	defer pool.Put(buf)

	_, err := io.Copy(buf, r.Body)
	if err != nil {
		return err
	}
	return apply(buf.Bytes())
}
""",
    "load.go": """package intake

import (
	"bytes"
	"io"
	"net/http"
)

// handleLoad takes all of it at once.
func handleLoad(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPost {
		return errMethod
	}

	buf := pool.Get().(*bytes.Buffer)
	buf.Reset()
	defer pool.Put(buf)

	_, err := io.Copy(buf, r.Body)
	if err != nil {
		return err
	}
	return load(buf.Bytes())
}
""",
}
LIMIT = "\tr.Body = http.MaxBytesReader(w, r.Body, 1<<20)\n\n"
COPY = "\t_, err := io.Copy(buf, r.Body)\n"
BOUNDED = ("admin.go", COPY, LIMIT + COPY)


def test_a_limit_that_one_of_two_handlers_gets(repo):
    card = one_card(repo, GO, RULE, BOUNDED, kind=KIND)
    assert "`http.MaxBytesReader" in card.claim or "MaxBytesReader" in card.claim
    assert "`load.go` line 15" in card.claim
    assert "`handleLoad`" in card.claim


def test_both_get_it(repo):
    ended = review(repo, GO, changed(GO, BOUNDED, ("load.go", COPY, LIMIT + COPY)), KIND)
    assert not cards(ended, RULE)


def test_the_other_has_it_already(repo):
    before = {**GO, "load.go": GO["load.go"].replace("\tbuf := pool", LIMIT + "\tbuf := pool")}
    assert silent(repo, before, RULE, BOUNDED, kind=KIND) == ["refuted"]


def test_the_lines_around_it_stand_nowhere_else(repo):
    before = {**GO, "load.go": GO["load.go"].replace("\tdefer pool.Put(buf)\n", "")}
    assert silent(repo, before, RULE, BOUNDED, kind=KIND) == ["no_candidate"]


def test_a_part_of_a_wider_change_says_nothing_alone(repo):
    named = ("admin.go", COPY, "\tlimited := http.MaxBytesReader(w, r.Body, 1<<20)\n" + COPY)
    used = ("admin.go", "apply(buf.Bytes())", "apply(buf.Bytes(), limited)")
    assert silent(repo, GO, RULE, named, used, kind=KIND) == []


def test_lines_in_a_test_say_nothing(repo):
    before = {**GO, "load_test.go": GO["load.go"], "load.go": "package intake\n"}
    assert silent(repo, before, RULE, BOUNDED, kind=KIND) == ["no_candidate"]


PY = {
    "shop/__init__.py": "",
    "shop/orders.py": '''"""Orders and returns."""


def place_order(session, request):
    account = session.account(request.user)
    total = sum(line.price for line in request.lines)
    entry = session.ledger.open(account, total)
    return entry.number


def take_back(session, request):
    account = session.account(request.user)
    total = sum(line.price for line in request.lines)
    entry = session.ledger.open(account, total)
    return entry.refund()
''',
}
FIRST = "    entry = session.ledger.open(account, total)\n    return entry.number"
CHECKED = "    account.refuse_if_blocked(request)\n"


def test_one_of_two_functions_of_a_file(repo):
    card = one_card(repo, PY, RULE, ("shop/orders.py", FIRST, CHECKED + FIRST), kind=KIND)
    assert "`take_back`" in card.claim
    assert "`account.refuse_if_blocked(request)`" in card.claim


def test_one_of_two_functions_in_typescript(repo):
    body = """  const account = session.account(request.user);
  const total = sumOf(request.lines, "price");
  const entry = session.ledger.open(account, total);
"""
    first = f"export function place(session: Session, request: Req) {{\n{body}  return entry.number;\n}}\n"
    second = f"export function back(session: Session, request: Req) {{\n{body}  return entry.refund();\n}}\n"
    before = {"shop/place.ts": first, "shop/back.ts": second, "package.json": "{}\n"}
    line = "  const entry = session.ledger.open(account, total);\n"
    card = one_card(
        repo, before, RULE, ("shop/place.ts", line, "  account.refuseIfBlocked(request);\n" + line), kind=KIND
    )
    assert "`back`" in card.claim


def test_a_name_that_the_other_function_does_not_know(repo):
    before = {
        "shop/__init__.py": "",
        "shop/orders.py": PY["shop/orders.py"].replace("def place_order(session,", "def place_order(limit, session,"),
    }
    edit = ("shop/orders.py", FIRST, "    account.refuse_above(limit)\n" + FIRST)
    assert silent(repo, before, RULE, edit, kind=KIND) == ["refuted"]


def test_lines_beside_which_others_changed(repo):
    user = (
        "shop/orders.py",
        "request):\n    account = session.account(request.user)\n",
        "request):\n    account = session.account(request.buyer)\n",
    )
    once = {
        **PY,
        "shop/orders.py": PY["shop/orders.py"].replace(
            "def take_back(session, request):\n", "def take_back(session, request):\n    # Back.\n"
        ),
    }
    assert silent(repo, once, RULE, user, ("shop/orders.py", FIRST, CHECKED + FIRST), kind=KIND) == []


@pytest.mark.parametrize(
    "remark",
    [
        "# A return is open to all, so we ask here.",
        "# Only a buyer can be blocked.",
        "# This is only needed for orders.",
        "# We ask it only once.",
        "# Otherwise the entry stays open.",
    ],
)
def test_a_remark_that_gives_a_reason_of_the_place(repo, remark):
    edit = ("shop/orders.py", FIRST, f"    {remark}\n{CHECKED}{FIRST}")
    assert silent(repo, PY, RULE, edit, kind=KIND) == ["insufficient_evidence"]


@pytest.mark.parametrize("remark", ["# The account may be blocked.", "# The shop only takes who is not blocked."])
def test_a_remark_that_gives_none(repo, remark):
    edit = ("shop/orders.py", FIRST, f"    {remark}\n{CHECKED}{FIRST}")
    assert "`take_back`" in one_card(repo, PY, RULE, edit, kind=KIND).claim


def test_functions_that_do_other_things_beside(repo):
    more = "".join(f"    session.note({n}, request.lines[{n}].price)\n" for n in range(5))
    source = PY["shop/orders.py"].replace("    return entry.refund()", more + "    return entry.refund()")
    ended = silent(repo, {**PY, "shop/orders.py": source}, RULE, ("shop/orders.py", FIRST, CHECKED + FIRST), kind=KIND)
    assert ended == ["refuted"]


def taken(receiver, fields=""):
    return f"""package web

type {receiver} struct {{
	inner http.ResponseWriter
{fields}}}

// Hijack takes the connection over.
func (r *{receiver}) Hijack() (net.Conn, *bufio.ReadWriter, error) {{
	hijacker, ok := r.inner.(http.Hijacker)
	if !ok {{
		return nil, nil, fmt.Errorf("%T is no http.Hijacker", r.inner)
	}}
	return hijacker.Hijack()
}}

func (r *{receiver}) Flush() {{
	r.inner.(http.Flusher).Flush()
}}
"""


TAKEN = ("web/retry.go", "\treturn hijacker.Hijack()", "\tr.taken = true\n\treturn hijacker.Hijack()")


def test_a_field_that_the_other_type_has_not(repo):
    before = {"web/retry.go": taken("retrier", "\ttaken bool\n"), "web/plain.go": taken("plain")}
    assert silent(repo, before, RULE, TAKEN, kind=KIND) == ["refuted"]


def test_a_field_that_the_other_type_has_too(repo):
    before = {"web/retry.go": taken("retrier", "\ttaken bool\n"), "web/plain.go": taken("plain", "\ttaken bool\n")}
    assert "`web/plain.go` line 10" in one_card(repo, before, RULE, TAKEN, kind=KIND).claim


def java(name, own=""):
    return f"""package shop;

class {name} {{
{own}
    Entry open(Session session, Request request) {{
        Account account = session.account(request.user());
        int total = session.sumOf(request.lines(), PRICE);
        Entry entry = session.ledger().open(account, total);
        return entry;
    }}
}}
"""


def test_a_method_that_the_other_class_has_not(repo):
    own = "    private void refuse(Account account) {{\n        throw new Refused();\n    }}\n"
    before = {"shop/Sale.java": java("Sale", own), "shop/Back.java": java("Back")}
    line = "        Entry entry = session"
    edit = ("shop/Sale.java", line, "        refuse(account);\n" + line)
    assert silent(repo, before, RULE, edit, kind=KIND) == ["refuted"]


def test_a_helper_of_the_file_alone(repo):
    body = """  const account = session.account(request.user);
  const total = sumOf(request.lines, "price");
  const entry = session.ledger.open(account, total);
  return entry;
}
"""
    helper = "function refuse(account: Account) {\n  throw new Error(account.name);\n}\n\n"
    first, second = (f"export function {name}(session: Session, request: Req) {{\n{body}" for name in ("sale", "back"))
    before = {"shop/sale.ts": helper + first, "shop/back.ts": second, "package.json": "{}\n"}
    line = "  const entry = session.ledger.open(account, total);\n"
    assert silent(repo, before, RULE, ("shop/sale.ts", line, "  refuse(account);\n" + line), kind=KIND) == ["refuted"]

"""Rules of incomplete_change over real repositories: source before and after, to a card that passes the contract."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.INCOMPLETE_CHANGE)
silent = partial(silence_of, kind=ChangeKind.INCOMPLETE_CHANGE)
PAD = "\n".join(f"# {n}" for n in range(8))
PADDED = "\n".join(f"// {n}" for n in range(8))
GO_MOD = "module example.com/shop\n\ngo 1.22\n"


ORDERS = {
    "shop/__init__.py": "",
    "shop/orders.py": f"""def finish(order):
    order.status = "done"
    order.save()


{PAD}
def retry(order):
    if order.status == "done":
        return
    order.run()
""",
    "shop/report.py": """def finished(orders):
    return [one for one in orders if one.status == "done"]
""",
}
DONE = ("shop/orders.py", '"done"', '"complete"')
IMPORTER = {"shop/importer.py": 'def load(order):\n    order.status = "done"\n'}
UNLIKE = {"shop/report.py": 'def say(log):\n    log("done")\n'}


class TestReplacement:
    RULE = "replacement_left_behind"

    def test_a_reader_of_a_value_that_is_written_no_more(self, repo):
        card = one_card(repo, ORDERS, self.RULE, DONE)
        assert "`shop/report.py` line 2" in card.claim
        assert (card.effect.subject, card.effect.to) == ('"done"', '"complete"')

    @pytest.mark.parametrize(
        ("before", "edits", "code"),
        [
            (ORDERS, (DONE, ("shop/report.py", '"done"', '"complete"')), "no_candidate"),
            (ORDERS | IMPORTER, (DONE,), "insufficient_evidence"),
            (ORDERS | UNLIKE, (DONE,), "insufficient_evidence"),
        ],
        ids=["all changed", "another writer", "another use of the word"],
    )
    def test_look_alikes(self, repo, before, edits, code):
        assert silent(repo, before, self.RULE, *edits) == [code]

    def test_a_key_of_the_session(self, repo):
        login = f"""from flask import session


def login(user):
    session["uid"] = user.id


{PAD}
def me():
    return session["uid"]


{PAD}
def logout():
    session.pop("uid", None)
"""
        before = {"web/app.py": login}
        card = one_card(repo, before, self.RULE, ("web/app.py", 'session["uid"]', 'session["account"]'))
        assert "`uid`" in card.claim or '"uid"' in card.claim

    def test_a_scheme_of_keys_in_another_file(self, repo):
        before = {
            "package.json": "{}\n",
            "src/cache.js": """const redis = require("./redis");

async function load(id) {
  return redis.get(`user:${id}`);
}

async function save(id, value) {
  await redis.set(`user:${id}`, value);
}

module.exports = { load, save };
""",
            "src/admin.js": """const redis = require("./redis");

async function evict(user) {
  await redis.del(`user:${user.id}`);
}

module.exports = { evict };
""",
        }
        card = one_card(repo, before, self.RULE, ("src/cache.js", "user:${id}", "user:v2:${id}"))
        assert "`src/admin.js` line 4" in card.claim

    def test_a_suffix_in_the_same_call(self, repo):
        store = f"""import os


class Store:
    def write(self, name, data):
        with open(os.path.join(self.root, name + ".json"), "w") as file:
            file.write(data)

    def read(self, name):
        with open(os.path.join(self.root, name + ".json")) as file:
            return file.read()

{PAD}
    def remove(self, name):
        os.remove(os.path.join(self.root, name + ".json"))
"""
        edit = (
            "store.py",
            'with open(os.path.join(self.root, name + ".json")',
            'with open(os.path.join(self.root, name + ".db")',
        )
        card = one_card(repo, {"store.py": store}, self.RULE, edit)
        assert "`store.py` line 22" in card.claim

    def test_a_status_in_java(self, repo):
        home = "src/main/java/shop/"
        before = {
            home + "Orders.java": "package shop;\n\npublic class Orders {\n    public void finish(Order order) {\n"
            '        order.setStatus("done");\n    }\n}\n',
            home + "Report.java": "package shop;\n\npublic class Report {\n    public boolean finished(Order order) {\n"
            '        return order.getStatus().equals("done");\n    }\n}\n',
        }
        card = one_card(repo, before, self.RULE, (home + "Orders.java", '"done"', '"complete"'))
        assert f"`{home}Report.java` line 5" in card.claim


REGISTRY = {
    "shop/registry.py": f"""class Registry:
    def __init__(self):
        self._items = {{}}

    def put(self, name, value):
        self._items[name] = value

    def get(self, name):
        return self._items.get(name)

{PAD}
    def drop(self, name):
        self._items.pop(name, None)

    def clear(self):
        for name in list(self._items):
            self._items.pop(name)
"""
}
PUT = ("shop/registry.py", "self._items[name] =", "self._items[name.lower()] =")
GET = ("shop/registry.py", "_items.get(name)", "_items.get(name.lower())")
DROP = ("shop/registry.py", "self._items.pop(name, None)", "self._items.pop(name.lower(), None)")


class TestStep:
    RULE = "step_left_out"

    def test_one_user_of_the_store_takes_the_key_as_it_comes(self, repo):
        card = one_card(repo, REGISTRY, self.RULE, PUT, GET)
        assert "`Registry.drop`" in card.claim

    def test_all_users_take_the_step(self, repo):
        assert silent(repo, REGISTRY, self.RULE, PUT, GET, DROP) == ["refuted"]

    def test_go(self, repo):
        before = {
            "go.mod": GO_MOD,
            "store.go": f"""package shop

import "strings"

type Store struct{{ items map[string]int }}

func (s *Store) Put(name string, v int) {{
	s.items[name] = v
}}

func (s *Store) Get(name string) int {{
	return s.items[name]
}}

{PADDED}
func (s *Store) Has(name string) bool {{
	_, ok := s.items[name]
	return ok
}}

func norm(s string) string {{ return strings.ToLower(s) }}
""",
        }
        edits = (
            ("store.go", "s.items[name] = v", "s.items[norm(name)] = v"),
            ("store.go", "return s.items[name]", "return s.items[norm(name)]"),
        )
        assert "`Store.Has`" in one_card(repo, before, self.RULE, *edits).claim


CODEC = {
    "shop/codec.py": f"""import base64
import zlib


def encode(value):
    return base64.b64encode(value)


{PAD}
def decode(raw):
    return base64.b64decode(raw)
"""
}


class TestPair:
    RULE = "one_of_pair_changed"

    def test_the_counterpart_goes_by_the_old_helper(self, repo):
        card = one_card(repo, CODEC, self.RULE, ("shop/codec.py", "base64.b64encode", "base64.urlsafe_b64encode"))
        assert "`decode`" in card.claim
        assert "`b64decode`" in card.claim

    def test_a_new_step_that_nothing_undoes(self, repo):
        edit = ("shop/codec.py", "base64.b64encode(value)", "base64.b64encode(zlib.compress(value))")
        assert "`compress`" in one_card(repo, CODEC, self.RULE, edit).claim

    def test_both_changed(self, repo):
        edits = (
            ("shop/codec.py", "base64.b64encode", "base64.urlsafe_b64encode"),
            ("shop/codec.py", "base64.b64decode", "base64.urlsafe_b64decode"),
        )
        assert silent(repo, CODEC, self.RULE, *edits) == []

    def test_a_step_in_the_place_of_one_that_nothing_undid(self, repo):
        before = {"shop/codec.py": CODEC["shop/codec.py"].replace("base64.b64decode(raw)", "of_hex(raw[0])")}
        edit = ("shop/codec.py", "of_hex(raw[0])", "parse_hex(raw[1], strict=True)")
        assert silent(repo, before, self.RULE, edit) == ["refuted"]

    def test_a_step_in_the_place_of_one_that_the_counterpart_undoes(self, repo):
        before = {"shop/codec.py": PACKED}
        edit = ("shop/codec.py", "return pack(value)", "return zlib.compress(value, level=9)")
        assert "`compress`" in one_card(repo, before, self.RULE, edit).claim

    def test_one_step_at_two_places_of_a_function_is_one_card(self, repo):
        edit = (
            "shop/codec.py",
            "base64.b64encode(value)",
            "twice(\n        zlib.compress(value),\n    zlib.compress(b''))",
        )
        assert "`compress`" in one_card(repo, CODEC, self.RULE, edit).claim

    def test_a_reader_that_takes_more_than_is_written(self, repo):
        tolerant = "if raw[:2] == ZIPPED:\n        raw = zlib.decompress(raw)\n    return base64.b64decode(raw)"
        assert silent(repo, CODEC, self.RULE, ("shop/codec.py", "return base64.b64decode(raw)", tolerant)) == []

    def test_a_writer_that_reads_something_aside(self, repo):
        edit = ("shop/codec.py", "base64.b64encode(value)", "base64.b64encode(value + json.loads(SALT))")
        assert silent(repo, CODEC, self.RULE, edit) == []


PACKED = f"""import zlib
from shop.packing import pack, unpack


def encode(value):
    return pack(value)


{PAD}
def decode(raw):
    return unpack(raw)
"""
KINDS = {
    "shop/__init__.py": "",
    "shop/kinds.py": 'import enum\n\n\nclass Kind(enum.Enum):\n    CARD = "card"\n    CASH = "cash"\n',
    "shop/label.py": """from shop.kinds import Kind


def label(kind):
    if kind is Kind.CARD:
        return "Card"
    if kind is Kind.CASH:
        return "Cash"
    return ""
""",
    "shop/fee.py": """from shop.kinds import Kind


def fee(kind):
    if kind is Kind.CARD:
        return 3
    if kind is Kind.CASH:
        return 0
    raise ValueError(kind)
""",
}
BANK = ("shop/kinds.py", '    CASH = "cash"\n', '    CASH = "cash"\n    BANK = "bank"\n')
LABEL = (
    "shop/label.py",
    '        return "Cash"\n',
    '        return "Cash"\n    if kind is Kind.BANK:\n        return "Bank"\n',
)
FEE = ("shop/fee.py", "        return 0\n", "        return 0\n    if kind is Kind.BANK:\n        return 1\n")


class TestMember:
    RULE = "new_member_unhandled"

    def test_one_place_fails_on_the_new_member(self, repo):
        card = one_card(repo, KINDS, self.RULE, BANK, LABEL)
        assert "`shop/fee.py` line 5" in card.claim
        assert "`ValueError`" in card.claim

    def test_every_place_names_it(self, repo):
        assert silent(repo, KINDS, self.RULE, BANK, LABEL, FEE) == ["refuted"]

    def test_a_place_that_takes_any_other_as_harmless(self, repo):
        assert silent(repo, KINDS, self.RULE, BANK, FEE) == ["insufficient_evidence"]

    def test_only_a_place_in_the_change_itself_tells_the_members_apart(self, repo):
        label = ("shop/label.py", '        return "Cash"\n', '        return "In cash"\n')
        alone = {path: text for path, text in KINDS.items() if path != "shop/fee.py"}
        assert silent(repo, alone, self.RULE, BANK, label) == ["no_candidate"]


MAIL = {
    "shop/__init__.py": "",
    "shop/service.py": f"""from shop.mail import send_mail


class Service:
    def __init__(self):
        self._loaded = False
        self.rows = []

    def all(self):
        if not self._loaded:
            self._load()
        return self.rows

{PAD}
    def _load(self):
        self.rows = [1]
        self._loaded = True


{PAD}
def signup(user):
    if user.wants_mail:
        send_mail(user)
    return user


def close(user):
    user.closed = True
    send_mail(user)
    return user
""",
    "shop/mail.py": "def send_mail(user):\n    print(user)\n",
    "shop/remind.py": "from shop.mail import send_mail\n\n\ndef remind(user):\n    if user.wants_mail:\n"
    "        send_mail(user)\n",
}


class TestDead:
    def test_a_block_that_alone_would_make_its_test_hold(self, repo):
        edit = ("shop/service.py", "if not self._loaded", "if self._loaded")
        assert "makes the block behind it dead" in one_card(repo, MAIL, "condition_inverted", edit).claim

    def test_the_same_act_stands_elsewhere_behind_the_old_test(self, repo):
        edit = ("shop/service.py", "if user.wants_mail", "if not user.wants_mail")
        assert "`shop/remind.py` line 6" in one_card(repo, MAIL, "condition_inverted", edit).claim

    def test_both_places_turned(self, repo):
        edits = (
            ("shop/service.py", "if user.wants_mail", "if not user.wants_mail"),
            ("shop/remind.py", "if user.wants_mail", "if not user.wants_mail"),
        )
        assert set(silent(repo, MAIL, "condition_inverted", *edits)) == {"refuted"}

    def test_statements_behind_a_plain_return(self, repo):
        edit = ("shop/service.py", "    user.closed = True\n", "    user.closed = True\n    return user\n")
        assert "`shop/mail.py` line 1" in one_card(repo, MAIL, "block_made_dead", edit).claim

    def test_a_return_under_a_condition(self, repo):
        early = "    user.closed = True\n    if user.test:\n        return user\n"
        assert silent(repo, MAIL, "block_made_dead", ("shop/service.py", "    user.closed = True\n", early)) == []

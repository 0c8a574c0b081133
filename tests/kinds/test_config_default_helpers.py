"""Defaults in a helper, a table and a normaliser, over real repositories."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.CONFIG_DEFAULT)
silent = partial(silence_of, kind=ChangeKind.CONFIG_DEFAULT)
PAD = "\n".join(f"# {n}" for n in range(8))
PADDED = "\n".join(f"// {n}" for n in range(8))
SHOP = {
    "shop/__init__.py": "",
    "shop/env.py": f"""import os


def flag(name):
    return os.environ.get(name, "0") == "1"


DEFAULTS = {{
    "retry_limit": 3,
    "page_size": 20,
}}


{PAD}
def connect(host, timeout=None):
    if timeout is None:
        timeout = 30
    return open_it(host, timeout)


{PAD}
def open_it(host, timeout):
    return host, timeout
""",
    "shop/use.py": """from shop.env import DEFAULTS, connect, flag

AUDIT = flag("AUDIT_ENABLED")


def limit(options):
    merged = {**DEFAULTS, **options}
    return merged["retry_limit"]


def run():
    return connect("h")
""",
}


class TestHelper:
    RULE = "helper_fallback_changed"

    def test_a_setting_that_is_read_through_it(self, repo):
        assert "`AUDIT_ENABLED`" in one_card(repo, SHOP, self.RULE, ("shop/env.py", 'name, "0"', 'name, "1"')).claim

    def test_nobody_relies_on_it(self, repo):
        edits = (("shop/env.py", 'name, "0"', 'name, "1"'), ("shop/use.py", 'flag("AUDIT_ENABLED")', "True"))
        assert silent(repo, SHOP, self.RULE, *edits) == ["no_candidate"]

    def test_java(self, repo):
        home = "src/main/java/shop/"
        before = {
            home + "Conf.java": "package shop;\n\npublic class Conf {\n    static String flag(String name) {\n"
            '        return System.getProperty(name, "0");\n    }\n}\n',
            home
            + "Use.java": 'package shop;\n\npublic class Use {\n    static final String AUDIT = Conf.flag("audit.on");'
            "\n}\n",
        }
        card = one_card(repo, before, self.RULE, (home + "Conf.java", '(name, "0")', '(name, "1")'))
        assert "`audit.on`" in card.claim


class TestTable:
    RULE = "defaults_key_renamed"
    EDIT = ("shop/env.py", '"retry_limit": 3', '"max_retries": 3')

    def test_a_reader_of_the_old_key(self, repo):
        assert "`shop/use.py` line 8" in one_card(repo, SHOP, self.RULE, self.EDIT).claim

    def test_the_reader_changed_along(self, repo):
        edits = (self.EDIT, ("shop/use.py", "retry_limit", "max_retries"))
        assert silent(repo, SHOP, self.RULE, *edits) == ["no_candidate"]


class TestFilledIn:
    RULE = "default_no_longer_filled_in"
    EDIT = ("shop/env.py", "    if timeout is None:\n        timeout = 30\n", "")

    def test_a_caller_that_left_it_out(self, repo):
        assert "`shop/use.py` line 12" in one_card(repo, SHOP, self.RULE, self.EDIT).claim

    def test_every_caller_gives_it(self, repo):
        edits = (self.EDIT, ("shop/use.py", 'connect("h")', 'connect("h", 5)'))
        assert silent(repo, SHOP, self.RULE, *edits) == ["insufficient_evidence"]

    def test_go_a_literal_without_the_field(self, repo):
        before = {
            "go.mod": "module example.com/shop\n\ngo 1.22\n",
            "client.go": f"""package shop

type Options struct {{
	Addr    string
	Timeout int
}}

{PADDED}
func New(o Options) int {{
	if o.Timeout == 0 {{
		o.Timeout = 30
	}}
	return o.Timeout
}}
""",
            "run.go": 'package shop\n\nfunc run() int {\n\treturn New(Options{Addr: "x"})\n}\n',
        }
        edit = ("client.go", "	if o.Timeout == 0 {\n		o.Timeout = 30\n	}\n", "")
        assert "`run.go` line 4" in one_card(repo, before, self.RULE, edit).claim


PRESETS = {
    "src/main/java/desk/Presets.java": """package desk;

import java.util.Map;

public final class Presets {
    private static final Map<String, String> BUILT_IN = Map.of(
            "desk.zone", "UTC",
            "mail.page-size", "20",
            "mail.retries", "3");

    private final Map<String, String> values = BUILT_IN;

    private int number(String name) {
        return Integer.parseInt(values.get(name));
    }

    public int retries() {
        return number("mail.retries");
    }

    public int pageSize() {
        return number("mail.page-size");
    }
}
""",
}


class TestPresetAskedByName:
    RULE = "defaults_key_renamed"
    RENAMED = ("src/main/java/desk/Presets.java", '"mail.page-size", "20"', '"mail.batch", "20"')

    def test_a_reader_that_asks_a_helper_for_the_old_name(self, repo):
        card = one_card(repo, PRESETS, self.RULE, self.RENAMED)
        assert "`src/main/java/desk/Presets.java` line 22: it still reads it" in card.claim

    def test_a_place_that_sets_the_old_name(self, repo):
        sets = {"src/main/java/desk/Local.java": 'class Local { String key = "mail.page-size"; }\n'}
        assert silent(repo, PRESETS | sets, self.RULE, self.RENAMED) == ["no_candidate"]

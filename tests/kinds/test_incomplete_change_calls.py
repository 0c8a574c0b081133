"""Rules about calls, methods, cases and stores left behind, over real repositories."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.INCOMPLETE_CHANGE)
silent = partial(silence_of, kind=ChangeKind.INCOMPLETE_CHANGE)
PAD = "\n".join(f"# {n}" for n in range(8))

PAY = {
    "shop/__init__.py": "",
    "shop/pay.py": "def charge(account, amount):\n    return account, amount\n",
    "shop/web.py": f"""from shop.pay import charge


def order(one):
    return charge(one.account, one.amount)


{PAD}
def renew(plan):
    return charge(plan.account, plan.amount)
""",
    "shop/cron.py": "from shop.pay import charge\n\n\ndef monthly(plan):\n"
    "    return charge(plan.account, plan.amount)\n",
}
WEB = (("shop/web.py", "one.amount)", "one.amount * 100)"), ("shop/web.py", "plan.amount)", "plan.amount * 100)"))


class TestArgument:
    RULE = "argument_step_left_out"

    def test_one_call_passes_the_value_as_it_comes(self, repo):
        assert "`shop/cron.py` line 5" in one_card(repo, PAY, self.RULE, *WEB).claim

    def test_every_call_passes_the_new_value(self, repo):
        edits = (*WEB, ("shop/cron.py", "plan.amount)", "plan.amount * 100)"))
        assert silent(repo, PAY, self.RULE, *edits) == ["refuted"]

    def test_a_value_worked_on_before(self, repo):
        before = PAY | {
            "shop/cron.py": "from shop.pay import charge\n\n\ndef monthly(plan):\n    amount = plan.amount * 100\n"
            "    return charge(plan.account, amount)\n"
        }
        assert silent(repo, before, self.RULE, *WEB) == ["refuted"]


TIMER = {
    "shop/timer.py": f"""import time


class Timer:
    def start(self):
        self.started = time.time()

{PAD}
    def elapsed(self):
        return time.time() - self.started
"""
}
STARTED = ("shop/timer.py", "self.started = time.time()", "self.started = time.monotonic()")


class TestClock:
    RULE = "made_and_met_differ"

    def test_what_is_set_by_one_clock_is_met_by_another(self, repo):
        assert "`self.started`" in one_card(repo, TIMER, self.RULE, STARTED).claim

    def test_both_changed(self, repo):
        edits = (STARTED, ("shop/timer.py", "return time.time()", "return time.monotonic()"))
        assert silent(repo, TIMER, self.RULE, *edits) == ["no_candidate"]


def handler(name, number):
    named = f"    def name(self):\n        return {number}\n"
    return f"class {name}:\n    def handle(self, x):\n        return x + {number}\n\n{named}"


TYPES = {
    "shop/__init__.py": "",
    "shop/one.py": handler("One", 1),
    "shop/two.py": handler("Two", 2),
    "shop/three.py": handler("Three", 3),
    "shop/run.py": "from shop.one import One\nfrom shop.two import Two\nfrom shop.three import Three\n\n"
    "ALL = [One(), Two(), Three()]\n\n\ndef run(x):\n    return [one.handle(x) for one in ALL]\n",
}
RENAMED = tuple((f"shop/{name}.py", "handle", "process") for name in ("one", "two", "run"))


class TestMethod:
    RULE = "method_left_under_old_name"

    def test_one_type_keeps_the_old_name(self, repo):
        assert "`shop/three.py` line 2" in one_card(repo, TYPES, self.RULE, *RENAMED).claim

    def test_all_types_renamed(self, repo):
        edits = (*RENAMED, ("shop/three.py", "handle", "process"))
        assert silent(repo, TYPES, self.RULE, *edits) == ["no_candidate"]


CASES = {
    "shop/label.py": 'def label(kind):\n    if kind == "card":\n        return "Card"\n    if kind == "cash":\n'
    '        return "Cash"\n    return ""\n',
    "shop/fee.py": 'def fee(kind):\n    if kind == "card":\n        return 3\n    if kind == "cash":\n'
    "        return 0\n    raise ValueError(kind)\n",
}
BANK = (
    "shop/label.py",
    '        return "Cash"\n',
    '        return "Cash"\n    if kind == "bank":\n        return "Bank"\n',
)
FEE = ("shop/fee.py", "        return 0\n", '        return 0\n    if kind == "bank":\n        return 1\n')


class TestCase:
    RULE = "new_case_unhandled"

    def test_one_place_fails_on_the_new_text(self, repo):
        assert "`shop/fee.py` line 2" in one_card(repo, CASES, self.RULE, BANK).claim

    def test_every_place_knows_it(self, repo):
        assert silent(repo, CASES, self.RULE, BANK, FEE) == ["refuted"]

    def test_a_place_that_takes_any_other_as_harmless(self, repo):
        assert silent(repo, CASES, self.RULE, FEE) == ["insufficient_evidence"]


class TestStores:
    RULE = "replacement_left_behind"

    def test_a_value_in_the_text_of_a_statement(self, repo):
        before = {
            "shop/jobs.py": "def finish(db, key):\n"
            "    db.execute(\"UPDATE jobs SET state = 'done' WHERE id = ?\", (key,))\n",
            "shop/clean.py": "def clean(db):\n    db.execute(\"DELETE FROM jobs WHERE state = 'done'\")\n",
        }
        card = one_card(repo, before, self.RULE, ("shop/jobs.py", "'done'", "'finished'"))
        assert "`shop/clean.py` line 2" in card.claim

    def test_a_value_that_a_context_carries(self, repo):
        before = {
            "go.mod": "module example.com/shop\n\ngo 1.22\n",
            "auth.go": 'package shop\n\nimport "context"\n\nfunc with(ctx context.Context) context.Context {\n'
            '\treturn context.WithValue(ctx, "user", 1)\n}\n',
            "show.go": 'package shop\n\nimport "context"\n\nfunc show(ctx context.Context) any {\n'
            '\treturn ctx.Value("user")\n}\n',
        }
        card = one_card(repo, before, self.RULE, ("auth.go", '"user"', '"account"'))
        assert "`show.go` line 6" in card.claim

    def test_a_folder_of_a_path(self, repo):
        store = f"""from pathlib import Path


class Reports:
    def write(self, name, text):
        (self.root / "reports" / name).write_text(text)

{PAD}
    def drop(self, name):
        (self.root / "reports" / name).unlink()
"""
        edit = ("store.py", '"reports" / name).write_text', '"exports" / name).write_text')
        assert '`"reports"`' in one_card(repo, {"store.py": store}, self.RULE, edit).claim

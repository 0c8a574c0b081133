"""error_handling end to end on real commits: edits, questions, evidence, settling and the contract together."""

import pytest
from settling import commit_both, settled, source

from review_agent.syntax.parser import Parser
from review_agent.vocabulary import NoFindingCode

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def parser():
    with Parser() as one:
        yield one


@pytest.fixture
def review(repo, parser):
    """Commits two states of some files and gives, for each rule that asked, its card or its no-finding."""

    def outcomes(before, after):
        commit_both(repo, before, after)
        return dict(settled(repo.root, parser))

    return outcomes


ERRORS = """class ShopError(Exception):
    pass


class MailboxFull(ShopError):
    pass


class LedgerMismatch(ShopError):
    pass


class QuotaError(ShopError):
    pass
"""
STATEMENTS = """from shop.errors import LedgerMismatch


def send(owed, booked):
    if owed != booked:
        raise LedgerMismatch(owed)
    return owed
"""
RUN = """import logging

from shop.errors import MailboxFull
from shop.statements import send

log = logging.getLogger(__name__)


def run(pairs):
    for owed, booked in pairs:
        try:
            send(owed, booked)
        except MailboxFull:
            log.warning("not sent")
            continue
"""
PYTHON = {"shop/__init__.py": "", "shop/errors.py": ERRORS, "shop/statements.py": STATEMENTS, "shop/jobs.py": RUN}


def test_a_broadened_handler_hides_an_error_of_another_file(review):
    found = review(PYTHON, {"shop/jobs.py": RUN.replace("except MailboxFull:", "except Exception:")})
    card = found["handler_broadened_hides"]
    assert "`shop/statements.py` line 6" in card.claim
    assert card.effect.subject == "MailboxFull"


def test_a_bare_handler_hides_it_too(review):
    card = review(PYTHON, {"shop/jobs.py": RUN.replace("except MailboxFull:", "except:")})["handler_broadened_hides"]
    assert "`BaseException`" in card.claim


@pytest.mark.parametrize(
    ("was", "now", "code"),
    [
        (
            '            log.warning("not sent")\n            continue',
            "            log.info('x')\n            raise",
            "refuted",
        ),
        ("except MailboxFull:", "except (MailboxFull, LedgerMismatch):", "no_candidate"),
    ],
)
def test_broadened_handlers_that_hide_nothing(review, was, now, code):
    after = RUN.replace("except MailboxFull:", "except Exception:") if "raise" in now else RUN
    settled = review(PYTHON, {"shop/jobs.py": after.replace(was, now)})["handler_broadened_hides"]
    assert settled.code is NoFindingCode(code)


def test_a_kind_of_what_was_caught_before_is_no_candidate(review):
    errors = ERRORS.replace("class LedgerMismatch(ShopError)", "class LedgerMismatch(MailboxFull)")
    files = {**PYTHON, "shop/errors.py": errors}
    settled = review(files, {"shop/jobs.py": RUN.replace("except MailboxFull:", "except Exception:")})
    assert settled["handler_broadened_hides"].code is NoFindingCode.NO_CANDIDATE


STORE = """from shop.errors import QuotaError


def push(item):
    raise QuotaError(item)


def save(item):
    try:
        push(item)
    except QuotaError:
        raise
"""
API = """from shop.errors import QuotaError
from shop.store import save


def handle(item):
    try:
        save(item)
    except QuotaError:
        return 429
    return 200
"""


def test_a_swallowed_error_that_a_caller_deals_with(review):
    before = {**PYTHON, "shop/store.py": STORE, "shop/api.py": API}
    after = STORE.replace("    except QuotaError:\n        raise", "    except QuotaError:\n        pass")
    card = review(before, {"shop/store.py": after})["handler_swallows"]
    assert "`shop/api.py` line 7" in card.claim
    assert "`handle`" in card.claim


def test_a_new_handler_of_everything_under_a_caller_that_deals_with_one_error(review):
    plain = STORE.replace("    try:\n        push(item)\n    except QuotaError:\n        raise\n", "    push(item)\n")
    after = plain.replace("    push(item)\n", "    try:\n        push(item)\n    except Exception:\n        pass\n")
    card = review({**PYTHON, "shop/store.py": plain, "shop/api.py": API}, {"shop/store.py": after})["handler_swallows"]
    assert "`QuotaError` of `shop/store.py` line 5" in card.claim
    assert "`shop/api.py` line 7" in card.claim


def test_a_swallowed_error_that_no_caller_deals_with(review):
    before = {**PYTHON, "shop/store.py": STORE, "shop/api.py": API.replace("QuotaError:", "KeyError:")}
    after = STORE.replace("    except QuotaError:\n        raise", "    except QuotaError:\n        pass")
    assert review(before, {"shop/store.py": after})["handler_swallows"].code is NoFindingCode.INSUFFICIENT_EVIDENCE


def test_a_removed_handler_of_an_error_that_nobody_catches(review):
    lookup = source("""
        from shop.statements import send
        from shop.errors import LedgerMismatch


        def total(owed):
    """)
    guarded = lookup + "    try:\n        return send(owed, 1)\n    except LedgerMismatch:\n        return 0\n"
    page = "from shop.total import total\n\n\ndef page(owed):\n    return str(total(owed))\n"
    before = {**PYTHON, "shop/total.py": guarded, "shop/page.py": page}
    card = review(before, {"shop/total.py": lookup + "    return send(owed, 1)\n"})["handler_removed_uncaught"]
    assert "`shop/page.py` line 5" in card.claim
    assert "`shop/statements.py` line 6" in card.claim


def test_a_raised_type_that_its_caller_does_not_catch(review):
    raising = source("""
        from shop.errors import MailboxFull, QuotaError


        def push(item):
            if item:
                raise MailboxFull(item)
            return 1
    """)
    caller = source("""
        from shop.errors import MailboxFull
        from shop.push import push


        def drain(items):
            try:
                push(items)
            except MailboxFull:
                return False
            return True
    """)
    before = {**PYTHON, "shop/push.py": raising, "shop/drain.py": caller}
    card = review(before, {"shop/push.py": raising.replace("raise MailboxFull", "raise QuotaError")})
    assert "`shop/drain.py` line 7" in card["raise_type_changed_uncaught"].claim


def test_a_raised_kind_of_the_old_type_is_refuted(review):
    raising = source("""
        from shop.errors import ShopError, QuotaError


        def push(item):
            if item:
                raise ShopError(item)
            return 1
    """)
    caller = source("""
        from shop.errors import ShopError
        from shop.push import push


        def drain(items):
            try:
                push(items)
            except ShopError:
                return False
            return True
    """)
    before = {**PYTHON, "shop/push.py": raising, "shop/drain.py": caller}
    found = review(before, {"shop/push.py": raising.replace("raise ShopError", "raise QuotaError")})
    assert found["raise_type_changed_uncaught"].code is NoFindingCode.REFUTED


def test_a_function_that_now_returns_none_to_a_caller_that_uses_it(review):
    find = source("""
        ROWS = {}


        def find(key):
            if key not in ROWS:
                raise KeyError(key)
            return ROWS[key]
    """)
    use = source("""
        from shop.find import find


        def mail(key):
            row = find(key)
            print(key)
            return row.email
    """)
    before = {"shop/__init__.py": "", "shop/find.py": find, "shop/mail.py": use}
    card = review(before, {"shop/find.py": find.replace("raise KeyError(key)", "return None")})
    assert "`shop/mail.py` line 7" in card["missing_value_dereferenced"].claim


def test_a_guard_whose_caller_passes_none(review):
    total = source("""
        def total(order, rate):
            if order is None:
                return 0
            net = rate
            return net * order.price
    """)
    filler = "".join(f"\n\ndef other_{n}():\n    return {n}\n" for n in range(3))
    caller = "from shop.total import total\n\n\ndef empty():\n    return total(None, 1)\n"
    before = {"shop/__init__.py": "", "shop/total.py": total + filler, "shop/empty.py": caller}
    after = total.replace("    if order is None:\n        return 0\n", "") + filler
    card = review(before, {"shop/total.py": after})["guard_removed_dereferenced"]
    assert "`shop/empty.py` line 5 passes none for `order`" in card.claim


def test_a_retry_that_lost_its_bound(review):
    remote = source("""
        def push(item):
            if not item:
                raise TimeoutError(item)
            return item
    """)
    sync = source("""
        from shop.remote import push


        def sync(item):
            for _ in range(5):
                try:
                    return push(item)
                except TimeoutError:
                    continue
            return None
    """)
    before = {"shop/__init__.py": "", "shop/remote.py": remote, "shop/sync.py": sync}
    after = sync.replace("for _ in range(5):", "while True:").replace("    return None\n", "")
    card = review(before, {"shop/sync.py": after})["retry_unbounded"]
    assert "`shop/remote.py` line 3 fails with `TimeoutError`" in card.claim

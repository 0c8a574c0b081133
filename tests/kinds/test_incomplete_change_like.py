"""A like place in another type: what its type has is known by a whole search alone, and by the lines that are alike."""

import pytest
from changing import changed
from reviewing import cards, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

RULE = "like_place_without_it"
NAMES = ("audit", "clock", "actor", "region", "tenant", "channel")
STEPS = """        customer = self.customers.lookup(order.customer_id)
        invoice = self.factory.invoice_for(customer, order)
        invoice.lines.extend(self.pricing.lines_of(order))
        invoice.total = self.pricing.total_of(invoice.lines)
        self.ledger.append_invoice(invoice, stamp)
"""
LAST = "        self.ledger.append_invoice(invoice, stamp)\n"


def home(kind, name, members, between=""):
    made = "".join(f"        self.{one} = {one}\n" for one in members) or "        pass\n"
    steps = STEPS.replace(LAST, between + LAST)
    begins = f"class {kind}:\n    def __init__(self, {', '.join(members)}):\n{made}\n"
    return f"{begins}    def {name}(self, order, stamp):\n{steps}"


def ended(repo, line, theirs=NAMES, more=None, between=""):
    before = {
        "app/__init__.py": "",
        "app/billing.py": home("Billing", "bill_order", NAMES, between),
        "app/renewal.py": home("Renewal", "bill_renewal", theirs, between),
        **(more or {}),
    }
    anchor = "        invoice.total"
    edit = ("app/billing.py", anchor, f"        {line}\n{anchor}")
    return [
        one for one in review(repo, before, changed(before, edit), ChangeKind.INCOMPLETE_CHANGE) if one.rule == RULE
    ]


ONE = "self.audit.record_created(invoice)"
MANY = {
    f"app/a{n:03}.py": "".join(
        f"class K{k}:\n    def go(self):\n        self.audit.note('{n} {k} with some more words to fill the line')\n"
        for k in range(6)
    )
    for n in range(40)
}


def test_a_type_that_has_it_too(repo):
    (card,) = cards(ended(repo, ONE), RULE)
    assert "`bill_renewal`" in card.claim


def test_a_type_that_is_known_not_to_have_it(repo):
    assert [one.code for one in ended(repo, ONE, theirs=NAMES[1:])] == ["refuted"]


def test_a_type_that_may_have_it_where_the_search_was_cut(repo):
    assert [one.code for one in ended(repo, ONE, more=MANY)] == ["budget_exhausted"]


def test_what_the_like_function_itself_uses_is_known_there(repo):
    used = "        self.audit.begin(order)\n"
    assert len(cards(ended(repo, ONE, more=MANY, between=used), RULE)) == 1


THREE = "self.audit.record(invoice, self.clock, self.actor)"
SIX = "self.audit.record(invoice, self.clock, self.actor, self.region, self.tenant, self.channel)"


def test_the_function_that_has_the_lines_is_read_before_those_that_have_the_names(repo):
    (card,) = cards(ended(repo, THREE), RULE)
    assert "`bill_renewal`" in card.claim


def test_a_name_that_was_not_looked_for_is_not_absent(repo):
    (one,) = ended(repo, SIX)
    assert one.code == "insufficient_evidence"
    assert "`tenant`" in one.detail or "`channel`" in one.detail


def test_of_many_names_one_that_is_known_to_be_absent(repo):
    assert [one.code for one in ended(repo, SIX, theirs=NAMES[1:])] == ["refuted"]

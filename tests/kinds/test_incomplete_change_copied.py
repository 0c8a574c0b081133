"""Code that came and stands word for word in another place already."""

import pytest
from changing import changed
from reviewing import cards, codes, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

RULE = "block_copied"
KIND = ChangeKind.INCOMPLETE_CHANGE

BODY = {
    "py": """    lines = [one for one in order.lines if not one.cancelled]
    total = sum(one.price * one.count for one in lines)
    rebate = rebate_of(order.customer, total, order.placed)
    shipping = shipping_for(order.address, weight_of(lines))
    record = {"total": total, "rebate": rebate, "shipping": shipping}
    return record
""",
    "ts": """  const lines = order.lines.filter((one) => !one.cancelled);
  const total = lines.reduce((sum, one) => sum + one.price * one.count, 0);
  const rebate = rebateOf(order.customer, total, order.placed);
  const shipping = shippingFor(order.address, weightOf(lines));
  return { total, rebate, shipping, placed: order.placed };
}
""",
    "go": """	lines := order.Lines.Without(func(one Line) bool { return one.Cancelled })
	total := lines.Sum(func(one Line) int { return one.Price * one.Count })
	rebate := rebateOf(order.Customer, total, order.Placed)
	shipping := shippingFor(order.Address, weightOf(lines))
	return Record{Total: total, Rebate: rebate, Shipping: shipping}
}
""",
}
HEADS = {"py": "def {}(order):\n", "ts": "export function {}(order) {{\n", "go": "func {}(order Order) Record {{\n"}
TOPS = {"py": '"""Orders."""\n\n', "ts": "// Orders.\n\n", "go": "package shop\n\n"}


def source(language, name, body=None):
    return TOPS[language] + HEADS[language].format(name) + (BODY[language] if body is None else body)


def came(repo, language, path, before=None, text=None):
    before = before or {f"shop/invoice.{language}": source(language, "invoice_of")}
    return review(repo, before, {path: text or source(language, "receipt_of")}, KIND)


@pytest.mark.parametrize("language", BODY)
def test_a_body_that_stands_elsewhere(repo, language):
    (card,) = cards(came(repo, language, f"shop/receipt.{language}"), RULE)
    assert f"`shop/invoice.{language}` line 4 to line 8" in card.claim
    assert "has 5 of the added lines word for word" in card.claim
    assert card.severity == "suggestion"


def test_a_copy_in_the_same_file(repo):
    before = {"shop/a.py": source("py", "invoice_of") + "\n\nX = 1\nY = 2\nZ = 3\n\nV = 4\n"}
    after = changed(before, ("shop/a.py", "V = 4\n", "V = 4\n\n\ndef receipt_of(order):\n" + BODY["py"]))
    (card,) = cards(review(repo, before, after, KIND), RULE)
    assert "`shop/a.py` line 4 to line 8" in card.claim


def test_one_line_that_differs_is_said_by_the_count(repo):
    other = BODY["py"].replace("    return record\n", "    store(record, order.customer)\n    return record\n")
    other = other.replace("shipping_for(order.address", "freight_for(order.address")
    before = {
        "shop/invoice.py": source(
            "py", "invoice_of", BODY["py"].replace("    return", "    store(record, order.customer)\n    return")
        )
    }
    (card,) = cards(came(repo, "py", "shop/receipt.py", before, source("py", "receipt_of", other)), RULE)
    assert "has 5 of the added lines" in card.claim


@pytest.mark.parametrize(
    "path", ["tests/test_receipt.py", "shop/migrations/0002_receipt.py", "examples/receipt.py", "bench/receipt.py"]
)
def test_what_is_alike_on_purpose(repo, path):
    assert codes(came(repo, "py", path), RULE) == []


def test_a_copy_of_what_stands_in_a_test_only(repo):
    before = {"tests/test_invoice.py": source("py", "invoice_of")}
    assert codes(came(repo, "py", "shop/receipt.py", before), RULE) == ["no_candidate"]


def test_what_was_moved(repo):
    before = {"shop/invoice.py": source("py", "invoice_of"), "shop/other.py": "X = 1\n"}
    after = {"shop/invoice.py": TOPS["py"], "shop/receipt.py": source("py", "invoice_of")}
    assert codes(review(repo, before, after, KIND), RULE) in ([], ["no_candidate"])


def test_both_came_with_the_change(repo):
    before = {"shop/other.py": "X = 1\n"}
    after = {"shop/invoice.py": source("py", "invoice_of"), "shop/receipt.py": source("py", "receipt_of")}
    assert set(codes(review(repo, before, after, KIND), RULE)) == {"no_candidate"}


def test_the_same_lines_in_another_order(repo):
    lines = BODY["py"].splitlines(keepends=True)
    other = "".join([*lines[2:4], "\n", *lines[:2], *lines[4:]])
    ended = came(repo, "py", "shop/receipt.py", None, source("py", "receipt_of", other))
    assert codes(ended, RULE) == ["no_candidate"]


def test_three_other_places_are_the_house_s_way(repo):
    before = {f"shop/{name}.py": source("py", f"{name}_of") for name in ("invoice", "quote", "offer")}
    assert codes(came(repo, "py", "shop/receipt.py", before), RULE) == ["refuted"]


def test_declarations_do_nothing_twice(repo):
    table = "".join(
        f'    ("{name}_column", String(64), "of {name}"),\n'
        for name in ("first", "second", "third", "fourth", "fifth", "sixth")
    )
    before = {"shop/a.py": f"A = [\n{table}]\n"}
    assert codes(came(repo, "py", "shop/b.py", before, f"B = [\n{table}]\n"), RULE) in ([], ["no_candidate"])


def test_what_was_searched_for_is_told_by_its_first_line_and_quoted_as_it_stands(repo):
    text = source("ts", "receipt_of").replace("rebateOf(order.customer", "rebateOf(`${order.customer}`")
    before = {"shop/invoice.ts": TOPS["ts"] + "export const none = 0;\n"}
    done = review(repo, before, {"shop/receipt.ts": text}, KIND)
    (ended,) = [one for one in done if one.rule == RULE]
    assert ended.detail.count("`") == 2, ended.detail
    assert "of them were searched for, the first, `" in ended.detail


@pytest.mark.parametrize(
    "remark",
    [
        "# This function is duplicated in the invoices.",
        "# Copied from shop/invoice.py: the two are settled apart.",
        "# Keep this in sync with what invoices do.",
        "# A copy of what invoices do.",
        "# See invoice.py.",
    ],
)
@pytest.mark.parametrize("at", ["here", "there", "on top"])
def test_a_copy_that_somebody_answers_for(repo, remark, at):
    mine, theirs = source("py", "receipt_of"), source("py", "invoice_of")
    above, other = remark + "\ndef ", remark.replace("invoice", "receipt") + "\ndef "
    if at == "there":
        theirs = theirs.replace("def ", other)
    else:
        mine = mine.replace("def ", above) if at == "here" else f"{remark}\n{mine}"
    assert codes(came(repo, "py", "shop/receipt.py", {"shop/invoice.py": theirs}, mine), RULE) == ["refuted"]


@pytest.mark.parametrize(
    "remark",
    [
        "# Duplicate lines of an order are dropped.",
        "# You may obtain a copy of the License at example.com.",
        "# The receipt of one order; its invoice is another matter.",
    ],
)
def test_a_remark_about_something_else(repo, remark):
    mine = source("py", "receipt_of").replace("def ", f"{remark}\ndef ")
    assert len(cards(came(repo, "py", "shop/receipt.py", None, mine), RULE)) == 1


USES = {
    "py": ["from shop.order_invoice import rebate_of", "import shop.order_invoice as order_invoice"],
    "ts": [
        "import { rebateOf, shippingFor } from './orderInvoice';",
        "const { rebateOf } = require('./orderInvoice');",
    ],
    "go": ['import "example.com/order-invoice/money"'],
}
HOMES = {"py": "shop/order_invoice.py", "ts": "shop/orderInvoice.ts", "go": "order-invoice/invoice.go"}


SWITCHED_OFF = {"py": '"""Money.\n\n>>> {use}\n"""', "ts": "// {use}", "go": "// {use}"}
WRITTEN = [(one, use) for one in USES for use in USES[one]]


@pytest.mark.parametrize(("language", "use"), WRITTEN)
@pytest.mark.parametrize("off", [False, True])
def test_what_uses_a_module_says_nothing_of_a_copy(repo, language, use, off):
    use = SWITCHED_OFF[language].format(use=use) if off else use
    before = {HOMES[language]: source(language, "invoice_of")}
    text = source(language, "receipt_of").replace(TOPS[language], f"{TOPS[language]}{use}\n\n")
    assert len(cards(came(repo, language, f"shop/receipt.{language}", before, text), RULE)) == 1


@pytest.mark.parametrize(
    "use", ["    order_invoice.note(order, order.total)\n", '    send("""\nsee order_invoice for this\n""")\n']
)
def test_code_that_names_the_other_place_is_no_remark(repo, use):
    before = {HOMES["py"]: source("py", "invoice_of")}
    text = source("py", "receipt_of").replace("(order):\n", f"(order):\n{use}")
    assert len(cards(came(repo, "py", "shop/receipt.py", before, text), RULE)) == 1


def test_documentation_that_names_the_other_place_answers_for_it(repo):
    before = {HOMES["py"]: source("py", "invoice_of")}
    told = '(order):\n    """A receipt.\n\n    As order_invoice does it, rounded.\n    """\n'
    ended = came(repo, "py", "shop/receipt.py", before, source("py", "receipt_of").replace("(order):\n", told))
    assert codes(ended, RULE) == ["refuted"]
    assert [one.detail for one in ended if one.rule == RULE] == [
        "the remark in `shop/receipt.py` line 6 names `order_invoice`"
    ]


def constraints(name):
    return f"""    name = models.CharField(max_length=256, null=True)

    class Meta:
        ordering = ("pk", "identifier", "created")
        constraints = [
            models.UniqueConstraint(
                fields=["app", "identifier"],
                name="unique_{name}_identifier",
            ),
            models.CheckConstraint(
                condition=~models.Q(identifier=""),
                name="{name}_identifier_not_blank",
            ),
        ]
        indexes = [GinIndex(fields=["search_vector"], name="{name}_search")]
"""


OPTIONS = """  const options = {
    retries: numberOf(process.env.RETRIES),
    timeout: secondsOf(process.env.TIMEOUT),
    logger: createLogger("orders", { level: "info" }),
    handler: (request) => answer(request, 200),
  };
  router.get("/orders/:id", authenticated, showOrder);
  router.post("/orders", authenticated, createOrder);
  router.delete("/orders/:id", authenticated, removeOrder);
"""


def test_constraints_of_two_tables(repo):
    before = {"shop/extension.py": f"class Extension(models.Model):\n{constraints('extension')}"}
    text = f"class Webhook(models.Model):\n{constraints('webhook')}"
    assert codes(came(repo, "py", "shop/webhook.py", before, text), RULE) == []


def test_options_and_routes(repo):
    before = {"shop/orders.ts": f"export function orders(router: Router) {{\n{OPTIONS}}}\n"}
    text = f"export function returns(router: Router) {{\n{OPTIONS}}}\n"
    assert codes(came(repo, "ts", "shop/returns.ts", before, text), RULE) == []


def test_a_function_that_only_hands_out_a_table(repo):
    rows = "".join(
        f'        route("/{name}/<int:number>", views.{name}),\n' for name in ("one", "two", "six", "ten", "few")
    )
    before = {"shop/orders.py": f"def orders():\n    return [\n{rows}    ]\n"}
    text = f"def returns():\n    return [\n{rows}    ]\n"
    assert codes(came(repo, "py", "shop/returns.py", before, text), RULE) == []


@pytest.mark.parametrize(("manifest", "language"), [("package.json", "ts"), ("pyproject.toml", "py"), ("go.mod", "go")])
def test_packages_that_are_published_apart(repo, manifest, language):
    before = {f"one/{manifest}": "{}\n", f"two/{manifest}": "{}\n"}
    before[f"one/src/invoice.{language}"] = source(language, "invoice_of")
    assert codes(came(repo, language, f"two/src/receipt.{language}", before), RULE) == ["refuted"]


def test_two_places_of_one_package(repo):
    before = {"one/package.json": "{}\n", "two/package.json": "{}\n", "one/src/invoice.ts": source("ts", "invoice_of")}
    (card,) = cards(came(repo, "ts", "one/src/receipt.ts", before), RULE)
    assert "`one/src/invoice.ts` line 4" in card.claim

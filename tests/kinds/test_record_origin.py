"""Where a record comes from that is asked for a key, and where a key that is written again only passes through."""

import pytest
from reviewing import review

pytestmark = pytest.mark.slow

API = """const { quote } = require('./pricing');

async function show(req, res) {
  const price = await quote(req.tenant, req.params.sku, 1);
  res.json({ price_cents: price, sku_code: req.params.sku });
}

module.exports = { show };
"""
READER = """export async function load(sku) {
  const got = await fetchJson(sku);
  return render(got.price_cents / 100, got.sku_code);
}
"""
PRICING = "async function quote() { return 1; }\nmodule.exports = { quote };\n"


def javascript(repo, other, reader=READER):
    before = {"src/api.js": API, "src/pricing.js": PRICING, "web/client.js": reader, "web/other.js": other}
    ended = review(repo, before, {"src/api.js": API.replace("price_cents:", "price:")})
    return [one for one in ended if one.rule == "written_key_gone"]


LOADS = "export async function load(sku) {\n  const got = await fetchJson(sku);\n"


@pytest.mark.parametrize(
    "reader",
    [
        f"{LOADS}  const price_cents = got.price_cents;\n  return render({{ price_cents, code: got.sku_code }});\n}}\n",
        f"{LOADS}  return render({{ price_cents: got.price_cents / 100 }});\n}}\n",
        f"{LOADS}  const shown = got;\n  return render({{ price_cents: shown.price_cents }});\n}}\n",
        f"{LOADS}  return draw(got.price_cents, got.sku_code);\n}}\n\n"
        "function draw(price_cents, code) {\n  return render({ price_cents, code });\n}\n",
    ],
)
def test_a_key_that_is_handed_on_by_its_reader_is_written_by_nobody(repo, reader):
    (ended,) = javascript(repo, "export const other = 1;\n", reader)
    (card,) = ended.cards
    assert "`web/client.js` line" in card.claim


@pytest.mark.parametrize(
    "other",
    [
        "export function wire(row) {\n  return { price_cents: row.price_cents };\n}\n",
        "export async function wire(db) {\n  const row = await db.one();\n"
        "  return { price_cents: row.price_cents };\n}\n",
        "export function wire(price_cents) {\n  return { price_cents };\n}\n",
        "export async function wire() {\n  const got = await fetchJson('/a');\n  log(got.price_cents);\n"
        "  return { price_cents: count() };\n}\n",
    ],
)
def test_a_key_that_another_writer_gives_a_value(repo, other):
    (ended,) = javascript(repo, other)
    assert ended.code == "refuted"


WIRE = """import json


def to_payload(order):
    payload = {"order_number": order.number, "grand_total": order.total}
    payload["placed_by"] = order.buyer
    return payload


def publish(order, bus):
    bus.publish("orders.placed", json.dumps(to_payload(order)))
"""
RECEIPT = "import copy\n\nfrom app.wire import to_payload\n\n\ndef receipt(order, defaults):\n"


def python(repo, body):
    before = {"app/__init__.py": "", "app/wire.py": WIRE, "app/receipt.py": f"{RECEIPT}{body}"}
    ended = review(repo, before, {"app/wire.py": WIRE.replace(', "grand_total": order.total', "")})
    return [one for one in ended if one.rule == "written_key_gone"]


@pytest.mark.parametrize(
    "made",
    [
        "first = to_payload(order)\n    record = first",
        "first = to_payload(order)\n    record = dict(first)",
        "first = to_payload(order)\n    record = {**first}",
        "first = to_payload(order)\n    second = first.copy()\n    record = copy.deepcopy(second)",
        "record = to_payload(order)\n    record = dict(record)",
        "record = order",
    ],
)
def test_another_name_and_a_copy_are_the_same_record(repo, made):
    (ended,) = python(repo, f'    {made}\n    return str(record["grand_total"])\n')
    assert len(ended.cards) == 1


@pytest.mark.parametrize(
    "made",
    [
        "first = Options(1)\n    record = first",
        "first = Options(1)\n    record = dict(first)",
        "first = to_payload(order)\n    record = Options(1)",
        "record = dict(defaults)",
        "record = DEFAULTS",
        "first = second\n    second = first\n    record = second",
    ],
)
def test_what_is_made_anew_is_another_record(repo, made):
    (ended,) = python(repo, f'    {made}\n    return str(record["grand_total"])\n')
    assert ended.code == "insufficient_evidence"


@pytest.mark.parametrize(("value", "code"), [('order["grand_total"]', None), ("count(order)", "refuted")])
def test_python_a_keyword_of_a_function_that_a_reader_calls(repo, value, code):
    drawn = "\n\ndef draw(grand_total):\n    return dict(grand_total=grand_total)\n"
    (ended,) = python(repo, f'    log(order["grand_total"])\n    return draw({value})\n{drawn}')
    assert (ended.code, len(ended.cards)) == (code, int(code is None))

"""serialization end to end on real commits, in Python, Go, JavaScript, TypeScript and Java."""

import pytest
from reviewing import cards, review
from settling import source

pytestmark = pytest.mark.slow

ORDERS = source('''
    import json


    class Order:
        def to_dict(self):
            return {
                "number": self.number,
                "total_cents": self.total,
                "currency": self.currency,
            }


    def publish(order, bus):
        payload = {"order_number": order.number, "grand_total": order.total}
        payload["placed_by"] = order.buyer
        bus.publish("orders.placed", json.dumps(payload))


    def format_token(order):
        """A token."""
        return f"{order.number}|{order.total}|{order.currency}"
''')
CONSUMER = source("""
    import json


    def handle(message):
        data = json.loads(message)
        number = data["order_number"]
        total = data["grand_total"]
        return number, total, data["placed_by"]


    def show(doc):
        cents = doc["total_cents"]
        cur = doc["currency"]
        return f"{cents / 100} {cur}"


    def parse_token(text):
        number, total, currency = text.split("|")
        return number, int(total), currency
""")
APP = {"app/orders.py": ORDERS, "app/consumer.py": CONSUMER}


def ended(repo, old, new, path="app/orders.py", **others):
    before = {**APP, **others}
    assert old in before[path]
    return review(repo, before, {path: before[path].replace(old, new)})


def outcomes(found, rule):
    return [one.code for one in found if one.rule == rule]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        pytest.param('"total_cents"', '"total"', 12, id="entry of a returned object"),
        pytest.param(', "grand_total": order.total', "", 7, id="entry removed"),
        pytest.param('payload["placed_by"]', 'payload["buyer_name"]', 8, id="element"),
    ],
)
def test_a_key_that_is_still_read(repo, old, new, line):
    (card,) = cards(ended(repo, old, new), "written_key_gone")
    assert f"`app/consumer.py` line {line}" in card.claim


def test_a_reader_that_was_changed_along(repo):
    after = {name: text.replace('"total_cents"', '"total"') for name, text in APP.items()}
    assert not cards(review(repo, APP, after), "written_key_gone")


def test_a_reader_that_takes_both(repo):
    both = CONSUMER.replace('cents = doc["total_cents"]', 'cents = doc.get("total") or doc["total_cents"]')
    found = ended(repo, '"total_cents"', '"total"', **{"app/consumer.py": both})
    assert outcomes(found, "written_key_gone") == ["refuted"]


def test_another_writer_of_the_key(repo):
    other = 'def old_form(order):\n    return {"total_cents": order.total, "currency": "EUR"}\n'
    found = ended(repo, '"total_cents"', '"total"', **{"app/legacy.py": other})
    assert outcomes(found, "written_key_gone") == ["refuted"]


def test_a_key_that_nobody_reads(repo):
    found = ended(repo, '"total_cents"', '"total"', **{"app/consumer.py": "X = 1\n"})
    assert outcomes(found, "written_key_gone") == ["no_candidate"]


def test_a_word_that_every_record_has(repo):
    reader = 'def other(doc):\n    return doc["number"]\n'
    found = ended(repo, '"number": self.number', '"no": self.number', **{"app/consumer.py": reader})
    assert outcomes(found, "written_key_gone") == ["insufficient_evidence"]


def test_a_reader_under_a_name_that_nobody_writes(repo):
    found = ended(repo, 'data["grand_total"]', 'data["amount_due"]', path="app/consumer.py")
    (card,) = cards(found, "read_key_unwritten")
    assert "`app/orders.py` line 14" in card.claim


def test_a_reader_under_a_name_that_is_written_too(repo):
    writer = 'def more(order):\n    return {"amount_due": order.total}\n'
    found = ended(repo, 'data["grand_total"]', 'data["amount_due"]', path="app/consumer.py", **{"app/more.py": writer})
    assert outcomes(found, "read_key_unwritten") == ["refuted"]


def test_a_number_that_became_a_text(repo):
    (card,) = cards(ended(repo, "self.total", "str(self.total)"), "written_value_retyped")
    assert "`app/consumer.py` line 12" in card.claim


def test_a_number_that_is_converted_where_it_is_read(repo):
    free = CONSUMER.replace('doc["total_cents"]', 'int(doc["total_cents"])')
    found = ended(repo, "self.total", "str(self.total)", **{"app/consumer.py": free})
    assert not cards(found, "written_value_retyped")


BRANCH = '    if order.buyer:\n        payload["placed_by"]'


def test_a_key_that_is_written_sometimes(repo):
    (card,) = cards(ended(repo, '    payload["placed_by"]', BRANCH), "key_written_sometimes")
    assert "`app/consumer.py` line 8" in card.claim


def test_a_reader_that_does_without(repo):
    free = CONSUMER.replace('data["placed_by"]', 'data.get("placed_by")')
    found = ended(repo, '    payload["placed_by"]', BRANCH, **{"app/consumer.py": free})
    assert outcomes(found, "key_written_sometimes") == ["refuted"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("|{order.total}|", "|", id="a part less"),
        pytest.param("{order.number}|{order.total}|", "{order.total}|{order.number}|", id="another order"),
        pytest.param(
            "{order.number}|{order.total}|{order.currency}", "{order.number};{order.total};{order.currency}", id="sign"
        ),
    ],
)
def test_a_reader_by_position(repo, old, new):
    (card,) = cards(ended(repo, old, new), "positions_changed")
    assert "`app/consumer.py` line 18" in card.claim


def test_a_reader_by_position_that_fits(repo):
    wrong = CONSUMER.replace("number, total, currency = text", "number, currency = text")
    found = ended(repo, "|{order.total}|", "|", **{"app/consumer.py": wrong})
    assert outcomes(found, "positions_changed") == ["refuted"]


def test_a_joined_value_that_nothing_takes_apart(repo):
    found = ended(repo, "|{order.total}|", "|", **{"app/consumer.py": "X = 1\n"})
    assert outcomes(found, "positions_changed") == ["no_candidate"]


CURSOR = {
    "app/cursor.py": source('''
        import base64
        import json
        from datetime import datetime


        def encode_cursor(row):
            """A cursor."""
            raw = json.dumps(row).encode("utf-8")
            return base64.urlsafe_b64encode(raw).decode("ascii")


        def format_stamp(moment):
            """A stamp."""
            return moment.strftime("%Y-%m-%d")


        def other():
            return 1


        def decode_cursor(text):
            raw = base64.urlsafe_b64decode(text)
            return json.loads(raw)


        def parse_stamp(text):
            return datetime.strptime(text, "%Y-%m-%d")
    ''')
}


def cursor(*pairs):
    text = CURSOR["app/cursor.py"]
    for old, new in pairs:
        text = text.replace(old, new)
    return {"app/cursor.py": text}


def test_a_codec_that_changed_on_one_side(repo):
    found = review(repo, CURSOR, cursor(("urlsafe_b64encode", "b64encode")))
    (card,) = cards(found, "codec_changed")
    assert "`decode_cursor`" in card.claim


def test_a_codec_that_moved_into_a_function_that_came(repo):
    helper = "def encoded(raw):\n    return base64.urlsafe_b64encode(raw)\n\n\ndef encode_cursor"
    found = review(repo, CURSOR, cursor(("base64.urlsafe_b64encode", "encoded"), ("def encode_cursor", helper)))
    assert not cards(found, "codec_changed")


def test_a_codec_that_changed_on_both_sides(repo):
    found = review(repo, CURSOR, cursor(("urlsafe_b64encode", "b64encode"), ("urlsafe_b64decode", "b64decode")))
    assert not cards(found, "codec_changed")


def test_a_format_that_changed_on_one_side(repo):
    found = review(repo, CURSOR, cursor(('strftime("%Y-%m-%d")', 'strftime("%d.%m.%Y")')))
    (card,) = cards(found, "format_changed")
    assert "`parse_stamp`" in card.claim


def test_a_format_that_changed_on_both_sides(repo):
    assert not cards(review(repo, CURSOR, cursor(('"%Y-%m-%d"', '"%d.%m.%Y"'))), "format_changed")


GO = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "wire/wire.go": """package wire

// Event is what is sent.
type Event struct {
	ID       string `json:"id"`
	Customer string `json:"customer_ref"`
	Total    int64  `json:"total_cents"`
}
""",
    "billing/billing.go": """package billing

import "encoding/json"

type incoming struct {
	ID       string `json:"id"`
	Customer string `json:"customer_ref"`
	Total    int64  `json:"total_cents"`
}

func Read(b []byte) (incoming, error) {
	var in incoming
	err := json.Unmarshal(b, &in)
	return in, err
}
""",
}


def go(old, new):
    return {"wire/wire.go": GO["wire/wire.go"].replace(old, new)}


def test_go_tags_that_no_longer_meet(repo):
    (card,) = cards(review(repo, GO, go('"customer_ref"', '"customer_id"')), "written_key_gone")
    assert "`billing/billing.go` line 7" in card.claim


def test_go_tag_without_a_partner(repo):
    found = review(repo, {**GO, "billing/billing.go": "package billing\n"}, go('"customer_ref"', '"customer_id"'))
    assert outcomes(found, "written_key_gone") == ["no_candidate"]


def test_go_field_of_another_type(repo):
    (card,) = cards(review(repo, GO, go("Total    int64 ", "Total    string")), "written_value_retyped")
    assert "`billing/billing.go` line 8" in card.claim


JS = {
    "src/api.js": source("""
        const { quote } = require('./pricing');

        async function show(req, res) {
          const price = await quote(req.tenant, req.params.sku, 1);
          res.json({ price_cents: price, sku_code: req.params.sku });
        }

        module.exports = { show };
    """),
    "src/pricing.js": "async function quote() { return 1; }\nmodule.exports = { quote };\n",
    "web/client.js": source("""
        async function load(sku) {
          const body = await fetchJson(`/quotes/${sku}`);
          return render(body.price_cents / 100, body.sku_code);
        }
    """),
}


def test_javascript_member_that_nothing_writes(repo):
    after = {"src/api.js": JS["src/api.js"].replace("price_cents:", "price:")}
    (card,) = cards(review(repo, JS, after), "written_key_gone")
    assert "`web/client.js` line 3" in card.claim


@pytest.mark.parametrize("other", ["{ price_cents: 1 }", "{ price_cents }", "{ ['price_cents']: 1 }"])
def test_javascript_another_writer_of_the_key(repo, other):
    more = {"src/old.js": f"export function old(price_cents) {{\n  return {other};\n}}\n"}
    after = {"src/api.js": JS["src/api.js"].replace("price_cents:", "price:")}
    assert outcomes(review(repo, {**JS, **more}, after), "written_key_gone") == ["refuted"]


LINES = {
    "src/lines.js": "export function line(one) {\n  return JSON.stringify({ at: one.time, who: one.name });\n}\n",
    "src/show.js": "export function show(text) {\n  const got = JSON.parse(text);\n"
    "  return got['at'] + got['who'];\n}\n",
}


@pytest.mark.parametrize(
    ("other", "told"),
    [("{ at: 1, sum: 2 }", 1), ("{ at, sum: 2 }", 1), ("{ at: 1, who: 2 }", 0), ("{ 'at': 1 }", 0)],
)
def test_javascript_a_word_that_another_record_has_too(repo, other, told):
    more = {"src/other.js": f"export function other(at) {{\n  return {other};\n}}\n"}
    after = {"src/lines.js": LINES["src/lines.js"].replace("at: one.time, ", "")}
    assert len(cards(review(repo, {**LINES, **more}, after), "written_key_gone")) == told


def test_python_a_keyword_that_becomes_a_key(repo):
    other = "def old_form(order):\n    return dict(total_cents=order.total)\n"
    found = ended(repo, '"total_cents"', '"total"', **{"app/legacy.py": other})
    assert outcomes(found, "written_key_gone") == ["refuted"]


ROUTER = {
    "src/router.js": source("""
        import { link_options } from './links.js';

        export async function click(link, url) {
          const options = link_options(link);
          if (!options.replace_state) return;
          await navigate({ kind: 'link', keep_focus: false, replace_state: options.replace_state ?? false });
        }

        export function apply(options) {
          return options.replace_state;
        }
    """),
    "src/links.js": source("""
        export function link_options(link) {
          return Object.fromEntries(parts_of(link));
        }
    """),
}


@pytest.mark.parametrize("made", ["link_options(link)", "{ ...defaults }", "new Options(link)", "window.state"])
def test_javascript_a_reader_of_another_record(repo, made):
    before = {**ROUTER, "src/router.js": ROUTER["src/router.js"].replace("link_options(link);", f"{made};")}
    after = before["src/router.js"].replace(", replace_state: options.replace_state ?? false", "")
    found = review(repo, before, {"src/router.js": after})
    assert not cards(found, "written_key_gone")


@pytest.mark.parametrize("made", ["{**defaults}", "Options(1)", "dict(defaults)"])
def test_python_a_reader_of_another_record(repo, made):
    reader = f"def show(defaults):\n    doc = {made}\n    return doc['total_cents']\n"
    found = ended(repo, '"total_cents"', '"total"', **{"app/consumer.py": reader})
    assert outcomes(found, "written_key_gone") == ["insufficient_evidence"]


def test_javascript_member_of_another_type(repo):
    after = {"src/api.js": JS["src/api.js"].replace("price_cents: price", "price_cents: `${price}`")}
    (card,) = cards(review(repo, JS, after), "written_value_retyped")
    assert "a text where it works with a number" in card.claim


TS = {
    "src/wire.ts": source("""
        export interface OrderEvent {
          orderId: string;
          totalCents: number;
        }

        export function toEvent(order: { id: string; total: number }): OrderEvent {
          return { orderId: order.id, totalCents: order.total };
        }
    """),
    "src/billing.ts": source("""
        export function bill(raw: string): number {
          const event = JSON.parse(raw);
          return event.totalCents * 2;
        }
    """),
}


def test_typescript_field_with_its_entry(repo):
    after = {"src/wire.ts": TS["src/wire.ts"].replace("totalCents", "total")}
    (card, *_) = cards(review(repo, TS, after), "written_key_gone")
    assert "`src/billing.ts` line 3" in card.claim


JAVA = {
    "src/main/java/shop/Exporter.java": source("""
        package shop;

        import java.util.Map;

        public class Exporter {
            public Map<String, Object> toMap(Order order) {
                return Map.of("order_ref", order.ref(), "total_cents", order.total());
            }

            public String toLine(Order order) {
                return String.join(";", order.ref(), order.customer(), String.valueOf(order.total()));
            }

            public int unrelated() {
                return 3;
            }

            public Order fromLine(String line) {
                String[] parts = line.split(";");
                return new Order(parts[0], parts[1], Long.parseLong(parts[2]));
            }
        }
    """),
    "src/main/java/shop/Importer.java": source("""
        package shop;

        import java.util.Map;

        public class Importer {
            public long total(Map<String, Object> data) {
                String ref = (String) data.get("order_ref");
                long total = (Long) data.get("total_cents");
                return ref.length() + total;
            }
        }
    """),
}
EXPORTER = "src/main/java/shop/Exporter.java"


def test_java_entry(repo):
    after = {EXPORTER: JAVA[EXPORTER].replace('"total_cents"', '"total"')}
    (card,) = cards(review(repo, JAVA, after), "written_key_gone")
    assert "`src/main/java/shop/Importer.java` line 8" in card.claim


def test_java_parameter_of_a_request_is_sent_by_its_caller(repo):
    path = "src/main/java/shop/Importer.java"
    handler = JAVA[path].replace(
        "Map<String, Object> data) {",
        '@RequestParam("total_cents") long total, @RequestParam("order_ref") String ref) {',
    )
    asks = handler.partition("        String ref")[0] + "        return ref.length() + total;\n    }\n}\n"
    after = {EXPORTER: JAVA[EXPORTER].replace('"total_cents"', '"total"')}
    assert not cards(review(repo, {**JAVA, path: asks}, after), "written_key_gone")


def test_java_parts_in_another_order(repo):
    line = "order.customer(), String.valueOf(order.total())"
    after = {EXPORTER: JAVA[EXPORTER].replace(line, "String.valueOf(order.total()), order.customer()")}
    (card,) = cards(review(repo, JAVA, after), "positions_changed")
    assert "`fromLine`" in card.claim


FRAME = {
    "src/main/java/shop/Frame.java": source("""
        package shop;

        import java.io.DataInputStream;
        import java.io.DataOutputStream;
        import java.io.IOException;

        public record Frame(String orderRef, int totalCents, long placedAt) {
            public void write(DataOutputStream out) throws IOException {
                out.writeUTF(orderRef);
                out.writeInt(totalCents);
                out.writeLong(placedAt);
            }

            static int filler() {
                return 1;
            }

            public static Frame read(DataInputStream in) throws IOException {
                String ref = in.readUTF();
                int total = in.readInt();
                long at = in.readLong();
                return new Frame(ref, total, at);
            }
        }
    """)
}
(FRAME_PATH,) = FRAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("writeInt(", "writeLong(", id="another type"),
        pytest.param(
            "        out.writeUTF(orderRef);\n        out.writeInt(totalCents);\n",
            "        out.writeInt(totalCents);\n        out.writeUTF(orderRef);\n",
            id="another order",
        ),
    ],
)
def test_java_parts_written_one_by_one(repo, old, new):
    (card,) = cards(review(repo, FRAME, {FRAME_PATH: FRAME[FRAME_PATH].replace(old, new)}), "written_order_changed")
    assert "`read`" in card.claim


def test_java_reader_changed_along(repo):
    after = (
        FRAME[FRAME_PATH]
        .replace("writeInt(", "writeLong(")
        .replace("int total = in.readInt", "long total = in.readLong")
    )
    found = review(repo, FRAME, {FRAME_PATH: after})
    assert outcomes(found, "written_order_changed") == ["refuted"]


def test_keyword_that_becomes_a_key(repo):
    before = {
        "app/api.py": "def show(order):\n    return jsonify(order_ref=order.ref, customer_name=order.name)\n",
        "web/app.js": "export function show(data) {\n  return data.order_ref + data.customer_name;\n}\n",
    }
    after = {"app/api.py": before["app/api.py"].replace("customer_name=", "customer=")}
    (card,) = cards(review(repo, before, after), "written_key_gone")
    assert "`web/app.js` line 2" in card.claim

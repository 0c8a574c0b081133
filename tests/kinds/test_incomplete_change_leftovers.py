"""What a change leaves behind: code without a use, an argument without an effect; and look-alikes that stay silent."""

import pytest
from reviewing import review

pytestmark = pytest.mark.slow

FILLER = "\n\n\ndef other():\n    return 1\n"


def cards(repo, before, after, rule):
    return [card for ended in review(repo, before, after) if ended.rule == rule for card in ended.cards]


def one(repo, before, after, rule):
    (card,) = cards(repo, before, after, rule)
    return card


PY = {
    "shop/mail.py": "import re\n\n\ndef _plain(text):\n    return re.sub('<.*?>', '', text)\n"
    + FILLER
    + "\n\ndef send(text):\n    body = _plain(text)\n    return deliver(body)\n"
}
PY_AFTER = {
    "shop/mail.py": PY["shop/mail.py"].replace(
        "    body = _plain(text)\n    return deliver(body)", "    return deliver(text)"
    )
}


def test_a_private_function_whose_last_use_went_is_left_behind(repo):
    card = one(repo, PY, PY_AFTER, "last_use_removed")
    assert "`_plain`" in card.claim
    assert card.supporting_refs[0].start_line == 4


@pytest.mark.parametrize("name", ["README.md", "shop/other.py", "deploy/hooks.yml"])
def test_another_line_that_names_it_refutes(repo, name):
    assert not cards(repo, {**PY, name: "# mail._plain\n"}, PY_AFTER, "last_use_removed")


def test_a_public_one_may_be_used_by_anybody(repo):
    before, after = ({name: text.replace("_plain", "plain") for name, text in one.items()} for one in (PY, PY_AFTER))
    assert not cards(repo, before, after, "last_use_removed")


GO = {
    "mail/mail.go": "package mail\n\nfunc strip(s string) string {\n\treturn s[1:]\n}\n\n"
    "func other() int {\n\treturn 1\n}\n\n"
    "func Send(s string) error {\n\treturn deliver(strip(s))\n}\n"
}


def test_go_looks_through_the_whole_package(repo):
    after = {"mail/mail.go": GO["mail/mail.go"].replace("deliver(strip(s))", "deliver(s)")}
    assert "`strip`" in one(repo, GO, after, "last_use_removed").claim


def test_a_use_in_another_file_of_the_package_refutes(repo):
    after = {"mail/mail.go": GO["mail/mail.go"].replace("deliver(strip(s))", "deliver(s)")}
    more = {**GO, "mail/other.go": "package mail\n\nvar head = strip(title)\n"}
    assert not cards(repo, more, after, "last_use_removed")


FETCH = {
    "net/client.py": 'import urllib.request\n\n\ndef fetch(url, timeout=10):\n    """Get a page."""\n'
    "    return urllib.request.urlopen(url, timeout=timeout)\n",
    "net/jobs.py": "from net.client import fetch\n\n\ndef nightly(urls):\n"
    "    return [fetch(url, timeout=60) for url in urls]\n",
}
FETCH_AFTER = {"net/client.py": FETCH["net/client.py"].replace(", timeout=timeout)", ")")}


def test_an_argument_that_nobody_reads_any_more_has_no_effect(repo):
    card = one(repo, FETCH, FETCH_AFTER, "parameter_no_longer_read")
    assert "`net/jobs.py` line 5" in card.claim
    assert "`60`" in card.claim


def test_a_parameter_that_no_caller_passes_is_not_missed(repo):
    before = {**FETCH, "net/jobs.py": FETCH["net/jobs.py"].replace(", timeout=60", "")}
    assert not cards(repo, before, FETCH_AFTER, "parameter_no_longer_read")


def test_a_method_under_a_base_keeps_the_signature_of_the_base(repo):
    before = {
        "net/client.py": "class Client(Base):\n    def fetch(self, url, timeout):\n        return get(url, timeout)\n",
        "net/jobs.py": "from net.client import Client\n\n\ndef nightly(url):\n    return Client().fetch(url, 60)\n",
    }
    after = {"net/client.py": before["net/client.py"].replace("get(url, timeout)", "get(url)")}
    assert not cards(repo, before, after, "parameter_no_longer_read")


def test_a_function_that_is_handed_on_may_owe_its_signature(repo):
    before = {**FETCH, "net/table.py": "from net.client import fetch\n\nHANDLERS = {'http': fetch}\n"}
    assert not cards(repo, before, FETCH_AFTER, "parameter_no_longer_read")


def test_a_name_in_a_comment_or_a_text_was_no_read(repo):
    note = '    # Some get a longer timeout.\n    log("no timeout", url.timeout, timeout=5)\n'
    first = FETCH["net/client.py"].replace(", timeout=timeout)", ")")
    before = {**FETCH, "net/client.py": first.replace("    return", f"{note}    return")}
    assert not cards(repo, before, {"net/client.py": first}, "parameter_no_longer_read")


def test_a_name_left_in_a_comment_is_no_read(repo):
    after = FETCH_AFTER["net/client.py"].replace(
        "    return", '    # The timeout went.\n    log("timeout")\n    return'
    )
    assert cards(repo, FETCH, {"net/client.py": after}, "parameter_no_longer_read")


def test_a_name_that_is_put_into_a_text_is_read(repo):
    after = FETCH_AFTER["net/client.py"].replace("    return", '    log(f"{url!r}: {{}} {timeout:{9}}")\n    return')
    assert not cards(repo, FETCH, {"net/client.py": after}, "parameter_no_longer_read")


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("get(url, { timeout })", "get(`${url}?wait=${timeout}`)"),
        ("get(url, { timeout })", "get(url.replace(/^https?:\\/\\//, timeout))"),
        ("get(url) // timeout", "get(url)"),
        ("get(url, 'timeout')", "get(url)"),
    ],
)
def test_javascript_what_reads_a_parameter(repo, was, now):
    before = {
        "src/client.js": f"export function fetchPage(url, timeout) {{\n  return {was};\n}}\n",
        "src/jobs.js": "import { fetchPage } from './client.js';\n\nexport function nightly(url) {\n"
        "  return fetchPage(url, 60);\n}\n",
    }
    after = {"src/client.js": before["src/client.js"].replace(was, now)}
    assert not cards(repo, before, after, "parameter_no_longer_read")


JSX = "return <p>It isn't {name} that can't pay {count}</p>;"


@pytest.mark.parametrize("left", [JSX, "return <p>See https://shop.example/{name}/{count}</p>;"])
@pytest.mark.parametrize("suffix", ["jsx", "tsx"])
def test_a_name_between_tags_is_read_whatever_stands_around_it(repo, left, suffix):
    typed = ": string" if suffix == "tsx" else ""
    head = f"export function Greeting(name{typed}, count{typed}) {{\n"
    before = {
        f"src/Greeting.{suffix}": f"{head}  console.log(`${{name}} has ${{count}}`);\n  {left}\n}}\n",
        f"src/page.{suffix}": "import { Greeting } from './Greeting';\n\nexport function page(user) {\n"
        "  return Greeting(user.name, user.count);\n}\n",
    }
    text = before[f"src/Greeting.{suffix}"]
    after = {f"src/Greeting.{suffix}": text.replace("${name} has ", "")}
    assert not cards(repo, before, after, "parameter_no_longer_read")
    gone = {f"src/Greeting.{suffix}": after[f"src/Greeting.{suffix}"].replace("{name}", "who")}
    assert cards(repo, before, gone, "parameter_no_longer_read")


@pytest.mark.parametrize(("text", "silent"), [('f"""\n{row.name:{width}}|\n"""', True), ('"""\nwidth|\n"""', False)])
def test_a_long_text_reads_only_what_it_takes_in(repo, text, silent):
    before = {
        "app/table.py": f'def table(rows, width):\n    line = "-" * width\n    for row in rows:\n'
        f"        line += {text}\n    return line\n",
        "app/page.py": "from app.table import table\n\n\ndef page(rows):\n    return table(rows, 40)\n",
    }
    after = {"app/table.py": before["app/table.py"].replace('"-" * width', '""')}
    assert bool(cards(repo, before, after, "parameter_no_longer_read")) is not silent


def test_javascript_and_java_are_told_alike(repo):
    before = {
        "src/client.js": "export function fetchPage(url, timeout) {\n  return get(url, { timeout });\n}\n",
        "src/jobs.js": "import { fetchPage } from './client.js';\n\nexport function nightly(url) {\n"
        "  return fetchPage(url, 60);\n}\n",
    }
    after = {"src/client.js": before["src/client.js"].replace("get(url, { timeout })", "get(url)")}
    assert "`src/jobs.js` line 4" in one(repo, before, after, "parameter_no_longer_read").claim


WORST = """def worst(rows, limit):
    print(limit)
    %s
    return rows.query("score > %s").sort_values("score")
"""
PAGE = "from app.worst import worst\n\n\ndef page(rows):\n    return worst(rows, 40)\n"


@pytest.mark.parametrize(("line", "least", "told"), [("pass", "@limit", 0), ("log('over the limit')", "1", 1)])
def test_a_parameter_that_a_query_reads_by_its_name(repo, line, least, told):
    text = WORST % (line, least)
    before = {"app/__init__.py": "", "app/page.py": PAGE, "app/worst.py": text}
    after = {"app/worst.py": text.replace("    print(limit)\n", "")}
    assert len(cards(repo, before, after, "parameter_no_longer_read")) == told


GAP = """export function select(state, %(name)s, side) {
  const made = of(state);
  return put(made, %(read)s);
}
"""
GAPS = "import { select } from './gap.%s';\n\nexport function go(state, at) {\n  return select(state, at, 1);\n}\n"


@pytest.mark.parametrize("suffix", ["js", "ts", "jsx"])
@pytest.mark.parametrize(
    ("name", "was", "now", "told"),
    [
        ("$pos", "new Gap($pos, side)", "new Gap($pos, side).shown()", 0),
        ("user$", "new Gap(user$, side)", "new Gap(user$, side).shown()", 0),
        ("$pos", "new Gap($pos, side)", "`${$pos} of ${side}`", 0),
        ("$pos", "new Gap($pos, side)", "{ ...$pos, side }", 0),
        ("$pos", "new Gap($pos, side)", "new Gap(side)", 1),
        ("$pos", "new Gap($pos, side)", "new Gap(pos, side)", 1),
        ("user", "new Gap(user, side)", "new Gap($user, user$, side)", 1),
    ],
)
def test_a_dollar_is_a_part_of_a_name(repo, suffix, name, was, now, told):
    jobs = {f"src/jobs.{suffix}": GAPS % suffix.replace("ts", "js")}
    before = {f"src/gap.{suffix}": GAP % {"name": name, "read": was}, **jobs}
    after = {f"src/gap.{suffix}": GAP % {"name": name, "read": now}}
    found = cards(repo, before, after, "parameter_no_longer_read")
    assert len(found) == told
    assert all(f"`{name}`" in card.claim for card in found)


def test_a_dollar_is_a_part_of_a_name_of_java(repo):
    text = (
        "class Gap {\n    static int at(int $pos, int side) {\n        int made = side;\n        return %s;\n    }\n}\n"
    )
    jobs = "class Jobs {\n    int nightly() {\n        return Gap.at(4, 1);\n    }\n}\n"
    before = {"src/Gap.java": text % "made + $pos", "src/Jobs.java": jobs}
    assert not cards(repo, before, {"src/Gap.java": text % "made + 2 * $pos"}, "parameter_no_longer_read")
    assert len(cards(repo, {}, {"src/Gap.java": text % "made"}, "parameter_no_longer_read")) == 1


def test_a_private_function_with_a_dollar_is_used_by_its_whole_name(repo):
    text = (
        "function $plain(text) {\n  return text.trim();\n}\n\nexport function send(text) {\n  return deliver(%s);\n}\n"
    )
    before = {"src/mail.js": text % "$plain(text)"}
    assert not cards(repo, before, {"src/mail.js": text % "$plain(text), 1"}, "last_use_removed")
    assert "`$plain`" in one(repo, {}, {"src/mail.js": text % "text"}, "last_use_removed").claim

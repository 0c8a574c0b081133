"""What a search could not see is counted, named, and leaves the answer open, whatever the budgets."""

import pytest
from evidence_room import Room, ask, policy

from review_agent.vocabulary import SkipRule

PRICING = "def quote(sku):\n    return 1\n"
CALL = "from shop.pricing import quote\n\nquote(2)\n"
PYTHON = {"shop/pricing.py": PRICING}
CALLERS = ask("callers", "quote", "shop/pricing.py")
FIRST = {"0.txt": "what the question is about\n"}
DEEP = f"x = {'(' * 5_000}1{')' * 5_000}\nquote(1)\n"

JS = {"shop/pricing.js": "export function quote(sku) { return 1; }\n"}
JAVA = {"shop/Pricing.java": "package shop;\n\nclass Pricing {\n  static int quote(int a) { return a; }\n}\n"}
IN_JS = ask("callers", "quote", "shop/pricing.js")
IN_JAVA = ask("callers", "quote", "shop/Pricing.java", "Pricing")

UNREAD = {
    "utf16_le": (PYTHON, CALLERS, "app/user.py", CALL.encode("utf-16")),
    "utf16_be": (PYTHON, CALLERS, "app/user.py", b"\xfe\xff" + CALL.encode("utf-16-be")),
    "utf16_of_wide_letters": (PYTHON, CALLERS, "app/user.py", ("あ" * 9 + "\n" + CALL).encode("utf-16")),
    "nul_in_a_comment": (JS, IN_JS, "app/user.js", b"// \0\nimport { quote } from '../shop/pricing';\nquote(1);\n"),
    "too_large": (PYTHON, CALLERS, "app/user.py", CALL + "x = 1\n" * 200_000),
    "too_deep": (PYTHON, CALLERS, "app/user.py", DEEP),
    "parsed_in_part": (PYTHON, CALLERS, "app/user.py", "def broken(:\n# quote(1)\n"),
    "another_language": (JAVA, IN_JAVA, "app/User.kt", "fun main() { Pricing.quote(1) }\n"),
    "a_component": (JS, IN_JS, "app/User.vue", "<script>quote(1)</script>\n"),
    "generated": (PYTHON, CALLERS, "app/user_pb2.py", CALL),
    "producer_too_deep": (PYTHON, ask("producers", "quote"), "app/user.py", DEEP),
    "key_in_utf16": (PYTHON, ask("producers", "total"), "app/user.py", "x['total'] = 1\n".encode("utf-16")),
    "setting_in_utf16": (PYTHON, ask("config", "RATE"), "deploy/app.env", "RATE=1\n".encode("utf-16")),
    "text_in_utf16": (PYTHON, ask("text", "shop/pricing"), "docs/x.txt", "see shop/pricing\n".encode("utf-16")),
    "reader_too_deep": (PYTHON, ask("config", "RATE"), "app/settings.py", f"import os\nos.environ['RATE']\n{DEEP}"),
}


@pytest.mark.parametrize("name", UNREAD)
def test_a_file_that_may_hold_the_name_leaves_the_answer_open(repo, name):
    files, query, path, content = UNREAD[name]
    bundle = Room(repo, {**files, path: content, **FIRST}).bundle(query)
    (result,) = bundle.queries
    assert (result.unread, result.truncated) == (1, True)
    if name != "generated":
        assert [row.what for row in bundle.left_out if path in row.what]


SEEN = {
    "utf16_without_it": ("app/user.py", "price(2)\n".encode("utf-16")),
    "a_picture": ("logo.png", b"\x89PNG\0quote\0"),
    "a_comment": ("app/user.py", "# quote(1)\nx = 1\n"),
    "vendored": ("vendor/user_pb2.go", "quote(1)\n"),
}


@pytest.mark.parametrize("name", SEEN)
def test_a_file_that_cannot_hold_it_changes_nothing(repo, name):
    path, content = SEEN[name]
    for query in (CALLERS, ask("config", "quote")):
        (result,) = Room(repo, {**PYTHON, path: content, **FIRST}).bundle(query).queries
        assert (result.unread, result.truncated) == (0, False)


def test_what_policy_excludes_was_not_searched(repo, monkeypatch):
    room = Room(repo, {**PYTHON, "legacy/user.py": CALL})
    globs = {**policy().skips.globs, SkipRule.EXCLUDED: ("legacy/",)}
    skips = policy().skips.model_copy(update={"globs": globs})
    monkeypatch.setattr("evidence_room.policy", lambda: _POLICY.model_copy(update={"skips": skips}))
    (result,) = room.bundle(CALLERS).queries
    assert result.unread == 1
    assert "uses in generated or excluded files were not looked at" in result.note


_POLICY = policy()


def test_an_unread_test_hides_no_producer_and_an_unread_program_does(repo):
    tests = {f"tests/test_{n}.py": "row = {'minor': 1}\n" for n in range(3)}
    files = {**FIRST, "app/a.py": "row['minor']\n", "app/b.py": "x = row['minor']\n", **tests}
    room = Room(repo, files)
    (result,) = room.bundle(ask("producers", "minor"), candidate_files=3).queries
    assert (result.truncated, result.resolved) == (False, 3)
    (result,) = room.bundle(ask("producers", "minor"), candidate_files=1).queries
    assert result.truncated

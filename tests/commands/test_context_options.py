"""What people and tools say about the change reaches a model masked, labelled and cut; of SARIF only what matters."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from review_agent.commands._context import Said
from review_agent.commands._sarif import findings
from review_agent.errors import UsageError
from review_agent.policy.load import load
from review_agent.vocabulary import Role


@pytest.fixture(scope="module")
def policy():
    return load()


def write(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def sarif(*results):
    return json.dumps({"version": "2.1.0", "runs": [{"results": list(results)}]})


def result(uri, line, text="a value is unused", rule="py/unused"):
    region = {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}
    return {"ruleId": rule, "message": {"text": text}, "locations": [{"physicalLocation": region}]}


def test_each_option_is_an_item_of_its_own_label_and_role(policy, tmp_path):
    said = Said(
        title="Cache prices",
        description=write(tmp_path, "d.md", "Why.\n"),
        background=write(tmp_path, "b.md", "Before."),
        ci_summary=write(tmp_path, "ci.txt", "2 failed"),
        sarif=[write(tmp_path, "s.sarif", sarif(result("src/a.py", 3)))],
    )
    found = said.items(policy, ["src/a.py"])
    assert [(item.label, item.role, item.source, item.text) for item in found] == [
        ("title", Role.INSTRUCTION, "--title", "Cache prices"),
        ("description", Role.INSTRUCTION, "d.md", "Why."),
        ("background", Role.INSTRUCTION, "b.md", "Before."),
        ("ci_summary", Role.LOG, "ci.txt", "2 failed"),
        ("sarif", Role.LOG, "s.sarif", "src/a.py:3 py/unused a value is unused"),
    ]


def test_secrets_are_masked_and_texts_cut_to_what_policy_allows(policy, tmp_path):
    text = "key ghp_" + "a1B2" * 9 + "\n" + "x" * 9000
    (item,) = Said(description=write(tmp_path, "d.md", text)).items(policy, [])
    assert "ghp_" not in item.text
    assert (len(item.text.encode()), item.cut) == (policy.engine.context_bytes, True)
    none = policy.model_copy(update={"engine": policy.engine.model_copy(update={"context_bytes": 0})})
    assert Said(title="x").items(none, []) == ()


def test_an_empty_text_says_nothing_and_bytes_that_are_no_text_are_shown_as_such(policy, tmp_path):
    empty, odd = write(tmp_path, "e", "  \n"), write(tmp_path, "o", b"a\xff")
    assert [item.text for item in Said(description=empty, background=odd).items(policy, [])] == ["a\ufffd"]


def test_of_sarif_come_the_results_on_changed_files_each_once_in_order(policy, tmp_path):
    text = sarif(
        result("src/a.py", 9, "later"),
        result("file:///builds/repo/src/a.py", 3, "two\n  lines"),
        result("./src/a.py", 3, "two lines"),
        result("src/b%20c.py", 1, "spaced"),
        result("src/other.py", 1),
        result("notsrc/a.py", 1),
        {"locations": "none"},
        {"locations": [{"physicalLocation": {"artifactLocation": {"uri": 7}, "region": {"startLine": "x"}}}]},
        None,
        result("src/a.py", 10, "y" * 1000),
    )
    (item,) = Said(sarif=[write(tmp_path, "s", text)]).items(policy, ["src/a.py", "src/b c.py"])
    lines = item.text.split("\n")
    assert lines[:3] == ["src/a.py:3 py/unused two lines", "src/a.py:9 py/unused later", lines[2]]
    assert len(lines[2]) < 330
    assert lines[3:] == ["src/b c.py:1 py/unused spaced"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [("s", "{", "no JSON"), ("s", "[" * 100_000, "no JSON"), ("s", "{}", "no runs"), ("gone", None, "cannot be read")],
)
def test_a_file_that_is_no_sarif_is_named(policy, tmp_path, name, text, message):
    path = tmp_path / name if text is None else write(tmp_path, name, text)
    with pytest.raises(UsageError, match=message) as caught:
        Said(sarif=[path]).items(policy, [])
    assert (caught.value.where, bool(caught.value.hint)) == (str(path), True)


SECRET = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize("before", range(255, 301, 5))
def test_a_secret_is_masked_before_a_result_is_cut(policy, tmp_path, before):
    text = sarif(result("src/a.py", 3, "x" * before + " " + SECRET))
    (item,) = Said(sarif=[write(tmp_path, "s", text)]).items(policy, ["src/a.py"])
    assert "ghp_" not in item.text


def test_a_secret_is_masked_before_the_lines_of_a_result_are_joined(policy, tmp_path):
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEAsecret\n" * 8 + "-----END RSA PRIVATE KEY-----"
    text = sarif(
        result("src/a.py", 3, key),
        result("src/a.py", 4, "found:\nAPI_TOKEN=verysecretvalue123\n"),
        result("src/a.py", 5, "y", rule=f"rule {SECRET}"),
        result(f"src/{SECRET}.py", 6),
    )
    (item,) = Said(sarif=[write(tmp_path, "s", text)]).items(policy, ["src/a.py", f"src/{SECRET}.py"])
    assert not [word for word in ("MIIEpAIB", "verysecret", "ghp_") if word in item.text]
    assert item.text.count("[masked:") >= 4


def test_the_name_of_a_file_is_masked_too(policy, tmp_path):
    (item,) = Said(background=write(tmp_path, f"{SECRET}.md", "x")).items(policy, [])
    assert "ghp_" not in item.source


@pytest.mark.parametrize(
    "uri",
    [
        "file://[zz/src/a.py",
        "http://℀/src/a.py",
        "http://[::1/src/a.py",
        "http://h:x/src/b.py",
        "\ud800",
        ["[" * 9],
        {"a": 1},
        True,
    ],
)
def test_a_uri_that_is_none_says_nothing(policy, tmp_path, uri):
    text = sarif(result(uri, 3), result("src/a.py", 4))
    (item,) = Said(sarif=[write(tmp_path, "s", text)]).items(policy, ["src/a.py"])
    assert item.text == "src/a.py:4 py/unused a value is unused"


@pytest.mark.parametrize("line", [True, 0, -1, 10**12, 3.0, "3", None, [3]])
def test_a_line_that_is_none_says_nothing(policy, tmp_path, line):
    assert not Said(sarif=[write(tmp_path, "s", sarif(result("src/a.py", line)))]).items(policy, ["src/a.py"])


@pytest.mark.parametrize("depth", [50, 300, 900])
def test_what_is_nested_in_the_place_of_a_word_says_nothing(policy, tmp_path, depth):
    nested = "[" * depth + "]" * depth
    text = sarif(result("src/a.py", 4, rule="@@")).replace('"@@"', nested)
    (item,) = Said(sarif=[write(tmp_path, "s", text)]).items(policy, ["src/a.py"])
    assert item.text == "src/a.py:4 a value is unused"


def test_half_of_a_character_is_no_reason_to_fail(policy, tmp_path):
    text = sarif(result("src/a.py", 4, "half \ud800"))
    items = Said(title="t\udcff", sarif=[write(tmp_path, "s", text)]).items(policy, ["src/a.py"])
    assert [item.text for item in items] == ["t?", "src/a.py:4 py/unused half ?"]
    assert all(json.dumps(item.wire(), ensure_ascii=False).encode() for item in items)


@pytest.mark.slow
def test_a_hundred_thousand_results_cost_no_more_than_are_shown(policy, tmp_path):
    masked = []
    mask = policy.masker()
    text = sarif(*(result("src/a.py", line, f"message {line}") for line in range(1, 100_001)))

    def counting(said):
        masked.append(said)
        return mask(said)

    found = findings(text, ["src/a.py"], counting, 4000)
    assert found.startswith("src/a.py:1 py/unused message 1\nsrc/a.py:2 ")
    assert 4000 < len(found) < 4400
    assert len(masked) < 500


@pytest.mark.parametrize("option", ["description", "background", "ci_summary", "sarif"])
@pytest.mark.parametrize("kind", ["pipe", "device", "socket"])
def test_what_is_no_file_is_refused_and_never_waited_for(policy, tmp_path, option, kind):
    path = tmp_path / "x"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(path))
    else:
        path = Path("/dev/zero")
    with pytest.raises(UsageError, match="is no file") as caught:
        Said(**{option: [path] if option == "sarif" else path}).items(policy, [])
    assert (caught.value.where, bool(caught.value.hint)) == (str(path), True)


def test_what_a_shell_hands_over_is_read(policy):
    reading, writing = os.pipe()
    os.write(writing, b"said by a command")
    os.close(writing)
    try:
        (item,) = Said(background=Path(f"/dev/fd/{reading}")).items(policy, [])
    finally:
        os.close(reading)
    assert item.text == "said by a command"


def test_of_a_long_text_no_line_is_cut(policy, tmp_path):
    wide = policy.model_copy(update={"engine": policy.engine.model_copy(update={"context_bytes": 10**7})})
    text = ("x" * 99 + "\n") * 10_485 + "y" * 60 + SECRET
    (item,) = Said(ci_summary=write(tmp_path, "ci", text)).items(wide, [])
    assert item.text.endswith("x")


@pytest.mark.parametrize(
    "text",
    [
        "fix password=LEAK1abcdef12345",
        "secret: LEAK1abcdefgh1234",
        "uses DB_PASSWORD=LEAK1abc! in CI",
        "(api-key = LEAK1-2)",
        "my passphrase: LEAK1x9",
    ],
)
def test_a_password_that_stands_in_prose_without_quotes_is_masked(policy, text):
    (item,) = Said(title=text).items(policy, [])
    assert "LEAK1" not in item.text
    assert "[masked:" in item.text


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens: 4096",
        "the token: it expires after 20 minutes",
        "password=password",
        "reset the password (#1234)",
        "secret: ${{ secrets.API_TOKEN }}",
        "Tokens: 12 in, 30 out",
    ],
)
def test_what_only_speaks_of_secrets_is_left(policy, text):
    (item,) = Said(title=text).items(policy, [])
    assert item.text == text

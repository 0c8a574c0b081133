"""What people and tools say about the change reaches a model masked, labelled and cut; of SARIF only what matters."""

from __future__ import annotations

import json

import pytest

from review_agent.commands._context import Said
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

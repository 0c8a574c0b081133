"""Keys of configuration files, line by line, and the edits between two versions of one."""

from textwrap import dedent

import pytest
from differences import change_of
from hypothesis import given
from hypothesis import strategies as st

from review_agent.syntax.keys import config_edits, config_language, keys
from review_agent.vocabulary import EditOp, Side


def read(text, language):
    lines = dedent(text).lstrip("\n").split("\n")
    return [(key.key, key.value, key.line) for key in keys(lines, language)]


def test_yaml_keys_are_dotted_by_indentation():
    text = """
    # a comment
    server:
      host: "0.0.0.0"   # all
      port: 80
      empty:
    name: 'a # b'
    """
    assert read(text, "yaml") == [
        ("server.host", "0.0.0.0", 3),
        ("server.port", "80", 4),
        ("server.empty", "", 5),
        ("name", "a # b", 6),
    ]


def test_yaml_lists_are_told_by_name_or_number():
    text = """
    steps:
      - name: test
        run: make
      - uses: checkout
        with:
          depth: 1
    jobs:
    - a: 1
    - a: 2
    """
    assert [one[0] for one in read(text, "yaml")] == [
        "steps.test.name",
        "steps.test.run",
        "steps.1.uses",
        "steps.1.with.depth",
        "jobs.0.a",
        "jobs.1.a",
    ]


def test_yaml_block_scalars_anchors_and_documents():
    text = """
    script: |
      key: not a key
      other: no
    base: &base
      a: 1
    derived:
      <<: *base
      b: !str 2
    ---
    c: 3
    """
    assert [one[:2] for one in read(text, "yaml")] == [
        ("script", "|"),
        ("base.a", "1"),
        ("derived.b", "2"),
        ("c", "3"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "services:\n  web:\n    environment:\n      - API_URL=http://a\n      - DEBUG\n",
        "services:\n  web:\n    environment:\n      API_URL: http://a\n",
        "spec:\n  containers:\n    - name: web\n      env:\n        - name: API_URL\n          value: http://a\n",
        "kind: ConfigMap\ndata:\n  API_URL: http://a\n",
        "env:\n  API_URL: http://a\n",
    ],
)
def test_environment_variables_in_yaml_are_named_alone(text):
    assert [(key.key, key.value) for key in keys(text.split("\n"), "yaml") if key.key == "API_URL"] == [
        ("API_URL", "http://a")
    ]


def test_toml_keys_are_dotted_by_table():
    text = """
    title = "a"
    [tool.ruff]
    line-length = 120  # wide
    lint.select = [
      "E",  # x = 1
      "F",
    ]
    text = '''
    no = 1
    '''
    [[servers]]
    host = "a"
    [[servers]]
    host = "b"
    """
    assert [one[:2] for one in read(text, "toml")] == [
        ("title", "a"),
        ("tool.ruff.line-length", "120"),
        ("tool.ruff.lint.select", "["),
        ("tool.ruff.text", "'''"),
        ("servers.0.host", "a"),
        ("servers.1.host", "b"),
    ]


def test_json_keys_with_comments_and_trailing_commas():
    text = """
    {
      // a comment
      "a": {"b": 1, "c": [1, 2], "d": "x:y",},
      "list": [{"e": true}, {"e": null}],
    }
    """
    assert read(text, "json") == [
        ("a.b", "1", 3),
        ("a.d", "x:y", 3),
        ("list.0.e", "true", 4),
        ("list.1.e", "null", 4),
    ]


def test_ini_env_and_dockerfiles():
    assert read("[a]\nb = 1 ; c\nd: 2\n", "ini") == [("a.b", "1", 2), ("a.d", "2", 3)]
    assert read("# x\nexport A='1'\nB=2 # two\nnot a setting\n", "env") == [("A", "1", 2), ("B", "2", 3)]
    docker = 'FROM a\nARG V=1\nENV A=1 \\\n    B="two words"\nENV OLD form\nRUN C=3 make\n'
    assert read(docker, "dockerfile") == [("V", "1", 2), ("A", "1", 3), ("B", "two words", 4), ("OLD", "form", 5)]


def test_which_files_have_keys():
    paths = [
        "a/config.yml",
        "x.toml",
        "Dockerfile",
        "b/api.dockerfile",
        ".env.example",
        "setup.cfg",
        "a.py",
        "README.md",
    ]
    assert [config_language(path) for path in paths] == [
        "yaml",
        "toml",
        "dockerfile",
        "dockerfile",
        "env",
        "ini",
        None,
        None,
    ]


@given(
    st.text(alphabet=" -:#\"'[]{}=\nab|>&*\t,\\", max_size=80), st.sampled_from(("yaml", "toml", "json", "ini", "env"))
)
def test_readers_take_any_text(text, language):
    lines = text.split("\n")
    assert all(1 <= key.line <= len(lines) for key in keys(lines, language))


def edits(old, new, path="deploy/app.yaml"):
    old, new = (dedent(text).lstrip("\n") for text in (old, new))
    change = change_of(old, new, path)
    return config_edits(change, config_language(path), old.splitlines(), new.splitlines())


def test_a_value_that_changed():
    (edit,) = edits("web:\n  debug: false\n  port: 80\n", "web:\n  debug: true\n  port: 80\n")
    assert (edit.op, edit.subject, edit.side, edit.start_line) == (EditOp.DEFAULT_CHANGED, "web.debug", Side.NEW, 2)
    assert (edit.before, edit.after, edit.scope) == ("false", "true", "web")
    assert edit.facts == {"carrier": "config_file", "key": "web.debug", "transition": "flipped"}


def test_a_key_under_another_name():
    (edit,) = edits("data:\n  BUCKET: a\n  PORT: 1\n", "data:\n  ARCHIVE_BUCKET: a\n  PORT: 1\n")
    assert (edit.op, edit.subject, edit.before) == (EditOp.KEY_RENAMED, "BUCKET", "BUCKET: a")
    assert (edit.facts["newKey"], edit.facts["act"]) == ("ARCHIVE_BUCKET", "sets")


def test_a_key_that_went():
    (edit,) = edits("A=1\nB=2\nC=3\n", "A=1\nC=3\n", ".env")
    assert (edit.op, edit.subject, edit.side, edit.start_line) == (EditOp.KEY_REMOVED, "B", Side.OLD, 2)
    assert (edit.facts["act"], edit.facts["siblings"]) == ("sets", ("A", "C"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a: 1\nb: 2\n", "b: 2\na: 1\n"),
        ("a: 1\n", "a: 1  # one\n"),
        ("a: 'x'\n", 'a: "x"\n'),
        ("a:\n  b: 1\n", "a:\n    b: 1\n"),
        ("version: 1.0\n", "version: 1.1\n"),
        ("web:\n  port: 1\n", "db:\n  port: 1\n"),
        ("list:\n  - a: 1\n  - a: 2\n", "list:\n  - a: 0\n  - a: 1\n  - a: 2\n"),
        ("a: 1\n", "a: 1\nb: 2\n"),
    ],
)
def test_files_that_say_the_same(old, new):
    assert [(str(edit.op), edit.subject) for edit in edits(old, new)] == []


def test_a_hunk_tells_twenty_edits_at_most_and_a_new_file_none():
    old = "".join(f"key{n}: 1\n" for n in range(50))
    assert len(edits(old, "other: 1\n")) == 20
    change = change_of(None, "a: 1\n", "a.yaml")
    assert config_edits(change, "yaml", (), ("a: 1",)) == ()

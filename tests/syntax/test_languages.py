import pytest

from review_agent.syntax.languages import PARSED, get_parser, get_query, language_of
from review_agent.syntax.outline import ADAPTERS


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"),
        ("b.PYI", "python"),
        ("cmd/main.go", "go"),
        ("ci.yml", "yaml"),
        ("pyproject.toml", "toml"),
        ("package.json", "json"),
        ("setup.cfg", "ini"),
        (".env", "env"),
        ("deploy/.env.production", "env"),
        ("prod.env", "env"),
        ("README.md", None),
        ("Makefile", None),
        (".py", None),
        ("a.py/x", None),
    ],
)
def test_language_of_a_path(path, language):
    assert language_of(path) == language


@pytest.mark.parametrize("language", PARSED)
def test_each_parsed_language_has_grammar_query_and_adapter(language):
    assert get_parser(language).parse(b"").root_node.child_count == 0
    assert get_query(language).pattern_count > 50
    assert language in ADAPTERS


def test_languages_share_their_captures():
    captures = [{q.capture_name(i) for i in range(q.capture_count)} for q in map(get_query, PARSED)]
    shared = set.intersection(*captures)
    assert {"function", "call", "call.callee", "assign.right", "if.test", "loop.inside", "use.returned"} <= shared

"""A long text is matched in turns; where they end is nothing that its tree may show."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_agent.resources import shipped
from review_agent.syntax import tree as trees
from review_agent.syntax.languages import language_of
from review_agent.syntax.tree import Tree

FILES = sorted(
    path
    for path in shipped("fixtures").glob("demo/*/**/*.*")
    if language_of(path.name) in ("python", "go", "typescript")
)
JAVA = (
    "package a;\nclass A extends B {\n  @Override void f(int x) { try (R r = new R()) { g(x); } finally { h(); } }\n}\n"
)
SCRIPT = (
    "export class A { async f(x = {a: 1}) { try { await g(x?.b) } catch (e) { } } }\ndescribe('a', () => it('b', f))\n"
)


def shape(text: str, language: str) -> list[object]:
    """All that the query gives a tree."""
    tree = Tree(text, language)
    roles = ({name: part.index for name, part in (node.roles or {}).items()} for node in tree.nodes)
    opens = ([(name, root.index) for name, root in node.opens] for node in tree.nodes)
    nodes = [(node.tag, node.use, parts, inside) for node, parts, inside in zip(tree.nodes, roles, opens, strict=True)]
    return [nodes, {name: [node.index for node in tagged] for name, tagged in tree.tagged.items()}]


@pytest.mark.parametrize("path", FILES, ids=lambda path: Path(path).name)
def test_a_tree_does_not_show_its_turns(path, monkeypatch):
    text, language = path.read_text(), language_of(path.name)
    whole = shape(text, language)
    for turn in (7, 97, 1_000):
        monkeypatch.setattr(trees, "_TURN", turn)
        assert shape(text, language) == whole


@pytest.mark.parametrize(("text", "language"), [(JAVA, "java"), (SCRIPT, "javascript"), (SCRIPT, "tsx")])
@given(turn=st.integers(1, 120))
def test_nor_where_a_turn_ends_within_a_node(text, language, turn):
    whole = shape(text, language)
    assert any(tag for tag, *_ in whole[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "_TURN", turn)
        assert shape(text, language) == whole

"""Searches of several grounds at once."""

import pytest

from review_agent.errors import GitError
from review_agent.git import Git
from review_agent.stages.evidence_grep import Greps, Ground
from review_agent.vocabulary import Side

PYTHON = Ground(Side.NEW, ("*.py",))
CODE = Ground(Side.NEW, ("*.py", "*.go"))
ALL = Ground(Side.NEW, ())
DOCS = Ground(Side.NEW, ("docs",))
TEXT = Ground(Side.NEW, (), fixed_word=False)


@pytest.fixture
def searched(repo, monkeypatch):
    """The searches of a small repository, and the commands that git was given."""
    repo.write("a.py", "send(kept)\nresend()\n")
    repo.write("b.go", "send()\n")
    repo.write("docs/c.md", "send and kept\n")
    head = repo.commit("All")
    asked = []
    grep = Git.grep

    def noted(self, commit, words, **how):
        asked.append((sorted(words), how["pathspecs"], how["fixed_word"]))
        return grep(self, commit, words, **how)

    monkeypatch.setattr(Git, "grep", noted)
    return Greps(Git(repo.root), {Side.NEW: head}, 1_000_000), asked


def lines(found, word):
    return {path: sorted(numbers) for path, numbers in found.by_word[word].items()}


def test_each_ground_gets_its_own_hits_of_one_search(searched):
    greps, asked = searched
    greps.start({PYTHON: ["send"], CODE: ["kept", "send"], ALL: ["kept"]})
    assert lines(greps.found(PYTHON, ["send"]), "send") == {"a.py": [1]}
    code = greps.found(CODE, ["kept", "send"])
    assert lines(code, "send") == {"a.py": [1], "b.go": [1]}
    assert lines(code, "kept") == {"a.py": [1]}
    assert lines(greps.found(ALL, ["kept"]), "kept") == {"a.py": [1], "docs/c.md": [1]}
    assert asked == [(["kept", "send"], (), True)]


def test_text_and_folders_are_searched_by_themselves(searched):
    greps, asked = searched
    greps.start({TEXT: ["send"], DOCS: ["send"], PYTHON: ["send"]})
    assert lines(greps.found(TEXT, ["send"]), "send") == {"a.py": [1, 2], "b.go": [1], "docs/c.md": [1]}
    assert lines(greps.found(DOCS, ["send"]), "send") == {"docs/c.md": [1]}
    assert sorted(asked) == sorted([(["send"], (), False), (["send"], ("docs",), True), (["send"], ("*.py",), True)])


def test_a_word_is_searched_once(searched):
    greps, asked = searched
    greps.start({PYTHON: ["send"]})
    greps.found(PYTHON, ["send"])
    found = greps.found(PYTHON, ["send", "kept"])
    assert greps.found(PYTHON, ["send", "kept"]) is found
    assert (lines(found, "send"), lines(found, "kept")) == ({"a.py": [1]}, {"a.py": [1]})
    assert [words for words, _, _ in asked] == [["send"], ["kept"]]


@pytest.mark.parametrize("cause", [GitError("git grep failed: gone"), RuntimeError("gone")])
def test_a_search_that_fails_in_the_background_fails_where_it_is_asked_for(searched, monkeypatch, cause):
    greps, _ = searched

    def fails(self, commit, words, **how):
        raise cause

    monkeypatch.setattr(Git, "grep", fails)
    greps.start({PYTHON: ["send"]})
    with pytest.raises(type(cause), match="gone"):
        greps.found(PYTHON, ["send"])

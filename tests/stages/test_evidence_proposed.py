"""Plans of a model: names as it sees them are found where they are defined, and said to be found by name alone."""

from __future__ import annotations

import pytest
from conftest import Repo
from test_endings import Scripted, asks, none, question

from review_agent.errors import GitError
from review_agent.git import Git
from review_agent.pipeline import Asked, Setup, review
from review_agent.policy.load import load
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    EngineRole,
    Phase,
    QueryStatus,
    Resolution,
    SynthesizePayload,
)

pytestmark = pytest.mark.slow

STORE = """package store

type Store struct{ size int }

func (s *Store) Save(key string) error {
	return s.write(key, 1)
}

func (s *Store) write(key string, n int) error {
	s.size += n
	return nil
}
"""
USE = """package use

func Do(all []Saver) error {
	for _, one := range all {
		one.Save("a")
	}
	return nil
}
"""


@pytest.fixture
def site(repo: Repo) -> Repo:
    repo.write("store/store.go", STORE)
    repo.write("use/use.go", USE)
    repo.write("shop.py", "class Shop:\n    def load(self):\n        total = 1\n        return total\n")
    repo.commit("start")
    repo.write("use/use.go", USE.replace('one.Save("a")', 'one.Save("b")'))
    repo.write("shop.py", "class Shop:\n    def load(self):\n        total = 2\n        return total\n")
    repo.commit("save another")
    return repo


def bundle(site: Repo, **changes: object) -> Bundle:
    """The bundle of one compiled question."""
    return bundle_under(site, {}, **changes)


def bundle_under(site: Repo, budgets: dict[str, int], **changes: object) -> Bundle:
    """The same, under budgets of its own."""
    engine = Scripted(compile=asks(question(**changes)), synthesize=lambda request: none())
    shipped = load()
    setup = Setup(
        git=Git(site.root),
        policy=shipped.model_copy(update={"budgets": shipped.budgets.model_copy(update=budgets)}),
        engine=engine,
        state_dir=site.root / ".review-agent",
        asked=Asked(base="HEAD~1", head="HEAD"),
    )
    done = review(setup)
    assert Phase.COLLECT in done.state.completed
    (asked,) = [
        one.payload
        for one in engine.of(EngineRole.SYNTHESIZE)
        if isinstance(one.payload, SynthesizePayload) and one.payload.question.rule.startswith("compiled:")
    ]
    assert isinstance(asked, SynthesizePayload)
    return asked.bundle


def plan(kind: str, name: str, path: str = "", scope: str = "") -> dict[str, object]:
    return {"plan": [{"kind": kind, "name": name, "path": path, "scope": scope, "side": "new"}]}


def test_a_definition_whose_receiver_is_not_followed_is_found_by_name_and_followed_one_step(site: Repo) -> None:
    at = {"path": "use/use.go", "startLine": 5, "endLine": 5}
    found = bundle(site, **at, **plan("definition", "Save"))
    facts = {fact.qualname: fact for one in found.evidence for fact in one.facts if isinstance(fact, DefinitionFact)}
    assert set(facts) >= {"Store.Save", "Store.write"}
    assert all(fact.resolution is Resolution.AMBIGUOUS for fact in facts.values())


SAVES = "package {0}\n\ntype T struct{{}}\n\nfunc (t T) Save(key string) error {{ return nil }}\n"


@pytest.fixture
def many(repo: Repo) -> Repo:
    """A method of one name in five packages and in a vendored one, called on what is not followed."""
    for name in "abcde":
        repo.write(f"{name}/{name}.go", SAVES.format(name))
    repo.write("vendor/v/v.go", SAVES.format("v"))
    repo.write("use/use.go", USE)
    repo.commit("start")
    repo.write("use/use.go", USE.replace('one.Save("a")', 'one.Save("b")'))
    repo.commit("save another")
    return repo


SAVE = {"path": "use/use.go", "startLine": 5, "endLine": 5, **plan("definition", "Save")}


def test_the_search_for_a_bare_name_says_where_it_looked_and_what_it_left_out(many: Repo) -> None:
    found = bundle(many, **SAVE)
    (answered,) = found.queries
    assert answered.searched == "names and imports of `use/use.go`, then 6 files at head"
    assert (answered.files_searched, answered.truncated) == (6, True)
    assert "left out by skip rules" in answered.note
    told = {(one.what, one.why) for one in found.left_out}
    assert ("definitions of `Save` in 2 more files", "3 are looked into for a bare name") in told
    assert ("hits of `Save` in vendor/v/v.go", "vendored") in told


def test_a_search_for_a_bare_name_that_was_cut_short_says_so(many: Repo) -> None:
    found = bundle_under(many, {"grep_hits_per_name": 1}, **SAVE)
    assert found.queries[0].truncated
    assert any("grep_hits_per_name budget of 1 spent" in one.why for one in found.left_out)


def test_a_file_over_the_budget_is_left_out_by_name(many: Repo) -> None:
    found = bundle_under(many, {"candidate_files": 2}, **SAVE)
    assert ("definition of `Save` in c/c.go", "candidate_files budget of 2 spent") in {
        (one.what, one.why) for one in found.left_out
    }


def test_a_search_for_a_bare_name_that_fails_is_told(many: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_late(*args: object, **options: object) -> None:
        raise GitError("git did not answer within 120 seconds and was given up")

    monkeypatch.setattr(Git, "grep", is_late)
    (answered,) = bundle(many, **SAVE).queries
    assert (answered.status, "given up" in answered.note) == (QueryStatus.FAILED, True)


def test_a_scope_by_its_last_name_is_the_one_that_ends_so(site: Repo) -> None:
    at = {"path": "shop.py", "startLine": 3, "endLine": 3}
    found = bundle(site, **at, **plan("uses_inside", "total", "shop.py", "load"))
    (answered,) = found.queries
    assert answered.query.scope == "Shop.load"
    assert answered.hits


@pytest.mark.parametrize(("kind", "name"), [("text", "package store"), ("path", "store/*.go")])
def test_texts_and_paths_are_looked_for_everywhere(site: Repo, kind: str, name: str) -> None:
    at = {"path": "shop.py", "startLine": 3, "endLine": 3}
    found = bundle(site, **at, **plan(kind, name))
    assert "store/store.go" in {one.ref.path for one in found.evidence}


def test_what_holds_a_hit_in_the_changed_file_is_read(repo: Repo) -> None:
    """A list outside any function says nothing; what becomes of its members is in the function that goes through it."""
    listed = 'NAMES = [\n    "A",\n    "B",\n]\n' + "\n# far\n" * 8
    loop = "def load(library):\n    found = []\n    for one in NAMES:\n        found.append(getattr(library, one))\n"
    long = "def other():\n" + "    x = 1\n" * 60 + "    return NAMES\n"
    repo.write("errors.py", f"{listed}\n{loop}    return tuple(found)\n\n\n{long}")
    repo.commit("start")
    repo.write("errors.py", f"{listed}\n{loop}    return tuple(found)\n\n\n{long}".replace('"B",', '"B",\n    "C",'))
    repo.commit("one more")
    found = bundle(repo, path="errors.py", startLine=4, endLine=4, **plan("text", "NAMES"))
    read = [one for one in found.evidence if one.origin == "read"]
    assert any("getattr(library, one)" in one.text and "return tuple(found)" in one.text for one in read)
    assert not any("def other" in one.text for one in read), "a long function is no close look"

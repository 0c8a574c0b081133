"""``explain`` finds the run that is meant: by its name, by a card of it, or by the commit that it reviewed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from review_agent import cli
from review_agent.commands._runs import run_of_card
from review_agent.errors import UsageError
from review_agent.runlog import read_events

pytestmark = pytest.mark.slow

API = "def price(sku):\n    return 1\n\n\ndef other():\n    return 2\n"
USER = "from shop.api import other, price\n\n\ndef total(skus):\n    return sum(price(sku) + other() for sku in skus)\n"


@pytest.fixture
def run(repo, monkeypatch, capsys):
    def run(*arguments, root=repo.root):
        monkeypatch.chdir(root)
        with pytest.raises(SystemExit) as left:
            cli.main([str(one) for one in arguments])
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run


@pytest.fixture
def shop(repo, run):
    """Two commits, each with a card, reviewed in this order; the second one twice."""
    repo.write("shop/__init__.py", "")
    repo.write("shop/api.py", API)
    repo.write("shop/user.py", USER)
    repo.commit("first")
    repo.write("shop/api.py", API.replace("price", "cost"))
    repo.commit("second")
    repo.write("shop/api.py", API.replace("price", "cost").replace("other", "another"))
    repo.commit("third")
    for commit in ("HEAD~1", "HEAD", "HEAD"):
        assert run("review", "--commit", commit)[0] == 0
    return repo


def names(shop) -> list[str]:
    return [path.stem for path in sorted((shop.root / ".review-agent/runs").glob("*.jsonl"))]


def shown(shop) -> list[str]:
    """The cards of the runs, as short as they are shown; not from the list, where a sample of the audit may stand."""
    runs = sorted((shop.root / ".review-agent/runs").glob("*.jsonl"))
    return [event.data["cardId"][:8] for path in runs for event in read_events(path) if event.type == "card"]


def test_a_card_of_any_run_leads_to_its_question(shop, run):
    first, second, _ = shown(shop)
    for arguments in ((first,), ("--only", first), (first[:4],)):
        code, out, err = run("explain", *arguments)
        assert (code, err) == (0, "")
        assert "`price`" in out
        assert "`other`" not in out
        assert out.partition("\n1 question\n")[1]
    assert "`other`" in run("explain", second)[1]


def test_a_commit_leads_to_its_newest_run(shop, run):
    for ref in ("HEAD~1", shop.git("rev-parse", "HEAD~1")[:9]):
        code, out, _ = run("explain", ref)
        assert code == 0
        assert "`price`" in out
    assert run("explain", "HEAD")[1] == run("explain", "latest")[1] == run("explain")[1]


def test_a_name_that_fits_several_runs_tells_them_apart(shop, run):
    first, second, third = names(shop)
    begun = second.split("-")[1][:7]
    code, out, err = run("explain", begun)
    assert (code, out) == (2, "")
    assert err.startswith(f"review-agent: '{begun}' means 2 runs\n")
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    for name in (second, third):
        line = next(one for one in err.splitlines() if name in one)
        assert f"{name}: {today}" in line
        assert f"1 card, commit {shop.git('rev-parse', 'HEAD')[:12]}, compared with its parent" in line
    assert first not in err


def test_a_review_that_was_run_twice_is_explained_by_its_newest_run_as_the_review_says(shop, run):
    _, second, third = names(shop)
    assert second.split("-")[1] == third.split("-")[1]
    assert run("explain", third.split("-")[1]) == run("explain", third)
    assert run("explain", third)[0] == 0


def test_a_word_that_no_path_can_be_names_no_run(shop, run):
    for word in ("a" * 300, "x" * 300 + ".jsonl", "a\0b"):
        code, _, err = run("explain", word)
        assert code == 2
        assert "next" in err


def test_a_name_that_fits_none_tells_the_newest_apart(shop, run):
    code, _, err = run("explain", "beef")
    assert code == 2
    assert "no run here is called 'beef', has a card that begins so or reviewed it as a commit" in err
    assert all(name in err for name in names(shop))
    assert "next   give the path of a run log" in run("explain", "none.jsonl")[2]


def test_what_was_recorded_without_a_repository_is_read_without_one(shop, run, tmp_path):
    patch = tmp_path / "x.patch"
    patch.write_text(shop.git("diff", "HEAD~1") + "\n")
    bare = tmp_path / "bare"
    bare.mkdir()
    assert run("review", "--no-repo", "--diff", patch, root=bare)[0] == 0
    assert "a patch of 1 file read alone" in run("explain", root=bare)[1]
    assert run("cards", "list", root=bare) == (0, "", "review-agent: no cards: the reviews here have written none\n")
    assert run("explain", root=tmp_path)[0] == 2
    assert not (Path(tmp_path) / ".review-agent").exists()


def test_the_start_of_several_cards_ids_means_none_of_them(tmp_path):
    lines = [f'{{"type":"card","data":{{"cardId":"abcd{n}{"0" * 27}","fingerprint":"f{n}"}}}}\n' for n in range(2)]
    (tmp_path / "20260101T000000Z-aaaaaaaaaaaa.jsonl").write_text("".join(lines))
    with pytest.raises(UsageError, match="'abcd' means 2 cards of 20260101T000000Z") as refused:
        run_of_card(tmp_path, "abcd")
    assert "abcd0000, abcd1000" in refused.value.hint
    found = run_of_card(tmp_path, "abcd1")
    assert found is not None
    assert found[1].startswith("abcd1")

"""Lists of commits with known defects: columns, locations, and the agreement with a scorer of locations."""

from __future__ import annotations

import json

import pytest
from replaycases import ADAPTED, CALLER, CHANGED, NOTES, PRICING, reviewed

from review_agent.errors import UsageError
from review_agent.replay.listing import jobs_of_list
from review_agent.replay.marks import marked, prediction_lines, read_marks
from review_agent.vocabulary import Side

pytestmark = pytest.mark.slow

HEADER = "id\tproject\tbase\thead\tkind\tlocations\tsummary\n"


@pytest.fixture
def shop(repo):
    """A repository with the caller left behind on one branch, adapted on another; its commits."""
    files = {"shop/__init__.py": "", "shop/pricing.py": PRICING, "shop/orders.py": CALLER, "README.md": NOTES}
    for path, text in files.items():
        repo.write(path, text)
    base = repo.commit("base")
    repo.write("shop/pricing.py", CHANGED)
    bad = repo.commit("bad")
    repo.git("checkout", "-q", "-b", "good", base)
    repo.write("shop/pricing.py", CHANGED)
    repo.write("shop/orders.py", ADAPTED)
    return repo, base, bad, repo.commit("good")


def listed(tmp_path, text):
    file = tmp_path / "list.tsv"
    file.write_text(text)
    return jobs_of_list(file, tmp_path)


def test_rows_are_reviewed_in_their_repositories_and_judged_by_place_alone(shop, tmp_path):
    _, base, bad, good = shop
    rows = f"one\tme/repo\t{base}\t{bad}\tbreakage\tshop/pricing.py:10-11;old:shop/pricing.py:6-6\tx\n"
    rows += f'two\trepo\t{base}\t{good}\tclean:refactoring\t\t"quoted\n'
    one, two = listed(tmp_path, HEADER + rows)
    assert [(place.side, place.start, place.end) for place in one.expected.places] == [
        (Side.NEW, 10, 11),
        (Side.OLD, 6, 6),
    ]
    assert (one.expected.kinds, one.expected.slack, two.expected.answer) == ((), 5, "clean")
    assert [reviewed(job, tmp_path / "runs").verdict for job in (one, two)] == ["found", "silent"]


def test_a_reading_undoes_a_hit(shop, tmp_path):
    _, base, bad, _ = shop
    (job,) = listed(tmp_path, HEADER + f"one\trepo\t{base}\t{bad}\tk\tshop/pricing.py:6-6\tx\n")
    result = reviewed(job, tmp_path / "runs")
    row = json.loads(prediction_lines([result]))
    assert row["id"] == "one"
    assert [(card["path"], card["line_start"], card["match"]) for card in row["cards"]] == [
        ("shop/pricing.py", 6, None)
    ]
    marks = tmp_path / "marks.jsonl"
    for match, verdict in ((True, "found"), (None, "found"), (False, "missed")):
        row["cards"][0]["match"] = match
        marks.write_text(json.dumps(row) + "\n\n")
        assert marked(job, result, read_marks(marks)).verdict == verdict
    marks.write_text('{"id": "one"}\n')
    with pytest.raises(UsageError, match="this is no mark"):
        read_marks(marks)


@pytest.mark.parametrize("place", ["repo", "me+repo", "me+repo.git", "me+repo/repo", "repo.git"])
def test_a_repository_is_found_under_its_usual_names(tmp_path, place):
    (tmp_path / place / "objects").mkdir(parents=True)
    (job,) = listed(tmp_path, HEADER + "one\tme/repo\tb\th\tk\ta.py:1\tx\n")
    assert job.origin.repository == str(tmp_path / place)


def test_a_missing_repository_fails_its_row_alone(tmp_path):
    from review_agent.engines.rules import Rules
    from review_agent.policy.load import load
    from review_agent.replay.half import replayed

    (job,) = listed(tmp_path, HEADER + "one\tme/repo\tb\th\tk\ta.py:1\tx\n")
    result = replayed(job, load(), Rules(), tmp_path / "runs")
    assert result.verdict == "failed"
    assert "me+repo" in result.reason


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("id\tproject\tbase\n", "the header lacks head", 1),
        (HEADER + "one\tp\t\th\tk\ta.py:1\tx\n", "the row has no base", 2),
        (HEADER + "one\tp\tb\th\tk\t\tx\n", "says no location", 2),
        (HEADER + "one\tp\tb\th\tk\ta.py\tx\n", "is no location", 2),
        (HEADER + "one\tp\tb\th\tk\ta.py:9-3\tx\n", "is no location", 2),
        ("id\tproject\tbase\thead\texpect\n1\tp\tb\th\tgood\n", "expect is 'good'", 2),
    ],
)
def test_a_list_that_does_not_read_is_named_with_its_line(tmp_path, text, said, line):
    with pytest.raises(UsageError, match=said) as told:
        listed(tmp_path, text)
    assert told.value.where.endswith(f":{line}")


def test_an_id_twice_is_refused(tmp_path):
    with pytest.raises(UsageError, match="two rows have the id"):
        listed(tmp_path, HEADER + "one\tp\tb\th\tk\ta.py:1\tx\n" * 2)


def test_a_branch_that_moved_is_another_half(shop, tmp_path):
    """Else what was kept for the commit it pointed to would pass for a review of the one it points to."""
    repo, base, bad, good = shop
    row = HEADER + "one\trepo\tmaster~0\twork\tk\tshop/pricing.py:6-6\tx\n".replace("master~0", base)
    repo.git("branch", "work", bad)
    (before,) = listed(tmp_path, row)
    repo.git("branch", "-f", "work", good)
    (after,) = listed(tmp_path, row)
    assert (before.origin.head, after.origin.head) == (bad, good)
    assert before.content != after.content


def test_a_folder_of_repositories_that_is_not_there_is_said_at_once(tmp_path):
    (tmp_path / "list.tsv").write_text(HEADER)
    with pytest.raises(UsageError, match="no such folder of repositories"):
        jobs_of_list(tmp_path / "list.tsv", tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("line", "said"), [('{"id": 1}', "cards is missing"), ("{", "this is no mark: "), ("[]", "this is no mark: ")]
)
def test_a_damaged_mark_is_named_in_words(tmp_path, line, said):
    (tmp_path / "marks.jsonl").write_text(line + "\n")
    with pytest.raises(UsageError, match=said) as caught:
        read_marks(tmp_path / "marks.jsonl")
    assert caught.value.where.endswith("marks.jsonl:1")
    assert "Error" not in caught.value.message

"""An artifact whose lines are not git's is refused with the line that lies; without the commits its cards say so."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.card import card_view
from dashboard.queue_page import _row
from review_agent import cli
from review_agent.commands._intake import comparison
from review_agent.demo import build
from review_agent.engines.rules import Rules
from review_agent.git import Git
from review_agent.ledger.comparing import Comparer
from review_agent.ledger.pinned import agrees, begins, masked_sides
from review_agent.ledger.store import Ledger
from review_agent.pipeline import Asked, Setup, review
from review_agent.policy.load import load
from review_agent.runlog import read_events
from review_agent.runstate import review_id
from review_agent.vocabulary import digest

pytestmark = pytest.mark.slow

Events = list[dict[str, Any]]
Forge = Callable[[Events], None]


class Made(NamedTuple):
    repo: Path
    log: Path
    head: str


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A repository, and the run log of a review of it in another place."""
    repo = tmp_path_factory.mktemp("demo") / "repo"
    base, head = build(repo)[:2]
    git = Git(repo)
    elsewhere = tmp_path_factory.mktemp("runner") / ".review-agent"
    return Made(repo, review(Setup(git, load(git=git), Rules(), elsewhere, asked=Asked(base, head))).path, head)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / ".review-agent")


def every(events: Events, kind: str) -> list[dict[str, Any]]:
    return [one["data"] for one in events if one["type"] == kind]


def sealed(events: Events) -> None:
    """Every identity is made to fit what the events say now, as somebody who knows the format would."""
    started = events[0]["data"]
    started["reviewId"] = review_id(started)
    for kind in ("passed", "card"):
        for card in every(events, kind):
            content = {name: value for name, value in card.items() if name != "cardVersion"}
            card["cardVersion"] = digest(content)[:16]


def added_line(events: Events) -> dict[str, Any]:
    lines = (line for file in every(events, "file") for hunk in file["hunks"] for line in hunk["lines"])
    return next(line for line in lines if line["tag"] == "+" and line["text"].strip())


def hunk_line(events: Events) -> None:
    added_line(events)["text"] += "  # harmless"


def hunk_number(events: Events) -> None:
    added_line(events)["new"] += 1


def hunk_tag(events: Events) -> None:
    line = added_line(events)
    line["tag"], line["old"] = " ", line["new"]


def hunk_gone(events: Events) -> None:
    asked = {one["hunkId"] for one in every(events, "question")}
    for file in every(events, "file"):
        unasked = [hunk for hunk in file["hunks"] if hunk["hunkId"] not in asked]
        if unasked and not file["binary"]:
            file["hunks"].remove(unasked[0])
            return
    raise AssertionError("every hunk is asked about")


def hunk_heading(events: Events) -> None:
    hunks = [hunk for file in every(events, "file") for hunk in file["hunks"] if hunk["section"]]
    hunks[0]["section"] = "def harmless():"


def file_gone(events: Events) -> None:
    asked = {one["path"] for one in every(events, "question")}
    at = next(n for n, one in enumerate(events) if one["type"] == "file" and one["data"]["path"] not in asked)
    del events[at]
    for seq, one in enumerate(events):
        one["seq"] = seq


def file_binary(events: Events) -> None:
    asked = {one["path"] for one in every(events, "question")}
    file = next(one for one in every(events, "file") if one["path"] not in asked and one["hunks"])
    file |= {"binary": True, "hunks": []}


def file_blob(events: Events) -> None:
    next(one for one in every(events, "file") if one["newBlob"])["newBlob"] = "0" * 39 + "1"


def excerpt(events: Events) -> None:
    every(events, "bundle")[0]["evidence"][0]["text"] = "return None"


def excerpt_and_its_hash(events: Events) -> None:
    """The lie hangs together: the text, the hash of it, and every reference to the same lines."""
    one = every(events, "bundle")[0]["evidence"][0]
    old, new = one["ref"], {**one["ref"], "quoteSha256": hashlib.sha256(b"return None\n").hexdigest()}
    one["text"] = "return None"
    text = json.dumps(events).replace(json.dumps(old), json.dumps(new))
    events[:] = json.loads(text)


def excerpt_elsewhere(events: Events) -> None:
    every(events, "bundle")[0]["evidence"][0]["ref"]["startLine"] += 1


def quote(events: Events) -> None:
    for kind in ("passed", "card"):
        every(events, kind)[0]["supportingRefs"][0]["quoteSha256"] = "0" * 64


def quote_of_another_commit(events: Events) -> None:
    for kind in ("passed", "card"):
        every(events, kind)[0]["diffAnchor"]["commit"] = every(events, "run_started")[0]["base"]


def no_finding_ref(events: Events) -> None:
    told = next(one for one in every(events, "no_finding") if one["refs"])
    told["refs"][0]["endLine"] += 1


def no_finding_place(events: Events) -> None:
    every(events, "no_finding")[0]["line"] += 1


def no_finding_and_its_answer(events: Events) -> None:
    told = every(events, "no_finding")[0]
    asked = next(one for one in every(events, "request") if one["questionId"] == told["questionId"])
    answer = next(one for one in every(events, "answer") if one["requestId"] == asked["requestId"])
    told["detail"] = answer["noFinding"]["detail"] = "every caller was adapted"


def no_finding_alone(events: Events) -> None:
    every(events, "no_finding")[0]["detail"] = "every caller was adapted"


def claim(events: Events) -> None:
    for kind in ("passed", "card"):
        every(events, kind)[0]["claim"] = "Nothing to see here"


def ingest(ledger: Ledger, made: Made, events: Events, folder: Path) -> Any:
    path = folder / "artifact.jsonl"
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in events))
    return ledger.ingest([path], compare=comparison(Git(made.repo)))


def read(made: Made) -> Events:
    return [json.loads(line) for line in made.log.read_text().splitlines()]


LIES: dict[Forge, str] = {
    hunk_line: "line .*: file: git has it otherwise: .* reads otherwise",
    hunk_number: "does not stand as the hunk has it",
    hunk_tag: "does not stand as the hunk has it",
    hunk_gone: "is left out",
    hunk_heading: "heading",
    file_gone: "the commits change .*, and it is left out",
    file_binary: "said to be binary",
    file_blob: "with these contents",
    excerpt: "line .*: bundle: git has it otherwise: the excerpt of .* reads otherwise",
    excerpt_and_its_hash: "have another quoteSha256",
    excerpt_elsewhere: "have another quoteSha256|has lines 1 to",
    quote: "line .*: passed: .* have another quoteSha256",
    quote_of_another_commit: "have another commit",
    no_finding_ref: "line .*: no_finding: .*",
    no_finding_place: "it is not of the question",
}


@pytest.mark.parametrize("policy", ["in force", "another"])
@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_lie_about_lines_is_refused_whole(
    made: Made, ledger: Ledger, tmp_path: Path, lie: Forge, policy: str
) -> None:
    events = read(made)
    lie(events)
    if policy == "another":
        events[0]["data"]["policyHash"] = "f" * 64
    sealed(events)
    if policy == "another":
        reidentified(events)
    found = ingest(ledger, made, events, tmp_path)
    assert (found.added, found.known, found.uncompared) == ([], [], [])
    assert re.search(LIES[lie], found.refused[0].reason), found.refused[0].reason
    assert list(ledger.runs_dir.glob("*")) == []


def reidentified(events: Events) -> None:
    """The cards' ids follow from the review's, which another policy changes."""
    review = events[0]["data"]["reviewId"]
    for kind in ("passed", "card"):
        for card in every(events, kind):
            card["cardId"] = digest({"reviewId": review, "questionId": card["questionId"], "ordinal": 0})[:32]
    sealed(events)


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        (claim, "passed: no answer of this run says this"),
        (no_finding_alone, "no_finding: no answer of this run says this"),
        (no_finding_and_its_answer, "answer: the rules of version .* answer another way"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_what_the_rules_do_not_say_is_refused(
    made: Made, ledger: Ledger, tmp_path: Path, lie: Forge, reason: str
) -> None:
    events = read(made)
    lie(events)
    sealed(events)
    (refused,) = ingest(ledger, made, events, tmp_path).refused
    assert re.search(reason, refused.reason), refused.reason
    assert list(ledger.runs_dir.glob("*")) == []


def test_a_true_run_is_taken_in_and_stands_beyond_doubt(made: Made, ledger: Ledger, tmp_path: Path) -> None:
    found = ingest(ledger, made, read(made), tmp_path)
    assert (found.refused, found.uncompared, found.around) == ([], [], [])
    (name,) = found.added
    assert ledger.doubt(name) == ""
    assert ingest(ledger, made, read(made), tmp_path).known == [name]


def test_by_another_policy_the_lines_are_compared_around_the_masks(made: Made, ledger: Ledger, tmp_path: Path) -> None:
    events = read(made)
    events[0]["data"]["policyHash"] = "f" * 64
    line = added_line(events)
    word = line["text"].split()[0]
    line["text"] = line["text"].replace(word, "[masked:some-token]", 1)
    sealed(events)
    reidentified(events)
    found = ingest(ledger, made, events, tmp_path)
    assert (found.refused, found.uncompared) == ([], [])
    assert found.around == found.added
    assert ledger.doubt(found.added[0]) == ""


@pytest.fixture
def shallow(made: Made, tmp_path: Path) -> Path:
    """A clone that lacks the head."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--no-local", str(made.repo), str(clone)], check=True)
    for command in (
        ["checkout", "-q", "--detach", "HEAD~1"],
        ["remote", "remove", "origin"],
        ["branch", "-D", "-q", "main"],
        ["reflog", "expire", "--expire=now", "--all"],
        ["gc", "-q", "--prune=now"],
    ):
        subprocess.run(["git", "-C", str(clone), *command], check=False, capture_output=True)
    for branch in subprocess.run(
        ["git", "-C", str(clone), "for-each-ref", "--format=%(refname)"], capture_output=True, text=True, check=True
    ).stdout.split():
        subprocess.run(["git", "-C", str(clone), "update-ref", "-d", branch], check=True)
    subprocess.run(["git", "-C", str(clone), "reflog", "expire", "--expire=now", "--all"], check=True)
    subprocess.run(["git", "-C", str(clone), "gc", "-q", "--prune=now"], check=True)
    assert Git(clone).missing(made.head)
    return clone


def told(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        cli.main(list(argv))
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


def test_without_the_commits_the_cards_say_so_until_they_are_fetched(
    made: Made, shallow: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = told(capsys, "ledger", "ingest", str(made.log), "--repo", str(shallow))
    assert (code, out) == (0, "1 run added\n")
    assert f"git fetch origin {made.head}" in err
    code, out, err = told(capsys, "cards", "list", "--format", "json", "--repo", str(shallow))
    card = json.loads(out)[0]["card"]["cardId"]
    assert "may not be those of git" in err
    assert "were not compared with git: commit" in told(capsys, "cards", "show", card, "--repo", str(shallow))[1]
    code, out, _ = told(capsys, "cards", "show", card, "--format", "json", "--repo", str(shallow))
    assert made.head in json.loads(out)["doubt"]
    subprocess.run(["git", "-C", str(shallow), "fetch", "-q", str(made.repo), made.head], check=True)
    code, out, err = told(capsys, "ledger", "ingest", str(made.log), "--repo", str(shallow))
    assert (code, out, err) == (0, "0 runs added, 1 known already\n", "")
    assert "not compared" not in told(capsys, "cards", "show", card, "--repo", str(shallow))[1]


def test_a_lie_that_was_taken_in_without_the_commits_is_told_as_soon_as_they_are_here(
    made: Made, ledger: Ledger, tmp_path: Path
) -> None:
    events = read(made)
    hunk_line(events)
    path = tmp_path / "artifact.jsonl"
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in events))
    (name,) = ledger.ingest([path]).added
    assert "not compared with git" in ledger.doubt(name)
    found = ledger.ingest([path], compare=comparison(Git(made.repo)))
    assert "git shows that it lies: line" in found.refused[0].reason
    doubt = ledger.doubt(name)
    assert doubt.startswith("git has it otherwise: line")
    assert [one.what for one in ledger.doctor() if one.level == "problem"] == [doubt]
    detail = ledger.card(ledger.cards()[0].card["cardId"])
    assert doubt in json.dumps(card_view(detail, doubt=doubt))
    assert "otherwise" not in json.dumps(card_view(detail))
    assert "not known to be git's" in json.dumps(_row(detail.row, False, True))


def test_a_review_of_what_was_never_committed_cannot_be_compared(made: Made, ledger: Ledger, tmp_path: Path) -> None:
    git = Git(made.repo)
    (made.repo / "new.py").write_text("x = 1\n")
    state = tmp_path / "runner"
    log = review(Setup(git, load(git=git), Rules(), state, asked=Asked(worktree=True))).path
    (made.repo / "new.py").unlink()
    found = ledger.ingest([log], compare=comparison(Git(made.repo)))
    assert [one.why for one in found.uncompared] == ["it is a review of the work tree, whose head is no commit"]


def test_no_sort_of_file_raises_a_false_alarm(repo: Any, tmp_path: Path) -> None:
    root: Path = repo.root
    before = {
        "crlf.py": b"x = 1\r\ny = 2\r\n",
        "empty": b"",
        "open.txt": b"no line end",
        "bits.bin": b"\0\1" * 99,
        "latin.txt": b"caf\xe9\nx\n",
        "moved.py": b"".join(b"l%d = 1\n" % n for n in range(40)),
        "kind": b"was a file\n",
        "odd \x01 name.py": b"q = 1\n",
        "secret.py": b'AWS = "AKIA' + b'QWERTYUIOP234567"\nz = 1\n',
    }
    for name, data in before.items():
        (root / name).write_bytes(data)
    (root / "link").symlink_to("crlf.py")
    first = repo.commit("first")
    for name, data in before.items():
        (root / name).write_bytes(data.replace(b"x", b"v").replace(b"1", b"2") + b"more\n")
    (root / "link").unlink()
    (root / "link").symlink_to("empty")
    (root / "kind").unlink()
    (root / "kind").symlink_to("crlf.py")
    (root / "moved.py").rename(root / "here.py")
    repo.git("add", "-A")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},sub")
    repo.git("commit", "-q", "-m", "second")
    git = Git(root)
    for commit in (first, "HEAD"):
        log = review(Setup(git, load(git=git), Rules(), tmp_path / "runner", asked=Asked(commit=commit))).path
        events = list(read_events(log))
        assert sum(event.type == "file" for event in events) >= 10
        for policy_hash in (events[0].data["policyHash"], "f" * 64):
            events[0].data["policyHash"] = policy_hash
            assert Comparer(root, load(git=git))(events).missing == ""


TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\n[]"), max_size=60)


@given(st.lists(TEXT, min_size=1, max_size=4), TEXT.filter(bool))
def test_a_masked_line_agrees_with_the_line_it_was(pieces: list[str], secret: str) -> None:
    said, true = "[masked:api-key]".join(pieces), secret.join(pieces)
    assert agrees(said, true)
    assert begins(said, true)
    if len(pieces) > 1 and all(pieces):
        assert not agrees(said, "".join(reversed(true)) + "!")


@given(TEXT, st.integers(0, 60))
def test_a_cut_line_is_the_beginning_of_a_line_from_forty_characters_on(text: str, cut: int) -> None:
    said = text[:cut]
    assert begins(said, text) == (said == text or len(said) >= 40)


def test_each_side_of_a_hunk_is_masked_as_a_whole() -> None:
    def mask(text: str) -> str:
        return text.replace("a\nb", "[masked:x]\n[masked:x]")

    assert masked_sides([" ", "-", "+"], ["a", "c", "b"], mask) == ["[masked:x]", "c", "[masked:x]"]

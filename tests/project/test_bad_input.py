"""What a user can do wrong, and what can happen to them: a clear message, a documented exit code, nothing lost."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from review_agent.demo import build
from review_agent.vocabulary import Phase

pytestmark = pytest.mark.slow

CLI = [sys.executable, "-m", "review_agent.cli"]
SLOW = [sys.executable, str(Path(__file__).with_name("slow_cli.py"))]


def run(*arguments: str, cwd: Path, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*CLI, *arguments], cwd=cwd, capture_output=True, text=True, **options)  # type: ignore[call-overload, no-any-return]


def said(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    repo = tmp_path_factory.mktemp("built") / "repo"
    return repo, *build(repo)


@pytest.fixture
def demo(built: tuple[Path, str, str], tmp_path: Path) -> tuple[Path, str, str]:
    repo, base, head = built
    shutil.copytree(repo, tmp_path / "repo", symlinks=True)
    return tmp_path / "repo", base, head


def logs(repo: Path) -> list[Path]:
    return sorted((repo / ".review-agent/runs").glob("*.jsonl"))


def test_not_a_repository(tmp_path: Path) -> None:
    said(run("review", cwd=tmp_path), 2, "not a git repository", "next")


def test_no_such_folder(tmp_path: Path) -> None:
    said(run("review", "--repo", "nowhere", cwd=tmp_path), 2, "nowhere")


def test_unknown_ref_and_a_ref_named_like_an_option(demo: tuple[Path, str, str]) -> None:
    repo, _, _ = demo
    said(run("review", "--base", "no-such-branch", cwd=repo), 2, "no-such-branch")
    said(run("review", "--base=--output=stolen", cwd=repo), 2, "--output=stolen")
    assert not (repo / "stolen").exists()


def test_no_merge_base(demo: tuple[Path, str, str]) -> None:
    repo, _, head = demo
    subprocess.run(["git", "checkout", "-q", "--orphan", "apart"], cwd=repo, check=True)
    identity = ["-c", "user.name=t", "-c", "user.email=t@t"]
    subprocess.run(["git", *identity, "commit", "-q", "-m", "apart"], cwd=repo, check=True)
    said(run("review", "--base", "apart", "--head", head, cwd=repo), 2, "no merge base")


def test_shallow_clone_says_how_to_deepen(demo: tuple[Path, str, str], tmp_path: Path) -> None:
    repo, _, _ = demo
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{repo}", str(shallow)], check=True)
    said(run("review", "--commit", "HEAD", cwd=shallow), 2, "git fetch --")


def test_an_empty_diff_is_complete_and_says_so(demo: tuple[Path, str, str]) -> None:
    repo, base, _ = demo
    done = run("review", "--base", base, "--head", base, cwd=repo)
    said(done, 0)
    assert "reviewed 0 of 0 files" in done.stdout


def test_invalid_policy_names_file_line_and_suggestion(demo: tuple[Path, str, str], tmp_path: Path) -> None:
    repo, base, head = demo
    policy = tmp_path / "policy"
    policy.mkdir()
    (policy / "budgets.yml").write_text("queires: 8\n")
    done = run("review", "--base", base, "--head", head, "--policy", str(policy), cwd=repo)
    said(done, 2, "budgets.yml", "queires", "queries")
    assert logs(repo) == []


def test_missing_policy_folder(demo: tuple[Path, str, str], tmp_path: Path) -> None:
    repo, base, head = demo
    missing = str(tmp_path / "none")
    said(run("review", "--base", base, "--head", head, "--policy", missing, cwd=repo), 2, missing)


def test_policy_of_head_is_not_read(demo: tuple[Path, str, str]) -> None:
    repo, base, head = demo
    before = run("review", "--base", base, "--head", head, "--format", "outcomes", cwd=repo).stdout
    folder = repo / ".github/review-agent"
    folder.mkdir(parents=True)
    (folder / "budgets.yml").write_text("nonsense: true\n")
    after = run("review", "--base", base, "--head", head, "--format", "outcomes", cwd=repo).stdout
    assert before == after


def test_full_disk_while_the_run_log_is_written(demo: tuple[Path, str, str]) -> None:
    """A real refused write: the system caps the size of files that the process may write."""
    repo, base, head = demo
    whole = run("review", "--base", base, "--head", head, "--format", "outcomes", cwd=repo)
    size = logs(repo)[0].stat().st_size
    shutil.rmtree(repo / ".review-agent")

    def cap() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2))

    done = run("review", "--base", base, "--head", head, cwd=repo, preexec_fn=cap)
    said(done, 3, "disk", "free", "run the same command again")
    (log,) = logs(repo)
    assert log.read_bytes().endswith(b"\n")
    resumed = run("review", "--base", base, "--head", head, "--format", "outcomes", cwd=repo)
    assert resumed.stdout == whole.stdout
    assert len(logs(repo)) == 1


@pytest.mark.parametrize("phase", list(Phase))
def test_ctrl_c_in_every_phase(demo: tuple[Path, str, str], phase: Phase) -> None:
    repo, base, head = demo
    command = [*SLOW, "review", "--base", base, "--head", head]
    child = subprocess.Popen(command, cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    assert child.stdout is not None
    with child:
        for line in child.stderr:
            if line == f"phase {phase}\n":
                child.send_signal(signal.SIGINT)
                break
        errors, output = child.stderr.read(), child.stdout.read()
    assert child.returncode == 130, errors
    assert "Traceback" not in errors
    assert "run the same command again" in errors
    assert output == ""
    (log,) = logs(repo)
    resumed = run("review", "--base", base, "--head", head, "--format", "json", cwd=repo)
    assert json.loads(resumed.stdout)["run"]["status"] == "complete", resumed.stderr
    assert logs(repo) == [log]


def test_torn_run_log_is_moved_aside_and_the_run_resumes(demo: tuple[Path, str, str]) -> None:
    repo, base, head = demo
    whole = run("review", "--base", base, "--head", head, "--format", "outcomes", cwd=repo).stdout
    (log,) = logs(repo)
    data = log.read_bytes()
    torn = data[: data.index(b'"type":"bundle"') + 9]
    log.write_bytes(torn)
    said(run("cards", "list", cwd=repo), 0)
    resumed = run("review", "--base", base, "--head", head, "--format", "outcomes", cwd=repo)
    assert resumed.stdout == whole
    assert log.read_bytes().startswith(torn[: torn.rindex(b"\n") + 1])
    assert len(list(log.parent.glob("*.torn-*"))) == 1


def test_torn_journal_loses_no_decision(demo: tuple[Path, str, str]) -> None:
    repo, base, head = demo
    document = json.loads(run("review", "--base", base, "--head", head, "--format", "json", cwd=repo).stdout)
    first, second = (card["cardId"] for card in document["outcomes"]["cards"][:2])
    said(run("decide", first, "accept", "--reviewer", "ann", cwd=repo), 0)
    journal = repo / ".review-agent/journal.jsonl"
    with journal.open("ab") as file:
        file.write(b'{"kind":"decision","decisionI')
    said(run("decide", second, "reject", "--reason", "intended", "--reviewer", "ann", cwd=repo), 0)
    states = {card["cardId"]: card["state"] for card in _cards(repo)}
    assert (states[first], states[second]) == ("accepted", "rejected")
    assert len(list(journal.parent.glob("journal.jsonl.torn-*"))) == 1


def _cards(repo: Path) -> list[dict[str, str]]:
    listed = json.loads(run("cards", "list", "--format", "json", cwd=repo).stdout)
    return [{"state": row["state"], "cardId": row["card"]["cardId"]} for row in listed]


def test_a_damaged_run_log_is_named_by_file_and_line(demo: tuple[Path, str, str]) -> None:
    repo, base, head = demo
    run("review", "--base", base, "--head", head, cwd=repo)
    (log,) = logs(repo)
    lines = log.read_bytes().split(b"\n")
    lines[3] = b"not json"
    log.write_bytes(b"\n".join(lines))
    said(run("explain", "latest", cwd=repo), 2, f"{log.name}:4")


def test_unwritable_output_leaves_no_partial_file(demo: tuple[Path, str, str]) -> None:
    repo, base, head = demo
    target = repo / "no-such-folder" / "out.json"
    said(run("review", "--base", base, "--head", head, "--output", str(target), cwd=repo), 2, "no-such-folder")


def test_a_state_folder_that_comes_with_a_commit_is_not_used(demo: tuple[Path, str, str], tmp_path: Path) -> None:
    repo, base, head = demo
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo / ".review-agent").symlink_to(outside)
    for command in (["review", "--base", base, "--head", head], ["cards", "list"], ["explain", "latest"]):
        said(run(*command, cwd=repo), 2, ".review-agent")
    assert list(outside.iterdir()) == []
    (repo / ".review-agent").unlink()
    (repo / ".review-agent").mkdir()
    (repo / ".review-agent/journal.jsonl").write_text("")
    subprocess.run(["git", "add", "-f", ".review-agent"], cwd=repo, check=True)
    said(run("cards", "list", cwd=repo), 2, "tracked by git")


@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_output_is_written_to_what_stands_there_not_put_in_its_place(
    demo: tuple[Path, str, str], tmp_path: Path, kind: str
) -> None:
    repo, base, _ = demo
    target, there = tmp_path / "target", tmp_path / "there"
    if kind == "pipe":
        os.mkfifo(there)
        reader = subprocess.Popen(["cat", str(there)], stdout=subprocess.PIPE, text=True)
    else:
        target.write_text("before")
        there.symlink_to(target)
    done = run("review", "--base", base, "--head", base, "--format", "json", "--output", str(there), cwd=repo)
    said(done, 0)
    if kind == "pipe":
        assert '"schemaVersion"' in reader.communicate(timeout=20)[0]
        assert there.is_fifo()
    else:
        assert '"schemaVersion"' in target.read_text()
        assert there.is_symlink()


def test_a_full_disk_where_the_result_goes_is_incomplete_and_the_run_is_said_to_be_recorded(
    demo: tuple[Path, str, str],
) -> None:
    repo, base, head = demo
    full = run("review", "--base", base, "--head", head, "--output", "/dev/full", cwd=repo)
    said(full, 3, "cannot write the result: No space left", "/dev/full", "make room there", "the run is recorded")
    assert len(logs(repo)) == 1


def test_a_decision_whose_line_has_no_room_is_recorded_and_said_to_be(demo: tuple[Path, str, str]) -> None:
    repo, base, head = demo
    run("review", "--base", base, "--head", head, cwd=repo)
    (card, *_) = json.loads(run("cards", "list", "--format", "json", cwd=repo).stdout)
    decide = [*CLI, "decide", card["card"]["cardId"], "accept"]
    with Path("/dev/full").open("w") as full:
        said(
            subprocess.run(decide, cwd=repo, stdout=full, stderr=subprocess.PIPE, text=True),
            3,
            "1 decision is recorded",
        )
    assert '"act":"accept"' in (repo / ".review-agent/journal.jsonl").read_text().replace(" ", "")


def test_a_full_or_closed_or_narrow_stdout_is_said_not_a_bug(demo: tuple[Path, str, str]) -> None:
    repo, base, head = demo
    review = [*CLI, "review", "--base", base, "--head", head]
    with Path("/dev/full").open("w") as full:
        said(subprocess.run(review, cwd=repo, stdout=full, stderr=subprocess.PIPE, text=True), 3, "takes no more")
    closed = subprocess.run(["bash", "-c", '"$@" >&-', "-", *review], cwd=repo, capture_output=True, text=True)
    said(closed, 2, "no standard output")
    narrow = subprocess.run(
        review,
        cwd=repo,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    )
    said(narrow, 0)
    assert "\\u25cf" in narrow.stdout


def test_unknown_command_option_and_run(demo: tuple[Path, str, str]) -> None:
    repo, _, _ = demo
    said(run("reviw", cwd=repo), 2)
    said(run("review", "--no-such-option", cwd=repo), 2, "--no-such-option")
    said(run("explain", "latest", cwd=repo), 2, "no run is recorded", "review-agent review")
    said(run("decide", "ffff", "accept", cwd=repo), 2, "ffff")


def test_a_closed_pipe_is_not_an_error(demo: tuple[Path, str, str]) -> None:
    repo, base, head = demo
    command = f"{sys.executable} -m review_agent.cli review --base {base} --head {head} --format json | head -c 10"
    done = subprocess.run(["bash", "-c", command], cwd=repo, capture_output=True, text=True, env=os.environ)
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


@pytest.mark.parametrize(("gate", "code"), [((), 0), (("--fail-on", "suggestion"), 1)])
def test_a_reader_that_has_left_changes_no_exit_code(
    demo: tuple[Path, str, str], gate: tuple[str, ...], code: int
) -> None:
    repo, base, head = demo
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*CLI, "review", "--base", base, "--head", head, *gate], cwd=repo, stdout=writing, stderr=subprocess.PIPE
    )
    os.close(writing)
    assert done.returncode == code, done.stderr

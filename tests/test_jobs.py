"""Jobs of the catalogue: which apply, what is kept of a result, and that running one trusts nothing of the change."""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from made_runs import card, question, sha

from review_agent import jobs
from review_agent.errors import GitError, ProcessError, SnapshotError, UsageError
from review_agent.git import Git
from review_agent.policy.load import load
from review_agent.policy.model import CatalogEntry, Jobs, Policy
from review_agent.vocabulary import Effect

CARD, QUESTION = card(sha("review", 1), 0).wire(), question(0).wire()
KEY = "AKIA" + "QWERTYUIOP234567"


@cache
def shipped() -> Policy:
    return load()


def policy(*argv: str, limits: dict[str, Any] | None = None, **entry: Any) -> Policy:
    """The shipped policy with one job, ``j``, for the rule of the card."""
    fields = {"kind": "test", "kinds": ("cache_key",), "procedure": "run it", "signal": "it tells", **entry}
    made = CatalogEntry(id="j", rules=("key_component_removed",), argv=argv, **fields)
    allowed = Jobs(**{"seconds": 20, "output_bytes": 65536, "log_characters": 4000, **(limits or {})})
    return shipped().model_copy(update={"catalog": (made,), "jobs": allowed})


def run(repo: Any, head: str, by: Policy, of: dict[str, Any] = CARD, **more: Any) -> jobs.Ran:
    return jobs.run(Git(repo.root), of, QUESTION, head, by, "j", **more)


def test_at_most_two_are_proposed_and_they_are_what_the_card_says() -> None:
    one = {"kind": "test", "kinds": ("cache_key",), "signal": "s"}
    catalog = tuple(CatalogEntry(id=name, procedure=said, **one) for name, said in ("ax", "bx", "cy", "dz"))
    by = shipped().model_copy(update={"catalog": catalog})
    assert [job.id for job in jobs.proposed(CARD, QUESTION, by)] == ["a", "c"]
    assert [job.id for job in jobs.applicable(CARD, QUESTION, by)] == ["a", "b", "c", "d"]


def test_a_card_without_an_entry_of_its_own_has_the_generic_job() -> None:
    by = shipped().model_copy(update={"catalog": ()})
    (job,) = jobs.proposed(CARD, QUESTION, by)
    assert (job.id, job.argv) == ("generic", ())
    assert "for people" in job.refusal


def test_only_a_job_that_settles_the_card_can_be_asked_for() -> None:
    by = policy("true")
    assert jobs.requested(CARD, QUESTION, by, "j").wire() == {
        "job": "j",
        "result": None,
        "log": None,
        "logSha256": None,
        "logBytes": None,
    }
    with pytest.raises(UsageError, match="the catalogue has no job 'k'") as caught:
        jobs.requested(CARD, QUESTION, by, "k")
    assert caught.value.hint == "jobs that do: j"
    with pytest.raises(UsageError, match="does not settle this card"):
        jobs.requested(CARD, QUESTION, shipped(), "removed-symbol-references")


def test_a_log_is_hashed_as_it_came_and_kept_without_its_secrets() -> None:
    raw = f"key {KEY}\n".encode() + b"\xff\x00 end"
    proof = jobs.attach("j", "fail", raw, shipped().masker(), 4000)
    assert (proof.job, proof.result, proof.log_bytes) == ("j", "fail", len(raw))
    assert proof.log_sha256 == hashlib.sha256(raw).hexdigest()
    assert proof.log is not None
    assert KEY not in proof.log
    assert proof.log.endswith("\N{REPLACEMENT CHARACTER}\0 end")


@pytest.mark.parametrize("shift", range(-30, 31, 5))
def test_a_long_log_keeps_both_ends_and_no_secret_at_the_cut(shift: int) -> None:
    most = 1000
    text = "a" * (most // 2 + shift) + f" {KEY} " + "b" * 100_000 + f" {KEY} " + "c" * (most // 2 - shift)
    kept = jobs.attach("j", "pass", text.encode(), shipped().masker(), most).log
    assert kept is not None
    assert kept.startswith("aaa")
    assert kept.endswith("ccc")
    assert "characters left out" in kept
    assert not any(KEY[:n] in kept for n in range(8, len(KEY) + 1))
    assert len(kept) < most + 60


def test_no_log_is_no_log() -> None:
    assert jobs.attach("j", "pass", None, shipped().masker(), 4000).log_sha256 is None


@pytest.mark.parametrize(
    ("word", "code", "result"), [("here", 0, "fail"), ("nowhere", 1, "pass"), ("undecided", 0, None)]
)
def test_a_job_sees_the_files_of_the_head_and_its_code_is_the_result(
    repo: Any, word: str, code: int, result: str | None
) -> None:
    repo.write("a/b.py", "here\nundecided\n")
    head = repo.commit("head")
    repo.write("a/b.py", "nowhere\n")
    repo.write("new.py", "nowhere\n")
    codes = {"pass_codes": (1,), "fail_codes": () if word == "undecided" else (0,)}
    ran = run(repo, head, policy("git", "grep", "-n", f"-e{word}", "{head}", **codes), _at(head))
    assert (ran.code, ran.result) == (code, result)
    assert ran.output.decode() == (f"{head[:12]}:a/b.py:{1 if word == 'here' else 2}:{word}\n" if code == 0 else "")


def _at(commit: str) -> dict[str, Any]:
    anchor = {**CARD["diffAnchor"], "commit": commit}
    return {**CARD, "diffAnchor": anchor}


def test_nothing_of_the_users_repository_is_touched_or_obeyed(repo: Any, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    hook = repo.write(".git/hooks/post-checkout", f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    repo.git("config", "filter.evil.smudge", f"touch {ran}")
    repo.git("config", "core.fsmonitor", f"touch {ran}")
    repo.write(".gitattributes", "* filter=evil diff=evil\n")
    repo.write("a.py", "x\n")
    head = repo.commit("head")
    ran.unlink(missing_ok=True)  # the commit itself obeys the configuration
    repo.git("config", "--unset", "core.fsmonitor")
    repo.write("a.py", "dirty\n")
    before = _everything(repo.root)
    done = run(repo, head, policy("git", "-c", "core.pager=cat", "grep", "-c", "-ex"))
    assert b"a.py:1" in done.output
    assert _everything(repo.root) == before
    assert not ran.exists()


def _everything(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_a_link_of_the_change_leads_nowhere(repo: Any, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the secret")
    (repo.root / "link").symlink_to(tmp_path / "secret")
    (repo.root / "folder").symlink_to(tmp_path)
    head = repo.commit("head")
    ran = run(repo, head, policy("sh", "-c", "cat link; ls folder/; true"))
    assert b"the secret" not in ran.output
    assert str(tmp_path / "secret").encode() in ran.output


def test_a_file_of_the_change_never_stands_in_for_the_program(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("git", "#!/bin/sh\necho stolen\n").chmod(0o755)
    head = repo.commit("head")
    monkeypatch.setenv("PATH", f":.:{os.environ['PATH']}:")
    assert b"stolen" not in run(repo, head, policy("git", "grep", "-c", "-estolen")).output.replace(b"git:1", b"")


def test_a_value_that_reads_as_an_option_is_not_passed_on(repo: Any) -> None:
    repo.write("a.py", "x\n")
    head = repo.commit("head")
    effect = Effect(op="removed", subject="--open-files-in-pager=touch ran").wire()
    hostile = {**CARD, "effect": effect}
    with pytest.raises(UsageError, match="would be read as an option"):
        run(repo, head, policy("git", "grep", "{subject}"), hostile)
    assert run(repo, head, policy("git", "grep", "-e{subject}"), hostile).code == 1
    assert run(repo, head, policy("git", "grep", "-ex", "--", "{subject}"), hostile).code == 1


def test_no_shell_sees_a_value(repo: Any, tmp_path: Path) -> None:
    repo.write("a.py", "x\n")
    head = repo.commit("head")
    hostile = {**CARD, "effect": Effect(op="removed", subject=f"$(touch {tmp_path}/ran); `id` 'x").wire()}
    ran = run(repo, head, policy("printf", "<%s>", "x{subject}"), hostile)
    assert ran.output.decode().startswith("<x$(touch ")
    assert not (tmp_path / "ran").exists()


def test_the_environment_is_minimal_and_gone_afterwards(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("a.py", "x\n")
    head = repo.commit("head")
    monkeypatch.setenv("SECRET_TOKEN", KEY)
    said = run(repo, head, policy("env")).output.decode()
    variables = dict(line.split("=", 1) for line in said.splitlines())
    assert {name for name in variables if not name.startswith("GIT_")} <= {"PATH", "HOME", "TMPDIR", "LC_ALL", "PWD"}
    assert KEY not in said
    assert not Path(variables["HOME"]).exists()
    assert variables["HOME"] != os.environ.get("HOME")


def test_a_job_that_is_late_or_prints_without_end_is_stopped(repo: Any) -> None:
    repo.write("a.py", "x\n")
    head = repo.commit("head")
    with pytest.raises(ProcessError, match="within 1 second and"):
        run(repo, head, policy("sleep", "30", limits={"seconds": 1}))
    with pytest.raises(ProcessError, match="printed more than 1024 bytes"):
        run(repo, head, policy("yes", limits={"output_bytes": 1024}))


def test_what_it_says_on_standard_error_is_part_of_the_log(repo: Any) -> None:
    repo.write("a.py", "x\n")
    ran = run(repo, repo.commit("head"), policy("sh", "-c", "echo out; echo bad >&2; exit 7"))
    assert (ran.output, ran.code, ran.result) == (b"out\n\n[on standard error]\nbad\n", 7, None)


@pytest.mark.parametrize(
    ("by_policy", "by_caller", "said"),
    [
        (False, False, "the policy does not allow that"),
        (False, True, "the policy does not allow that"),
        (True, False, "runs code of the reviewed change$"),
        (True, True, ""),
    ],
)
def test_code_of_the_change_runs_only_where_policy_and_caller_allow_it(
    repo: Any, tmp_path: Path, by_policy: bool, by_caller: bool, said: str
) -> None:
    repo.write("check.sh", f"touch {tmp_path}/ran\n")
    head = repo.commit("head")
    by = policy("sh", "check.sh", limits={"allow_running_changed_code": by_policy}, runs_changed_code=True)
    if said:
        with pytest.raises(UsageError, match=said):
            run(repo, head, by, allow_running_changed_code=by_caller)
    else:
        assert run(repo, head, by, allow_running_changed_code=by_caller).result == "pass"
    assert (tmp_path / "ran").exists() is (not said)


def test_what_cannot_be_run_says_why(repo: Any) -> None:
    repo.write("a.py", "x\n")
    head = repo.commit("head")
    with pytest.raises(UsageError, match="is for people") as caught:
        run(repo, head, policy())
    assert caught.value.hint == "by hand: run it"
    with pytest.raises(UsageError, match="is not known of this card"):
        run(repo, head, policy("git", "grep", "-e{to}"))
    with pytest.raises(ProcessError, match="no-such-program-anywhere is not installed"):
        run(repo, head, policy("no-such-program-anywhere"))
    with pytest.raises(SnapshotError, match="names no commit"):
        run(repo, "f" * 40, policy("true"))


def test_a_tree_that_would_write_into_the_git_folder_is_refused(repo: Any, tmp_path: Path) -> None:
    repo.write("config", "[core]\n\tfsmonitor = touch ran\n")
    repo.commit("start")
    blob = repo.git("rev-parse", "HEAD:config")
    tree = _made(repo, f"100644 blob {blob}\tconfig\n")
    top = _made(repo, f"040000 tree {tree}\t.git\n")
    commit = repo.git("commit-tree", top, "-m", "hostile")
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(GitError):
        Git(repo.root).checkout(commit, folder)


def _made(repo: Any, listing: str) -> str:
    path = repo.root.parent / "listing"
    path.write_text(listing)
    return repo.git("-c", "core.protectNTFS=false", "-c", "alias.made=!git mktree <" + str(path), "made")


def test_a_checkout_is_whole_and_its_index_knows_it(repo: Any, tmp_path: Path) -> None:
    repo.write("a/ü b.txt", b"\xff\r\n\0")
    repo.write("run.sh", "x\n").chmod(0o755)
    head = repo.commit("head")
    folder = tmp_path / "out"
    folder.mkdir()
    Git(repo.root).checkout(head, folder)
    assert (folder / "a/ü b.txt").read_bytes() == b"\xff\r\n\0"
    assert os.access(folder / "run.sh", os.X_OK)
    inside = json.dumps(sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if ".git" not in p.parts))
    assert json.loads(inside) == ["a", "a/ü b.txt", "run.sh"]

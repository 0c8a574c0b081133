from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from review_agent import resources
from review_agent.errors import ReviewAgentError
from review_agent.resources import install_command, shipped

CHECKOUT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", ["policy", "schemas", "fixtures"])
def test_a_checkout_serves_its_own_folders(name):
    assert shipped(name) == CHECKOUT / name


def test_an_installed_wheel_serves_the_packed_folders(tmp_path):
    package = tmp_path / "site-packages/review_agent"
    (package / "_shipped/policy").mkdir(parents=True)
    (tmp_path / "site-packages/policy").mkdir()
    for name in ("__init__.py", "errors.py", "resources.py"):
        shutil.copy(Path(resources.__file__).parent / name, package / name)
    code = "from review_agent.resources import shipped; print(shipped('policy'))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path / "site-packages", capture_output=True, check=True)
    assert done.stdout.decode().strip() == str((package / "_shipped/policy").resolve())


def test_a_lost_folder_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "review_agent")
    with pytest.raises(ReviewAgentError, match="missing") as caught:
        shipped("schemas")
    assert "install" in caught.value.hint


def test_nothing_else_is_shipped():
    with pytest.raises(ValueError, match="fixtures, policy, schemas"):
        shipped("../etc")


def test_an_extra_is_installed_by_the_python_that_runs_from_the_checkout_it_runs_from():
    words = shlex.split(install_command("model"))
    assert words == [sys.executable, "-m", "pip", "install", f"{CHECKOUT}[model]"]


@pytest.mark.parametrize(
    ("told", "what"),
    [
        ({"url": "file:///a/shop", "dir_info": {}}, "review-agent[model] @ file:///a/shop"),
        (
            {"url": "https://h/r.git", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}},
            "review-agent[model] @ git+https://h/r.git@c0ffee",
        ),
        (None, "review-agent[model]"),
    ],
    ids=["a folder", "a commit", "an index"],
)
def test_where_it_was_installed_an_extra_comes_from_the_same_place(tmp_path, monkeypatch, told, what):
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "review_agent")

    class Installed:
        def read_text(self, name):
            return json.dumps(told) if told and name == "direct_url.json" else None

    monkeypatch.setattr(metadata, "distribution", lambda name: Installed())
    assert shlex.split(install_command("model"))[-1] == what


def test_pages_name_the_packages_of_the_extras_as_the_project_does():
    extras = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for page, extra in (("engines", "model"), ("panel", "dashboard")):
        text = (CHECKOUT / f"docs/{page}.md").read_text()
        (line,) = [line for line in text.splitlines() if "pipx inject" in line]
        assert shlex.split(line)[3:] == extras[extra]
        assert f"pip install '.[{extra}]'" in text
        assert f"'review-agent[{extra}]'" not in text, "no index has it"

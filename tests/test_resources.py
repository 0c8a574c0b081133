from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from review_agent import resources
from review_agent.errors import ReviewAgentError
from review_agent.resources import shipped

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

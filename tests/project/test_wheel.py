"""The wheel alone, installed elsewhere, reviews a repository with no configuration."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from review_agent.demo import build

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_wheel_installed_elsewhere_reviews_an_unrelated_repository(tmp_path: Path) -> None:
    making = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(making, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    repo = tmp_path / "repo"
    _two_commits(repo)
    # The wheel's own folder first, this checkout nowhere: what it ships must be all that it needs.
    environment = {**os.environ, "PYTHONPATH": str(site), "HOME": str(tmp_path)}
    command = [sys.executable, "-P", "-m", "review_agent.cli", "review", "--commit", "HEAD", "--format", "json"]
    done = subprocess.run(command, cwd=repo, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (card,) = json.loads(done.stdout)["outcomes"]["cards"]
    assert card["rule"] == "required_parameter_added"
    # An installer compiles what it finds, the demo's own files too; none of that may enter the demo's commits.
    shipped = site / "review_agent/_shipped/fixtures"
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(shipped)], check=True)
    demo = [sys.executable, "-P", "-m", "review_agent.cli", "demo", "--format", "json", "--dir", str(tmp_path / "demo")]
    shown = subprocess.run(demo, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert json.loads(shown.stdout)["run"]["head"] == build(tmp_path / "same")[1], shown.stderr
    where = subprocess.run(
        [sys.executable, "-P", "-c", "import review_agent; print(review_agent.__file__)"],
        cwd=repo,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert where.stdout.startswith(str(site))


def _two_commits(repo: Path) -> None:
    (repo / "lib").mkdir(parents=True)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t"]
    (repo / "lib/__init__.py").write_text("")
    (repo / "lib/price.py").write_text("def price(sku):\n    return 2 * len(sku)\n")
    (repo / "app.py").write_text(
        "from lib.price import price\n\n\ndef main(skus):\n    return sum(price(sku) for sku in skus)\n"
    )
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=repo, check=True)
    subprocess.run(["git", "add", "-A"], cwd=repo, check=True)
    subprocess.run([*git, "commit", "-q", "-m", "first"], cwd=repo, check=True)
    (repo / "lib/price.py").write_text("def price(sku, tenant):\n    return tenant.rate * len(sku)\n")
    subprocess.run([*git, "commit", "-q", "-a", "-m", "second"], cwd=repo, check=True)

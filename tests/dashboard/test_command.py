"""`review-agent dashboard` starts on this machine only, says what keeps it from starting, and ends on Ctrl-C."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from panels import ROOT, Served, Tab, free_port

pytestmark = pytest.mark.slow


def run(*arguments: str, cwd: Path, code: str = "") -> subprocess.CompletedProcess[str]:
    """The command line; ``code`` runs in the same interpreter before it."""
    start = f"{code}\nfrom review_agent.cli import main; import sys; main(sys.argv[1:])"
    command = [sys.executable, "-P", "-c", start, "dashboard", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120)


def test_a_taken_port_is_told_with_another(reviewed: Path, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("--repo", str(reviewed), "--port", str(port), "--no-browser", cwd=tmp_path)
    assert done.returncode == 2
    assert f"port {port} cannot be had" in done.stderr
    assert "--port" in done.stderr


def test_without_the_extra_the_command_says_how_to_get_it(reviewed: Path, tmp_path: Path) -> None:
    hide = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "streamlit": raise ModuleNotFoundError(name)
        return None
import importlib.util as util; real = util.find_spec
util.find_spec = lambda name, package=None: None if name == "streamlit" else real(name, package)
sys.meta_path.insert(0, Hidden())
"""
    done = run("--repo", str(reviewed), "--port", str(free_port()), "--no-browser", cwd=tmp_path, code=hide)
    assert done.returncode == 2
    assert "-m pip install" in done.stderr
    assert "[dashboard]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_where_there_is_neither_a_repository_nor_records_it_says_so(tmp_path: Path) -> None:
    done = run("--repo", str(tmp_path), "--port", str(free_port()), "--no-browser", cwd=tmp_path)
    assert done.returncode == 2
    assert "next" in done.stderr


def test_a_policy_folder_named_from_here_is_read_again_later(
    serving: Callable[..., Served], reviewed: Path, tmp_path: Path, tab: Callable[..., Tab]
) -> None:
    shutil.copytree(ROOT / "policy", tmp_path / "rules")
    served = serving(reviewed, "--reviewer", "Rita", "--policy", "rules", cwd=tmp_path)
    one = tab(f"{served.url}/policy")
    before = one.text(".pane-body")
    file = tmp_path / "rules/reason-codes.yml"
    file.write_text(f"{file.read_text()}\n# a word more\n")
    one.page.wait_for_timeout(6_000)  # longer than what was read is kept
    one.press("r")
    assert one.page.locator(".nothing.error").count() == 0
    assert one.text(".pane-body") != before, "the hash is another"


def test_ctrl_c_ends_it_without_a_word_of_trouble(serving: Callable[..., Served], reviewed: Path) -> None:
    served = serving(reviewed, "--reviewer", "Rita")
    assert served.end() == 130
    said = served.log.read_text()
    assert f"http://127.0.0.1:{served.port}" in said
    assert "Traceback" not in said
    assert "treamlit" not in said


def test_it_listens_on_loopback_and_takes_no_other_host(panel: Served) -> None:
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in addresses - {"127.0.0.1"}:
        with socket.socket() as probe:
            probe.settimeout(2)
            assert probe.connect_ex((address, panel.port)) != 0
    assert shaken(panel.port, host=f"127.0.0.1:{panel.port}") == "101"
    assert shaken(panel.port, host="evil.invalid") == "403"
    assert shaken(panel.port, host=f"127.0.0.1:{panel.port}", origin="http://evil.invalid") == "403"


def shaken(port: int, *, host: str, origin: str = "") -> str:
    """The status that a WebSocket's first request gets."""
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        f"Origin: {origin or f'http://127.0.0.1:{port}'}",
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        return connection.recv(64).split()[1].decode()


def test_nothing_of_the_reviewed_repository_configures_it(
    serving: Callable[..., Served], reviewed: Path, tmp_path: Path, tab: Callable[..., Tab]
) -> None:
    """Streamlit reads configuration and secrets of the folder it starts in; Python might import from there."""
    repo = tmp_path / "repo"
    shutil.copytree(reviewed, repo)
    (repo / ".streamlit").mkdir()
    hostile = '[server]\naddress = "0.0.0.0"\nenableCORS = false\n[browser]\ngatherUsageStats = true\n'
    (repo / ".streamlit/config.toml").write_text(f'{hostile}[theme]\nfont = "x:https://evil.invalid/x.css"\n')
    (repo / ".streamlit/secrets.toml").write_text('key = "x"\n')
    for name in ("streamlit.py", "sitecustomize.py", "queue_page.py"):
        (repo / name).write_text("open('ran', 'w').close()\n")
    (repo / "dashboard").mkdir()
    (repo / "dashboard/__init__.py").write_text("open('ran', 'w').close()\n")
    served = serving(repo, "--reviewer", "Rita", cwd=repo)
    one = tab(served.url)
    assert one.card()
    assert not (repo / "ran").exists()
    assert "evil" not in one.page.content()


def test_records_alone_are_shown_without_a_clone(
    serving: Callable[..., Served], reviewed: Path, tmp_path: Path, tab: Callable[..., Tab]
) -> None:
    shutil.copytree(reviewed / ".review-agent/runs", tmp_path / ".review-agent/runs")
    served = serving(tmp_path, "--reviewer", "Rita")
    one = tab(served.url)
    assert one.page.locator(".code .ln").count() > 5
    assert one.page.locator(".file").count() >= 2
    one.press("a")
    assert [said["act"] for said in served.journal()] == ["accept"]


def test_owners_are_known_from_codeowners(
    serving: Callable[..., Served], reviewed: Path, tmp_path: Path, tab: Callable[..., Tab]
) -> None:
    repo = tmp_path / "repo"
    shutil.copytree(reviewed, repo)
    (repo / "CODEOWNERS").write_text("billing/ @shop/money\ngateway/ @shop/edge\n")
    git = ["git", "-C", str(repo), "-c", "user.name=t", "-c", "user.email=t@t"]
    subprocess.run([*git, "switch", "-q", "main"], check=True)
    subprocess.run([*git, "add", "CODEOWNERS"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "owners"], check=True)
    one = tab(serving(repo, "--reviewer", "Rita").url)
    assert "@shop/money" in one.text(".facts")
    one.answered(lambda: one.page.locator("select[name=owner]").select_option("@shop/edge"))
    folders = one.page.locator(".row .folder").all_inner_texts()
    assert folders
    assert all(folder.startswith("gateway") for folder in folders)


def test_the_wheel_brings_the_panel(
    serving: Callable[..., Served], reviewed: Path, tmp_path: Path, tab: Callable[..., Tab]
) -> None:
    making = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(making, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    served = serving(reviewed, "--reviewer", "Rita", PYTHONPATH=str(site))
    assert tab(served.url).card()
    where = "import dashboard, review_agent, json; print(json.dumps([dashboard.__file__, review_agent.__file__]))"
    environment = {"PYTHONPATH": str(site), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-P", "-c", where], env=environment, capture_output=True, text=True)
    assert all(place.startswith(str(site)) for place in json.loads(done.stdout))

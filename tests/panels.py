"""A real panel, served by the command, and a real browser in front of it. The demo repository is reviewed once."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 60_000
"""Milliseconds: what a loaded machine may take for one rendering. No test measures time."""


@dataclass
class Served:
    """A running panel."""

    process: subprocess.Popen[bytes]
    port: int
    repo: Path
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def journal(self) -> list[dict[str, Any]]:
        path = self.repo / ".review-agent/journal.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def end(self) -> int:
        """Ctrl-C, and what the command leaves with."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=60)


@dataclass
class Tab:
    """A page of the panel. ``asked`` are all addresses it asked for, ``troubles`` what it complained of."""

    page: Page
    asked: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    @property
    def frame(self) -> Locator:
        return self.page.locator("#frame")

    def open(self, url: str) -> Tab:
        self.page.goto(url)
        self.page.locator("#frame[data-ready]").wait_for(timeout=PATIENCE)
        return self

    def answered(self, act: Callable[[], object]) -> None:
        """Does something that the server answers, and waits for the rendering that answers it."""
        counted = self.page.locator("html")
        before = counted.get_attribute("data-asked") or "0"
        act()
        asked = counted.get_attribute("data-asked") or "0"
        assert asked != before, "nothing was sent"
        self.page.locator(f"#frame[data-answered='{asked}']:not([aria-busy])").wait_for(timeout=PATIENCE)

    def press(self, *keys: str) -> None:
        """Keys that the server answers, one after the other."""
        for key in keys:
            self.answered(lambda key=key: self.page.keyboard.press(key))

    def tap(self, *keys: str) -> None:
        """Keys that concern the browser alone."""
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text(timeout=PATIENCE)

    def card(self) -> str:
        return self.text(".card .id")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        said = "no chromium here (Debian: apt-get install chromium)"
        # On a machine that holds the gate, a skip would pass for a tested panel.
        (pytest.fail if os.environ.get("CI") else pytest.skip)(said)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo repository with its review recorded, to be copied."""
    target = tmp_path_factory.mktemp("demo") / "shop"
    command = [sys.executable, "-m", "review_agent.cli", "demo", "--dir", str(target)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return target


@pytest.fixture(scope="session")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Served]]:
    """Starts panels: ``serving(repo, *options)``; all are ended with the session."""
    running: list[Served] = []

    def serve(repo: Path, *options: str, cwd: Path | None = None, **environment: str) -> Served:
        port = free_port()
        log = tmp_path_factory.mktemp("served") / "log.txt"
        command = [sys.executable, "-P", "-m", "review_agent.cli", "dashboard"]
        command += ["--repo", str(repo), "--port", str(port), "--no-browser", *options]
        variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
        with log.open("w") as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=cwd, env=variables)
        served = Served(process, port, repo, log)
        running.append(served)
        wait_for(served)
        return served

    yield serve
    for one in running:
        one.end()


@pytest.fixture(scope="session")
def shared(
    serving: Callable[..., Served], reviewed: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Served, Served]:
    """Two reviewers' panels over one state folder."""
    repo = tmp_path_factory.mktemp("panel") / "shop"
    shutil.copytree(reviewed, repo)
    rita, otto = (serving(repo, "--reviewer", name) for name in ("Rita Reviewer", "Otto Other"))
    return rita, otto


@pytest.fixture
def panel(shared: tuple[Served, Served], reviewed: Path) -> Served:
    """A panel over the demo, nothing decided yet."""
    reset(shared[0].repo, reviewed)
    return shared[0]


@pytest.fixture
def other(shared: tuple[Served, Served], panel: Served) -> Served:
    """Another reviewer's panel over the same records."""
    return shared[1]


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Callable[..., Tab]]:
    """Opens pages. After the test: no page asked for anything outside this machine, or complained."""
    opened: list[Tab] = []
    contexts = []

    def new(url: str, *, scheme: str = "light", width: int = 1280, height: int = 860) -> Tab:
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        one = Tab(page)
        page.on("request", lambda request: one.asked.append(request.url))
        page.on("pageerror", lambda error: one.troubles.append(str(error)))
        page.on("dialog", lambda dialog: (one.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        opened.append(one)
        return one.open(url)

    yield new
    outside = [url for one in opened for url in one.asked if is_outside(url)]
    troubles = [trouble for one in opened for trouble in one.troubles]
    for context in contexts:
        context.close()
    assert outside == []
    assert troubles == []


def is_outside(url: str) -> bool:
    parts = urlsplit(url.removeprefix("blob:"))
    return parts.scheme != "data" and parts.hostname != "127.0.0.1"


def reset(repo: Path, template: Path) -> None:
    """The state as it was right after the review."""
    state = repo / ".review-agent"
    for path in (*state.glob("journal.jsonl*"), *state.glob("ledger.duckdb*")):
        path.unlink()
    for path in (state / "runs").iterdir():
        path.unlink()
    shutil.copytree(template / ".review-agent/runs", state / "runs", dirs_exist_ok=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(served: Served) -> None:
    for _ in range(600):
        if served.process.poll() is not None:
            pytest.fail(f"the panel did not start: {served.log.read_text()}")
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{served.url}/_stcore/health", timeout=2):
            return
        time.sleep(0.1)
    pytest.fail("the panel did not answer")

"""``review-agent dashboard``: the panel, served to this machine's browser."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from review_agent.commands._common import PolicyDir, Repo

if TYPE_CHECKING:
    from review_agent.git import Git
    from review_agent.policy.folder import Folder
    from review_agent.policy.model import Policy

__all__ = ["register"]

_LOOPBACK = "127.0.0.1"
_PORT = 8501
_UNKNOWN = "unknown"  # what git says where it knows no name and no mail


def register(app: typer.Typer) -> None:
    app.command("dashboard")(dashboard)


def dashboard(
    repo: Repo = Path(),
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port on 127.0.0.1 to serve on.")] = _PORT,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the panel in a browser.")] = True,
    reviewer: Annotated[
        str | None, typer.Option("--reviewer", help="Who decides; git's user by default.", metavar="NAME")
    ] = None,
    policy: PolicyDir = None,
) -> None:
    """Open the panel: triage cards, look at runs, decisions, policy, replays and metrics. Ctrl-C ends it.

    It listens on this machine only, asks nothing of the network, and needs the extra `dashboard`. In a folder that is
    no repository it shows the records of the `.review-agent` there. Exit: 130 once ended; 2 where it cannot start.
    """
    _check_installed()
    _check_free(port)
    from review_agent.commands._common import recorded, say

    state, git = recorded(repo)
    panel = _panel(state, git, reviewer, policy)
    if panel.reviewer == _UNKNOWN:
        say("decisions are recorded as `unknown`: set git's user.name or give --reviewer")
    _cut_the_day(panel)
    say(f"the panel is at http://{_LOOPBACK}:{port} (Ctrl-C ends it)")
    _serve(panel, port, browser)


def _cut_the_day(panel: Any) -> None:
    """Says in the journal, once a day, which cards the day's reviewer minutes do not reach."""
    from contextlib import suppress
    from datetime import UTC, datetime

    from review_agent.errors import RecordError
    from review_agent.memory import minutes

    with suppress(RecordError):  # where the folder cannot be written, or another program holds it: the queue is whole
        minutes.record(panel.state_dir, panel.policy()[0].queue, datetime.now(UTC).date())


def _check_installed() -> None:
    from importlib.util import find_spec

    from review_agent.errors import UsageError
    from review_agent.resources import install_command

    if find_spec("streamlit") is None:
        hint = f"install it where review-agent is: {install_command('dashboard')}"
        raise UsageError("the panel needs the extra `dashboard`, which is not installed here", hint=hint)


def _check_free(port: int) -> None:
    from review_agent.errors import UsageError

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_LOOPBACK, port))
        except OSError as error:
            raise UsageError(
                f"port {port} cannot be had: {error.strerror}",
                where=f"{_LOOPBACK}:{port}",
                hint=f"another panel may be open there; give another: --port {port % 65535 + 1}",
            ) from error


def _panel(state: Path, git: Git | None, reviewer: str | None, folder: Path | None) -> Any:
    from dashboard.context import Panel
    from review_agent.owners import owners_at

    # The panel is served from another folder (see _serve), and the policy is read again there.
    read = _policy_reader(git, folder.resolve() if folder is not None else None)
    who = reviewer if reviewer is not None else git.identity() if git is not None else _UNKNOWN
    owners = owners_at(git) if git is not None else None
    return Panel(
        state_dir=state,
        place=_place(state.parent),
        reviewer=read()[0].masker()(who),
        policy=read,
        owner_of=owners,
        owners=owners.names if owners else (),
    )


def _place(folder: Path) -> str:
    """A folder by its last two names."""
    return "/".join(folder.parts[-2:]) if len(folder.parts) > 3 else str(folder)


def _policy_reader(git: Git | None, folder: Path | None) -> Callable[[], tuple[Policy, Folder]]:
    """The policy in force and its files, read anew when asked some seconds later."""
    import time

    from review_agent.policy.folder import read
    from review_agent.policy.load import load_folder

    held: list[tuple[float, tuple[Policy, Folder]]] = []

    def policy() -> tuple[Policy, Folder]:
        if not held or time.monotonic() - held[-1][0] > 5:
            found = read(folder, git=git)
            held[:] = [(time.monotonic(), (load_folder(found), found))]
        return held[-1][1]

    return policy


def _serve(panel: Any, port: int, browser: bool) -> None:
    """Runs Streamlit in this process until it is interrupted."""
    import dashboard as pages
    from dashboard.context import hand_over

    hand_over(panel)
    app = Path(str(pages.__file__)).with_name("app.py")
    # Streamlit takes its configuration and secrets from the folder it is started in: that may be a reviewed change's.
    os.chdir(app.parent)
    from streamlit import net_util
    from streamlit.web import bootstrap

    # It asks a server on the internet for this machine's address when a page of another origin knocks.
    net_util.get_external_ip = lambda: None
    net_util.get_internal_ip = lambda: None
    options = _options(port, browser)
    bootstrap.load_config_options(options)
    bootstrap.run(str(app), False, [], options)
    # Streamlit takes Ctrl-C for an order to stop and returns, once it listens for it; before that it is raised.
    raise KeyboardInterrupt


def _options(port: int, browser: bool) -> dict[str, Any]:
    """What must hold whatever a user's own Streamlit configuration says."""
    return {
        "server_address": _LOOPBACK,
        "server_port": port,
        "server_headless": not browser,
        "server_allowedHosts": [_LOOPBACK, "localhost"],
        "server_baseUrlPath": "",
        "server_enableCORS": True,
        "server_enableXsrfProtection": True,
        "server_enableStaticServing": False,
        "server_enableAgentApi": False,
        "server_fileWatcherType": "none",
        "server_runOnSave": False,
        "server_websocketPingInterval": 60,  # a busy machine is no lost connection
        "browser_gatherUsageStats": False,
        "browser_serverAddress": _LOOPBACK,
        "client_toolbarMode": "minimal",
        "client_showErrorDetails": "none",
        "client_showSidebarNavigation": False,
        "global_developmentMode": False,
        "logger_level": "error",
        "logger_hideWelcomeMessage": True,
        "ui_hideTopBar": True,
        "runner_magicEnabled": False,
    }

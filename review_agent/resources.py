"""Where the shipped data folders are, beside the package in a checkout, inside it in an installed wheel; and what
installs an extra beside what runs here."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from review_agent.errors import ReviewAgentError

__all__ = ["install_command", "shipped"]

_NAMES = ("fixtures", "policy", "schemas")
_PACKAGE = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """The folder of a kind of shipped data: ``policy``, ``schemas`` or ``fixtures``; the checkout's before the wheel's.

    Raises ReviewAgentError when the installation has lost it, ValueError for any other name.
    """
    if name not in _NAMES:
        raise ValueError(f"nothing is shipped as {name!r}; there are {', '.join(_NAMES)}")
    checkout = _PACKAGE.parent
    # In site-packages a neighbour called "policy" is somebody else's; only a checkout has our pyproject beside us.
    if (checkout / "pyproject.toml").is_file() and (checkout / name).is_dir():
        return checkout / name
    packed = _PACKAGE / "_shipped" / name
    if packed.is_dir():
        return packed
    raise ReviewAgentError(
        f"the shipped folder {name!r} is missing", where=str(packed), hint="install review-agent again"
    )


def install_command(extra: str) -> str:
    """What installs an extra into the very environment that this runs in, from where the product came itself."""
    return f"{shlex.quote(sys.executable)} -m pip install {shlex.quote(_with(extra))}"


def _with(extra: str) -> str:
    """The product with an extra, as pip is told it: of the checkout, or of what was installed here (PEP 610)."""
    import json
    from importlib import metadata

    checkout = _PACKAGE.parent
    if (checkout / "pyproject.toml").is_file():
        return f"{checkout}[{extra}]"
    try:
        told = json.loads(metadata.distribution("review-agent").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        told = {}
    url, vcs = str(told.get("url", "")), told.get("vcs_info")
    if vcs:
        url = f"{vcs['vcs']}+{url}@{vcs['commit_id']}"
    return f"review-agent[{extra}] @ {url}" if url else f"review-agent[{extra}]"

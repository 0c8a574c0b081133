"""Where the shipped data folders are: beside the package in a checkout, inside it in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from review_agent.errors import ReviewAgentError

__all__ = ["shipped"]

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

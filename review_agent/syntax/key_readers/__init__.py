"""Line-level readers of configuration files: what key stands on which line.

They follow the layout and never build the document: untrusted input cannot make them loop or refuse, and a line that
they do not understand is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from review_agent.syntax.key_readers import bracketed, flat, nested
from review_agent.syntax.key_readers.record import Key

__all__ = ["READERS", "Key"]

READERS: Mapping[str, Callable[[Sequence[str]], Iterator[Key]]] = {
    "yaml": nested.read,
    "toml": flat.toml,
    "json": bracketed.read,
    "ini": flat.ini,
    "env": flat.env,
    "dockerfile": flat.dockerfile,
}

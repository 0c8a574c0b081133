"""Where a model is asked, and what of that is secret: checked before anything is asked, hidden in what comes back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from review_agent.errors import UsageError
from review_agent.policy.addresses import SUCH_AS, address_fault, plain_address

__all__ = ["Endpoint", "header", "is_value"]

_MASKED = "[masked:key]"
_SHORTEST = 4  # what is as short as a word is no secret
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_ONE_LINE = "give it on one line, in plain ASCII"
# By these a request is framed or read; another value would break every call.
_OWN = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "expect",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked. ``key`` and headers are secrets: neither is shown when the record is."""

    base_url: str
    key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Raises UsageError for what cannot be asked, and never repeats a secret in it."""
        object.__setattr__(self, "base_url", plain_address(self.base_url))
        object.__setattr__(self, "key", self.key.strip())
        if said := address_fault(self.base_url):
            raise UsageError(said, hint=SUCH_AS)
        if not is_value(self.key):
            raise UsageError("the key for the model is no text that a header can hold", hint=_ONE_LINE)
        for name, value in self.headers.items():
            if not _NAME.fullmatch(name) or not is_value(value):
                shown = name if _NAME.fullmatch(name) else "for the model"
                raise UsageError(f"the header {shown} is no text that a header can hold", hint=_ONE_LINE)
            if name.lower() in _OWN:
                raise UsageError(f"the header {name} is set by each request itself", hint="leave it out")

    def hidden(self, text: str) -> str:
        """The text without key and header values, should a server repeat them, written as they are or escaped."""
        for secret, escaped in self._secrets:
            text = text.replace(secret, _MASKED)
            if "\\" in text or "%" in text:
                text = escaped.sub(_MASKED, text)
        return text

    def hidden_data(self, data: Any) -> Any:
        """JSON data with all its texts so, names of fields too: an escape is undone where data is read."""
        if isinstance(data, str):
            return self.hidden(data)
        if isinstance(data, dict):
            return {self.hidden(name): self.hidden_data(value) for name, value in data.items()}
        return [self.hidden_data(one) for one in data] if isinstance(data, list) else data

    @cached_property
    def _secrets(self) -> list[tuple[str, re.Pattern[str]]]:
        """Longest first, each with what finds it in the text of JSON or of an address that nobody has read yet."""
        found = {one for one in _values(self) if len(one) >= _SHORTEST}
        return [(one, _escaped(one)) for one in sorted(found, key=lambda one: (-len(one), one))]

    @property
    def is_here(self) -> bool:
        """Whether it is this machine, which no proxy is asked for."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"


def _values(endpoint: Endpoint) -> Iterator[str]:
    yield endpoint.key
    for name, value in endpoint.headers.items():
        yield value.strip()
        if name.lower().endswith("authorization"):  # a server repeats what stands after its scheme
            yield value.strip().partition(" ")[2].strip()


def _escaped(secret: str) -> re.Pattern[str]:
    """Each character as it is or by its number, behind a bounded run of backslashes that takes in the secret's own."""
    pattern, own = "", 0
    for one in secret:
        if one == "\\":
            own += 1
            continue
        pattern += rf"\\{{{own},{4 * own + 4}}}(?:{re.escape(one)}|(?i:u00{ord(one):02x}|%{ord(one):02x}))"
        own = 0
    return re.compile(pattern + rf"\\{{{own},{4 * own}}}")


def is_value(text: str) -> bool:
    """Whether a text can be a header's value as it is."""
    return text.isascii() and text.isprintable()


def header(text: str) -> tuple[str, str]:
    """Name and value of ``NAME:VALUE``. Raises UsageError, without the value, which may be a secret."""
    name, colon, value = (part.strip() for part in text.partition(":"))
    if not colon or not _NAME.fullmatch(name) or not is_value(value):
        shown = name if colon and _NAME.fullmatch(name) else "what was given"
        raise UsageError(f"--header: {shown} is no header", hint="write NAME:VALUE on one line, in plain ASCII")
    return name, value

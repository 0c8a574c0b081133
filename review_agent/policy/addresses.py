"""Whether an address is one that a model can be asked at, and a name one that a model can have.

Said before anything is asked, and by the same words wherever an address comes from: option, environment or policy.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

__all__ = ["SUCH_AS", "address_fault", "model_fault", "plain_address"]

SUCH_AS = "give one such as http://127.0.0.1:8080/v1"
_LONGEST, _SHOWN, _LONGEST_NAME = 2_000, 80, 200
_SCHEME = re.compile(r"(https?)://", re.IGNORECASE)
_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")


def plain_address(text: str) -> str:
    """The address without blanks and line ends around it, as secrets of CI bring them, its scheme in lower case."""
    return _SCHEME.sub(lambda found: found[0].lower(), text.strip(), count=1)


def address_fault(address: str) -> str:
    """What is wrong with an address, in words that end a sentence about it; "" where nothing is.

    What may hold a password or a key is not repeated.
    """
    if len(address) > _LONGEST:
        return f"the address of the model has {len(address)} characters; {_LONGEST} are the most"
    if not address.isprintable() or not address.isascii() or " " in address:
        return f"the address of the model{_quoted(address)} holds characters that no address has"
    if "@" in address:
        return "the address of the model holds a user or password; give the key by its own option"
    if "?" in address or "#" in address:
        return "the address of the model goes on after its path (? or #), where requests add theirs"
    if not _SCHEME.match(address):
        why = "it begins with another scheme" if "://" in address else "http:// or https:// is missing before it"
        return f"the address of the model{_quoted(address)} is no http address: {why}"
    return _host_fault(address)


def _host_fault(address: str) -> str:
    try:
        parts = urlsplit(address)
        sound = parts.port != 0 and _is_host(parts)
    except ValueError:
        sound = False
    return "" if sound else f"the address of the model{_quoted(address)} names no host or port"


def _is_host(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    if "[" in parts.netloc or ":" in host:
        return ip_address(host).version == 6
    labels = host.removesuffix(".").split(".")
    return len(host) <= 253 and all(map(_LABEL.fullmatch, labels))


def _quoted(address: str) -> str:
    """The value, where it looks like a place and not like a secret given by mistake."""
    if not re.search("[.:/]", address) or "@" in address or "?" in address:
        return ""
    shown = ascii(address)
    return f" {shown}" if len(shown) <= _SHOWN else f" {shown[:_SHOWN]}…"


def model_fault(name: str) -> str:
    """What is wrong with a model's name; "" where nothing is. None is named by an empty one."""
    if len(name) > _LONGEST_NAME:
        return f"the name of the model has {len(name)} characters; {_LONGEST_NAME} are the most"
    if not name.isprintable():
        return f"the name of the model {name!a} holds characters that no name has"
    return ""

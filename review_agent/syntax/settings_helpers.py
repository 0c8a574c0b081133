"""Settings that a file reads through functions of its own: ``flag("DEBUG", false)`` around the environment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from review_agent.syntax.model import Call, Setting, Symbol

__all__ = ["through_helpers"]

# Reading a variable whose name stands in another variable.
_READS = re.compile(
    r"(?:environ\.get|getenv|Getenv|LookupEnv|env\.get)\(\s*(?P<called>[A-Za-z_]\w*)\s*[,)]"
    r"|(?:environ|process\.env|import\.meta\.env|Bun\.env)\[\s*(?P<indexed>[A-Za-z_]\w*)\s*\]"
)
_LITERAL = re.compile(r"""^["'`]([A-Za-z][\w.-]*)["'`]$""")
_CALLABLES = frozenset({"function", "method"})


def through_helpers(
    data: bytes, symbols: Iterable[Symbol], calls: Iterable[Call], known: Sequence[Setting]
) -> Iterator[Setting]:
    """Calls of a function of the same file whose first parameter names what it reads; the second is the fallback."""
    text = data.decode("utf-8", "replace")
    if not _READS.search(text):
        return
    helpers = _helpers(text.split("\n"), symbols)
    seen = {(one.key, one.start) for one in known}
    for call in calls:
        key = _LITERAL.match(call.args[0].text) if call.args and call.callee in helpers else None
        if key is not None and (key.group(1), call.start) not in seen and not any(one.star for one in call.args):
            fallback = call.args[1].text if len(call.args) > 1 else None
            yield Setting(key.group(1), "environment", fallback, False, call.start, call.end, call.scope)


def _helpers(lines: Sequence[str], symbols: Iterable[Symbol]) -> frozenset[str]:
    """What the helpers are called by: bare names."""
    found = set()
    for one in symbols:
        params = [param.name for param in one.params if param.kind == "positional"]
        if one.kind not in _CALLABLES or not 1 <= len(params) <= 2:
            continue
        body = "\n".join(lines[one.start - 1 : one.end])
        if any((read.group("called") or read.group("indexed")) == params[0] for read in _READS.finditer(body)):
            found.add(one.name)
    return frozenset(found)

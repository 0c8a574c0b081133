"""Which exception types are caught along with which: Python's own hierarchy and the classes of the file."""

from __future__ import annotations

from collections.abc import Iterable

from review_agent.syntax.model import Outline
from review_agent.syntax.python_names import EXCEPTIONS

__all__ = ["Hierarchy"]

ALIASES = {"IOError": "OSError", "EnvironmentError": "OSError", "socket.error": "OSError", "select.error": "OSError"}
ALIASES |= {"socket.timeout": "TimeoutError", "asyncio.TimeoutError": "TimeoutError"}
# These derive from BaseException directly, so that ``except Exception`` lets them pass.
PAST_EXCEPTION = frozenset(
    {
        "BaseException",
        "KeyboardInterrupt",
        "SystemExit",
        "GeneratorExit",
        "BaseExceptionGroup",
        "asyncio.CancelledError",
    }
)
# What catches everything, where it is not BaseException.
_ROOTS = dict.fromkeys(("javascript", "typescript", "tsx"), "Error")


class Hierarchy:
    """Subclass relations among exception names, as far as two outlines and Python's builtins tell them."""

    def __init__(self, *outlines: Outline) -> None:
        self._roots = {"BaseException", *(_ROOTS.get(one.language, "BaseException") for one in outlines)}
        self._bases = {
            symbol.name: symbol.bases for outline in outlines for symbol in outline.symbols if symbol.kind == "class"
        }

    def is_a(self, name: str, other: str) -> bool:
        """Whether ``other`` catches ``name``. A name of unknown origin is taken for an ordinary ``Exception``."""
        name, other = ALIASES.get(name, name), ALIASES.get(other, other)
        if name == other or other in self._roots:
            return True
        if other == "Exception":
            return name not in PAST_EXCEPTION
        return other in self._ancestors(name, set())

    def _ancestors(self, name: str, seen: set[str]) -> set[str]:
        if name in seen:
            return seen
        seen.add(name)
        for base in self._bases.get(name, ()):
            self._ancestors(ALIASES.get(base, base), seen)
        seen.update(EXCEPTIONS.get(name, ()))
        return seen

    def covers(self, wide: Iterable[str], narrow: Iterable[str]) -> bool:
        """Whether each of ``narrow`` is caught by one of ``wide``."""
        wide = tuple(wide)
        return all(any(self.is_a(name, other) for other in wide) for name in narrow)

    def touches(self, caught: Iterable[str], types: Iterable[str]) -> bool:
        """Whether any of ``types`` is caught, in part or whole, by any of ``caught``."""
        types = tuple(types)
        return any(self.is_a(one, other) or self.is_a(other, one) for one in caught for other in types)

"""Whether a model's endpoint is worth another call: a few requests in a row that nobody answered, and none is made."""

from __future__ import annotations

from review_agent.engines.failures import ENDPOINT, Fault
from review_agent.vocabulary import CallError

__all__ = ["Health"]

_MOST_IN_A_ROW = 5


class Health:
    """Of one model at one endpoint. A reply of any kind, however bad, shows that somebody answers."""

    def __init__(self) -> None:
        self._in_a_row = 0
        self._answered = False
        self._last: Fault | None = None

    def ended(self, fault: Fault | None) -> None:
        """A request was given up by its last fault, or (null) answered."""
        # Where nothing was ever answered, what refuses each request refuses the way we ask.
        fails = fault is not None and (
            fault.error in ENDPOINT or (fault.error is CallError.BAD_REQUEST and not self._answered)
        )
        if not fails:
            self._in_a_row, self._answered = 0, True
        else:
            self._in_a_row, self._last = self._in_a_row + 1, fault

    @property
    def down(self) -> Fault | None:
        """Why nothing more is asked; null while it is worth asking."""
        if self._last is None or self._in_a_row < _MOST_IN_A_ROW:
            return None
        why = f"not asked: {self._in_a_row} requests in a row failed, the last by {self._last.detail}"
        return Fault(self._last.error, why)

    def try_again(self) -> None:
        """One more request may be made, as time has passed; if it fails, it is down at once."""
        self._in_a_row = min(self._in_a_row, _MOST_IN_A_ROW - 1)

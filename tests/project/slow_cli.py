"""The command line with phases that last: says on stderr which phase begins, then waits for a test to act in it."""

import sys
import time

from review_agent.cli import main
from review_agent.commands._progress import Progress
from review_agent.vocabulary import Phase


def at(self: Progress, phase: Phase, done: int, total: int) -> None:
    sys.stderr.write(f"phase {phase}\n")
    sys.stderr.flush()
    time.sleep(0.05)


Progress.at = at  # type: ignore[method-assign]
main()

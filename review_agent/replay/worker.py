"""The worker process: halves come in on stdin, one JSON a line, results go out on stdout, one JSON a line.

The first line is ``{"policy": …, "engine": …, "state": …}``. It ends when its input does. Nothing else may be written
to stdout: what a library prints goes to stderr.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path
from typing import IO

from review_agent.engines.building import Wanted
from review_agent.policy.model import Policy
from review_agent.replay.engines import engine
from review_agent.replay.half import replayed
from review_agent.replay.log import RUNS
from review_agent.replay.records import HalfResult, Job, Memory

__all__ = ["main"]


def main() -> None:
    """Answer until the input ends."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    _serve(sys.stdin.buffer, out)


def _serve(source: IO[bytes], out: IO[bytes]) -> None:
    told = json.loads(source.readline())
    policy, state = Policy.model_validate(told["policy"]), Path(told["state"])
    wanted = Wanted.model_validate(told["engine"])
    for nth, line in enumerate(source, 1):
        result = replayed(Job.model_validate_json(line), policy, engine(wanted, policy, state), state / RUNS)
        _say(out, result.model_copy(update={"memory": _memory(nth)}))


def _say(out: IO[bytes], result: HalfResult) -> None:
    data = memoryview(result.model_dump_json(by_alias=True).encode("utf-8", "surrogatepass") + b"\n")
    while data:
        data = data[out.write(data) :]


def _memory(nth: int) -> Memory:
    own, helpers = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    unit = 1024 if sys.platform == "darwin" else 1
    return Memory(nth=nth, peak_kb=own // unit, helpers_kb=helpers // unit, held_kb=_held() or own // unit)


def _held() -> int:
    """What the process holds now, where the system says so."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * resource.getpagesize() // 1024


if __name__ == "__main__":
    main()

"""Worker processes: halves are handed out, one at a time each; a crash costs one half, and a worker is renewed."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from review_agent.engines.building import Wanted
from review_agent.errors import ProcessError
from review_agent.policy.model import Policy
from review_agent.process import Child
from review_agent.replay.half import failed
from review_agent.replay.records import HalfResult, Job

__all__ = ["SECONDS", "Pool", "command"]

SECONDS = 900.0
"""How long one half may take before it counts as failed."""

_RENEW_AFTER = 40
"""Halves a worker reviews before another takes its place, so that no leak of a library adds up."""

_MAX_LINE = 64 * 1_048_576
_POLL = 0.2


class Pool:
    """Reviews jobs in ``size`` processes and tells each result to ``done``, from one thread at a time."""

    def __init__(self, size: int, *, policy: Policy, engine: Wanted, state: Path, seconds: float = SECONDS) -> None:
        self._size, self._seconds = max(1, size), seconds
        self._told: Mapping[str, object] = {
            "policy": policy.wire(),
            "engine": engine.wire(),
            "state": str(state),
        }
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._workers: list[_Worker] = []
        self._errors: list[BaseException] = []

    def run(self, jobs: Sequence[Job], done: Callable[[Job, HalfResult], None]) -> None:
        """Returns when all are done. On KeyboardInterrupt every worker is killed and the exception goes on."""
        for job in jobs:
            self._jobs.put(job)
        threads = [threading.Thread(target=self._work, args=(done,)) for _ in range(min(self._size, len(jobs)))]
        try:
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                for thread in threads:
                    thread.join(_POLL)
        finally:
            self._stop()
            for thread in threads:
                thread.join()
        if self._errors:
            raise self._errors[0]

    def _stop(self) -> None:
        self._stopped.set()
        with self._lock:
            for worker in self._workers:
                worker.stop()

    def _work(self, done: Callable[[Job, HalfResult], None]) -> None:
        worker = _Worker(self._told, self._seconds)
        with self._lock:
            self._workers.append(worker)
        try:
            while not self._stopped.is_set() and not self._errors:
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    return
                result = worker.review(job)
                if not self._stopped.is_set():
                    self._tell(done, job, result)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that waits
            self._errors.append(error)
        finally:
            worker.close()

    def _tell(self, done: Callable[[Job, HalfResult], None], job: Job, result: HalfResult) -> None:
        with self._lock:
            done(job, result)


def command() -> list[str]:
    """How a worker is started; without the current folder on its path."""
    return [sys.executable, "-P", "-m", "review_agent.replay.worker"]


class _Worker:
    """One process, started when it is needed, and again after a crash."""

    def __init__(self, told: Mapping[str, object], seconds: float) -> None:
        self._told, self._seconds = told, seconds
        self._child: Child | None = None
        self._reviewed = 0
        self._starting = threading.Lock()
        self._stopped = False

    def review(self, job: Job) -> HalfResult:
        try:
            child = self._ready()
            child.send(job.model_dump_json(by_alias=True).encode("utf-8", "surrogatepass") + b"\n")
            return HalfResult.model_validate_json(child.receive_line(self._seconds, _MAX_LINE))
        except (ProcessError, ValidationError) as error:
            self.kill()
            said = error.message if isinstance(error, ProcessError) else "the worker's answer was unreadable"
            return failed(job, f"the worker process failed: {said}")

    def _ready(self) -> Child:
        if self._reviewed >= _RENEW_AFTER:
            self.close()
        with self._starting:
            if self._stopped:
                raise ProcessError("it was stopped")
            if self._child is None or not self._child.alive:
                self._reviewed = 0
                self._child = self._started()
        self._reviewed += 1
        return self._child

    def _started(self) -> Child:
        # The worker is the product itself and runs with its own environment; what it starts gets a minimal one.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        child = Child(command(), environment=environment)
        child.send(json.dumps(self._told).encode() + b"\n")
        return child

    def stop(self) -> None:
        """End the process at once and start none any more; from another thread."""
        with self._starting:
            self._stopped = True
            if self._child is not None:
                self._child.end()

    def kill(self) -> None:
        """End the process at once, from its own thread; another takes its place when it is needed."""
        if self._child is not None:
            self._child.kill()

    def close(self) -> None:
        """Let the process end by itself, for a little while."""
        if self._child is not None:
            self._child.close()
            self._child = None

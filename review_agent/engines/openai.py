"""Any OpenAI-compatible chat-completions endpoint as an engine. docs/engines.md tells how to use one.

Calls are made in a thread of their own, by one event loop, so that a reply that drips or hangs is given up in time;
what comes of them is yielded as it comes. When the run is interrupted, calls in flight are cut off and recorded so.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from queue import SimpleQueue
from typing import Any

from review_agent.engines.asking import Asked, Settings, Talk
from review_agent.engines.earlier import Earlier
from review_agent.engines.endpoint import Endpoint
from review_agent.engines.messages import system
from review_agent.engines.spend import Budget
from review_agent.engines.tokens import missing
from review_agent.engines.wire import ready
from review_agent.errors import UsageError
from review_agent.policy.model import Policy
from review_agent.vocabulary import Answer, Call, EngineRole, Pending, Request, digest

__all__ = ["OpenAI"]

_SECONDS_TO_END = 5.0


class OpenAI:
    """Asks ``model`` at ``base_url``. ``key`` goes into the Authorization header and nowhere else; none is sent where
    it is empty. Raises UsageError where the packages that it needs are not installed, where model or address is none,
    and where the environment's proxies or certificates let no call be made."""

    def __init__(
        self,
        policy: Policy,
        *,
        model: str,
        base_url: str,
        key: str = "",
        headers: Mapping[str, str] | None = None,
        backoff: float = 0.5,
    ) -> None:
        if find_spec("openai") is None:
            raise missing("openai")
        if not model:
            raise UsageError("no model is named", hint="name one with --model, or `model` in the policy's engine.yml")
        self._policy = policy
        fallback = policy.engine.fallback_model
        models = (model, fallback) if fallback and fallback != model else (model,)
        endpoint = Endpoint(base_url, key, dict(headers or {}))
        ready(endpoint)
        self._settings = Settings(policy, endpoint, _identity(policy, models), models, backoff)
        self._asked = Asked(Budget(policy.engine.budget))
        self._earlier = Earlier(policy, models, (), ())

    @property
    def identity(self) -> str:
        return self._settings.identity

    @property
    def roles(self) -> frozenset[EngineRole]:
        return frozenset(EngineRole)

    @property
    def budget(self) -> Budget:
        """What this run has spent."""
        return self._asked.budget

    def begin(self, calls: Sequence[Call], *, torn: Sequence[int]) -> None:
        for call in calls:
            self._asked.numbers[call.request_id] = max(self._asked.numbers.get(call.request_id, 0), call.number)
        self._earlier = Earlier(self._policy, self._settings.models, calls, torn)
        self.budget.earlier(*self._earlier.spent())

    def answer(self, requests: Sequence[Request]) -> Iterator[Answer | Pending | Call]:
        if not requests:
            return
        self.budget.earlier(self._earlier.grown(requests), 0.0)
        for health in self._asked.health.values():
            health.try_again()
        talking = _Talking(self._settings, self._asked, requests)
        self.budget.start()
        try:
            yield from talking.heard()
        finally:
            self.budget.stop()


class _Talking:
    """A talk in a thread of its own, heard in this one."""

    def __init__(self, settings: Settings, asked: Asked, requests: Sequence[Request]) -> None:
        self._settings, self._asked, self._requests = settings, asked, requests
        self._out: SimpleQueue[Answer | Call | BaseException | None] = SimpleQueue()
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[None] | None = None
        self._over = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="review-agent-model", daemon=True)

    def heard(self) -> Iterator[Answer | Call]:
        """What the talk tells, to its end. On Ctrl-C what was told meanwhile, and the calls cut off, come before it."""
        self._thread.start()
        try:
            yield from self._told()
        except KeyboardInterrupt:
            self._stop()
            yield from self._told()
            raise
        finally:
            self._stop()

    def _told(self) -> Iterator[Answer | Call]:
        while (one := self._out.get()) is not None:
            if isinstance(one, BaseException):
                raise one
            yield one

    def _stop(self) -> None:
        """Cuts off what is in flight; harmless when the talk is over."""
        with suppress(RuntimeError):  # the loop is closed: the talk has ended by itself
            self._loop.call_soon_threadsafe(self._cancel)
        self._ended.wait(_SECONDS_TO_END)

    def _cancel(self) -> None:
        self._over = True
        if self._task is not None:
            self._task.cancel()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            try:
                runner.run(self._talk())
            except asyncio.CancelledError:
                pass
            except BaseExceptionGroup as errors:
                self._out.put(errors.exceptions[0])
            except BaseException as error:  # noqa: BLE001 - it is raised where the talk is heard
                self._out.put(error)
            # All is said. What closing the loop still waits for, such as a name being looked up, concerns nobody.
            self._out.put(None)
            self._ended.set()

    async def _talk(self) -> None:
        self._task = asyncio.current_task()
        if not self._over:
            await Talk(self._settings, self._asked, self._out.put).all(self._requests)


def _identity(policy: Policy, models: tuple[str, ...]) -> str:
    """Model and all that changes its answers; neither address nor key, which change none."""
    engine = policy.engine
    parts: dict[str, Any] = {
        "models": list(models),
        "temperature": engine.temperature,
        "seed": engine.seed,
        "language": engine.language,
        "maxTokens": engine.max_tokens.wire(),
        "prompts": system(policy),
    }
    return f"openai:{models[0]}/{digest(parts)[:12]}"

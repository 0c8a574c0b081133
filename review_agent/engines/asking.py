"""One request brought to its end: asked, asked again where that can help, by the fallback model where policy has one.

Every try is told as a Call before the Answer. Runs in one event loop; budgets are reserved before each call.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from review_agent.engines.bodies import FORMS, Form, body
from review_agent.engines.completions import Completion
from review_agent.engines.endpoint import Endpoint
from review_agent.engines.failures import CAUSES, ENDPOINT, FINAL, ONCE_MORE, Fault
from review_agent.engines.health import Health
from review_agent.engines.messages import Prompt, prompt
from review_agent.engines.prices import cost, most, price_of, usage, version
from review_agent.engines.spend import Budget, Reservation, no_room
from review_agent.engines.taking import answered, taken
from review_agent.engines.wire import Got, Wire
from review_agent.policy.model import Policy
from review_agent.policy.model_engine import Price
from review_agent.vocabulary import Answer, Call, CallError, Request, UnansweredCause, Usage

__all__ = ["Asked", "Settings", "Talk"]

Told = Call | Answer
# How a model may want a part of the request called that it does not know by its usual name; "": it is left out.
_OTHERWISE = {"max_tokens": "max_completion_tokens", "temperature": "", "seed": ""}
_LONGEST_BACKOFF = 30.0


@dataclass(frozen=True)
class Settings:
    """What an engine asks with. ``backoff``: seconds before the second try, doubled for each further one."""

    policy: Policy
    endpoint: Endpoint
    identity: str
    models: tuple[str, ...]
    backoff: float = 0.5


@dataclass
class Asked:
    """What an engine learns from call to call and keeps for the run: the form that a server takes, by the name of the
    schema; what it does not know; whether it is there; how often each request was asked."""

    budget: Budget
    forms: dict[tuple[str, str], Form] = field(default_factory=dict)
    renamed: dict[tuple[str, str], str] = field(default_factory=dict)
    health: dict[str, Health] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Try:
    """One call to be made."""

    request: Request
    prompt: Prompt
    model: str
    form: Form
    again: int
    price: Price | None


class Talk:
    """The requests of one phase, asked with so many calls in flight; ``tell`` takes what comes, in order."""

    def __init__(self, settings: Settings, asked: Asked, tell: Callable[[Told], None]) -> None:
        self._settings, self._asked, self._tell = settings, asked, tell
        self._engine = settings.policy.engine
        self._settled = asyncio.Condition()
        self._detecting: dict[tuple[str, str], asyncio.Lock] = {}
        self._down: dict[str, asyncio.Event] = {}

    async def all(self, requests: Sequence[Request]) -> None:
        """Every request, to its answer. A bug of ours in one is raised when all others have had theirs."""
        waiting = iter(requests)
        broken: list[Exception] = []

        async def work() -> None:
            for request in waiting:
                try:
                    self._tell(await self._one(request))
                except Exception as error:  # noqa: BLE001 - it is raised below; nobody else is cut off for it
                    broken.append(error)

        async with Wire(self._settings.endpoint) as self._wire, asyncio.TaskGroup() as group:
            for _ in range(min(self._engine.concurrency, len(requests))):
                group.create_task(work())
        if broken:
            raise broken[0]

    async def _one(self, request: Request) -> Answer:
        asked = prompt(request, self._settings.policy)
        spent: list[Usage] = []
        ended: Answer | Fault | UnansweredCause = UnansweredCause.ENGINE_FAILED
        for model in self._settings.models:
            ended = await self._by(request, asked, model, spent)
            if isinstance(ended, Answer):
                return ended.model_copy(update={"usage": _sum(spent)})
            if isinstance(ended, UnansweredCause):
                break
        assert not isinstance(ended, Answer)
        cause, why = self._cause(ended)
        return Answer(
            request_id=request.request_id,
            engine=self._settings.identity,
            failure=cause,
            detail=why,
            usage=_sum(spent),
        )

    def _cause(self, ended: Fault | UnansweredCause) -> tuple[UnansweredCause, str]:
        if isinstance(ended, UnansweredCause):
            return ended, no_room(ended)
        if ended.error in ENDPOINT and self._asked.budget.seconds_left <= 0:
            return UnansweredCause.TIME_SPENT, f"the run's time is over; {ended.detail}"
        return CAUSES[ended.error], f"{ended.error.value}: {ended.detail}"

    async def _by(
        self, request: Request, asked: Prompt, model: str, spent: list[Usage]
    ) -> Answer | Fault | UnansweredCause:
        """One model's answer, or why it gave none to the end."""
        health = self._asked.health.setdefault(model, Health())
        self._down.setdefault(model, asyncio.Event())
        price = price_of(self._settings.policy.prices, model, datetime.now(UTC).date())
        tries = again = 0
        while health.down is None:
            made = await self._formed(_Try(request, asked, model, "schema", again, price), spent)
            if not isinstance(made, tuple):
                if isinstance(made, Answer):
                    self._ended(model, None)
                return made
            fault, wait = made
            tries, again = tries + 1, again + (fault.error in ONCE_MORE)
            more = fault.error not in FINAL and again < 2 and tries <= self._engine.retries
            if not more or not await self._waited(model, fault, tries, wait):
                self._ended(model, fault)
                return fault
        return health.down

    def _ended(self, model: str, fault: Fault | None) -> None:
        """Keeps the model's health; whoever waits to ask it again learns at once that it is no use."""
        health, down = self._asked.health[model], self._down[model]
        health.ended(fault)
        if health.down is None:
            down.clear()
        else:
            down.set()

    async def _waited(self, model: str, fault: Fault, tries: int, wait: float | None) -> bool:
        """Sleeps before another try; false where it is not worth waiting for."""
        if fault.error in ONCE_MORE:
            return True
        backoff = min(self._settings.backoff * 2 ** (tries - 1), _LONGEST_BACKOFF)
        seconds = max(backoff, wait or 0.0) * random.uniform(1.0, 1.5)  # noqa: S311 - not to come all at once
        if seconds > min(self._engine.seconds_per_call, self._asked.budget.seconds_left):
            return False
        try:
            async with asyncio.timeout(seconds):
                await self._down[model].wait()
        except TimeoutError:
            return True
        return False

    async def _formed(self, one: _Try, spent: list[Usage]) -> Answer | UnansweredCause | tuple[Fault, float | None]:
        """One call in the form that the server takes. Until that is known one call at a time looks for it."""
        key = (one.model, one.prompt.schema_name)
        if key not in self._asked.forms:
            async with self._detecting.setdefault(key, asyncio.Lock()):
                if key not in self._asked.forms:
                    return await self._detected(key, one, spent)
        return await self._call(replace(one, form=self._asked.forms[key]), spent)

    async def _detected(
        self, key: tuple[str, str], one: _Try, spent: list[Usage]
    ) -> Answer | UnansweredCause | tuple[Fault, float | None]:
        for form in FORMS:
            made = await self._call(replace(one, form=form), spent)
            refused = isinstance(made, tuple) and made[0].error is CallError.BAD_REQUEST
            if not refused:
                if isinstance(made, Answer) or (isinstance(made, tuple) and made[0].error in ONCE_MORE):
                    self._asked.forms[key] = form
                break
        return made

    async def _call(self, one: _Try, spent: list[Usage]) -> Answer | UnansweredCause | tuple[Fault, float | None]:
        """One call, recorded; where the server does not know a part of the request, one more without it."""
        while True:
            whole = self._body(one)
            reserved = await self._reserved(one)
            if isinstance(reserved, UnansweredCause):
                return reserved
            got, ended = await self._made(one, whole, reserved, spent)
            if isinstance(ended, Answer):
                return ended
            unknown = got.parameter
            if ended.error is not CallError.BAD_REQUEST or unknown not in _OTHERWISE:
                return ended, got.wait
            if (one.model, unknown) in self._asked.renamed:
                return ended, got.wait
            self._asked.renamed[one.model, unknown] = _OTHERWISE[unknown]

    async def _reserved(self, one: _Try) -> Reservation | UnansweredCause:
        """Room in the budget; what calls in flight leave over is waited for before it is said that there is none."""
        budget = self._asked.budget
        async with self._settled:
            while True:
                got = budget.reserve(
                    one.prompt.size, one.prompt.max_tokens, lambda prompt, reply: most(one.price, prompt, reply)
                )
                if isinstance(got, Reservation) or got is UnansweredCause.TIME_SPENT or not budget.in_flight:
                    return got
                await self._settled.wait()

    async def _made(
        self, one: _Try, whole: dict[str, Any], reserved: Reservation, spent: list[Usage]
    ) -> tuple[Got, Answer | Fault]:
        """One call over the wire. Whatever comes of it, it is settled and told."""
        try:
            return await self._told(one, whole, reserved, spent)
        finally:
            # Whoever waits for room hears of it whatever ended this call, else they wait without end.
            async with self._settled:
                self._settled.notify_all()

    async def _told(
        self, one: _Try, whole: dict[str, Any], reserved: Reservation, spent: list[Usage]
    ) -> tuple[Got, Answer | Fault]:
        number = self._asked.numbers[one.request.request_id] = self._asked.numbers.get(one.request.request_id, 0) + 1
        began = time.monotonic()
        got, heard = Got(Fault(CallError.INTERRUPTED, "the run was interrupted")), Completion("")
        ended: Answer | Fault = got.body if isinstance(got.body, Fault) else Fault(CallError.INTERRUPTED, "")
        try:
            seconds = min(float(self._engine.seconds_per_call), max(self._asked.budget.seconds_left, 0.1))
            got = await self._wire.chat(whole, seconds)
            # Not in the loop's own thread: what a server sends may take long to read, and Ctrl-C and clocks go on.
            hide = self._settings.endpoint.hidden_data
            heard = await asyncio.to_thread(taken, got.body, hide)
            ended = await asyncio.to_thread(answered, one.request, heard.said, self._settings.identity, hide)
        finally:
            call = _call(one, number, got, heard, ended, int((time.monotonic() - began) * 1000))
            spent += [call.usage] if call.usage else []
            self._asked.budget.settle(reserved, heard.tokens, cost(one.price, heard.tokens), call.error)
            self._tell(call)
        return got, ended

    def _body(self, one: _Try) -> dict[str, Any]:
        whole = body(one.prompt, self._settings.policy, model=one.model, form=one.form, again=one.again)
        for (model, name), other in self._asked.renamed.items():
            if model == one.model and name in whole:
                value = whole.pop(name)
                whole.update({other: value} if other else {})
        return whole


def _call(one: _Try, number: int, got: Got, heard: Completion, ended: Answer | Fault, milliseconds: int) -> Call:
    return Call(
        request_id=one.request.request_id,
        number=number,
        model=one.model,
        error=ended.error if isinstance(ended, Fault) else None,
        status=got.status,
        detail=ended.detail,
        usage=usage(one.price, heard.tokens),
        raw_usage=heard.raw_usage,
        milliseconds=milliseconds,
        price_version=version(one.price),
        form=one.form,
    )


def _sum(spent: Sequence[Usage]) -> Usage | None:
    """What all calls of a request used, as far as it is known."""
    if not spent:
        return None

    def whole(values: list[Any]) -> Any:
        known = [one for one in values if one is not None]
        return sum(known) if known else None

    return Usage(
        prompt_tokens=whole([one.prompt_tokens for one in spent]),
        completion_tokens=whole([one.completion_tokens for one in spent]),
        cached_tokens=whole([one.cached_tokens for one in spent]),
        cost_usd=whole([one.cost_usd for one in spent]),
    )

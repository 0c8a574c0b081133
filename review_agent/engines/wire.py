"""One HTTP call to an OpenAI-compatible endpoint: bounded in seconds and bytes, with our headers and no others.

Nothing is tried again here, no redirection is followed, and neither key nor address is ever part of a fault. What a
server sends may repeat the key: it is hidden where it is read.
"""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, cast

from review_agent import __version__, counting
from review_agent.engines.endpoint import Endpoint
from review_agent.engines.failures import Fault, of_status, plain, words
from review_agent.engines.replies import MOST_BYTES
from review_agent.errors import UsageError
from review_agent.vocabulary import CallError

if TYPE_CHECKING:
    import httpx2
    import openai

__all__ = ["Got", "Wire", "ready"]

# What a request needs; whatever else a client library or the environment would add stays here.
_NEEDED = frozenset({"host", "content-type", "content-length", "transfer-encoding", "connection", "accept"})


@dataclass(frozen=True)
class Got:
    """A reply: its bytes where the status is a success, else what went wrong; ``wait``: seconds that it asks to wait.

    ``parameter``: what of the request the server says it does not know.
    """

    body: bytes | Fault
    status: int | None = None
    wait: float | None = None
    parameter: str = ""


def ready(endpoint: Endpoint) -> None:
    """Raises UsageError where the environment's proxies, certificates or key log keep every call from being made."""
    import httpx2

    with _set_up(), httpx2.Client(trust_env=not endpoint.is_here):
        pass


@contextmanager
def _set_up() -> Iterator[None]:
    """What the library says of the environment is not repeated but for a file's error: a proxy may hold a password."""
    try:
        yield
    except OSError as error:
        hint = "name files that can be read and written, or unset the variable"
        where = "SSL_CERT_FILE, SSL_CERT_DIR, SSLKEYLOGFILE"
        raise UsageError(f"no encrypted connection can be set up: {error.strerror}", where=where, hint=hint) from error
    except ImportError as error:
        where = "ALL_PROXY, HTTPS_PROXY, HTTP_PROXY"
        hint = f"{sys.executable} -m pip install 'httpx2[socks]', or name an http proxy"
        raise UsageError("a SOCKS proxy needs a package that is not installed", where=where, hint=hint) from error
    except ValueError as error:
        raise _no_proxy() from error
    except Exception as error:
        if type(error).__name__ != "InvalidURL":
            raise
        raise _no_proxy() from error


def _no_proxy() -> UsageError:
    hint = "write it as http://proxy.example.org:3128, or unset the variable"
    return UsageError("the proxy's address is none", where="ALL_PROXY, HTTPS_PROXY, HTTP_PROXY, NO_PROXY", hint=hint)


class _Bounded(Exception):  # noqa: N818 - it ends a read; it is no error of a user's
    """A reply is not read on."""


class Wire:
    """Calls from one event loop. An async context manager."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def __aenter__(self) -> Wire:
        import httpx2
        import openai

        self._raw = httpx2.Response
        hooks: dict[str, list[Any]] = {"request": [self._ours_only], "response": [_bounded]}
        proxied = not self._endpoint.is_here
        with _set_up():
            http = httpx2.AsyncClient(event_hooks=hooks, follow_redirects=False, timeout=None, trust_env=proxied)
        self._client: openai.AsyncOpenAI = openai.AsyncOpenAI(
            api_key="set by the wire", base_url=self._endpoint.base_url, max_retries=0, timeout=None, http_client=http
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def chat(self, body: dict[str, Any], seconds: float) -> Got:
        """The reply to one chat completion, within so many seconds from now, all of it."""
        return await self._got(self._client.post("/chat/completions", body=body, cast_to=self._raw), seconds)

    async def models(self, seconds: float) -> Got:
        """The list of models that the endpoint knows."""
        return await self._got(self._client.get("/models", cast_to=self._raw), seconds)

    async def _got(self, asked: Awaitable[httpx2.Response], seconds: float) -> Got:
        """What came, or why nothing did: whatever one reply does to the library is that call's failure alone."""
        try:
            return await self._heard(asked, seconds)
        except Exception as error:  # noqa: BLE001 - recorded by its name; the other calls go on
            told = self._endpoint.hidden(f"the reply cannot be taken in: {type(error).__name__}: {error}")
            return Got(Fault(CallError.RESET, plain(told)))

    async def _heard(self, asked: Awaitable[httpx2.Response], seconds: float) -> Got:
        import openai

        try:
            async with asyncio.timeout(seconds):
                reply = await asked
                return Got(reply.content, reply.status_code)
        except TimeoutError:
            return Got(Fault(CallError.TOO_SLOW, f"no whole reply within {counting.seconds(round(seconds, 1))}"))
        except _Bounded as error:
            return Got(_bounded_fault(str(error)))
        except openai.APIStatusError as error:
            return self._turned_away(error)
        except openai.APIConnectionError as error:
            return Got(_connection_fault(error, self._endpoint))

    def _turned_away(self, error: openai.APIStatusError) -> Got:
        status, told = error.status_code, error.body
        inner = told.get("error", told) if isinstance(told, dict) else told
        said = inner.get("message", inner) if isinstance(inner, dict) else inner
        parameter = inner.get("param") if isinstance(inner, dict) else None
        told_why = words(self._endpoint.hidden(words(said))) or "no reason given"
        detail = plain(f"status {status}: {told_why}")
        known = parameter if isinstance(parameter, str) else ""
        return Got(Fault(of_status(status), detail), status, _wait(error.response.headers), known)

    async def _ours_only(self, request: httpx2.Request) -> None:
        for name in list(request.headers):
            if name.lower() not in _NEEDED:
                del request.headers[name]
        request.headers["User-Agent"] = f"review-agent/{__version__}"
        request.headers["Accept-Encoding"] = "identity"
        if self._endpoint.key:
            request.headers["Authorization"] = f"Bearer {self._endpoint.key}"
        request.headers.update(self._endpoint.headers)


async def _bounded(response: httpx2.Response) -> None:
    """Holds a reply to its bound, an error's too, before any of it is read."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise _Bounded("compressed")
    if (length := response.headers.get("content-length", "")).isdecimal() and int(length) > MOST_BYTES:
        raise _Bounded("large")
    response.stream = _stream(response)
    # Not what the server names: any codec of Python's could be meant, also such as give no text.
    response.encoding = "utf-8"


def _stream(response: httpx2.Response) -> httpx2.AsyncByteStream:
    import httpx2

    inner = cast("httpx2.AsyncByteStream", response.stream)

    class Counted(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = MOST_BYTES
            async for chunk in inner:
                left -= len(chunk)
                if left < 0:
                    raise _Bounded("large")
                yield chunk

        async def aclose(self) -> None:
            await inner.aclose()

    return Counted()


def _bounded_fault(why: str) -> Fault:
    if why == "large":
        return Fault(CallError.TOO_LARGE, f"the reply has more than {MOST_BYTES} bytes")
    return Fault(CallError.NOT_JSON, "the server sent a compressed reply, though it was asked not to")


def _connection_fault(error: Exception, endpoint: Endpoint) -> Fault:
    """Told apart by what the HTTP library says: whether a connection was had at all. Its text holds no address."""
    import httpx2

    cause = error.__cause__
    told = f"{type(cause).__name__}: {cause}" if cause is not None and str(cause) else type(cause).__name__
    said = plain(endpoint.hidden(told))
    if isinstance(cause, httpx2.ConnectTimeout | httpx2.PoolTimeout | httpx2.ReadTimeout | httpx2.WriteTimeout):
        return Fault(CallError.TOO_SLOW, said)
    if isinstance(cause, httpx2.ReadError | httpx2.WriteError | httpx2.CloseError | httpx2.RemoteProtocolError):
        return Fault(CallError.RESET, f"the connection broke: {said}")
    return Fault(CallError.UNREACHABLE, f"no connection: {said}")


def _wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that a reply asks to wait; null where it does not, or not in a way that is understood."""
    for name, part in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _seconds(headers.get(name, ""))
        if seconds is not None:
            return max(seconds / part, 0.0)
    return None


def _seconds(value: str) -> float | None:
    """A number of seconds, or a date as seconds from now."""
    with suppress(ValueError):
        number = float(value)
        return number if math.isfinite(number) else None
    with suppress(ValueError, TypeError, OverflowError):
        return (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    return None

"""Where requests come in: routes by decorator, annotation, signature or registering call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from review_agent.vocabulary import DefinitionFact

__all__ = [
    "aside",
    "is_entrance",
    "is_open",
    "is_registration",
    "is_route",
    "path_of",
    "root_of",
    "route_of",
    "segment",
    "serves",
]

_ROUTE = re.compile(
    r"^@?(?:[\w.]+\.)?(?:route|get|post|put|patch|delete|websocket|api_route|add_url_rule|expose)\("
    r"|^@?(?:Get|Post|Put|Patch|Delete|Request)Mapping\b"
    r"|^@?(?:Get|Post|Put|Patch|Delete|All)\((?:[\"'`].*)?\)?$"
    r"|^@?(?:GET|POST|PUT|PATCH|DELETE)$|^@?Path\("
    r"|^@?(?:[\w.]+\.)?(?:api_view|action|require_(?:GET|POST|http_methods))\b"
)
_SERVES = re.compile(
    r"http\.ResponseWriter|\bgin\.Context|\becho\.Context|\bfiber\.Ctx|HttpServletRequest|HttpServletResponse|"
    r"ServerRequest|\bHttpRequest\b|(?:express\.)?Request\b"
)
_METHODS = frozenset({"get", "post", "put", "patch", "delete", "doGet", "doPost", "doPut", "doDelete"})
_VIEWS = re.compile(r"View|Resource|Handler|Servlet|Endpoint|Controller")
_REGISTERS = re.compile(
    r"^(?:get|post|put|patch|delete|all|del|Get|Post|Put|Patch|Delete|GET|POST|PUT|PATCH|DELETE|Any|Handle|HandleFunc|"
    r"Method|MethodFunc|add_url_rule|add_route|route|path|re_path|add_api_route|add_get|add_post|add_put|add_delete)$"
)
_PATH = re.compile(r"^[rbf]?[\"'`]((?:[A-Z]+ )?/[^\"'`]*|)[\"'`]$")
# Signing in and what machines ask for, wherever it stands; plain words only where they stand first.
_ANYWHERE = re.compile(
    r"(?i)(?:^|[^a-z])(?:log_?in|log_?out|sign_?in|sign_?up|register|health\w*|ping|pong|readyz|livez|metrics|webhooks?|"
    r"callback|forgot\w*|favicon|openapi|swagger|robots|oauth\w*|unsubscribe|not_?found)(?:[^a-z]|$)"
)
_FIRST = re.compile(
    r"(?i)^(?:[A-Z]+ )?/?(?:status|ready|live|public|version|static|assets|token|refresh|index|home|about|contact|"
    r"terms|privacy|error|confirm|reset)(?:[^a-z]|$)"
)
# What lies here is run by an operator or a schedule, not by a request.
_ASIDE = re.compile(
    r"(?i)(?:^|/)(?:examples?|docs?|bench\w*|scripts?|tools?|contrib|demos?|cli|jobs?|tasks?|cron|workers?|management|"
    r"migrations?|seeds?|commands?|cmd/\w*(?:seed|migrate|import)\w*)(?:/|\.|_|$)"
)


def is_route(decorator: str) -> bool:
    """Whether a decorator or annotation makes a function a route."""
    return _ROUTE.search(decorator) is not None


def is_entrance(fact: DefinitionFact, bases: Sequence[str] = ()) -> bool:
    """Whether a framework calls a function with a request."""
    if any(is_route(one) for one in fact.decorators):
        return True
    name = fact.qualname.rpartition(".")[2]
    if fact.symbol == "class":
        return any(_VIEWS.search(one) for one in (*fact.bases, *fact.decorators, name))
    if name in _METHODS and any(_VIEWS.search(one) for one in (*bases, fact.qualname.partition(".")[0])):
        return True
    return serves([f"{one.name}: {one.type or ''}" for one in fact.parameters])


def serves(parameters: Sequence[str]) -> bool:
    """Whether the parameters are those of a handler: a request and a response, or a framework's context."""
    if any(_SERVES.search(one) for one in parameters):
        return True
    names = [one.partition(":")[0].strip().lstrip("_") for one in parameters]
    return names[:2] in (["req", "res"], ["request", "response"], ["request", "reply"], ["req", "reply"]) or (
        bool(names) and names[0] == "request"
    )


def is_open(name: str) -> bool:
    """Whether a name or path is of what everybody may reach: signing in, health, callbacks."""
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return _ANYWHERE.search(parts) is not None or _FIRST.search(parts) is not None


def is_registration(name: str, arguments: Sequence[str]) -> bool:
    """Whether a call binds a path to a handler."""
    return bool(_REGISTERS.match(name)) and len(arguments) > 1 and bool(path_of(arguments))


def path_of(arguments: Sequence[str]) -> str:
    """The path that a registering call binds, with its method where that stands in front; "" for none."""
    match = _PATH.match(arguments[0]) if arguments else None
    if match is None and len(arguments) > 1 and re.fullmatch(r"[\w.]*Method\w+|\"[A-Z]+\"", arguments[0]):
        match = _PATH.match(arguments[1])
    return (match[1] or "/") if match else ""


def segment(path: str) -> str:
    """The first part of a path: what routes of one thing share."""
    return re.sub(r"^[A-Z]+ ", "", path).strip("/").partition("/")[0]


def root_of(decorators: Iterable[str]) -> str:
    """The name of the router that a route's decorator is called on; "" for none."""
    routes = (one.lstrip("@").partition("(")[0] for one in decorators if is_route(one))
    return next((one.rpartition(".")[0] for one in routes if "." in one), "")


def route_of(decorators: Iterable[str]) -> str:
    """The path in a route's decorator; "" for none."""
    for one in decorators:
        match = re.search(r"[\"'`](/[^\"'`]*)[\"'`]", one) if is_route(one) else None
        if match:
            return match[1]
    return ""


def aside(path: str) -> bool:
    """Whether what lies at a path is run by an operator, a schedule or a reader, not by a request."""
    return _ASIDE.search(path) is not None

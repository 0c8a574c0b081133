"""What asks who someone is or what they may do, told by its names, and how much it asks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from review_agent.kinds.wording import LONGEST
from review_agent.syntax.roles import words_of
from review_agent.vocabulary import DefinitionFact

__all__ = [
    "MAY",
    "WHO",
    "asked_by",
    "asks",
    "asks_of",
    "checks_in",
    "decorates",
    "first_check",
    "level_words",
    "of_base",
    "refuses",
]

# What a check can ask: who it is that asks, or what they may do.
WHO, MAY = 1, 2

_MAY_WORDS = frozenset(
    """
    admin admins administrator staff owner owners owned owns ownership role roles permission permissions perm
    perms permitted permit authorize authorized authorise authorised authorization authorisation authz privilege
    privileges superuser superadmin moderator acl rbac abac policy forbid forbidden scope scopes access entitled
    allowed may can membership capability capabilities manager curator editor
    """.split()  # noqa: SIM905  # a word list reads better than a column of strings
)
_WHO_WORDS = frozenset(
    """
    login logged auth authn authenticated authenticate authentication session token jwt bearer user identity
    principal signed signature hmac apikey key credentials caller signin
    """.split()  # noqa: SIM905  # a word list reads better than a column of strings
)
_ASKING = frozenset(
    """
    require requires required ensure ensures check checks assert verify verified must only guard guards protect
    protected enforce enforces validate deny need needs has is can may authorize authorise authenticate permit
    permitted forbid secured allow allowed restrict restricted passes precondition with be middleware use
    """.split()  # noqa: SIM905  # a word list reads better than a column of strings
)
_ALONE = frozenset(
    """
    authorize authorise authenticate authn authz permit may can enforce authenticated authorized authorised
    protect protected secured auth rbac acl
    """.split()  # noqa: SIM905  # a word list reads better than a column of strings
)
_ACTING = frozenset(
    """
    log audit create refresh delete revoke get set load store issue sign find list parse add remove update save
    new make build register render send grant assign count invite describe to format fetch record notify print
    encode decode init setup configure clear reset generate logout signup callback open close write read handle
    serve apply insert show edit
    """.split()  # noqa: SIM905  # a word list reads better than a column of strings
)
_OPEN = re.compile(
    r"(?i)exempt|anonymous|permit_?all|allow_?any\b|\bpublic\b|\bskip|optional|csrf|unprotected|no_?auth\b"
)
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:\s*\.\s*[A-Za-z_$][\w$]*)*")
# What is made up step by step to be sent: it carries credentials and asks for none.
_BUILT = frozenset({"builder", "request", "req", "client", "options", "opts", "config", "query", "transport", "http"})
_HOLDERS = frozenset(
    {"guard", "guards", "auth", "authz", "acl", "policy", "permissions", "access", "rbac", "authorizer"}
)
_REFUSES_MAY = re.compile(
    r"\b403\b|forbidden|permission_?denied|access_?denied|not_?(?:allowed|permitted|authori[sz]ed|owner)|insufficient|"
    r"errforbid|denied",
    re.IGNORECASE,
)
_REFUSES_WHO = re.compile(
    r"\b401\b|unauthori[sz]ed|unauthenticated|not_?authenticated|redirect\w*\([^)]*log_?in|[\"'/]log_?in\b",
    re.IGNORECASE,
)
_OWNED = re.compile(
    r"(?i)\b\w*(?:owner|author|created_?by|creator|tenant|account|customer|user|member|org|organi[sz]ation|clinic|"
    r"company|team|shop|workspace|assignee)\w*"
)
_ASKER = re.compile(
    r"(?i)\b(?:current_?\w*|\w*user\w*|principal|viewer|actor|caller|claims?|session|me|auth\w*|requester|identity|"
    r"subject|who|ctx|req|request|staff|member|by)\b"
)
_COMPARES = re.compile(r"!==?|===?|\.equals\(|\bis not\b|\bnot in\b|\bin\b|\.Equal\(|<>")
_MEMBER = re.compile(
    r"(?i)(?:^|_|\b)(?:is|has|can|may)_?(?:a_?)?(?:admin|staff|owner|super|role|perm|access|moderator|manager|allowed|"
    r"authori[sz]ed|edit|delete|view|manage|write|read|approve)\w*|\broles?\b|permissions?\b|\bscopes?\b"
)
_KNOWN = re.compile(r"(?i)is_?authenticated|is_?anonymous|logged_?in|is_?signed_?in")
_NOBODY = r"\b(?:\w+\.)*(?:current_?)?(?:user|account|principal|identity|viewer|session)(?:\(\))?"
_ABSENT = re.compile(
    rf"(?i)^\W*(?:(?:not |!)\s*{_NOBODY}|"
    rf"{_NOBODY}\s*(?:is|===?|!==?)\s*(?:not\s+)?(?:None|null|nil|undefined|\"\"))\W*$"
)
_IDENTITY_TYPE = re.compile(
    r"(?i)\b(?:current|authenticated|active|logged\w*)_?(?:user|principal|account|staff|member)\b"
)
_MAY_TYPE = re.compile(
    r"(?i)\b(?:current_?)?(?:admin|staff|superuser|owner|editor|manager)_?(?:user|principal|account|dep|only)?\b"
)


def level_words(level: int) -> str:
    """What a check of this level asks, in words."""
    return "whether the caller has the right" if level >= MAY else "who the caller is"


def refuses(body: str) -> int:
    """What a refusal says that the asker lacks: a right, an identity, or (0) neither."""
    if _REFUSES_MAY.search(body):
        return MAY
    return WHO if _REFUSES_WHO.search(body) else 0


def asked_by(test: str, body: str = "") -> int:
    """What a condition asks about the caller; ``body`` is what happens where it refuses."""
    level = max(asks(test), _compares_owner(test))
    bare = _STRING.sub("''", test)
    if _MEMBER.search(bare):
        level = max(level, MAY)
    elif _KNOWN.search(bare) or _ABSENT.search(bare):
        level = max(level, WHO)
    return max(level, refuses(body))


def _compares_owner(test: str) -> int:
    """MAY where one side of a comparison is whose something is and the other who asks."""
    for part in re.split(r"\band\b|\bor\b|&&|\|\|", test):
        sides = _COMPARES.split(part)
        if len(sides) == 2 and any(_OWNED.search(a) and _ASKER.search(b) for a, b in (sides, sides[::-1])):
            both = {one.strip(" !()\"'") for one in sides}
            if all(re.search(r"[A-Za-z]", one) and one not in ("None", "null", "nil", "undefined") for one in both):
                return MAY
        if len(sides) == 2 and (_is_whose(*sides) or _is_whose(*sides[::-1])):
            return MAY
    return 0


def _is_whose(member: str, name: str) -> bool:
    """Whether a member says whose a record is and a plain name of the same words stands against it."""
    whose = re.fullmatch(r"[\s(!]*\w+(?:\(\))?\.(?:get)?_?(\w+)(?:\(\))?[\s)]*", member)
    plain = re.fullmatch(r"[\s(]*(\w+)[\s)]*", name)
    if whose is None or plain is None or not _OWNED.search(whose[1]):
        return False
    return words_of(whose[1]) == words_of(plain[1])


def asks(text: str) -> int:
    """What the calls and names in a piece of code ask about the caller; strings count only as their arguments."""
    if _OPEN.search(text):
        return 0
    return max((_of_name(one) for one in _DOTTED.findall(_STRING.sub("''", text))), default=0)


def _of_name(dotted: str) -> int:
    receiver, _, name = re.sub(r"\s", "", dotted).rpartition(".")
    words = words_of(name)
    if not words or words[0] in _ACTING or words == ["login"]:
        return 0
    around = set(words_of(receiver.rpartition(".")[2]))
    if _is_agent(words) or (words[0] == "with" and around & _BUILT):
        return 0
    asking = set(words) & _ASKING or around & _HOLDERS
    topics = set(words) | (around if around & _HOLDERS else set())
    if "in" in words and words[words.index("in") - 1] in ("logged", "signed"):
        return WHO
    if len(words) == 1 and words[0] in _ALONE and not (receiver and words[0] == "auth"):
        return MAY if words[0] in _MAY_WORDS else WHO
    if asking and (topics & _MAY_WORDS) - ({"can", "may"} if len(words) == 1 else set()):
        return MAY
    return WHO if asking and topics & _WHO_WORDS else 0


def _is_agent(words: Sequence[str]) -> bool:
    """Whether a name is about the program that asks, as it names itself."""
    return any(pair == ("user", "agent") for pair in pairwise(words))


def decorates(text: str) -> int:
    """What a decorator, annotation, guard argument or dependency asks about the caller."""
    if _OPEN.search(text) or re.search(r"(?i)isAuthenticated|permitAll", text):
        return WHO if re.search(r"(?i)isAuthenticated", text) and "hasRole" not in text else 0
    name = text.lstrip("@").partition("(")[0]
    words = set(words_of(name)) | set(words_of(_inner(text)))
    if words & _MAY_WORDS - {"can", "may", "scope", "policy", "access", "key"} or asks(text) == MAY:
        return MAY
    if words & (_WHO_WORDS - {"session", "token", "user", "key", "caller", "identity"}) or asks(text) or _known(text):
        return WHO
    return 0


def _inner(text: str) -> str:
    """What a guard holds: of ``UseGuards(AdminGuard)`` the guards, of ``requires("admin")`` the right."""
    wraps = re.match(
        r"@?(?:\w+\.)*(?:UseGuards|Depends|Security|requires?\w*|Secured|RolesAllowed|PreAuthorize|Roles)\((.*)\)", text
    )
    return wraps[1] if wraps else ""


def of_base(base: str) -> int:
    """What a base class or mixin asks for all that a class does."""
    fits = re.search(r"Mixin|Guard|Protected|Secure|Authen|Admin|Staff|LoginRequired|PermissionRequired", base)
    return decorates(base) if fits else 0


def _known(text: str) -> bool:
    return re.search(r"(?i)current_?user|require_?user|user_passes_test|active_?user", text) is not None


def asks_of(parameter: str) -> int:
    """What a parameter that a framework fills asks: a dependency, or the type of an identity."""
    if "Depends(" in parameter or "Security(" in parameter:
        return max(
            decorates(one)
            for one in re.findall(r"(?:Depends|Security)\([^()]*(?:\([^()]*\))?[^()]*\)", parameter) or [parameter]
        )
    if re.search(r"@(?:AuthenticationPrincipal|CurrentUser|CurrentSecurityContext|Req(?:uest)?User)\b", parameter):
        return WHO
    kind = parameter.partition(":")[2]
    if _MAY_TYPE.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind)) and re.search(r"(?i)user|principal|dep|only", kind):
        return MAY
    return WHO if _IDENTITY_TYPE.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind)) else 0


def checks_in(fact: DefinitionFact, without: Iterable[str] = ()) -> list[tuple[int, str]]:
    """What a definition asks by itself, as (level, text); what stands in one of ``without`` is left out."""
    gone = [one for one in without if one]
    found = [(decorates(one), one) for one in fact.decorators]
    found += [(asks_of(_written(one.name, one.type, one.default)), one.name) for one in fact.parameters]
    found += [(asks(one), one) for one in fact.calls if not any(one in text for text in gone)]
    found += [(asked_by(one), one) for one in fact.guards if one not in gone]
    return [(level, text) for level, text in found if level]


def _written(name: str, kind: str | None, default: str | None) -> str:
    return f"{name}: {kind or ''}" + (f" = {default}" if default else "")


def first_check(found: Iterable[tuple[int, str]], level: int) -> str:
    """The first text that asks at least this much, cut to what a sentence can hold; "" for none."""
    return next((text[:LONGEST] for strength, text in found if strength >= level), "")

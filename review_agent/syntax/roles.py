"""What a call is there for, told by its name: the idioms of libraries, in the words of four languages.

A role never proves anything: it chooses which calls are worth an edit, so that a change of many calls gives few.
"""

from __future__ import annotations

import re

__all__ = ["OPPOSITES", "opposite", "role_of"]

# Pairs of acting and undoing. A name is matched whole, or as the first or last word of a compound name.
_PAIRS = """
    lock/unlock rlock/runlock acquire/release open/close begin/commit begin/rollback start/stop
    connect/disconnect subscribe/unsubscribe register/unregister register/deregister attach/detach pin/unpin
    add/remove add/delete push/pop set/reset set/clear set/unset enable/disable increment/decrement inc/dec
    enter/exit enter/leave retain/release ref/unref mount/unmount pause/resume suspend/resume encode/decode
    marshal/unmarshal serialize/deserialize dump/load dumps/loads write/read pack/unpack encrypt/decrypt
    compress/decompress escape/unescape quote/unquote get/put borrow/return checkout/checkin
    addlistener/removelistener addeventlistener/removeeventlistener on/off setinterval/clearinterval
    settimeout/cleartimeout upgrade/downgrade save/restore
"""
OPPOSITES = frozenset((one, other) for one, _, other in (pair.partition("/") for pair in _PAIRS.split()))

_ROLES = {
    "lock": """
        acquire lock lockasync lockinterruptibly rlock trylock wait
    """,
    "unlock": """
        release runlock unlock
    """,
    "close": """
        abort cancel cleanup clearinterval cleartimeout close closequietly deregister destroy detach
        disconnect dispose done drain end free leave off putback quit removeall removeeventlistener
        removelistener reset restore returnobject rmtree shutdown shutdownnow stop terminate unlink unpin
        unref unregister unsubscribe
    """,
    "open": """
        addeventlistener addlistener attach begin borrowobject connect createtemp enter fopen mkdtemp
        mkstemp on open pin ref register setinterval settimeout start subscribe tempdir
    """,
    "commit": """
        commit fdatasync flush force fsync persist save saveall saveandflush savechanges sync
    """,
    "rollback": """
        abort rollback
    """,
    "transaction": """
        atomic begin begin_nested begintx runintransaction setautocommit start_transaction transaction
        withtransaction
    """,
    "delete": """
        delete deleteall deletebyid destroy drop remove removeall rm rmdir rmtree truncate unlink
    """,
    "invalidate": """
        bust cache_clear clear del delete_many delete_pattern drop evict evictall expire flushall forget
        invalidate invalidateall purge refresh revoke touch
    """,
    "check": """
        abort assert authenticate authorise authorize can check checkargument checknotnull checkstate
        clean enforce ensure escape full_clean guard is_valid may permit precondition require
        require_role requirenonnull sanitise sanitize validate verify
    """,
    "confine": """
        basename evalsymlinks getcanonicalfile getcanonicalpath normalize normalise normpath realpath
        secure_filename torealpath
    """,
    "wait": """
        backoff delay set_timeout settimeout settimeoutms sleep timeout wait withdeadline withtimeout
    """,
    "codec": """
        b64decode b64encode compress decodestring decodeuricomponent decompress decrypt encodetostring
        encodeuricomponent encrypt gunzipsync gzipsync hexlify unhexlify urlsafe_b64decode
        urlsafe_b64encode
    """,
    "place": """
        atomicmove rename renamesync renameto
    """,
    "state": """
        chdir disable enable install override patch set setattr setdefault setenv seterr setlevel
    """,
}
# A word behind one of these says how or when something is done, not what.
_JOINS = frozenset("with without on after before for by and or no until till from in of at".split())  # noqa: SIM905
# A last word behind one of these is the thing that is made, found or asked about.
_ABOUT = frozenset(
    "get fetch find make build create new is has should needs parse read list test compute count latest".split()  # noqa: SIM905
)
_UNDOING = frozenset({"unlock", "close", "rollback"})
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_BY_WORD = {word: role for role, words in reversed(list(_ROLES.items())) for word in words.split()}


def words_of(name: str) -> list[str]:
    """The words of a name in any of the usual spellings, lower case."""
    return [word.lower() for word in _WORDS.findall(name)]


def role_of(name: str) -> str:
    """The role of a called name: of the whole name, else of its first word, else of its last, where that can be the
    verb; "" for none."""
    whole = name.lower()
    if whole in _BY_WORD:
        return _BY_WORD[whole]
    parts = words_of(name)
    if not parts:
        return ""
    return _BY_WORD.get(parts[0]) or _last_role(parts)


def _last_role(parts: list[str]) -> str:
    """The role of the last word: ``run_with_cleanup`` cleans nothing up, and ``get_release`` releases nothing, while
    ``with_lock`` takes the lock."""
    role = _BY_WORD.get(parts[-1], "")
    before = parts[-2] if len(parts) > 1 else ""
    if before in _JOINS and (before != "with" or role in _UNDOING):
        return ""
    return "" if role in _UNDOING and before and parts[0] in _ABOUT else role


def opposite(one: str, other: str) -> bool:
    """Whether two names differ only by an acting word in the one and its undoing word in the other."""
    first, second = words_of(one), words_of(other)
    if len(first) != len(second):
        return False
    different = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    return len(different) == 1 and (different[0] in OPPOSITES or different[0][::-1] in OPPOSITES)

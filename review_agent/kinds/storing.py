"""What stores, what makes it lasting, and how strong that is: told by names and by the text of calls."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = [
    "callee_of",
    "commits",
    "first_write",
    "in_memory",
    "is_write",
    "root_of",
    "self_committing",
    "sql_writes",
    "strength",
    "writing_calls",
]

_VERBS = re.compile(r"^[^(]*\(\s*(?:ctx,\s*|context\.\w+\(\),\s*)?(?:text\()?[rbfu]*[\"'`]+\s*(\w+)", re.IGNORECASE)
_SQL_WRITES = frozenset(
    {"insert", "update", "delete", "replace", "merge", "upsert", "create", "alter", "drop", "truncate"}
)
_RUNS = frozenset(
    {"execute", "executemany", "query", "run", "exec", "execcontext", "executeupdate", "executebatch", "raw"}
)
_READS_BY_NAME = re.compile(r"select|fetch|get_|find|list|count|pragma|show", re.IGNORECASE)
_WRITE_WORDS = """
    add add_all addall append bulk_create bulk_insert bulk_save_objects bulk_update bulkwrite create createmany delete
    deleteall deletebyid deletemany deleteone destroy dump enqueue exec execcontext executebatch executemany
    executeupdate hset
    insert insert_all insertmany insertone lpush merge mset persist put putobject remove removeall
    rename replace replaceone rpush save saveall set setex store truncate unlink update updatemany updateone upsert
    write write_bytes write_text writeall writefile writelines writestring
"""
_WRITES = frozenset(_WRITE_WORDS.split())
_WRITE_FIRST = frozenset(
    {"add", "append", "apply", "create", "delete", "insert", "persist", "put", "record", "remove", "replace", "save"}
    | {"store", "update", "upsert", "write", "mark", "set", "import", "transfer", "debit", "credit", "move", "register"}
)
_SETTING_WORDS = "auto string int long double float object date timestamp null boolean read timeout state header status"
_SETTINGS = frozenset(_SETTING_WORDS.split())
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_STRENGTH = {"flush": 1, "sync": 2, "fsync": 2, "fdatasync": 2, "force": 2, "save": 2, "persist": 2, "commit": 3}
_STRENGTH |= {"saveandflush": 2, "saveall": 2, "savechanges": 3}
_AUTO = re.compile(
    r"autocommit\s*[=:(]\s*(?:True|true)|isolation_level\s*=\s*None|AUTOCOMMIT|setAutoCommit\(\s*true", re.IGNORECASE
)
_NOT_AUTO = re.compile(r"autocommit\s*[=:(]\s*(?:False|false)", re.IGNORECASE)


def sql_writes(statement: str) -> bool:
    """Whether an SQL statement stores something."""
    word = re.match(r"\W*(\w+)", statement)
    return word is not None and word[1].lower() in _SQL_WRITES


def callee_of(text: str) -> str:
    """The callee of a call that is written out."""
    return text.partition("(")[0].strip()


def root_of(callee: str) -> str:
    """What a call is made on, without its name."""
    return callee.rpartition(".")[0]


def strength(callee: str) -> int:
    """How lasting a call makes what was written: 3 a commit, 2 a sync or save, 1 a flush, 0 nothing."""
    name = callee.rpartition(".")[2].lower().strip("_")
    if name in _STRENGTH:
        return _STRENGTH[name]
    words = [word.lower() for word in _WORD.findall(callee.rpartition(".")[2])]
    return _STRENGTH.get(words[0], 0) if words and words[0] in ("commit", "fsync", "sync", "flush") else 0


def commits(callees: Iterable[str], least: int) -> str:
    """The first callee that makes lasting with at least that strength; "" for none."""
    return next((one for one in callees if strength(one) >= least), "")


def is_write(text: str) -> bool:
    """Whether a written-out call stores something."""
    callee = callee_of(text)
    name = callee.rpartition(".")[2].lower()
    verb = _VERBS.match(text)
    if name in _RUNS or name in ("queryrow", "querycontext", "queryrowcontext"):
        if verb:
            return verb[1].lower() in _SQL_WRITES
        argument = text[len(callee) :]
        return name in ("execcontext", "exec", "executemany", "executeupdate", "executebatch") or (
            name in ("execute", "run") and not _READS_BY_NAME.search(argument)
        )
    return name in _WRITES or _writes_by_words(callee)


def _writes_by_words(callee: str) -> bool:
    words = [word.lower() for word in _WORD.findall(callee.rpartition(".")[2])]
    # Parameters of a statement, and settings of a connection.
    if words[:1] == ["set"] and (len(words) < 2 or words[1] in _SETTINGS):
        return False
    return len(words) > 1 and words[0] in _WRITE_FIRST


_ASIDE = re.compile(
    r"^(?:.*\.)?(?:log(?:ger|ging)?|LOG(?:GER)?|print|console|metrics?|stats|span|tracer|headers?|flash|os\.environ|sys|"
    r"parser|args|seen|result|results|out|lines|rows|items|errors|parts|names|values|list|kwargs|params|data|payload)\.\w+$"
)


# Methods that plain collections have as well, and words of what stores when it is asked by them.
_COLLECTING = frozenset({"add", "append", "discard", "extend"})
_STORES_WORDS = """
    db database session sess conn connection cursor cur tx trx transaction em manager repo repos repository repositories
    store stores storage dao table tables collection client redis cache queue bucket model models mapper jdbc template
    orm engine pool ledger journal objects
"""
_STORES = frozenset(_STORES_WORDS.split())


# What is handed on with a call: names, options and the like.
_SETTINGS_OF = re.compile(
    r"(?i)(?:^|_)(?:fields|kwargs|args|options|opts|headers|params|attrs|context|values|names|keys)$"
)


def in_memory(callee: str) -> bool:
    """Whether a call only fills a plain local thing, as far as its name tells: ``chosen.add``, ``set``."""
    receiver, _, name = callee.rpartition(".")
    if not receiver:
        return name in ("set", "list", "dict")
    if name == "update" and _SETTINGS_OF.search(receiver):
        return True
    words = {word.lower() for word in _WORD.findall(receiver)}
    return name.lower() in _COLLECTING and "." not in receiver and receiver.islower() and not words & _STORES


def writing_calls(texts: Iterable[str]) -> tuple[str, ...]:
    """Of written-out calls those that store, without those on logs and local collections."""
    return tuple(
        one for one in texts if is_write(one) and not _ASIDE.match(callee_of(one)) and not strength(callee_of(one))
    )


def first_write(texts: Iterable[str], receiver: str) -> str:
    """The write that a commit on a receiver is for: on the receiver itself, else the last one before."""
    found = writing_calls(texts)
    own = [one for one in found if receiver and root_of(callee_of(one)) == receiver]
    return own[-1] if own else found[-1] if found else ""


def self_committing(text: str) -> bool:
    """Whether a text sets a connection to commit by itself."""
    return _AUTO.search(text) is not None and _NOT_AUTO.search(text) is None

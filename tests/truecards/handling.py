"""True cards about failures: caught, hidden, retried, dropped, or met by nobody. Python."""

from review_agent.vocabulary import EditOp, Role, Side
from truecards import At, Case

CASES = (
    Case(
        name="broadened_handler",
        kind="error_handling",
        files={
            "pay/charge.py": (
                "def charge(order):\n    try:\n        gateway.charge(order.total)\n    except Declined:\n"
                "        order.mark('declined')\n        return False\n    return True\n",
                (("except Declined:", "except Exception:"),),
            ),
            "pay/gateway.py": (
                "class Gateway:\n    def charge(self, total):\n        if total is None:\n"
                "            raise ValueError('no total')\n        return self.post(total)\n",
                (),
            ),
        },
        anchor=At("pay/charge.py", "except Exception", Role.DIFF),
        places={"raiser": At("pay/gateway.py", "raise ValueError", Role.DEFINITION)},
        edit=(
            EditOp.HANDLER_BROADENED,
            "Exception",
            {"beforeTypes": ("Declined",), "afterTypes": ("Exception",), "tryCalls": ("gateway.charge",)},
        ),
        claim="Broadening the handler from `Declined` to `Exception` books the `ValueError` of `pay/gateway.py` line "
        "{raiser} as a declined card.",
        effect={"op": "broadened", "subject": "Exception"},
        impact="An order without a total is charged: a fault of the shop is shown as one of the customer.",
    ),
    Case(
        name="bare_handler",
        kind="error_handling",
        files={
            "sync/pull.py": (
                "def pull(remote):\n    while True:\n        try:\n            remote.step()\n"
                "        except TimeoutError:\n            continue\n",
                (("except TimeoutError:", "except:"),),
            ),
            "sync/remote.py": (
                "import sys\n\n\ndef step(self):\n    if self.stopped:\n        sys.exit(0)\n    self.fetch()\n",
                (),
            ),
        },
        anchor=At("sync/pull.py", "except:", Role.DIFF),
        places={"stop": At("sync/remote.py", "sys.exit", Role.DEFINITION)},
        claim="Widening the handler to `BaseException` catches the exit at `sync/remote.py` line {stop}, and `pull` "
        "goes on for ever.",
        effect={"op": "broadened", "subject": "BaseException"},
        severity="blocking",
        impact="The remote is stopped from outside while a loop is under way.",
    ),
    Case(
        name="swallowed",
        kind="error_handling",
        files={
            "ledger/post.py": (
                "def post(entry):\n    try:\n        database.insert(entry)\n    except IntegrityError:\n"
                "        log.exception('entry %s', entry.id)\n        raise\n",
                (("entry.id)\n        raise\n", "entry.id)\n"),),
            ),
            "ledger/close.py": (
                "from ledger.post import post\n\n\ndef close(day):\n    for entry in day.entries:\n"
                "        post(entry)\n    day.closed = True\n",
                (),
            ),
        },
        anchor=At("ledger/post.py", "        raise", Role.DIFF, side=Side.OLD),
        places={"caller": At("ledger/close.py", "post(entry)", Role.CALLER, last="day.closed")},
        edit=(
            EditOp.HANDLER_SWALLOWS,
            "IntegrityError",
            {"types": ("IntegrityError",), "function": "post", "isNew": False},
        ),
        claim="Dropping the re-raise makes `post` swallow `IntegrityError`: `ledger/close.py` line {caller} sets "
        "`day.closed` with entries missing.",
        effect={"op": "weakened", "subject": "IntegrityError"},
        severity="blocking",
        impact="One entry of the day violates a constraint; the log has it, the books do not.",
    ),
    Case(
        name="removed_raise",
        kind="error_handling",
        files={
            "files/open.py": (
                "def text_of(path):\n    if not path.exists():\n        raise Missing(path)\n"
                "    return path.read_text()\n",
                (("    if not path.exists():\n        raise Missing(path)\n", ""),),
            ),
            "files/view.py": (
                "from files.open import text_of\n\n\ndef view(path):\n    try:\n        return text_of(path)\n"
                "    except Missing:\n        return NotFound()\n",
                (),
            ),
        },
        anchor=At("files/open.py", "if not path.exists", Role.DIFF, last="raise Missing", side=Side.OLD),
        places={"handler": At("files/view.py", "try:", Role.CALLER, last="return NotFound")},
        edit=(
            EditOp.GUARD_REMOVED,
            "path",
            {"test": "not path.exists()", "function": "text_of", "subjects": ("path",)},
        ),
        claim="Removing the test of `path` lets a `FileNotFoundError` out of `text_of`, while `files/view.py` line "
        "{handler} still expects `Missing`.",
        effect={"op": "removed", "subject": "path"},
        impact="Someone asks for a file that is not there: the page fails instead of saying so.",
    ),
    Case(
        name="unbounded_retry",
        kind="error_handling",
        files={
            "net/fetch.py": (
                "MAX_TRIES = 5\n\n\ndef fetch(url):\n    tries = 0\n    while tries < MAX_TRIES:\n        try:\n"
                "            return get(url)\n        except ConnectionError:\n            tries += 1\n"
                "    raise Unreachable(url)\n",
                (("while tries < MAX_TRIES:", "while True:"),),
            ),
            "net/worker.py": (
                "from net.fetch import fetch\n\n\ndef work(queue):\n    for url in queue:\n        store(fetch(url))\n",
                (),
            ),
        },
        anchor=At("net/fetch.py", "while True", Role.DIFF),
        places={"caller": At("net/worker.py", "store(fetch(url))", Role.CALLER)},
        edit=(
            EditOp.RETRY_UNBOUNDED,
            "get",
            {"beforeTest": "tries < MAX_TRIES", "afterTest": "True", "capNames": ("MAX_TRIES",)},
        ),
        claim="Removing the bound `MAX_TRIES` makes `fetch` try `get` for ever: `net/worker.py` line {caller} stays on "
        "one `url`.",
        effect={"op": "removed", "subject": "MAX_TRIES"},
        severity="blocking",
        impact="A host refuses connections for good; no later address of the queue is reached.",
    ),
    Case(
        name="raise_type",
        kind="error_handling",
        files={
            "conf/read.py": (
                "class BadConfig(Exception):\n    pass\n\n\nclass BadValue(Exception):\n    pass\n\n\n"
                "def port_of(raw):\n    if not raw.isdigit():\n        raise BadConfig(raw)\n    return int(raw)\n",
                (("raise BadConfig(raw)", "raise BadValue(raw)"),),
            ),
            "conf/start.py": (
                "from conf.read import BadConfig, port_of\n\n\ndef start(raw):\n"
                "    try:\n        listen(port_of(raw))\n"
                "    except BadConfig as error:\n        usage(error)\n",
                (),
            ),
        },
        anchor=At("conf/read.py", "raise BadValue", Role.DIFF),
        places={
            "handler": At("conf/start.py", "except BadConfig", Role.CALLER),
            "type": At("conf/read.py", "class BadValue", Role.DEFINITION),
        },
        edit=(
            EditOp.RAISE_TYPE_CHANGED,
            "BadConfig",
            {"beforeType": "BadConfig", "afterType": "BadValue", "function": "port_of"},
        ),
        claim="Changing what `port_of` raises from `BadConfig` to `BadValue` takes it past the handler at "
        "`conf/start.py` line {handler}; `BadValue` derives from `Exception` alone.",
        effect={"op": "changed", "subject": "BadConfig", "to": "BadValue"},
        impact="The program is started with a port that has a letter in it: a traceback instead of the usage.",
    ),
    Case(
        name="missing_value",
        kind="error_handling",
        files={
            "users/find.py": (
                "def name_of(users, key):\n    user = users.get(key)\n    if user is None:\n        return ''\n"
                "    return user.name\n",
                (("    if user is None:\n        return ''\n", ""),),
            ),
            "users/page.py": (
                "from users.find import name_of\n\n\ndef header(session):\n"
                "    return name_of(session.users, session.key or 'guest')\n",
                (),
            ),
        },
        anchor=At("users/find.py", "if user is None", Role.DIFF, last="return ''", side=Side.OLD),
        places={"caller": At("users/page.py", "return name_of", Role.CALLER)},
        edit=(EditOp.GUARD_REMOVED, "user", {"test": "user is None", "function": "name_of", "subjects": ("user",)}),
        claim="Deleting the guard `user is None` takes a miss of `users.get` straight to `user.name`: `users/page.py` "
        "line {caller} passes `guest`.",
        effect={"op": "removed", "subject": "user is None"},
        severity="blocking",
        confidence="medium",
        uncertainty=("Whether the session always holds a guest entry was not established.",),
        impact="A visitor without an account opens any page.",
    ),
)

"""State that everybody reaches: who gives it back, or nobody does; and what one function sets and puts back."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.RESOURCE_RELEASE)
silent = partial(silence_of, kind=ChangeKind.RESOURCE_RELEASE)
LIVES, STATE = "release_not_on_every_path", "state_not_restored"

TASK = """package shop;

class MailTask implements Runnable {
    private final Mailer mailer = new Mailer();

    public void run() {
        Tenant.set("north");
        try {
            mailer.send("hello");
        } finally {
            Tenant.clear();
        }
    }
}
"""
LOOSE = (
    "src/main/java/shop/MailTask.java",
    """        try {
            mailer.send("hello");
        } finally {
            Tenant.clear();
        }
""",
    """        mailer.send("hello");
""",
)
QUEUE = """package shop;

class Queue {
    void work(Runnable task) {
        try {
            task.run();
        } finally {
            done();
        }
    }

    void done() {
    }
}
"""
JAVA = {
    "src/main/java/shop/MailTask.java": TASK,
    "src/main/java/shop/Mailer.java": "package shop;\n\nclass Mailer {\n    void send(String text) {\n    }\n}\n",
    "src/main/java/shop/Tenant.java": """package shop;

class Tenant {
    private static final ThreadLocal<String> NAME = new ThreadLocal<>();

    static void set(String name) {
        NAME.set(name);
    }

    static void clear() {
        NAME.remove();
    }
}
""",
    "src/main/java/shop/Queue.java": QUEUE,
}


def test_nobody_gives_it_back(repo):
    card = one_card(repo, JAVA, LIVES, LOOSE)
    assert "`Tenant.set" in card.claim
    assert "What runs after `run` in the same place" in card.impact_condition


def test_the_runner_gives_it_back(repo):
    before = {
        **JAVA,
        "src/main/java/shop/Queue.java": QUEUE.replace("done();\n        }", "Tenant.clear();\n        }"),
    }
    assert silent(repo, before, LIVES, LOOSE) == ["refuted"]


def test_another_one_gives_back_its_own(repo):
    own = QUEUE.replace("        try {", '        Tenant.set("main");\n        try {').replace(
        "done();\n        }", "Tenant.clear();\n        }"
    )
    card = one_card(repo, {**JAVA, "src/main/java/shop/Queue.java": own}, LIVES, LOOSE)
    assert "`Tenant.set" in card.claim


ZONE = """from contextlib import contextmanager
from app.local import current, activate


@contextmanager
def zone(name):
    before = current()
    activate(name)
    try:
        yield
    finally:
        activate(before)
"""
PYTHON = {
    "app/__init__.py": "",
    "app/local.py": """state = {}


def current():
    return state.get("zone")


def activate(name):
    state["zone"] = name
""",
    "app/zones.py": ZONE,
    "app/views.py": """from app.zones import zone


def show(moment):
    with zone("utc"):
        return moment.text()
""",
}
GUARDED = "    try:\n        yield\n    finally:\n        activate(before)\n"
SAVED = "    before = current()\n    activate(name)\n" + GUARDED


def test_a_function_that_sets_and_puts_back(repo):
    card = one_card(repo, PYTHON, STATE, ("app/zones.py", GUARDED, "    yield\n    activate(before)\n"))
    assert "outlives `zone` when the block at its `yield` fails" in card.claim
    assert "`app/views.py` line 5" in card.claim


def test_what_puts_back_is_handed_on(repo):
    stacked = "    with ExitStack() as stack:\n        stack.callback(activate, current())\n"
    stacked += "        activate(name)\n        yield\n"
    assert silent(repo, PYTHON, STATE, ("app/zones.py", SAVED, stacked)) == []

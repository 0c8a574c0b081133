"""Work that is started without waiting for it: what waits for it later, and what only names it."""

import pytest
from reviewing import cards, codes, review

pytestmark = pytest.mark.slow

STORE = """export async function save(order) {
  return await db.put(order);
}
"""
PLACE = """import { save } from './store';

export async function place(order) {
  %s;
  order.kind = 'placed';
  %s
}
"""
USE = """import { place } from './place';

export async function handler(req) {
  const id = await place(req.body);
  return db.get(id);
}
"""


def dropped(repo, start, rest):
    """What ends for a TypeScript function whose await goes."""
    was = PLACE % (start % "await ", rest)
    before = {"src/store.ts": STORE, "src/use.ts": USE, "src/place.ts": was}
    return review(repo, before, {"src/place.ts": was.replace("await save(", "save(", 1)})


@pytest.mark.parametrize(
    "rest",
    [
        "return saved.id;",
        "return saved.rows.length > 0;",
        "return view(saved.id);",
        "return saved ? 1 : 2;",
        "return saved && saved.id;",
        "return { saved: 1 };",
        "return res.json(saved);",
        "await audit(saved.id);\n  return 1;",
        "await audit('saved', order);\n  return 1;",
        "log(saved.id);\n  return saved;",
        "// await saved\n  return saved.id;",
    ],
)
def test_a_member_of_a_promise_waits_for_nothing(repo, rest):
    (card,) = cards(dropped(repo, "const saved = %ssave(order)", rest), "await_dropped")
    assert "take a promise of `save` for its result" in card.claim


@pytest.mark.parametrize(
    "rest",
    [
        "return saved;",
        "return saved as Order;",
        "return order.ok ? saved : null;",
        "if (order.ok) return saved;\n  return null;",
        "return (await saved).id;",
        "return saved.then((one) => one.id);",
        "await Promise.all([saved, other()]);\n  return 1;",
        "await Promise.all([\n    saved,\n    other(),\n  ]);\n  return 1;",
        "return Promise.all([saved, other()]);",
    ],
)
def test_a_promise_that_is_waited_for_later(repo, rest):
    assert codes(dropped(repo, "const saved = %ssave(order)", rest), "await_dropped") == ["refuted"]


def test_a_promise_that_an_awaited_call_gets(repo):
    ended = dropped(repo, "const saved = %ssave(order)", "await settle(saved);\n  return 1;")
    assert codes(ended, "await_dropped") == ["insufficient_evidence"]


def test_a_part_of_a_promise_is_no_promise(repo):
    assert len(cards(dropped(repo, "const { rows } = %ssave(order)", "return rows;"), "await_dropped")) == 1


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        ("await audit('save', order);", None),
        ("await audit(order.save);", None),
        ("await audit({ save: 1 });", None),
        ("await audit(save(order).id);", None),
        ("audit(save);\n  await audit(order);", None),
        ("await each([save]);", "insufficient_evidence"),
        ("await each(() => save(order));", "insufficient_evidence"),
        ("await Promise.all([save(order)]);", "refuted"),
    ],
)
def test_an_awaited_call_is_handed_the_work_and_no_word_of_it(repo, rest, code):
    ended = dropped(repo, "%ssave(order)", f"{rest}\n  return 1;")
    assert [one.code for one in ended if one.rule == "await_dropped"] == [code]
    assert len(cards(ended, "await_dropped")) == (code is None)


MAILS = '''"""Mails."""


async def send(address):
    """Send one."""
    print(address)
'''


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        ("return sent", None),
        ("return sent.number", None),
        ("await sent\n    return 1", "refuted"),
        ("await asyncio.gather(sent, other())\n    return 1", "refuted"),
        ("asyncio.create_task(sent)\n    return 1", "refuted"),
        ("log(sent)\n    return 1", None),
    ],
)
def test_python_a_coroutine_that_is_waited_for_later(repo, rest, code):
    head = "import asyncio\n\nfrom app.mails import send\n\n\nasync def take(name):\n"
    was = f"{head}    sent = await send(name)\n    {rest}\n"
    before = {"app/__init__.py": "", "app/mails.py": MAILS, "app/take.py": was}
    ended = review(repo, before, {"app/take.py": was.replace("= await send", "= send")})
    assert [one.code for one in ended if one.rule == "await_dropped"] == [code]
    assert len(cards(ended, "await_dropped")) == (code is None)

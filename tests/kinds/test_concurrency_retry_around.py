"""concurrency_retry: a lock that a function takes by a helper, while a caller holds it."""

from functools import partial

import pytest
import reviewing
from reviewing import cards, codes
from settling import source

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

review = partial(reviewing.review, kind=ChangeKind.CONCURRENCY_RETRY)

QUEUES = source("""
    const last = new Map();

    export async function withLock(name, run) {
      const before = last.get(name) ?? Promise.resolve();
      let free;
      last.set(name, new Promise((resolve) => { free = resolve; }));
      await before;
      try {
        return await run();
      } finally {
        free();
      }
    }
""")
SEATS = source("""
    import { db } from "./db.js";

    export const roomKey = (room) => `room:${room}`;

    export async function book(room, seat) {
      const taken = await db.seats(room);
      await db.save(room, [...taken, seat]);
    }
""")
LOCKED = source("""
    import { db } from "./db.js";
    import { withLock } from "./queues.js";

    export const roomKey = (room) => `room:${room}`;

    async function put(room, seat) {
      const taken = await db.seats(room);
      await db.save(room, [...taken, seat]);
    }

    export function book(room, seat) {
      return withLock(roomKey(room), () => put(room, seat));
    }
""")
TOURS = source("""
    import { withLock } from "./queues.js";
    import { book, roomKey } from "./seats.js";

    export async function bookAll(room, seats) {
      await withLock(roomKey(room), async () => {
        for (const seat of seats) {
          await book(room, seat);
        }
      });
    }
""")
BASE = {
    "package.json": '{"type":"module"}\n',
    "src/db.js": "export const db = {};\n",
    "src/queues.js": QUEUES,
    "src/seats.js": SEATS,
    "src/tours.js": TOURS,
}


def test_a_caller_inside_the_lock(repo):
    (card,) = cards(review(repo, BASE, {"src/seats.js": LOCKED}), "lock_taken_around")
    assert "`bookAll` calls it at `src/tours.js` line 7" in card.claim
    assert "`src/queues.js`" in card.claim


def test_a_caller_inside_another_lock(repo):
    other = TOURS.replace("roomKey(room),", "'tours',")
    ended = review(repo, {**BASE, "src/tours.js": other}, {"src/seats.js": LOCKED})
    assert codes(ended, "lock_taken_around") == ["no_candidate"]


def test_a_lock_that_lets_its_holder_in_again(repo):
    lets = QUEUES.replace("  const before", "  if (holders.getStore() === name) return run();\n  const before")
    ended = review(repo, {**BASE, "src/queues.js": lets}, {"src/seats.js": LOCKED})
    assert codes(ended, "lock_taken_around") == ["refuted"]


def test_a_caller_that_is_adapted(repo):
    exported = LOCKED.replace("async function put", "export async function put")
    adapted = TOURS.replace("book,", "put,").replace("book(room, seat)", "put(room, seat)")
    ended = review(repo, BASE, {"src/seats.js": exported, "src/tours.js": adapted})
    assert cards(ended, "lock_taken_around") == []

"""concurrency_retry in JavaScript and Java: the same rules, proven on real commits."""

from functools import partial

import pytest
import reviewing
from reviewing import cards, codes

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

review = partial(reviewing.review, kind=ChangeKind.CONCURRENCY_RETRY)
SOURCE = "src/main/java/shop"

QUOTES = """import { Mutex } from "async-mutex";
import axios from "axios";

export class Quotes {
  constructor() {
    this.mutex = new Mutex();
    this.quotes = new Map();
    this.client = axios.create({ baseURL: "https://quotes.example", timeout: 2000 });
  }

  async put(key, value) {
    const release = await this.mutex.acquire();
    try {
      this.quotes.set(key, value);
    } finally {
      release();
    }
  }

  async rate(key) {
    const answer = await this.client.get(`/rates/${key}`);
    return answer.data;
  }

  async total() {
    const release = await this.mutex.acquire();
    try {
      let sum = 0;
      for (const value of this.quotes.values()) sum += value;
      return sum;
    } finally {
      release();
    }
  }

  async poll(key) {
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        return await this.rate(key);
      } catch (err) {
        await sleep(100 * attempt);
      }
    }
    throw new Error("gave up");
  }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
"""
USE = """import { Quotes } from "./quotes.js";

const quotes = new Quotes();

export async function handler(req, res) {
  await quotes.put(req.params.key, req.body.value);
  const rate = await quotes.poll(req.params.key);
  res.json({ rate });
}
"""
JS = {"package.json": '{"name":"shop","type":"module"}\n', "src/quotes.js": QUOTES, "src/use.js": USE}


def after(before, path, old, new):
    """The changed file, with one place replaced."""
    assert old in before[path]
    return {path: before[path].replace(old, new, 1)}


def test_a_mutex_that_went(repo):
    held = """    const release = await this.mutex.acquire();
    try {
      this.quotes.set(key, value);
    } finally {
      release();
    }
"""
    (card,) = cards(
        review(repo, JS, after(JS, "src/quotes.js", held, "    this.quotes.set(key, value);\n")), "lock_dropped"
    )
    assert "`quotes`" in card.claim


def test_an_await_that_went(repo):
    (card,) = cards(review(repo, JS, after(JS, "src/use.js", "  await quotes.put", "  quotes.put")), "await_dropped")
    assert "`quotes.put`" in card.claim


WARM = """export async function warm(route, store) {
  const held = await Promise.all([store.first(), store.second()]);
  if (route) {
    await Promise.all([load(route.page), load(route.layout)]);
  }
  return held;
}

export async function load(node) {
  return await import(node);
}

export async function ready(route, store) {
  await warm(route, store);
  return "ready";
}

export async function both(store) {
  const found = await Promise.all([store.first(), store.second()]);
  return found;
}
"""
JOINED = "await Promise.all([load(route.page), load(route.layout)]);"
LOAD_ALL = f"""
async function loadAll(route) {{
  {JOINED}
}}
"""


@pytest.mark.parametrize(
    ("instead", "more", "told"),
    [
        ("await loadAll(route);", LOAD_ALL, 0),
        ("return loadAll(route);", LOAD_ALL, 0),
        ("await each([load(route.page), load(route.layout)]);", "", 0),
        ("load(route.page);\n    load(route.layout);", "", 1),
    ],
)
def test_a_join_whose_work_is_awaited_in_another_function(repo, instead, more, told):
    before = {"package.json": "{}\n", "src/warm.js": WARM}
    ended = review(repo, before, {"src/warm.js": WARM.replace(JOINED, instead) + more})
    assert len(cards(ended, "await_dropped")) == told


def test_a_join_of_mapped_work_that_moved(repo):
    mapped = "await Promise.all([route.page, route.layout].filter(Boolean).map((one) => one[1]()));"
    before = {"package.json": "{}\n", "src/warm.js": WARM.replace(JOINED, mapped)}
    after = WARM.replace(JOINED, "await loadAll(route);") + LOAD_ALL.replace(JOINED, mapped)
    assert not cards(review(repo, before, {"src/warm.js": after}), "await_dropped")


def test_a_promise_that_is_returned_later(repo):
    change = after(JS, "src/use.js", "  await quotes.put(req.params.key, req.body.value);\n", "")
    kept = "  const put = quotes.put(req.params.key, req.body.value);\n"
    before = {
        **JS,
        "src/use.js": change["src/use.js"].replace("  const rate", kept.replace("= ", "= await ") + "  const rate"),
    }
    now = (
        before["src/use.js"]
        .replace("= await quotes.put", "= quotes.put")
        .replace("  res.json({ rate });", "  res.json({ rate });\n  return put;")
    )
    assert codes(review(repo, before, {"src/use.js": now}), "await_dropped") == ["refuted"]


def test_an_await_that_the_caller_gets(repo):
    ended = review(repo, JS, after(JS, "src/quotes.js", "return await this.rate", "return this.rate"))
    assert codes(ended, "await_dropped") == []


def test_a_client_without_its_timeout(repo):
    (card,) = cards(review(repo, JS, after(JS, "src/quotes.js", ", timeout: 2000", "")), "timeout_dropped")
    assert "`axios.create`" in card.claim


def test_a_pause_that_went(repo):
    change = after(JS, "src/quotes.js", "        await sleep(100 * attempt);\n", "        continue;\n")
    (card,) = cards(review(repo, JS, change), "pause_dropped")
    assert "`this.rate`" in card.claim


def test_a_cap_that_went(repo):
    change = after(JS, "src/quotes.js", "for (let attempt = 0; attempt < 5; attempt++)", "for (;;)")
    (card,) = cards(review(repo, JS, change), "cap_dropped")
    assert "`handler`" in card.claim


LEDGER = """package shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;

public class Ledger {
    private final DataSource source;
    private final ReentrantLock lock = new ReentrantLock();
    private final ExecutorService pool = Executors.newFixedThreadPool(4);
    private long total;

    public Ledger(DataSource source) {
        this.source = source;
    }

    public void book(String account, long amount) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO bookings VALUES (?, ?)")) {
                insert.setString(1, account);
                insert.setLong(2, amount);
                insert.executeUpdate();
            }
            connection.commit();
        }
    }

    public void close(String account) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement drop = connection.prepareStatement("DELETE FROM bookings WHERE account = ?")) {
                drop.setString(1, account);
                drop.executeUpdate();
            }
            connection.commit();
        }
    }

    public void add(long amount) {
        lock.lock();
        try {
            total += amount;
        } finally {
            lock.unlock();
        }
    }

    public long total() {
        lock.lock();
        try {
            return total;
        } finally {
            lock.unlock();
        }
    }

    public String ask(String question) throws Exception {
        Future<String> answer = pool.submit(() -> question.trim());
        return answer.get(5, TimeUnit.SECONDS);
    }
}
"""
DESK = """package shop;

public class Desk {
    private final Ledger ledger;

    public Desk(Ledger ledger) {
        this.ledger = ledger;
    }

    public String serve(String account, long amount) throws Exception {
        ledger.book(account, amount);
        ledger.add(amount);
        return ledger.ask(account);
    }
}
"""
BANK = {f"{SOURCE}/Ledger.java": LEDGER, f"{SOURCE}/Desk.java": DESK}


def test_a_reentrant_lock_that_went(repo):
    held = """        lock.lock();
        try {
            total += amount;
        } finally {
            lock.unlock();
        }
"""
    change = after(BANK, f"{SOURCE}/Ledger.java", held, "        total += amount;\n")
    (card,) = cards(review(repo, BANK, change), "lock_dropped")
    assert "`Ledger.total`" in card.claim


def test_a_future_without_its_timeout(repo):
    change = after(BANK, f"{SOURCE}/Ledger.java", "answer.get(5, TimeUnit.SECONDS)", "answer.get()")
    (card,) = cards(review(repo, BANK, change), "timeout_dropped")
    assert "`Desk.serve`" in card.claim


def test_synchronized_that_went(repo):
    before = {
        f"{SOURCE}/Counts.java": """package shop;

import java.util.HashMap;
import java.util.Map;

public class Counts {
    private final Map<String, Integer> counts = new HashMap<>();

    public synchronized void count(String key) {
        counts.merge(key, 1, Integer::sum);
    }

    public String name() {
        return "counts";
    }

    public synchronized int total() {
        return counts.size();
    }
}
"""
    }
    change = after(before, f"{SOURCE}/Counts.java", "synchronized void count", "void count")
    (card,) = cards(review(repo, before, change), "lock_dropped")
    assert "`counts`" in card.claim
    safe = {path: text.replace("new HashMap", "new ConcurrentHashMap") for path, text in before.items()}
    change = after(safe, f"{SOURCE}/Counts.java", "synchronized void count", "void count")
    assert codes(review(repo, safe, change), "lock_dropped") == ["refuted"]


COUNTER = """import { Mutex } from "async-mutex";

export class Counter {
  private readonly mutex = new Mutex();
  private value = 0;

  async increment(store: Store): Promise<number> {
    return this.mutex.runExclusive(async () => {
      const current = await store.read();
      this.value = current + 1;
      await store.write(this.value);
      return this.value;
    });
  }

  name(): string {
    return "counter";
  }

  async reset(store: Store): Promise<void> {
    await this.mutex.runExclusive(async () => {
      this.value = 0;
      await store.write(0);
    });
  }
}
"""


def test_what_a_mutex_ran_runs_without_it(repo):
    before = {"package.json": "{}\n", "src/counter.ts": COUNTER}
    held = "    return this.mutex.runExclusive(async () => {\n      const current"
    change = after(before, "src/counter.ts", held, "    return run(async () => {\n      const current")
    (card,) = cards(review(repo, before, change), "lock_dropped")
    assert "`Counter.reset`" in card.claim


BATCH = """import { cancel } from "./orders.js";

export async function cancelAll(ids) {
  for (const id of ids) {
    await cancel(id);
  }
  return ids.length;
}
"""
ORDERS = """export async function cancel(id) {
  await fetch(`/orders/${id}`, { method: "DELETE" });
}

export function name(id) {
  return `order ${id}`;
}
"""


def test_a_loop_that_waits_for_nothing(repo):
    before = {"package.json": "{}\n", "src/orders.js": ORDERS, "src/batch.js": BATCH}
    loop = "  for (const id of ids) {\n    await cancel(id);\n  }\n"
    change = after(before, "src/batch.js", loop, "  ids.forEach(async (id) => {\n    await cancel(id);\n  });\n")
    (card,) = cards(review(repo, before, change), "loop_not_awaited")
    assert "`cancel`" in card.claim


def test_a_loop_over_what_is_not_asynchronous(repo):
    before = {"package.json": "{}\n", "src/orders.js": ORDERS.replace("async ", ""), "src/batch.js": BATCH}
    loop = "  for (const id of ids) {\n    await cancel(id);\n  }\n"
    change = after(before, "src/batch.js", loop, "  ids.forEach(async (id) => {\n    await cancel(id);\n  });\n")
    assert codes(review(repo, before, change), "loop_not_awaited") == ["insufficient_evidence"]


JOBS = """package shop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

public class Jobs {
    private final Map<String, Job> running = new ConcurrentHashMap<>();
    private final ExecutorService pool;

    public Jobs(ExecutorService pool) {
        this.pool = pool;
    }

    public boolean start(String key, Job job) {
        return running.putIfAbsent(key, job) == null;
    }

    public int runAll(Iterable<Job> jobs) throws InterruptedException {
        for (Job job : jobs) {
            pool.submit(job::run);
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        return running.size();
    }
}
"""
JOBS_DESK = """package shop;

public class Desk {
    private final Jobs jobs;

    public Desk(Jobs jobs) {
        this.jobs = jobs;
    }

    public String serve(String key, Job job) {
        return jobs.start(key, job) ? "started" : "running";
    }

    public int all(Iterable<Job> many) throws InterruptedException {
        return jobs.runAll(many);
    }
}
"""
WORK = {f"{SOURCE}/Jobs.java": JOBS, f"{SOURCE}/Desk.java": JOBS_DESK}


def test_a_check_and_a_put_in_two_steps(repo):
    split = """        if (running.containsKey(key)) {
            return false;
        }
        running.put(key, job);
        return true;
"""
    change = after(WORK, f"{SOURCE}/Jobs.java", "        return running.putIfAbsent(key, job) == null;\n", split)
    (card,) = cards(review(repo, WORK, change), "atomic_split")
    assert "`Desk.serve`" in card.claim


def test_a_pool_that_is_shut_down_and_not_waited_for(repo):
    change = after(WORK, f"{SOURCE}/Jobs.java", "        pool.awaitTermination(1, TimeUnit.MINUTES);\n", "")
    (card,) = cards(review(repo, WORK, change), "join_dropped")
    assert "`Desk.all`" in card.claim

"""concurrency_retry: caps, pauses, joins and one-step checks that went."""

from functools import partial

import pytest
import reviewing
from reviewing import cards, codes

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

review = partial(reviewing.review, kind=ChangeKind.CONCURRENCY_RETRY)

FEED = '''"""The feed."""

import requests


def pull(url):
    """One page of it."""
    answer = requests.get(url, timeout=5)
    answer.raise_for_status()
    return answer.json()


def entries(page):
    """Entries of a page."""
    return page["entries"]
'''
SYNC = '''"""Synchronisation."""

import time

from app.feed import pull

MOST = 5


def fetch(url):
    """Pull, and try again."""
    attempt = 0
    while True:
        try:
            return pull(url)
        except OSError:
            attempt += 1
            if attempt >= MOST:
                raise
            time.sleep(2**attempt)
'''
JOB = '''"""The job."""

from app.sync import fetch


def run(store, urls):
    """All feeds."""
    for url in urls:
        store.save(fetch(url))
'''
BASE = {"app/__init__.py": "", "app/feed.py": FEED, "app/sync.py": SYNC, "app/job.py": JOB}


def test_a_cap_that_went(repo):
    after = SYNC.replace("            if attempt >= MOST:\n                raise\n", "")
    (card,) = cards(review(repo, BASE, {"app/sync.py": after}), "cap_dropped")
    assert "`attempt >= MOST`" in card.claim
    assert "`run`" in card.claim


def test_a_cap_that_was_rewritten(repo):
    after = SYNC.replace("    while True:\n", "    for attempt in range(MOST):\n").replace(
        "            if attempt >= MOST:\n                raise\n", ""
    )
    assert not cards(review(repo, BASE, {"app/sync.py": after}), "cap_dropped")


def test_a_pause_that_went(repo):
    after = SYNC.replace("            time.sleep(2**attempt)\n", "")
    (card,) = cards(review(repo, BASE, {"app/sync.py": after}), "pause_dropped")
    assert "`pull`" in card.claim


def test_a_pause_that_moved_into_what_is_tried(repo):
    feed = FEED.replace("    answer = requests", "    time.sleep(1)\n    answer = requests").replace(
        "import requests", "import time\n\nimport requests"
    )
    after = {"app/sync.py": SYNC.replace("            time.sleep(2**attempt)\n", ""), "app/feed.py": feed}
    assert codes(review(repo, BASE, after), "pause_dropped") == ["refuted"]


GO = """package pages

import "sync"

// Sizes asks for all pages.
func Sizes(urls []string) []int {
	sizes := make([]int, len(urls))
	var wg sync.WaitGroup
	for i, url := range urls {
		wg.Add(1)
		go func() {
			defer wg.Done()
			sizes[i] = len(url)
		}()
	}
	wg.Wait()
	return sizes
}
"""
GO_USE = """package main

import (
	"fmt"

	"example.com/app/pages"
)

func main() {
	fmt.Println(pages.Sizes([]string{"a"}))
}
"""
GO_BASE = {"go.mod": "module example.com/app\n\ngo 1.22\n", "pages/pages.go": GO, "main.go": GO_USE}


def test_a_wait_that_went(repo):
    after = GO.replace("\twg.Wait()\n", "")
    (card,) = cards(review(repo, GO_BASE, {"pages/pages.go": after}), "join_dropped")
    assert "`wg.Wait`" in card.claim


REPORT = '''"""Reports."""

from threading import Thread


def report(pool, names, sep, rows):
    """Write a report."""
    made = []
    workers = [Thread(target=print, args=(row,)) for row in rows]
    for one in workers:
        one.start()
    parts = pool.map(str, names)
    pass  # here
    return parts
'''
REPORT_USE = """from app.report import report


def show(pool):
    text = report(pool, ["a"], ", ", [])
    print(text)
    return text
"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("sep.join(parts)", 0),
        ('made = ", ".join(parts)', 0),
        ("made = sep.get('x')", 0),
        ("made = all(parts)", 0),
        ("for worker in workers: worker.join()", 1),
        ("for each in workers: each.join(timeout=5)", 1),
    ],
)
def test_python_a_join_of_texts_is_no_wait(repo, line, told):
    before = {"app/__init__.py": "", "app/report.py": REPORT.replace("pass  # here", line), "app/show.py": REPORT_USE}
    ended = review(repo, before, {"app/report.py": REPORT})
    assert len(cards(ended, "join_dropped")) == told


LISTED = """export function listed(data, print) {
  const routes = data.routes.map((route) => print({ id: route.id }));
  const text = routes.join(sep);
  const other = data.assets.map((asset) => print(asset)).join(',');
  return { routes, text, other };
}
"""
LISTED_USE = """import { listed } from './listed.js';

export function show(data) {
  const made = listed(data, String);
  return made.routes;
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("routes.join(sep)", "routes"),
        ("data.assets.map((asset) => print(asset)).join(',')", "lines(data.assets)"),
    ],
)
def test_javascript_a_join_of_texts_is_no_wait(repo, old, new):
    before = {"src/listed.js": LISTED, "src/show.js": LISTED_USE}
    assert not cards(review(repo, before, {"src/listed.js": LISTED.replace(old, new)}), "join_dropped")


JAVA_NAMES = """package shop;

import java.util.List;
import java.util.concurrent.ExecutorService;

public class Names {
    public String all(ExecutorService pool, List<String> names, Thread worker) throws Exception {
        names.forEach(name -> pool.submit(() -> name));
        worker.start();
        String made = String.join(", ", names);
        worker.join(1000);
        return made;
    }
}
"""
JAVA_SHOW = """package shop;

public class Show {
    public String show(Names names) throws Exception {
        String made = names.all(null, null, null);
        return made;
    }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [('String.join(", ", names)', '""', 0), ("        worker.join(1000);\n", "", 1)],
)
def test_java_a_join_of_texts_is_no_wait(repo, old, new, told):
    where = "src/main/java/shop"
    before = {f"{where}/Names.java": JAVA_NAMES, f"{where}/Show.java": JAVA_SHOW}
    ended = review(repo, before, {f"{where}/Names.java": JAVA_NAMES.replace(old, new)})
    assert len(cards(ended, "join_dropped")) == told


def test_go_a_join_of_texts_is_no_wait(repo):
    start = GO.replace('import "sync"', 'import (\n\t"strings"\n\t"sync"\n)')
    joined = start.replace("\twg.Wait()\n", "\twg.Wait()\n\t_ = strings.Join(urls, sep)\n")
    ended = review(repo, {**GO_BASE, "pages/pages.go": joined}, {"pages/pages.go": start})
    assert not cards(ended, "join_dropped")


LEASES = '''"""Leases of jobs."""


def take(redis, job, owner):
    """Take the lease, or say that another has it."""
    return redis.set(f"lease:{job}", owner, nx=True, ex=60)


def drop(redis, job):
    """Give it back."""
    redis.delete(f"lease:{job}")
'''
RUNNER = '''"""The runner."""

from app.leases import drop, take


def work(redis, job, me):
    """Run a job that nobody runs."""
    if take(redis, job, me):
        job.run()
        drop(redis, job)
'''


def test_a_set_that_no_longer_asks_whether_it_is_new(repo):
    base = {"app/__init__.py": "", "app/leases.py": LEASES, "app/runner.py": RUNNER}
    after = LEASES.replace("nx=True, ", "")
    (card,) = cards(review(repo, base, {"app/leases.py": after}), "atomic_split")
    assert "`nx=True`" in card.claim


def test_a_set_under_a_lock(repo):
    runner = RUNNER.replace("    if take", "    with LOCK:\n        taken = take").replace(
        "(redis, job, me):\n        job.run()", "(redis, job, me)\n    if taken:\n        job.run()"
    )
    base = {"app/__init__.py": "", "app/leases.py": LEASES, "app/runner.py": runner}
    ended = review(repo, base, {"app/leases.py": LEASES.replace("nx=True, ", "")})
    assert codes(ended, "atomic_split") == ["refuted"]


CALLS = '''"""Calls."""

import requests
from tenacity import retry, stop_after_attempt, wait_exponential


@retry(stop=stop_after_attempt(5), wait=wait_exponential(max=10))
def call(url):
    """Ask."""
    answer = requests.get(url, timeout=5)
    answer.raise_for_status()
    return answer.json()
'''
JOBS = '''"""Jobs."""

from app.calls import call


def job(urls):
    """All of them."""
    return [call(url) for url in urls]
'''
DECORATED = {"app/__init__.py": "", "app/calls.py": CALLS, "app/jobs.py": JOBS}


def test_a_decorator_without_its_stop(repo):
    after = CALLS.replace("stop=stop_after_attempt(5), ", "")
    (card,) = cards(review(repo, DECORATED, {"app/calls.py": after}), "cap_dropped")
    assert "`stop=stop_after_attempt(5)`" in card.claim


def test_a_decorator_without_its_wait(repo):
    after = CALLS.replace(", wait=wait_exponential(max=10)", "")
    (card,) = cards(review(repo, DECORATED, {"app/calls.py": after}), "pause_dropped")
    assert "`job`" in card.claim

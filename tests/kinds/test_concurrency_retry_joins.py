"""What waits for work that was started, and what only has a word of it: the call that went and those that stay."""

import pytest
from reviewing import cards, review

pytestmark = pytest.mark.slow

RUN = """package a;

import java.util.*;
import java.util.concurrent.*;
import java.util.function.Supplier;

public class Run {
    public List<Integer> all(List<Callable<Integer>> jobs, Map<String, Job> named, Supplier<Job> made, Job last)
            throws Exception {
        List<Integer> out = new ArrayList<>();
        ExecutorService service = Executors.newFixedThreadPool(2);
        Future<Integer> first = service.submit(jobs.get(0));
        %s
        return out;
    }

    public int use(List<Callable<Integer>> jobs) throws Exception {
        List<Integer> got = all(jobs, null, null, null);
        return got.size();
    }
}
"""


def java(repo, before, after):
    ended = review(repo, {"src/a/Run.java": RUN % before}, {"src/a/Run.java": RUN % after})
    return [one for one in ended if one.rule == "join_dropped"]


@pytest.mark.parametrize(
    "stays", ["", "named.get(key);", "named.get(last.key());", "made.get();", "last.out().close();"]
)
def test_java_an_element_that_is_asked_for_waits_for_nothing(repo, stays):
    (ended,) = java(repo, f"first.get();\n        {stays}", stays)
    assert len(ended.cards) == 1


@pytest.mark.parametrize(
    "stays",
    [
        "first.get(5, TimeUnit.SECONDS);",
        "service.awaitTermination(1, TimeUnit.MINUTES);",
        "service.close();",
        "for (Future<Integer> one : started) { one.get(); }",
        "latch.await();",
    ],
)
def test_java_another_wait(repo, stays):
    (ended,) = java(
        repo, f"service.shutdown();\n        first.join();\n        {stays}", f"service.shutdown();\n        {stays}"
    )
    assert ended.code == "refuted"


@pytest.mark.parametrize("went", ["jobs.get(0);", "named.get(key);", "out.close();", "service.shutdown();"])
def test_java_what_never_waited(repo, went):
    assert java(repo, went, "") == []


def test_java_a_supplier_that_was_asked(repo):
    (ended,) = java(repo, "made.get();", "")
    assert ended.code == "insufficient_evidence"


REPORT = '''"""Reports."""

from threading import Thread


def report(session, options, rows):
    """Write a report."""
    workers = [Thread(target=print, args=(row,)) for row in rows]
    for each in workers:
        each.start()
    %s
    return rows
'''
SHOW = """from app.report import report


def show(session):
    text = report(session, {}, [])
    print(text)
    return text
"""


@pytest.mark.parametrize(
    ("stays", "told"),
    [
        ("session.query(Row).all()", 1),
        ("options.get('a')", 1),
        ("for one in workers: one.join(5)", 0),
        ("concurrent.futures.wait(workers)", 0),
    ],
)
def test_python_a_query_waits_for_no_worker(repo, stays, told):
    after = REPORT % stays
    before = {"app/__init__.py": "", "app/show.py": SHOW, "app/report.py": REPORT % f"each.join()\n    {stays}"}
    ended = review(repo, before, {"app/report.py": after})
    assert len(cards(ended, "join_dropped")) == told


def test_python_a_query_that_went(repo):
    before = {"app/__init__.py": "", "app/show.py": SHOW, "app/report.py": REPORT % "session.query(Row).all()"}
    assert not cards(review(repo, before, {"app/report.py": REPORT % "pass"}), "join_dropped")

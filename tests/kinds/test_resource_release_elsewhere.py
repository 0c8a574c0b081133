"""What is taken and not given back in Go, JavaScript, TypeScript and Java."""

import pytest

from review_agent.vocabulary import ChangeKind
from tests.kinds.reviewing import cards
from tests.kinds.reviewing import review as review_all
from tests.kinds.settling import source

pytestmark = pytest.mark.slow

LIVES = "release_not_on_every_path"


def review(repo, before, after):
    return review_all(repo, before, after, ChangeKind.RESOURCE_RELEASE)


GO = {
    "go.mod": "module app\n\ngo 1.21\n",
    "load.go": source(
        """
        package app

        import "os"

        func Load(p string) (int, error) {
        \tf, err := os.Open(p)
        \tif err != nil {
        \t\treturn 0, err
        \t}
        \tdefer f.Close()
        \tinfo, err := f.Stat()
        \tif err != nil {
        \t\treturn 0, err
        \t}
        \treturn int(info.Size()), nil
        }

        func Sum(paths []string) int {
        \ttotal := 0
        \tfor _, p := range paths {
        \t\tn, _ := Load(p)
        \t\ttotal += n
        \t}
        \treturn total
        }
        """
    ),
}


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        ("\tdefer f.Close()\n", "", 1),
        ("\tdefer f.Close()\n\tinfo, err := f.Stat()\n\tif err != nil {\n\t\treturn 0, err\n\t}\n",
         "\tinfo, err := f.Stat()\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\tf.Close()\n", 1),
        ("\tdefer f.Close()\n", '\tif p == "-" {\n\t\treturn 0, nil\n\t}\n\tdefer f.Close()\n', 1),
        ("\tdefer f.Close()\n", "\tdefer func() { _ = f.Close() }()\n", 0),
    ],
)  # fmt: skip
def test_go_files(repo, before, after, count):
    ended = review(repo, GO, {"load.go": GO["load.go"].replace(before, after)})
    assert len(cards(ended, LIVES)) == count, ended
    assert sum(len(one.cards) for one in ended if one.rule.startswith("release")) == count


WEB = {
    "src/pool.ts": source(
        """
        import { check } from "./check";

        export async function run(pool, sql: string) {
          const client = await pool.connect();
          try {
            check(sql);
            return await client.query(sql);
          } finally {
            client.release();
          }
        }

        export function one(pool) {
          return run(pool, "select 1");
        }
        """
    ),
    "src/check.ts": source(
        """
        export function check(sql: string) {
          if (!sql) {
            throw new RangeError("empty");
          }
        }
        """
    ),
}


def test_typescript_release_out_of_its_finally(repo):
    after = WEB["src/pool.ts"].replace(
        "  try {\n    check(sql);\n    return await client.query(sql);\n  } finally {\n    client.release();\n  }\n",
        "  check(sql);\n  const rows = await client.query(sql);\n  client.release();\n  return rows;\n",
    )
    (card,) = cards(review(repo, WEB, {"src/pool.ts": after}), LIVES)
    assert "`RangeError` of `src/check.ts` line 1" in card.claim


CLOCK = source(
    """
    import { useEffect } from "react";
    import { bus } from "./bus";

    export function Clock({ onTick }) {
      useEffect(() => {
        const id = setInterval(onTick, 1000);
        return () => clearInterval(id);
      }, [onTick]);
      return null;
    }

    export function Feed({ onData }) {
      useEffect(() => {
        return bus.subscribe("data", onData);
      }, [onData]);
      return null;
    }
    """
)
APP = source(
    """
    import { Clock, Feed } from "./Clock";

    export function App() {
      return (
        <main>
          <Clock onTick={() => null} />
          <Feed onData={() => null} />
        </main>
      );
    }
    """
)


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        ("    return () => clearInterval(id);\n", "", 1),
        ("    return bus.subscribe", "    bus.subscribe", 1),
        ("    return () => clearInterval(id);\n", "    return () => {\n      clearInterval(id);\n    };\n", 0),
    ],
)
def test_effects_that_lose_their_cleanup(repo, before, after, count):
    files = {
        "src/Clock.tsx": CLOCK,
        "src/App.tsx": APP,
        "src/bus.ts": "export const bus = {\n  subscribe(name, fn) {\n    return () => fn;\n  },\n};\n",
    }
    ended = review(repo, files, {"src/Clock.tsx": CLOCK.replace(before, after)})
    assert len([card for one in ended for card in one.cards]) == count, ended


JAVA = {
    "src/main/java/shop/Store.java": source(
        """
        package shop;

        import java.io.BufferedReader;
        import java.io.FileReader;
        import java.io.IOException;

        public class Store {
          public String head(String path) throws IOException {
            try (BufferedReader reader = new BufferedReader(new FileReader(path))) {
              return reader.readLine();
            }
          }

          public void bump() {
            lock.lock();
            try {
              Checks.check(count);
              count++;
            } finally {
              lock.unlock();
            }
          }
        }
        """
    ),
    "src/main/java/shop/Checks.java": source(
        """
        package shop;

        public class Checks {
          public static void check(int count) {
            if (count < 0) {
              throw new IllegalStateException("negative");
            }
          }
        }
        """
    ),
    "src/main/java/shop/Api.java": source(
        """
        package shop;

        public class Api {
          public String first(String path) throws Exception {
            Store store = new Store();
            store.bump();
            return store.head(path);
          }
        }
        """
    ),
}


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "    try (BufferedReader reader = new BufferedReader(new FileReader(path))) {\n"
            "      return reader.readLine();\n    }\n",
            "    BufferedReader reader = new BufferedReader(new FileReader(path));\n    return reader.readLine();\n",
            "`src/main/java/shop/Api.java` line 7",
        ),
        (
            "    try {\n      Checks.check(count);\n      count++;\n    } finally {\n      lock.unlock();\n    }\n",
            "    Checks.check(count);\n    count++;\n    lock.unlock();\n",
            "`IllegalStateException`",
        ),
    ],
)
def test_java_resources_and_locks(repo, before, after, said):
    path = "src/main/java/shop/Store.java"
    (card,) = cards(review(repo, JAVA, {path: JAVA[path].replace(before, after)}), LIVES)
    assert said in card.claim


FEED = source(
    """
    export class Feed {
      constructor(source) {
        this.source = source;
      }

      start() {
        this.source.on("tick", this.onTick);
        this.timer = setInterval(() => this.flush(), 1000);
      }

      onTick() {
        return 1;
      }

      flush() {
        return 2;
      }

      stop() {
        this.source.off("tick", this.onTick);
        clearInterval(this.timer);
      }
    }
    """
)


@pytest.mark.parametrize(
    ("before", "after", "rule", "line"),
    [
        ('    this.source.off("tick", this.onTick);\n', "", "release_removed", 7),
        ("    clearInterval(this.timer);\n", "", "release_removed", 8),
        ("this.source.off(", "this.source.on(", "release_replaced", 7),
    ],
)
def test_javascript_counterparts(repo, before, after, rule, line):
    (card,) = cards(review(repo, {"src/feed.js": FEED}, {"src/feed.js": FEED.replace(before, after)}), rule)
    assert f"`src/feed.js` line {line}" in card.claim


def test_java_executor_and_permits(repo):
    path = "src/main/java/shop/Worker.java"
    worker = source(
        """
        package shop;

        public class Worker {
          private ExecutorService pool;

          public void open() {
            pool = Executors.newFixedThreadPool(2);
          }

          public int size() {
            return 2;
          }

          public String name() {
            return "worker";
          }

          public void close() {
            pool.shutdown();
          }
        }
        """
    )
    ended = review(repo, {path: worker}, {path: worker.replace("    pool.shutdown();\n", "")})
    (card,) = cards(ended, "release_removed")
    assert f"`{path}` line 7" in card.claim
    assert not cards(review(repo, {path: worker}, {path: worker.replace("shutdown", "shutdownNow")}), "release_removed")


def test_go_a_reader_around_a_file_does_not_close_it(repo):
    load = source(
        """
        package app

        import (
        \t"bufio"
        \t"os"
        )

        func Lines(p string) (int, error) {
        \tf, err := os.Open(p)
        \tif err != nil {
        \t\treturn 0, err
        \t}
        \tdefer f.Close()
        \tscanner := bufio.NewScanner(f)
        \tn := 0
        \tfor scanner.Scan() {
        \t\tn++
        \t}
        \treturn n, scanner.Err()
        }

        func Both(a, b string) int {
        \tn, _ := Lines(a)
        \tm, _ := Lines(b)
        \treturn n + m
        }
        """
    )
    files = {"go.mod": "module app\n\ngo 1.21\n", "lines.go": load}
    (card,) = cards(review(repo, files, {"lines.go": load.replace("\tdefer f.Close()\n", "")}), LIVES)
    assert "leaves `f` open" in card.claim


MOUNTS = {
    "go.mod": "module app\n\ngo 1.21\n",
    "vfs/vfs.go": source(
        """
        package vfs

        type VFS struct{}

        func (v *VFS) Shutdown() {}
        """
    ),
    "mount/mount.go": source(
        """
        package mount

        import "app/vfs"

        type FS struct {
        \tVFS *vfs.VFS
        }

        func NewFS(v *vfs.VFS) *FS {
        \treturn &FS{VFS: v}
        }

        func Mount(v *vfs.VFS, at string) error {
        \tfsys := NewFS(v)
        \terr := serve(fsys, at)
        \tfsys.VFS.Shutdown()
        \treturn err
        }

        func serve(fsys *FS, at string) error {
        \treturn nil
        }
        """
    ),
    "lib/point.go": source(
        """
        package lib

        import "app/vfs"

        type Point struct {
        \tVFS *vfs.VFS
        }
        """
    ),
}
TAKEN_OVER = """
// close gives the file system back.
func (p *Point) close() {
\tp.VFS.Shutdown()
}
"""


def test_the_member_is_given_back_by_a_function_that_came_in_another_file(repo):
    gone = {"mount/mount.go": MOUNTS["mount/mount.go"].replace("\tfsys.VFS.Shutdown()\n", "")}
    over = {"lib/point.go": MOUNTS["lib/point.go"] + TAKEN_OVER}
    assert not cards(review(repo, MOUNTS, gone | over), LIVES)


def test_the_member_is_given_back_by_none(repo):
    gone = {"mount/mount.go": MOUNTS["mount/mount.go"].replace("\tfsys.VFS.Shutdown()\n", "")}
    assert cards(review(repo, MOUNTS, gone), LIVES)

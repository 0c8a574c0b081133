"""True cards in Go."""

from review_agent.vocabulary import EditOp, Role, Side
from truecards import At, Case

CASES = (
    Case(
        name="go_parameter",
        kind="api_contract",
        language="go",
        files={
            "store/open.go": (
                "package store\n\nfunc Open(path string) (*DB, error) {\n\treturn open(path, 0o600)\n}\n",
                (("Open(path string)", "Open(path string, mode uint32)"), ("0o600", "mode")),
            ),
            "cmd/dump/main.go": (
                'package main\n\nimport "example.com/store"\n\nfunc main() {\n\tdb, err := store.Open("data.db")\n'
                "\tif err != nil {\n\t\tpanic(err)\n\t}\n\tdb.Dump()\n}\n",
                (),
            ),
        },
        anchor=At("store/open.go", "func Open", Role.DIFF, last="return open"),
        places={"caller": At("cmd/dump/main.go", "store.Open(", Role.CALLER)},
        edit=(EditOp.PARAMETER_ADDED, "mode", {"function": "Open", "required": True, "index": 1}),
        claim="Adding the parameter `mode` to `Open` breaks `store.Open` at `cmd/dump/main.go` line {caller}, which "
        "passes only a path and does not compile.",
        effect={"op": "added", "subject": "mode"},
        severity="blocking",
        impact="The command is built together with the package.",
    ),
    Case(
        name="go_error_dropped",
        kind="error_handling",
        language="go",
        files={
            "wal/write.go": (
                "package wal\n\nfunc (w *Writer) Append(record []byte) error {\n\tif _, err := w.file.Write(record); "
                "err != nil {\n\t\treturn err\n\t}\n\treturn w.file.Sync()\n}\n",
                (("\treturn w.file.Sync()\n", "\tw.file.Sync()\n\treturn nil\n"),),
            ),
            "wal/commit.go": (
                "package wal\n\nfunc Commit(w *Writer, record []byte) error {\n"
                "\tif err := w.Append(record); err != nil {\n"
                "\t\treturn err\n\t}\n\tacknowledge(record)\n\treturn nil\n}\n",
                (),
            ),
        },
        anchor=At("wal/write.go", "\tw.file.Sync()", Role.DIFF, last="return nil"),
        places={"caller": At("wal/commit.go", "w.Append(record)", Role.CALLER, last="acknowledge")},
        edit=(
            EditOp.ERROR_DROPPED,
            "w.file.Sync",
            {"form": "ignored", "function": "Writer.Append", "receiver": "w.file"},
        ),
        claim="Ignoring what `w.file.Sync` returns lets `Append` succeed with nothing on disk: `wal/commit.go` line "
        "{caller} goes on to `acknowledge`.",
        effect={"op": "weakened", "subject": "w.file.Sync"},
        severity="blocking",
        impact="The disk is full or fails while a record is flushed, and the machine stops before the next flush.",
    ),
    Case(
        name="go_guard_removed",
        kind="error_handling",
        language="go",
        files={
            "route/match.go": (
                "package route\n\nfunc (t *Table) Match(path string) string {\n\tnode := t.find(path)\n"
                "\tif node == nil {\n\t\treturn t.fallback\n\t}\n\treturn node.target\n}\n",
                (("\tif node == nil {\n\t\treturn t.fallback\n\t}\n", ""),),
            ),
            "route/find.go": (
                "package route\n\nfunc (t *Table) find(path string) *Node {\n\tfor _, node := range t.nodes {\n"
                "\t\tif node.path == path {\n\t\t\treturn node\n\t\t}\n\t}\n\treturn nil\n}\n",
                (),
            ),
        },
        anchor=At("route/match.go", "if node == nil", Role.DIFF, last="\t}", side=Side.OLD),
        places={"producer": At("route/find.go", "return nil", Role.DEFINITION)},
        edit=(EditOp.GUARD_REMOVED, "node", {"test": "node == nil", "function": "Table.Match", "subjects": ("node",)}),
        claim="Removing the guard `node == nil` makes `Match` dereference what `find` returns at `route/find.go` line "
        "{producer}, which is `nil`.",
        effect={"op": "removed", "subject": "node == nil"},
        severity="blocking",
        impact="A request comes for a path that no entry of the table has: the process stops.",
    ),
    Case(
        name="go_interface",
        kind="api_contract",
        language="go",
        files={
            "blob/store.go": (
                "package blob\n\ntype Store interface {\n\tPut(key string, data []byte) error\n}\n",
                (("data []byte) error\n", "data []byte) error\n\tDelete(key string) error\n"),),
            ),
            "blob/disk.go": (
                "package blob\n\ntype Disk struct{ root string }\n\n"
                "func (d *Disk) Put(key string, data []byte) error {\n"
                "\treturn write(d.root, key, data)\n}\n\nvar _ Store = (*Disk)(nil)\n",
                (),
            ),
        },
        anchor=At("blob/store.go", "Delete(key", Role.DIFF),
        places={"implementer": At("blob/disk.go", "var _ Store", Role.SIBLING)},
        edit=(EditOp.ABSTRACT_MEMBER_ADDED, "Delete", {"owner": "Store", "otherMembers": ("Put",)}),
        claim="Adding `Delete` to `Store` breaks the assertion at `blob/disk.go` line {implementer}: `Disk` has no "
        "such method.",
        effect={"op": "added", "subject": "Delete"},
        severity="blocking",
        impact="The package is compiled, by a test or by a build.",
        counter=("A type embedded in `Disk` that has the method would refute this; the struct embeds none.",),
    ),
    Case(
        name="go_environment",
        kind="config_default",
        language="go",
        files={
            "server/listen.go": (
                'package server\n\nimport "os"\n\nfunc address() string {\n\tif v := os.Getenv("LISTEN"); v != "" {\n'
                '\t\treturn v\n\t}\n\treturn "127.0.0.1:8000"\n}\n',
                (('"127.0.0.1:8000"', '"0.0.0.0:8000"'),),
            ),
            "server/unit.service": ("[Service]\nExecStart=/usr/bin/server\n", ()),
        },
        anchor=At("server/listen.go", "0.0.0.0:8000", Role.DIFF),
        places={"unit": At("server/unit.service", "ExecStart", Role.CONFIG)},
        edit=(EditOp.DEFAULT_CHANGED, "LISTEN", {"carrier": "environment", "key": "LISTEN", "function": "address"}),
        before='"127.0.0.1:8000"',
        after='"0.0.0.0:8000"',
        claim="Changing the fallback of `LISTEN` to `0.0.0.0:8000` opens the server to the network where "
        "`server/unit.service` starts it without the variable, at line {unit}.",
        effect={"op": "changed", "subject": "LISTEN", "to": "0.0.0.0:8000"},
        severity="blocking",
        impact="The unit runs on a machine whose port is reachable from outside.",
    ),
    Case(
        name="go_rename_method",
        kind="api_contract",
        language="go",
        files={
            "meter/count.go": (
                "package meter\n\nfunc (c *Counter) Inc() {\n\tc.n++\n}\n",
                (("Inc()", "Add()"),),
            ),
            "meter/hook.go": ("package meter\n\nfunc hook(c *Counter) func() {\n\treturn c.Inc\n}\n", ()),
        },
        anchor=At("meter/count.go", ") Add()", Role.DIFF),
        places={"use": At("meter/hook.go", "return c.Inc", Role.USE)},
        edit=(EditOp.SYMBOL_RENAMED, "Inc", {"qualname": "Counter.Inc", "newName": "Add"}),
        claim="Renaming `Counter.Inc` to `Add` leaves `meter/hook.go` line {use} with `c.Inc`, which nothing defines.",
        effect={"op": "renamed", "subject": "Inc", "to": "Add"},
        severity="blocking",
        impact="The package is built with the hook in it.",
    ),
)

"""What is taken and what only looks like it: hooks, texts, queries, values; and ways out that were there before."""

from functools import partial

import pytest
from changing import changed, one_card
from reviewing import cards, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

KIND = ChangeKind.RESOURCE_RELEASE
LIVES, STATE = "release_not_on_every_path", "state_not_restored"
card_of = partial(one_card, kind=KIND)


def silent(repo, before, *edits):
    ended = review(repo, before, changed(before, *edits), KIND)
    return not cards(ended, LIVES) and not cards(ended, STATE)


HOOK = {
    "src/live.ts": """import { useEffect, useRef } from "react";

export function useLive(delay: number) {
  const retryRef = useRef(delay);
  const controllerRef = useRef<AbortController | null>(null);
  useEffect(() => {
    controllerRef.current = new AbortController();
    return () => {
      controllerRef.current?.abort();
      retryRef.current = delay;
    };
  }, [delay]);
}
""",
    "src/main.ts": """import { useLive } from "./live";

export function Main() {
  useLive(5);
}
""",
}


def test_a_hook_takes_nothing(repo):
    assert silent(repo, HOOK, ("src/live.ts", "      controllerRef.current?.abort();\n", ""))


QUERY = {
    "docs/__init__.py": "",
    "docs/views.py": """from docs.models import Document


def permitted(user):
    return Document.objects.filter(owner=user)


def delete_all(user, ids):
    objs = Document.objects.filter(pk__in=ids)
    chosen = Document.objects.filter(owner=user)
    if chosen.count() != objs.count():
        raise PermissionError(user)
    objs.delete()
    return chosen
""",
    "docs/api.py": """from docs.views import delete_all


def post(request):
    return delete_all(request.user, request.ids)
""",
}


def test_python_a_query_is_not_held(repo):
    moved = "    if user.deletes:\n        Document.objects.filter(pk__in=ids).delete()\n    return chosen\n"
    assert silent(repo, QUERY, ("docs/views.py", "    objs.delete()\n    return chosen\n", moved))


SETTINGS = {
    "src/main/java/shop/Dialog.java": """package shop;

public class Dialog {
    private final Prefs prefs;

    public Dialog(Prefs prefs) {
        this.prefs = prefs;
    }

    public void store(int kind) {
        String key = getString(kind);
        switch (kind) {
            case 1:
                prefs.note(key);
                break;
            default:
                throw new IllegalStateException("no kind");
        }
        prefs.edit().putString(key, "last").apply();
    }

    private String getString(int kind) {
        return "kind" + kind;
    }
}
""",
    "src/main/java/shop/Opener.java": """package shop;

public class Opener {
    public void open(Dialog dialog) {
        dialog.store(1);
    }
}
""",
}


def test_java_a_text_is_the_key_of_what_is_put(repo):
    old = """        switch (kind) {
            case 1:
                prefs.note(key);
                break;
            default:
                throw new IllegalStateException("no kind");
        }
"""
    new = """        if (kind == 1) {
            prefs.note(key);
        } else {
            throw new IllegalStateException("no kind");
        }
"""
    assert silent(repo, SETTINGS, ("src/main/java/shop/Dialog.java", old, new))


MERGE = {
    "go.mod": "module example.com/forge\n\ngo 1.22\n",
    "merge.go": """package forge

import "errors"

// Merge joins two branches.
func Merge(x *Engine, path string) error {
	sess := x.NewSession()
	if err := sess.Begin(); err != nil {
		return err
	}
	if out, err := run("clone", path); err != nil {
		return errors.New("clone: " + out)
	}
	return sess.Commit()
}
""",
    "run.go": """package forge

func run(what, path string) (string, error) { return what + path, nil }

func clone(path string) error { return nil }
""",
    "api.go": """package forge

// Post merges what was asked for.
func Post(x *Engine) error {
	return Merge(x, "here")
}
""",
}
OLD = '\tif out, err := run("clone", path); err != nil {\n\t\treturn errors.New("clone: " + out)\n\t}\n'
NEW = "\tif err := clone(path); err != nil {\n\t\treturn err\n\t}\n"


def test_go_a_way_out_in_another_form_is_not_new(repo):
    assert silent(repo, MERGE, ("merge.go", OLD, NEW))


def test_go_a_way_out_that_came_in_front_is_new(repo):
    card = card_of(repo, MERGE, LIVES, ("merge.go", OLD, OLD + NEW))
    assert "sess.Begin" in card.claim


def test_go_an_end_that_is_deferred_covers_every_way(repo):
    begin = "\tsess := x.NewSession()\n"
    before = {**MERGE, "merge.go": MERGE["merge.go"].replace(begin, begin + "\tdefer sess.Close()\n")}
    assert silent(repo, before, ("merge.go", OLD, OLD + NEW))


READ = {
    "app/__init__.py": "",
    "app/read.py": """from app.parse import parse


def first(path):
    handle = open(path)
    line = parse(handle.readline())
    handle.close()
    return line
""",
    "app/parse.py": "def parse(text):\n    return text.split()\n",
    "app/api.py": "from app.read import first\n\n\ndef view(request):\n    return first(request.path)\n",
}


def test_python_a_release_in_a_function_that_the_change_takes_out(repo):
    call = ("app/read.py", "    handle.close()\n", "    finish(handle)\n")
    made = ("app/read.py", "    return line\n", "    return line\n\n\ndef finish(handle):\n    handle.close()\n")
    assert silent(repo, READ, call, made)


def test_python_a_release_that_went(repo):
    card = card_of(repo, READ, LIVES, ("app/read.py", "    handle.close()\n", ""))
    assert "`handle.close`" in card.claim


SAVE = {
    "go.mod": "module example.com/files\n\ngo 1.22\n",
    "save.go": """package files

// Save puts a file where it belongs.
func Save(kind string, one *Item, url string, path string) error {
	if kind == "local" {
		one.Reference = path
		one.Kept = true
	} else {
		one.Reference = url
		one.Kept = false
	}
	return nil
}
""",
    "item.go": "package files\n\n// Item is kept.\ntype Item struct {\n\tReference string\n\tKept      bool\n}\n",
    "api.go": """package files

// Post keeps one.
func Post(one *Item) error {
	return Save("local", one, "u", "p")
}
""",
}


@pytest.mark.parametrize("line", ["\t\tone.Reference = url\n", "\t\tone.Kept = false\n"])
def test_go_a_setting_of_another_branch_puts_nothing_back(repo, line):
    assert silent(repo, SAVE, ("save.go", line, ""))


PAGE = {
    "app/__init__.py": "",
    "app/page.py": """from app import build


def page(site, name):
    kept = site.name
    site.name = name
    made = build.build(site)
    site.name = kept
    return made
""",
    "app/build.py": "def build(site):\n    return site.name\n",
    "app/api.py": 'from app.page import page\n\n\ndef view(site):\n    return page(site, "x")\n',
}


def test_python_a_second_setting_that_is_no_restoring(repo):
    before = {**PAGE, "app/page.py": PAGE["app/page.py"].replace("    kept = site.name\n", "    kept = name\n")}
    assert silent(repo, before, ("app/page.py", "    site.name = kept\n", ""))


def test_python_a_restoring_that_went(repo):
    card = card_of(repo, PAGE, STATE, ("app/page.py", "    site.name = kept\n", ""))
    assert "`site.name = kept`" in card.claim

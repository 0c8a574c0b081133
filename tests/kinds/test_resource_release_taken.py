"""What is taken and what only looks like it: hooks, texts, queries, values; and ways out that were there before."""

from functools import partial

import pytest
from changing import changed, one_card
from reviewing import cards, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

KIND = ChangeKind.RESOURCE_RELEASE
LIVES = "release_not_on_every_path"
card_of = partial(one_card, kind=KIND)


def silent(repo, before, *edits):
    ended = review(repo, before, changed(before, *edits), KIND)
    return not cards(ended, LIVES)


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


SMS = {
    "src/main/java/shop/Sms.java": """package shop;

public class Sms {
    private final Client client;

    public Sms(Client client) {
        this.client = client;
    }

    private Builder builder() {
        return client.target("sms").request();
    }

    public void send(String text) {
        try (Response response = builder().post(text)) {
            check(response.status());
        }
    }

    private void check(int status) {
        if (status > 299) {
            throw new IllegalStateException("no");
        }
    }
}
""",
    "src/main/java/shop/Sender.java": """package shop;

public class Sender {
    public void run(Sms sms) {
        sms.send("a");
    }
}
""",
}


def test_java_what_only_leads_to_the_thing_is_not_taken(repo):
    old = "        try (Response response = builder().post(text)) {\n            check(response.status());\n        }\n"
    new = "        Later.post(builder(), text, response -> check(response.status()));\n"
    assert silent(repo, SMS, ("src/main/java/shop/Sms.java", old, new))


def test_java_a_block_around_a_chain_that_went(repo):
    old = "        try (Response response = builder().post(text)) {\n            check(response.status());\n        }\n"
    new = "        Response response = builder().post(text);\n        check(response.status());\n"
    card = card_of(repo, SMS, LIVES, ("src/main/java/shop/Sms.java", old, new))
    assert "`response`" in card.claim

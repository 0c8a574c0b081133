"""Places that are alike by a name or a line and have nothing to do with each other, and the true ones beside them."""

import pytest
from changing import changed, one_card
from reviewing import cards, review

pytestmark = pytest.mark.slow


def silent(repo, before, rule, *edits):
    return not cards(review(repo, before, changed(before, *edits)), rule)


LINKS = {
    "src/Sidebar.ts": """export function MemoSidebar(creator: string): string {
  const name = encodeURIComponent(creator);
  return "/u/" + name;
}
""",
    "src/Memo.ts": """export function MemoDetail(hash: string): string {
  const id = decodeURIComponent(hash);
  return "#" + id;
}
""",
    "src/tokens.ts": """export function makeToken(text: string): string {
  const made = btoa(text);
  return made;
}

// What follows
// reads a token
// and nothing else.
export function readToken(text: string): string {
  const read = atob(text);
  return read;
}
""",
}


def test_typescript_two_screens_that_escape_are_no_pair(repo):
    edit = ("src/Sidebar.ts", "encodeURIComponent(creator)", "btoa(creator)")
    assert silent(repo, LINKS, "codec_changed", edit)


def test_typescript_a_pair_of_functions(repo):
    card = one_card(repo, LINKS, "codec_changed", ("src/tokens.ts", "btoa(text)", "encodeURIComponent(text)"))
    assert "`readToken`" in card.claim


REPLY = {
    "server/limit.ts": """import type { Context } from "./context";

export function limit(ctx: Context, left: number) {
  if (left < 1) {
    ctx.set("Retry-After", "60");
    ctx.set("X-Shop-Left", String(left));
  }
}
""",
    "server/notion.ts": """export async function ask(client: Client) {
  const reply = await client.send("/pages");
  const wait = reply.headers["Retry-After"];
  const left = reply.headers["X-Shop-Left"];
  return { wait, left };
}
""",
}


def test_typescript_a_header_that_any_server_sends(repo):
    assert silent(repo, REPLY, "written_key_gone", ("server/limit.ts", '    ctx.set("Retry-After", "60");\n', ""))


SETTINGS = {
    "app/__init__.py": "",
    "app/load.py": """from app.store import ask


def load(name):
    found = ask(name)
    return {
        "user_tags_setting": found.tags,
        "user_name_setting": found.name,
        "user_mail_setting": found.mail,
    }
""",
    "app/tag.py": """def tag(state):
    return state["user_tags_setting"]
""",
    "app/store.py": "def ask(name):\n    return name\n",
}
RETURNED = (
    '    return {\n        "user_tags_setting": found.tags,\n        "user_name_setting": found.name,\n'
    '        "user_mail_setting": found.mail,\n    }\n'
)


def test_python_a_key_that_the_function_writes_elsewhere(repo):
    moved = (
        '    settings = {"user_tags_setting": found.tags}\n    note(settings)\n'
        '    return {**settings, "user_name_setting": found.name, "user_mail_setting": found.mail}\n'
    )
    assert silent(repo, SETTINGS, "written_key_gone", ("app/load.py", RETURNED, moved))


KINDS = {
    "kinds.py": """from enum import Enum


class Kind(Enum):
    TEXT = "text"
    LIST = "list"
    FLAG = "flag"
    DATE = "date"
""",
    "render.py": """from kinds import Kind


def render(kind):
    if kind is Kind.TEXT:
        return "t"
    if kind is Kind.LIST:
        return "l"
    if kind is Kind.FLAG:
        return "f"
    if kind is Kind.DATE:
        return "d"
    return ""


def size(kind):
    if kind is Kind.TEXT:
        return 1
    if kind is Kind.LIST:
        return 2
    raise ValueError(kind)


def load(kind):
    if kind is Kind.TEXT:
        return "t"
    if kind is Kind.LIST:
        return "l"
    if kind is Kind.FLAG:
        return "f"
    if kind is Kind.DATE:
        return "d"
    return ""
""",
}
MEMBER = ("kinds.py", '    DATE = "date"\n', '    DATE = "date"\n    PLACE = "place"\n')
KNOWN = (
    "render.py",
    '        return "d"\n    return ""\n\n\ndef size',
    '        return "d"\n    if kind is Kind.PLACE:\n        return "p"\n    return ""\n\n\ndef size',
)


def test_python_a_place_that_refuses_others_on_purpose(repo):
    assert silent(repo, KINDS, "new_member_unhandled", MEMBER, KNOWN)


def test_python_a_place_that_knew_all_of_them(repo):
    tail = '        return "d"\n    return ""\n'
    text = KINDS["render.py"]
    refusing = text[: text.rindex(tail)] + '        return "d"\n    raise ValueError(kind)\n'
    card = one_card(repo, {**KINDS, "render.py": refusing}, "new_member_unhandled", MEMBER, KNOWN)
    assert "`load`" in card.claim


GO_TEST = {
    "go.mod": "module example.com/store\n\ngo 1.22\n",
    "store.go": """package store

// Driver keeps objects.
type Driver struct{ kept map[string]string }

// Presign tells where a key is fetched.
func (d *Driver) Presign(key string) (string, error) { return "at/" + key, nil }

// Delete drops a key.
func (d *Driver) Delete(key string) error { delete(d.kept, key); return nil }
""",
    "use.go": 'package store\n\n// Drop drops one.\nfunc Drop(d *Driver) error { return d.Delete("a") }\n',
    "store_test.go": """package store

import "testing"

func TestCycle(t *testing.T) {
	d := &Driver{kept: map[string]string{}}
	url, err := d.Presign("a")
	require.NoError(t, err)
	require.Equal(t, "at/a", url)
	require.NoError(t, d.Delete("a"))
}
""",
}


def test_go_an_assertion_that_went_with_what_it_was_about(repo):
    gone = '\turl, err := d.Presign("a")\n\trequire.NoError(t, err)\n\trequire.Equal(t, "at/a", url)\n'
    come = '\t_, found := d.kept["a"]\n\trequire.False(t, found)\n'
    assert silent(repo, GO_TEST, "assertion_weakened_code_lives", ("store_test.go", gone, come))


SCREENS = {
    "src/Users.tsx": """export function Users(params: Map<string, string>) {
  const [query, setQuery] = useState("");
  const request = useRequest(params);
  return list({
    query: params.get("query") || undefined,
    sort: params.get("sort") || "name",
  });
}
""",
    "src/Emojis.tsx": """export function Emojis(params: Map<string, string>) {
  const [query, setQuery] = useState("");
  const request = useRequest(params);
  return list({
    query: params.get("query") || undefined,
    sort: params.get("sort") || "name",
  });
}
""",
}


def test_typescript_hooks_and_properties_make_no_like_place(repo):
    line = "  const request = useRequest(params);\n"
    edit = ("src/Users.tsx", line, line + '  const status = params.get("filter") || "active";\n')
    assert silent(repo, SCREENS, "like_place_without_it", edit)


def test_tags_without_a_sentence_are_no_copies(repo):
    line = '<div class="row" id="read"><span class="cell wide">\n'
    page = f"<p>One of the books is read.</p>\n{line}<p>Another of them is not.</p>\n"
    before = {"dark/templates/detail.html": page, "light/templates/detail.html": page}
    edit = ("dark/templates/detail.html", line, '<div class="row" id="read">\n')
    assert silent(repo, before, "copied_line_left", edit)

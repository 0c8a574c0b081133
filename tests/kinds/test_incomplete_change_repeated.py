"""One edit at several places of a file: what a last like place is no sign of, and the forgotten one that stays."""

import pytest
from reviewing import review

from review_agent.kinds.looks import only_looks

pytestmark = pytest.mark.slow

RULE = "repeated_edit_left"


def ended(repo, before, after):
    return [one for one in review(repo, before, after) if one.rule == RULE]


def parts(line, names="abcd", depth="    ", head="%s:", suffix=""):
    """One part a name, each with the line among lines of its own."""
    return "\n\n\n\n".join(f"{head % name}\n{depth}{name} first\n{line}\n{depth}{name} last{suffix}" for name in names)


LOOKS = [
    ("a.tsx", '<Button variant="outline" asChild>', '<Button variant="outline" className="bg-background" asChild>'),
    ("a.tsx", '<Button variant="outline" asChild>', '<Button variant="ghost" size="sm" asChild>'),
    ("a.jsx", "<Card className={cn('p-2', open && 'm-1')} open>", "<Card className={cn('p-4')} open>"),
    ("a.jsx", "<Row style={{ margin: 4 }} onClick={go}>", "<Row style={{ margin: 8, gap: 2 }} onClick={go}>"),
    ("a.vue", '<el-button :class="{ on: open }" @click="go">', '<el-button :class="{ off: shut }" @click="go">'),
    ("a.vue", '<q-btn dense icon="add" @click="go" />', '<q-btn icon="plus" color="primary" @click="go" />'),
    ("a.tsx", "<PlusIcon aria-hidden />", "<CirclePlusIcon aria-hidden />"),
    ("a.html", '<a class="button" href="/go">now</a>', '<a class="button is-small" href="/go">now</a>'),
    ("a.tsx", "const row = 'flex items-center gap-2';", "const row = 'flex items-center gap-3';"),
    ("a.ts", "const row = cn('rows', open);", "const row = cn('rows wide', open);"),
    ("a.ts", "const made = { className: 'wide row', key };", "const made = { className: 'narrow row', key };"),
    ("a.js", "node.style.color = bright;", "node.style.color = dark;"),
    ("a.js", "row.classList.add('wide')", "row.classList.add('narrow')"),
    ("a.css", "  color: #333; margin: 0 2px", "  color: var(--text); margin: 0"),
    ("a.scss", "  @include wide($gap, 2px);", "  @include narrow($gap);"),
    ("a.xml", '<TextView android:textSize="12sp" android:id="@+id/a" />', '<TextView android:id="@+id/a" />'),
    ("a.py", 'html.Div(rows, className="wide row")', 'html.Div(rows, className="narrow row")'),
    ("a.py", 'console.print(rows, style="bold red")', 'console.print(rows, style="red")'),
    ("a.py", "return f'<li class=\"a b\">{name}</li>'", "return f'<li class=\"a\">{name}</li>'"),
    ("a.go", "head := base.Padding(1).Render(rows)", "head := base.Padding(2).Bold(true).Render(rows)"),
    ("a.go", "w.Write(\"<li class='a b'>\" + name)", "w.Write(\"<li class='a'>\" + name)"),
    ("A.java", 'row.getStyleClass().add("wide"); pane.add(row);', 'row.getStyleClass().add("row"); pane.add(row);'),
    ("A.java", "label.setForeground(Color.RED); pane.add(label);", "label.setForeground(Color.BLUE); pane.add(label);"),
]
MORE = [
    ("a.tsx", '<Button variant="outline" asChild>', '<Button variant="outline" disabled asChild>'),
    ("a.tsx", '<Link className="row" to="/a">', '<Link className="row wide" to="/b">'),
    ("a.tsx", "<Row style={wide} onClick={go}>", "<Row style={narrow} onClick={() => go(id)}>"),
    ("a.vue", '<q-btn icon="add" @click="go" />', '<q-btn icon="add" @click="open" />'),
    ("a.html", '<input class="wide" type="text" name="key">', '<input class="wide" type="password" name="key">'),
    ("a.ts", "const model = 'text-embedding-3-small';", "const model = 'text-embedding-3-large';"),
    ("a.ts", "encrypt(value, { padding: 'PKCS1', key })", "encrypt(value, { padding: 'OAEP', key })"),
    ("a.ts", "const size = pages.size + 1;", "const size = pages.size + 2;"),
    ("a.py", "price = cost + margin * 2", "price = cost + margin * 3"),
    ("a.py", "made = resize(image, width=20, size=4)", "made = resize(image, width=40, size=4)"),
    ("a.go", "open(path, variant, size)", "open(path, other, size)"),
    ("A.java", "Class<?> kind = Row.class; made(kind);", "Class<?> kind = Cell.class; made(kind);"),
    ("a.yml", "variant: small # of the pool", "variant: large # of the pool"),
    ("a.yml", "class: shop.mail.Sender # the sender", "class: shop.mail.Queue # the sender"),
]


@pytest.mark.parametrize(("path", "before", "after"), LOOKS)
def test_what_only_changes_how_something_looks(path, before, after):
    assert only_looks(path, before, after)
    assert only_looks(path, after, before)


@pytest.mark.parametrize(("path", "before", "after"), MORE)
def test_what_changes_more_than_looks(path, before, after):
    assert not only_looks(path, before, after)


@pytest.mark.parametrize(("path", "before", "after"), [LOOKS[0], LOOKS[7], LOOKS[13]])
def test_a_place_without_the_new_looks_is_not_asked_about(repo, path, before, after):
    text = parts(f"    {before}")
    assert not ended(repo, {path: text}, {path: text.replace(before, after, 3)})


def test_a_place_without_the_new_behaviour_is_a_card(repo):
    text = parts('    <Button variant="outline" asChild>')
    after = text.replace("asChild", "disabled asChild", 3)
    (one,) = ended(repo, {"a.html": text}, {"a.html": after})
    assert "`a.html` line" in one.cards[0].claim


OPENED, MENDED = "rows = load(path, strict=False)", "rows = load(path, strict=True)"


def functions(names):
    return parts(f"        {OPENED}", names=names, depth="        ", head="    def %s(self, path):")


# The last of them stands in another class, section, job or branch than the three that changed.
APART = [
    ("a.py", f"class One:\n{functions('abc')}\n\n\n\n\nclass Other:\n{functions('d')}\n"),
    (
        "a.yml",
        f"one:\n{parts('        ' + OPENED, 'abc', head='    %s:')}\n\n\n\nother:\n{parts('        ' + OPENED, 'd')}\n",
    ),
    ("a.md", f"# One\n\n{parts(OPENED, 'abc', '', '%s')}\n\n\n\n# Other\n\n{parts(OPENED, 'd', '', '%s')}\n"),
    ("a.toml", f"[one]\n{parts(OPENED, 'abc', '', '# %s')}\n\n\n\n[other]\n{parts(OPENED, 'd', '', '# %s')}\n"),
    (
        "a.go",
        f"func one() {{\n{parts('    ' + OPENED, 'abc', head='    // %s')}\n}}\n\n\n\nfunc other() {{\n"
        f"{parts('    ' + OPENED, 'd', head='    // %s')}\n}}\n",
    ),
    (
        "a.html",
        f"<section>\n{parts('    ' + OPENED, 'abc', head='  <p>%s')}\n</section>\n\n\n\n<footer>\n"
        f"{parts('    ' + OPENED, 'd', head='  <p>%s')}\n</footer>\n",
    ),
]


@pytest.mark.parametrize(("path", "text"), APART)
def test_a_place_outside_of_the_block_that_changed_is_not_concluded(repo, path, text):
    (one,) = ended(repo, {path: text}, {path: text.replace(OPENED, MENDED, 3)})
    assert (one.cards, one.code) == ((), "insufficient_evidence")
    assert "stand together in lines 1 to" in one.detail


@pytest.mark.parametrize(("path", "text"), APART)
def test_a_place_within_the_block_is_a_card(repo, path, text):
    last = text.rindex(OPENED)
    moved = text[:last].replace(OPENED, MENDED, 1)[::-1].replace(OPENED[::-1], MENDED[::-1], 1)[::-1]
    (one,) = ended(repo, {path: text}, {path: moved + text[last:].replace(OPENED, MENDED)})
    assert "at several places" in one.cards[0].claim


def test_functions_of_one_class_are_one_block(repo):
    text = f"class One:\n{functions('abcd')}\n"
    (one,) = ended(repo, {"a.py": text}, {"a.py": text.replace(OPENED, MENDED, 3)})
    assert "`a.py` line" in one.cards[0].claim

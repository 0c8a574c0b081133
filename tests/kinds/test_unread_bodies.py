"""Of a function that is longer than what may be read of a file, nothing is concluded from what was not read."""

import pytest
from builders import make_ref
from changing import changed
from reviewing import cards, codes, review

from review_agent.kinds.bodies import whole_of
from review_agent.vocabulary import Bundle, Evidence, EvidenceSpend, LeftOut

LONG = 170
pytestmark = pytest.mark.slow


def excerpt(start, end):
    ref = make_ref("app/a.py", start, end)
    return Evidence(ref=ref, query=0, origin="read", text="\n".join("x" for _ in range(start, end + 1)), facts=())


def bundle(*read, left=()):
    spent = EvidenceSpend(queries=0, candidate_files=0, files_read=0, lines_read=0)
    rows = tuple(LeftOut(what=one, why="lines_per_file budget of 160 spent") for one in left)
    return Bundle(question_id="q", evidence=read, queries=(), left_out=rows, spent=spent)


@pytest.mark.parametrize(
    ("read", "left", "end"),
    [
        ([(3, 20)], [], 20),
        ([(3, 9), (3, 20)], [], 20),
        ([(3, 20)], ["app/b.py lines 21 to 30", "app/a.py lines 40 to 50", "3 further hits of `x`"], 20),
        ([(3, 20)], ["app/a.py lines 21 to 30"], None),
        ([(3, 20)], ["app/a.py lines 3 to 30"], None),
        ([(4, 20)], [], None),
        ([], [], None),
    ],
)
def test_a_definition_is_whole_where_nothing_behind_what_was_read_was_left_out(read, left, end):
    whole = whole_of(bundle(*(excerpt(*one) for one in read), left=left), make_ref("app/a.py", 3))
    assert (whole.ref.end_line if whole else None) == end


def script(count, call):
    steps = "".join(f"  trace('step {n}', order.part{n});\n" for n in range(count))
    return (
        "import { save } from './store';\n\nexport async function place(order) {\n"
        f"{steps}  {call};\n  return order.id;\n}}\n"
    )


STORE = {"src/store.js": "export async function save(order) {\n  await db.put(order);\n}\n"}


@pytest.mark.parametrize("count", [5, LONG])
def test_a_call_that_was_not_read_is_still_made(repo, count):
    before = {**STORE, "src/place.js": script(count, "await save(order)")}
    ended = review(repo, before, {"src/place.js": script(count, "save(order)")})
    assert len(cards(ended, "await_dropped")) == 1


@pytest.mark.parametrize(("count", "code"), [(5, "refuted"), (LONG, "insufficient_evidence")])
def test_a_call_that_left_a_function(repo, count, code):
    before = {**STORE, "src/place.js": script(count, "await Promise.all([save(order)])")}
    after = {"src/place.js": script(count, "finish(order)")}
    ended = review(repo, before, after)
    assert not cards(ended, "await_dropped")
    assert set(codes(ended, "await_dropped")) <= {code}


def go(count):
    steps = "".join(f"\ttrace({n})\n" for n in range(count))
    return {
        "go.mod": "module example.com/zoo\n\ngo 1.22\n",
        "zoo.go": "package zoo\n\ntype Animal interface{ Cry() string }\n\ntype Owl struct{}\n\n"
        'func (o *Owl) Cry() string { return "" }\n\nfunc hatch(cry string) (Animal, error) {\n'
        f'{steps}\tif cry == "" {{\n\t\treturn nil, none\n\t}}\n\treturn &Owl{{}}, nil\n}}\n',
        "keeper.go": "package zoo\n\nfunc Find(cry string) (Animal, error) {\n\treturn hatch(cry)\n}\n",
    }


TURNED = ("zoo.go", "func hatch(cry string) (Animal, error)", "func hatch(cry string) (*Owl, error)")


def test_a_nil_beside_an_error_may_stand_where_it_was_not_read(repo):
    rule, never = "typed_nil_beside_error", ("zoo.go", "return nil, none", "return &Owl{}, none")
    assert len(cards(review(repo, go(5), changed(go(5), TURNED)), rule)) == 1
    assert codes(review(repo, go(5), changed(go(5), TURNED, never)), rule) == ["refuted"]
    assert codes(review(repo, go(LONG), changed(go(LONG), TURNED)), rule) == ["insufficient_evidence"]


def setting(count, read):
    steps = "".join(f"    trace({n}, name)\n" for n in range(count))
    return {
        "shop/env.py": f'import os\n\n\ndef flag(name):\n{steps}    return {read}(name, "0") == "1"\n',
        "shop/use.py": 'from shop.env import flag\n\nAUDIT = flag("AUDIT_ENABLED")\n',
    }


@pytest.mark.parametrize(
    ("count", "read", "code"),
    [(5, "os.environ.get", ""), (5, "options.get", "no_candidate"), (LONG, "os.environ.get", "insufficient_evidence")],
)
def test_a_setting_may_be_read_where_the_helper_was_not(repo, count, read, code):
    before = setting(count, read)
    ended = review(repo, before, changed(before, ("shop/env.py", 'name, "0"', 'name, "1"')))
    found = [one.code for one in ended if one.rule == "helper_fallback_changed"]
    assert found == [code or None]


def codec(count):
    steps = "".join(f"\ttrace({n})\n" for n in range(count))
    return {
        "sample.go": "package probe\n\ntype Sample struct{ Node, Heat, Light int }\n\n"
        "func (s Sample) Encode(out []byte) []byte {\n"
        "\tbinary.LittleEndian.PutUint32(out[0:4], s.Node)\n\tbinary.LittleEndian.PutUint16(out[4:6], s.Heat)\n"
        "\tbinary.LittleEndian.PutUint16(out[6:8], s.Light)\n\treturn out\n}\n\n"
        f"func DecodeSample(in []byte) Sample {{\n{steps}\treturn Sample{{\n"
        "\t\tNode:  binary.LittleEndian.Uint32(in[0:4]),\n\t\tHeat:  binary.LittleEndian.Uint16(in[4:6]),\n"
        "\t\tLight: binary.LittleEndian.Uint16(in[6:8]),\n\t}\n}\n",
    }


SWAPPED = [
    ("sample.go", "\tbinary.LittleEndian.PutUint", "\tout = binary.LittleEndian.AppendUint"),
    ("sample.go", "(out[0:4], ", "(out, "),
    ("sample.go", "(out[4:6], s.Heat", "(out, s.Light"),
    ("sample.go", "(out[6:8], s.Light", "(out, s.Heat"),
]


def test_a_reader_of_parts_may_go_on_where_it_was_not_read(repo):
    rule = "written_order_changed"
    assert len(cards(review(repo, codec(5), changed(codec(5), *SWAPPED)), rule)) == 1
    assert codes(review(repo, codec(LONG), changed(codec(LONG), *SWAPPED)), rule) == ["insufficient_evidence"]


def test_a_writer_that_was_not_found_writes_in_no_order(repo):
    before = {path: text.replace("type Sample struct", "type Other struct") for path, text in codec(5).items()}
    ended = review(repo, before, changed(before, *SWAPPED))
    assert codes(ended, "written_order_changed") == ["insufficient_evidence"]


def users(count):
    steps = "".join(f"    trace({n}, name)\n" for n in range(count))
    return {
        "app/users.py": "from app import db\nfrom app.store import cache\n\n\ndef profile(user_id):\n"
        '    raw = cache.get(f"profile:{user_id}")\n    if raw:\n        return raw\n'
        '    value = db.load(user_id)\n    cache.set(f"profile:{user_id}", value)\n    return value\n\n\n'
        f"def rename(user_id, name):\n{steps}"
        '    db.execute("update users set name = ?", name)\n    cache.delete(f"profile:{user_id}")\n',
    }


@pytest.mark.parametrize("count", [5, LONG])
def test_what_is_changed_may_stand_where_it_was_not_read(repo, count):
    drop = ("app/users.py", '    cache.delete(f"profile:{user_id}")\n', "")
    (one,) = [one for one in review(repo, users(count), changed(users(count), drop)) if one.rule == "invalidation_lost"]
    assert one.cards or one.code == "insufficient_evidence"
    assert bool(one.cards) is (count == 5)

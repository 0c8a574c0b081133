"""Edits of when an act happens, and of values that lost a part."""

from differences import between

from review_agent.vocabulary import EditOp

BASE = """
def f(store, key):
    value = load(key)
    if value is None:
        raise KeyError(key)
    store.set(key, value)
    store.delete(key)
    return value
"""


def of(op, new, old=BASE, language="python"):
    return between(old, new, language, op)


def test_an_act_that_came_under_a_condition():
    new = BASE.replace("    store.delete(key)", "    if value.ok:\n        store.delete(key)")
    (edit,) = of(EditOp.ACT_CONDITIONED, new)
    assert (edit.subject, edit.after, edit.facts["how"]) == ("store.delete", "value.ok", "condition")


def test_an_act_that_only_moved_within_its_condition():
    new = BASE.replace("    store.delete(key)\n    return value", "    store.delete(key)\n\n    return value")
    assert not of(EditOp.ACT_CONDITIONED, new)


def test_an_act_that_moved_before_a_test():
    check = "    if value is None:\n        raise KeyError(key)\n"
    act = "    store.set(key, value)\n"
    (edit,) = of(EditOp.ACT_MOVED, BASE.replace(check + act, act + check))
    assert edit.subject == "store.set"
    assert "if value is None" in edit.facts["nowBefore"]


def test_a_tuple_that_became_one_of_its_parts():
    old = "def f(self, a, b):\n    key = (a, b)\n    return self.store[key]\n"
    (edit,) = of(EditOp.COMPONENT_REMOVED, old.replace("(a, b)\n", "b\n"), old)
    assert (edit.subject, edit.facts["target"], edit.facts["afterComponents"]) == ("a", "key", ("b",))


def test_go_parts_of_a_key_in_another_form():
    old = 'package p\n\nfunc f(a, b string) string {\n\tkey := fmt.Sprintf("%s:%s", a, b)\n\treturn key\n}\n'
    (edit,) = of(EditOp.COMPONENT_REMOVED, old.replace('fmt.Sprintf("%s:%s", a, b)', "b"), old, "go")
    assert edit.subject == "a"


def test_parts_in_another_order():
    old = 'def f(a, b):\n    return f"{a}|{b}"\n'
    (edit,) = of(EditOp.TEMPLATE_CHANGED, old.replace("{a}|{b}", "{b}|{a}"), old)
    assert edit.facts["beforeComponents"] == ("a", "b")


def test_a_digest_goes_where_its_call_goes():
    old = 'def f(a, b):\n    digest = sha256(f"{a}:{b}".encode()).hexdigest()\n    return digest\n'
    (edit,) = of(EditOp.COMPONENT_REMOVED, old.replace("{a}:{b}", "{b}"), old)
    assert edit.facts["target"] == "digest"

"""Assertions in other words: which say the same, and which say less."""

import pytest
from reviewing import cards, review

from review_agent.kinds.test_removal_same import says_the_same
from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

SAME = [
    ("go", "assert.Equal(t, true, p.IsOutputColor())", "assert.True(t, p.IsOutputColor())"),
    ("go", 'assert.Equal(t, isASCII("te)st"), true)', 'require.True(t, isASCII("te)st"))'),
    ("go", "assert.Equal(t, false, p.Is())", "assert.False(t, p.Is())"),
    ("go", "assert.NotEqual(t, true, p.Is())", "assert.False(t, p.Is())"),
    ("go", 'assert.True(t, person.Name != "")', "assert.NotEmpty(t, person.Name)"),
    ("go", 'assert.Equal(t, "", obj.Foo)', "assert.Empty(t, obj.Foo)"),
    (
        "go",
        'assert.NotEqual(t, "", w.Header().Get("Content-Type"))',
        'assert.NotEmpty(t, w.Header().Get("Content-Type"))',
    ),
    ("go", "assert.Equal(t, 0, len(dicts))", "assert.Empty(t, dicts)"),
    ("go", "assert.Equal(t, 0, len(dicts))", "assert.Len(t, dicts, 0)"),
    ("go", "assert.True(t, len(names) == 4)", "assert.Len(t, names, 4)"),
    ("go", "assert.Equal(t, nil, err)", "require.NoError(t, err)"),
    ("go", "assert.True(t, err == nil)", "assert.Nil(t, err)"),
    ("go", "assert.True(t, err != nil, err)", "assert.Error(t, err)"),
    ("go", "assert.Equal(t, 0, n)", "assert.Zero(t, n)"),
    ("go", "s.Equal(s.T(), true, ok)", "s.True(s.T(), ok)"),
    ("go", "assert.True(t, !ok)", "assert.False(t, ok)"),
    ("go", "assert.True(t, a == b)", "assert.Equal(t, b, a)"),
    ("python", "self.assertEqual(x, None)", "self.assertIsNone(x)"),
    ("python", "self.assertIs(None, x)", "assert x is None"),
    ("python", "assert x == None, 'said'", "assert x is None"),
    ("python", "self.assertNotEqual(f(x, 1), None)", "self.assertIsNotNone(f(x, 1))"),
    ("python", "self.assertEqual(isinstance(x, str), True)", "self.assertTrue(isinstance(x, str))"),
    ("python", "assert name.startswith('a') is True", "assert name.startswith('a')"),
    ("python", "self.assertTrue(a == b)", "assert a == b"),
    ("javascript", "expect(x).toBe(null)", "expect(x).toBeNull()"),
    ("javascript", "expect(x).toEqual(undefined);", "expect(x).toBeUndefined();"),
    ("typescript", "expect(x.length).toBe(2)", "expect(x).toHaveLength(2)"),
    ("typescript", "expect(x).not.toBe(undefined)", "expect(x).toBeDefined()"),
    ("typescript", "assert.strictEqual(f(x), null)", "assert.isNull(f(x))"),
    ("java", "assertEquals(true, order.isPaid())", "assertTrue(order.isPaid())"),
    ("java", 'assertEquals("paid", true, order.isPaid())', 'assertTrue(order.isPaid(), "paid")'),
    ("java", 'assertEquals("paid", true, order.isPaid())', 'assertTrue("paid", order.isPaid())'),
    ("java", "assertEquals(null, order.id());", "assertNull(order.id());"),
    ("java", "assertTrue(order.id() == null)", "assertThat(order.id()).isNull()"),
    ("java", "assertEquals(0, lines.size())", "assertTrue(lines.isEmpty())"),
    ("java", 'assertEquals("", order.note())', "assertThat(order.note()).isEmpty()"),
    ("java", "assertThat(order.isPaid()).isEqualTo(false)", "assertThat(order.isPaid()).isFalse()"),
    ("java", "assertEquals(3, lines.size())", "assertThat(lines).hasSize(3)"),
    ("java", 'assertEquals("m", 0.5, f(x), 0.001)', 'assertEquals(0.5, f(x), 0.001, "m")'),
    ("java", "assertTrue(count == 3)", "assertEquals(3, count)"),
    ("javascript", "expect(x).toBe(4)", "expect(x).toEqual(4)"),
    ("javascript", "assert.strictEqual(f(), true)", "assert.isTrue(f())"),
    ("javascript", "assert(f(x) === y)", "assert.strictEqual(f(x), y)"),
    ("javascript", "expect(x).to.eql(y)", "expect(x).to.deep.equal(y)"),
    ("javascript", "expect(x).to.equal(y)", "expect(x).to.be.equal(y)"),
    ("javascript", "await expect(p).resolves.toBe(null)", "await expect(p).resolves.toBeNull()"),
    ("python", "self.assertIs(f(x), y)", "assert f(x) is y"),
    ("python", "assert(x == 1)", "self.assertEqual(x, 1)"),
    ("python", "assert (x == 1), 'm'", "assert x == 1"),
]
LESS = [
    ("go", "assert.Equal(t, 4, n)", "assert.NotEmpty(t, n)"),
    ("go", "assert.Equal(t, true, p.Is())", "assert.True(t, p.Was())"),
    ("go", "assert.Equal(t, true, ok)", "assert.False(t, ok)"),
    ("go", 'assert.True(t, name == "")', "assert.NotEmpty(t, name)"),
    ("go", "assert.Equal(t, 1, len(names))", "assert.NotEmpty(t, names)"),
    ("go", "assert.True(t, a == 1 && b == 2)", "assert.True(t, a == 1)"),
    ("go", "assert.Equal(t, errGone, err)", "assert.Error(t, err)"),
    ("python", "self.assertEqual(x, 4)", "self.assertIsNotNone(x)"),
    ("python", "self.assertEqual(x, True)", "self.assertTrue(x)"),
    ("python", "assert x == 4", "assert x"),
    ("python", "assert x == []", "assert not x"),
    ("python", "assert x is None or x == 4", "assert x is None"),
    ("javascript", "expect(x).toBe(true)", "expect(x).toBeTruthy()"),
    ("javascript", "expect(x).toBe(4)", "expect(x).toBeDefined()"),
    ("javascript", "expect(x).not.toBe(null)", "expect(x).toBeNull()"),
    ("javascript", "expect(x).toEqual([])", "expect(x).toHaveLength(0)"),
    ("java", 'assertEquals("paid", order.state())', "assertNotNull(order.state())"),
    ("java", 'assertEquals("a", b)', "assertTrue(b)"),
    ("java", "assertThat(a).isEqualTo(1).isNotEqualTo(b)", "assertThat(a).isNotNull()"),
    ("javascript", "expect(f()).to.be.true;", "expect(f()).to.be.ok;"),
    ("javascript", "assert.isTrue(f());", "assert.ok(f());"),
    ("javascript", "assert.isFalse(f())", "assert.notOk(f())"),
    ("javascript", "expect(f()).toBeTrue()", "expect(f()).toBeTruthy()"),
    ("javascript", "expect(f()).not.toBe(true)", "expect(f()).toBe(false)"),
    ("javascript", "expect(x).toBe(a);", "expect(x).toEqual(a);"),
    ("javascript", "expect(x).toStrictEqual(a);", "expect(x).toEqual(a);"),
    ("javascript", "assert.strictEqual(f(), 1)", "assert.equal(f(), 1)"),
    ("javascript", "assert.strictEqual(f(x), null)", "assert(f(x) == null)"),
    ("javascript", "assert(f(x) === y)", "assert(f(x) == y)"),
    ("javascript", "expect(f(x)).to.deep.equal(y)", "expect(f(x)).to.equal(y)"),
    ("javascript", "await expect(p).rejects.toBe(1)", "await expect(p).resolves.toBe(1)"),
    ("javascript", "await expect(p).resolves.toBe(1)", "expect(p).resolves.toBe(1)"),
    ("java", "assertSame(a, b);", "assertEquals(a, b);"),
    ("java", "assertEquals(0.5, f(x), 0.001);", "assertEquals(0.5, f(x), 10.0);"),
    ("java", 'assertEquals("m", 0.5, f(x), 0.001);', 'assertEquals("m", 0.5, f(x), 10.0);'),
    ("java", "assertTrue(a == b)", "assertEquals(a, b)"),
    ("go", "assert.Same(t, a, f(b))", "assert.Equal(t, a, f(b))"),
    ("go", "assert.Exactly(t, a, f(b))", "assert.Equal(t, a, f(b))"),
    ("python", "self.assertIs(f(x), False)", "self.assertIsNot(f(x), True)"),
    ("python", "assert f(x) is False", "assert f(x) is not True"),
    ("python", "assert f(x) is True", "assert f(x) == True"),
    ("python", "assert x == 1", "assert(x == 1, 'm')"),
    ("python", "assert x == 1", "assert (x == 1, 'm')"),
]


@pytest.mark.parametrize(("language", "before", "after"), SAME)
def test_the_same_in_other_words(language, before, after):
    assert says_the_same(before, after, language)


@pytest.mark.parametrize(("language", "before", "after"), LESS)
def test_less_in_other_words(language, before, after):
    assert not says_the_same(before, after, language)


@pytest.mark.parametrize("text", ["", "assert", "assert.Equal(", "expect(x)", "expect(x).toBe(((", "(((", "f()()"])
def test_what_cannot_be_read_says_the_same_as_nothing(text):
    assert not says_the_same(text, text, "go")


CODE = "package shop\n\n// Paid tells.\nfunc Paid(n int) bool {\n\treturn n > 1\n}\n"
USER = "package shop\n\nfunc view(n int) bool {\n\treturn Paid(n)\n}\n"
TEST = (
    'package shop\n\nimport (\n\t"testing"\n\n\t"github.com/stretchr/testify/assert"\n)\n\n'
    "func TestPaid(t *testing.T) {\n\tassert.Equal(t, true, Paid(2))\n}\n"
)
GO = {"go.mod": "module example.com/shop\n\ngo 1.22\n", "paid.go": CODE, "view.go": USER, "paid_test.go": TEST}


@pytest.mark.slow
@pytest.mark.parametrize(("now", "found"), [("assert.True(t, Paid(2))", 0), ("assert.NotNil(t, Paid(2))", 1)])
def test_a_test_that_is_written_in_other_words(repo, now, found):
    after = {"paid_test.go": TEST.replace("assert.Equal(t, true, Paid(2))", now)}
    ended = review(repo, GO, after, ChangeKind.TEST_REMOVAL)
    assert len(cards(ended, "assertion_weakened_code_lives")) == found
    assert len(ended) == found

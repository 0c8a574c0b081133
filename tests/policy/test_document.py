"""One policy file as plain data."""

from hypothesis import given
from hypothesis import strategies as st

from review_agent.policy import document
from review_agent.policy.document import parse
from review_agent.resources import shipped

FILES = sorted(shipped("policy").glob("*.yml"))
SIGNS = st.sampled_from(
    [*"\t:#-\"'|>[]{},?%@`\\\r\n~&*!0", ": ", "- ", "---\n", "...\n", "\x85", "\u2028", "\ufeff", "é"]
)


@given(
    st.sampled_from(FILES),
    st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 3), SIGNS), max_size=5),
    st.integers(0, 2**20),
)
def test_a_file_reads_the_same_with_the_parser_in_c_and_without(file, changes, start):
    text = file.read_text(encoding="utf-8")
    text = text[start % len(text) :][:400]
    for at, gone, sign in changes:
        at %= len(text) + 1
        text = text[:at] + sign + text[at + gone :]
    read, slow = parse("x.yml", text.encode()), document._parsed("x.yml", text.encode(), pure=True)
    assert (read.data, read.lines, read.problems) == (slow.data, slow.lines, slow.problems)

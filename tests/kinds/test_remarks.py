"""What lines say to people, and the code beside it that says nothing."""

import pytest
from builders import make_ref

from review_agent.kinds.remarks import remarks
from review_agent.vocabulary import Evidence


def said(path, text, start=5):
    ref = make_ref(path, start, start + text.count("\n"))
    return list(remarks(Evidence(ref=ref, query=0, origin="read", text=text, facts=())))


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.py", "x = 1\n# of a copy", [(6, "of a copy")]),
        ("a.py", "x = 1  # of a copy", [(5, "of a copy")]),
        ("a.py", '    """One line."""\n    x = 1', [(5, "One line.")]),
        ("a.py", '    """First.\n\n    Then more.\n    """\n    x = 1', [(5, "First."), (7, "Then more.")]),
        ("a.ts", "/** First.\n * Then more.\n */\nx();", [(5, "First."), (6, "Then more.")]),
        ("a.ts", " * Of a long one.\n */\nx();", [(5, "Of a long one.")]),
        ("a.ts", "{/* said */}", [(5, "said")]),
        ("a.go", "x() // said", [(5, "said")]),
        ("a.vue", "<!-- said -->", [(5, "said")]),
    ],
)
def test_what_is_said(path, text, found):
    assert said(path, text) == found


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "from shop.order_parser import remaining_limit"),
        ("a.py", "# from shop.order_parser import limit"),
        ("a.py", "x = order_parser // other"),
        ("a.py", 'sql = """\nselect one from order_parser\n"""'),
        ("a.py", 'the end of a text.\n    """\n    return order_parser.limit of this'),
        ("a.ts", "import { limit } from './order-parser';"),
        ("a.ts", "  #orderParser = make();"),
        ("a.ts", "const x = base\n  * orderParser.factor;"),
        ("a.ts", "get('https://order-parser.example/*');"),
        ("a.java", "String x = of a plain word;"),
    ],
)
def test_what_says_nothing(path, text):
    assert said(path, text) == []


def test_a_head_may_end_within_its_text():
    assert said("a.py", '"""First.\nThen more.', start=1) == [(1, "First."), (2, "Then more.")]

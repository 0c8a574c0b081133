"""Results whose old form is told by what the function did with them, or by its declared result."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.API_CONTRACT)
silent = partial(silence_of, kind=ChangeKind.API_CONTRACT)
PAD = "\n".join(f"# {n}" for n in range(8))

RATES = {
    "tax/rates.py": f"""from decimal import Decimal


def rounded(value):
    return value.quantize(Decimal("0.01"))


def with_tax(net: Decimal, rate: Decimal) -> Decimal:
    return rounded(net * rate)


{PAD}
def least(net: Decimal) -> Decimal:
    return max(with_tax(net, Decimal(1)), Decimal(5))
""",
}
PAIR = (
    ("tax/rates.py", "rate: Decimal) -> Decimal", "rate: Decimal) -> tuple[Decimal, Decimal]"),
    (
        "tax/rates.py",
        "    return rounded(net * rate)",
        "    gross = rounded(net * rate)\n    return gross, gross - net",
    ),
)
TAKEN = ("tax/rates.py", "max(with_tax(net, Decimal(1)), Decimal(5))", "max(with_tax(net, Decimal(1))[0], Decimal(5))")


class TestDeclaredSingle:
    RULE = "return_shape_changed"

    def test_a_pair_where_a_number_is_compared(self, repo):
        assert "gives the result to `max` as one value" in one_card(repo, RATES, self.RULE, *PAIR).claim

    def test_a_caller_that_takes_one_of_the_pair(self, repo):
        assert set(silent(repo, RATES, self.RULE, *PAIR, TAKEN)) <= {"insufficient_evidence", "refuted"}

    def test_the_greatest_of_a_pair(self, repo):
        before = {path: text.replace(", Decimal(5))", ")") for path, text in RATES.items()}
        assert silent(repo, before, self.RULE, *PAIR) == ["insufficient_evidence"]


DESK = {
    "src/main/java/desk/Desk.java": """package desk;

import java.util.List;

public class Desk {
    private final Rows rows;

    public Desk(Rows rows) {
        this.rows = rows;
    }

    public List<String> open() {
        List<String> found = rows.read("open");
        found.removeIf(String::isBlank);
        return found;
    }
}
""",
    "src/main/java/desk/Rows.java": """package desk;

import java.util.List;

public interface Rows {
    List<String> read(String state);
}
""",
    "src/main/java/desk/Board.java": """package desk;

import java.util.List;

public class Board {
    private final Desk desk;

    public Board(Desk desk) {
        this.desk = desk;
    }

    public List<String> shown() {
        List<String> names = desk.open();
        names.add("late");
        return names;
    }
}
""",
}
STREAMED = (
    "src/main/java/desk/Desk.java",
    """        List<String> found = rows.read("open");
        found.removeIf(String::isBlank);
        return found;
""",
    """        return rows.read("open").stream()
                .filter(one -> !one.isBlank())
                .toList();
""",
)


class TestListThatTheFunctionChanged:
    RULE = "result_container_changed"

    def test_a_caller_adds_to_it(self, repo):
        assert "from a list to a frozen list" in one_card(repo, DESK, self.RULE, STREAMED).claim

    def test_a_caller_that_reads_it(self, repo):
        reads = ("src/main/java/desk/Board.java", '        names.add("late");\n', "")
        before = {path: text.replace(reads[1], reads[2]) for path, text in DESK.items()}
        assert silent(repo, before, self.RULE, STREAMED) == ["refuted"]

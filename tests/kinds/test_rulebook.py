"""Loading of rules by the edits that wake them."""

import subprocess
import sys

from review_agent.kinds import KINDS

LOADED = """
import sys
from review_agent.kinds import KINDS
from review_agent.vocabulary import ChangeKind, EditOp
(rule,) = [one for one in KINDS[ChangeKind.API_CONTRACT].rules.woken(EditOp.BECAME_ASYNC)]
kind = "review_agent.kinds.api_contract_"
print(rule.name, *sorted(name.removeprefix(kind) for name in sys.modules if name.startswith(kind)))
"""


def test_a_rule_says_what_the_index_says_of_it():
    for kind in KINDS.values():
        for name, rule in kind.rules.items():
            assert rule.name == name
            assert all(rule in kind.rules.woken(op) for op in rule.ops)


def test_an_edit_loads_the_files_of_the_rules_it_wakes_and_no_others():
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["became_async_not_awaited", "awaited"]

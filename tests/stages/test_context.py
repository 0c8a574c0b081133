"""What the head says of itself is masked whole before it is cut, and so is what people write without quotes."""

from __future__ import annotations

from review_agent.git import Git
from review_agent.policy.load import load
from review_agent.sources import Sources
from review_agent.stages.context import from_head
from review_agent.stages.snapshot import Asked, choose
from review_agent.vocabulary import Side

SECRET = "ghp_" + "a1B2" * 9


def told(repo, most: int):
    git, asked = Git(repo.root), Asked(base="main~1", head="main")
    choice, mask = choose(git, asked), load().masker()
    head = Sources(git, choice.head, mask, side=Side.NEW, max_bytes=10**6)
    return {item.label: item for item in from_head(git, choice, asked, head, mask, most)}


def test_messages_and_instructions_are_masked_before_they_are_cut(repo):
    repo.git("branch", "-m", "main")
    repo.write("a.py", "x = 1\n")
    repo.commit("first")
    repo.write("AGENTS.md", "y" * 90 + " " + SECRET)
    repo.commit(f"fix password=LEAK1abcdef\n\nsecret: LEAK2abcdefgh1234\n{'z' * 40} {SECRET}")
    for most in (100, 110, 125, 1000):
        items = told(repo, most)
        assert set(items) == {"commits", "instructions"}
        assert not [one for one in items.values() if "ghp_" in one.text or "LEAK" in one.text]
        assert all(len(one.text.encode()) <= most for one in items.values())

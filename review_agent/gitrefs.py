"""What a name given as a revision may mean: git takes the first of several, and only warns.

Whoever may push a tag could so choose what a review reads, or what it is compared with.
"""

from __future__ import annotations

import re

from review_agent.gitcall import Caller, ObjectReader

__all__ = ["meanings", "merged_tags"]

# Where a ref's name ends and a walk from it begins; and where git looks for a name, first to last.
_WALK = re.compile(r"[~^@:]")
_PLACES = ("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHORT_ID = re.compile(r"[0-9a-f]{4,39}")


def meanings(git: Caller, objects: ObjectReader, revision: str) -> dict[str, str]:
    """Everything that the name in a revision could mean, each with its own commit; empty where it is one thing.

    HEAD and its like, full ids and names from ``refs/`` on mean one thing always.
    """
    name = _WALK.split(revision, maxsplit=1)[0]
    if not name or name.endswith("HEAD") or name.startswith("refs/") or _FULL_ID.fullmatch(name):
        return {}
    places = [shape.format(name) for shape in _PLACES]
    told = git.ask("for-each-ref", "--format=%(refname) %(objectname) %(*objectname)", *places, ok=(0, 1, 128))
    refs = {words[0]: words[-1] for line in told.splitlines() if (words := line.split())}
    found = {place: refs[place] for place in places if place in refs}
    if found and _SHORT_ID.fullmatch(name):
        ids = git.ask("rev-parse", f"--disambiguate={name}", ok=(0, 1, 128)).split()
        found |= {one: one for one in ids if objects.kind(one) == "commit"}
    return found if len(set(found.values())) > 1 else {}


def merged_tags(git: Caller, commit: str) -> list[tuple[str, str]]:
    """(name, commit) of the tags whose commits lead to this one, the newest first."""
    shape = "--format=%(refname:strip=2) %(objectname) %(*objectname)"
    told = git.ask("for-each-ref", f"--merged={commit}", "--sort=-creatordate", shape, "refs/tags")
    return [(words[0], words[-1]) for line in told.splitlines() if len(words := line.split()) > 1]

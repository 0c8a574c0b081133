"""A change of one repository told as replacements of text, and what the rule in question makes of it."""

from reviewing import cards, codes, review


def changed(before, *edits):
    """The files that differ after replacing, in each named file, one text by another."""
    after = {}
    for path, old, new in edits:
        text = after.get(path, before[path])
        assert old in text, (path, old)
        after[path] = text.replace(old, new)
    return after


def one_card(repo, before, rule, *edits, kind=None):
    (card,) = cards(review(repo, before, changed(before, *edits), kind), rule)
    return card


def silent(repo, before, rule, *edits, kind=None):
    return codes(review(repo, before, changed(before, *edits), kind), rule)

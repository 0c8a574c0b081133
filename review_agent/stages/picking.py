"""Which parts of a large change a model is asked about: those that change most of what runs.

The rules examine all of a change; a model's reading of it costs by the part. What is beyond the policy's number is on
record as skipped, part by part.
"""

from __future__ import annotations

import re
from os.path import splitext

from review_agent.counting import counted
from review_agent.kinds.unshown import is_test_of_sorts
from review_agent.policy.model import Policy
from review_agent.stages.grouping import Groups
from review_agent.stages.skipping import Ranks
from review_agent.syntax.languages import CONFIG, language_of
from review_agent.vocabulary import DiffGroup, Skipped, SkipRule

__all__ = ["picked"]

# What a changed line of a file weighs: product code in a language that is parsed, other text, tests. Prose, data and
# the words of other languages break nothing that a reading of them alone would show.
_CODE, _OTHER, _TEST, _PROSE = 4, 2, 1, 0
_TOLD = frozenset({".adoc", ".csv", ".json", ".md", ".mdx", ".po", ".pot", ".rst", ".snap", ".svg", ".tsv", ".txt"})
_WORDS = re.compile(r"(?i)(?:^|/)(?:i18n|l10n|lang|locales?|translations?)/")


def picked(groups: Groups, policy: Policy) -> tuple[tuple[DiffGroup, ...], tuple[Skipped, ...]]:
    """The groups that a compiler is shown, the weightiest first, and the others as skipped.

    Where all are shown they come in the order of the diff. A group weighs as many as it has changed lines, each by what
    kind of file it is in, double on a sensitive path.
    """
    most = policy.engine.groups_per_run
    if len(groups.all) <= most:
        return groups.all, ()
    ranks = Ranks(policy)
    heavy = {group.group_id: _weight(groups, group, ranks) for group in groups.all}
    ranked = sorted(groups.all, key=lambda group: -heavy[group.group_id])
    return tuple(ranked[:most]), tuple(_beyond(group, most) for group in ranked[most:])


def _weight(groups: Groups, group: DiffGroup, ranks: Ranks) -> int:
    changed = groups.changed(group)
    return sum(lines * _of(path) * (2 if ranks.of(path) else 1) for path, lines in changed.items())


def _of(path: str) -> int:
    if splitext(path)[1].lower() in _TOLD or _WORDS.search(path):
        return _PROSE
    if is_test_of_sorts(path):
        return _TEST
    return _CODE if language_of(path) not in (None, *CONFIG) else _OTHER


def _beyond(group: DiffGroup, most: int) -> Skipped:
    files = "" if len(group.paths) == 1 else f" and of {counted(len(group.paths) - 1, 'file')} after it"
    return Skipped(
        kind="skipped",
        path=group.paths[0],
        hunk_id=None,
        question_id=group.group_id,
        rule=SkipRule.PART_CAP,
        detail=f"no model read this part of it{files}: beyond {counted(most, 'part')} of a change a run",
    )

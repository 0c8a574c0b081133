"""A query that cannot be carried out as it is written is refused in words, before anything is looked for."""

from __future__ import annotations

import pytest

from review_agent.stages.evidence_queries import unfit
from review_agent.vocabulary import PlanQuery, QueryKind


@pytest.mark.parametrize(
    ("kind", "glob", "said"),
    [
        (QueryKind.PATH, "*a*b*c*d", ""),
        (QueryKind.PATH, "*a*b*c*d*", "`*a*b*c*d*` has more than 4 stars"),
        (QueryKind.TEXT, "*a*b*c*d*", "`*a*b*c*d*` has more than 4 stars"),
        (QueryKind.CALLERS, "*a*b*c*d*", ""),
        (QueryKind.PATH, "[[:alpha:]].py", ""),
        (QueryKind.PATH, "[[:letters:]].py", "`[[:letters:]].py` is no glob as in a .gitignore"),
        (QueryKind.PATH, "[z-a]", "`[z-a]` is no glob as in a .gitignore"),
        (QueryKind.TEXT, "/etc", "`/etc` is no path or glob inside the repository"),
    ],
)
def test_what_a_glob_of_a_query_may_be(kind: QueryKind, glob: str, said: str) -> None:
    query = PlanQuery(
        kind=kind, name=glob if kind is QueryKind.PATH else "x", path="" if kind is QueryKind.PATH else glob
    )
    assert unfit(query) == said

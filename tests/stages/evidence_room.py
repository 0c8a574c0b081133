"""A small real repository that questions with hand-made plans are asked about."""

from functools import cache

from review_agent.git import Git
from review_agent.policy.load import load
from review_agent.sources import Sources
from review_agent.stages.evidence import collect
from review_agent.stages.snapshot import take
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import ChangeKind, PlanQuery, QueryKind, Question, Role, Side


@cache
def parser():
    return Parser()


@cache
def policy():
    return load()


def ask(kind, name, path="", scope="", side=Side.NEW):
    return PlanQuery(kind=QueryKind(kind), name=name, path=path, scope=scope, side=side)


class Room:
    """``before`` is committed, then ``after`` on top of it (null deletes a file): the change under review."""

    def __init__(self, repo, before, after=None):
        for path, text in before.items():
            repo.write(path, text)
        repo.commit("before")
        for path, text in ({"zz_change.txt": "changed\n"} if after is None else after).items():
            if text is None:
                (repo.root / path).unlink()
            else:
                repo.write(path, text)
        self.git = Git(repo.root)
        self.snapshot = take(self.git, commit=repo.commit("after"), mask=str)
        self.sources = {
            side: Sources(self.git, commit, str, side=side, max_bytes=1_000_000)
            for side, commit in ((Side.OLD, self.snapshot.merge_base), (Side.NEW, self.snapshot.head))
        }
        self.anchor_path = next(path for path in self.sources[Side.NEW].paths if self.sources[Side.NEW].get(path).lines)

    def question(self, *plan, at=None, line=1, edits=()):
        anchor = self.sources[Side.NEW].ref(at or self.anchor_path, line, line, Role.DIFF)
        return Question(
            question_id=f"q-{len(plan)}",
            kind=ChangeKind.API_CONTRACT,
            rule="r",
            hunk_id="h",
            path=anchor.path,
            change="",
            precondition="",
            consequence="",
            refuted_if=(),
            anchor=anchor,
            plan=plan,
            edits=edits,
            risk=1,
        )

    def collect(self, *questions, progress=None, **budgets):
        """The bundles of several questions, under the shipped policy with some budgets of its own."""
        own = policy().model_copy(update={"budgets": policy().budgets.model_copy(update=budgets)})
        found = collect(
            questions,
            snapshot=self.snapshot,
            git=self.git,
            old=self.sources[Side.OLD],
            new=self.sources[Side.NEW],
            parser=parser(),
            policy=own,
            progress=progress,
        )
        return list(found)

    def bundle(self, *plan, **budgets):
        """The bundle of one question with this plan."""
        return self.collect(self.question(*plan), **budgets)[0]


def hits(bundle, query=0):
    """[(path, line, fact)] of a query's citable hits, in order."""
    return [
        (one.ref.path, one.ref.start_line, fact)
        for one in bundle.evidence
        if one.query == query and one.origin == "hit"
        for fact in one.facts
    ]


def places(bundle, query=0):
    return [(path, line) for path, line, _ in hits(bundle, query)]


def read(bundle):
    """[(path, start, end)] of what was read, in order."""
    return [(one.ref.path, one.ref.start_line, one.ref.end_line) for one in bundle.evidence if one.origin == "read"]

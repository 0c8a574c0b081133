"""The two permissions of a question, discovery and reading, each spent from its own budget. Nothing is taken back."""

from __future__ import annotations

from dataclasses import dataclass, field

from review_agent.policy.model import Budgets
from review_agent.vocabulary import EvidenceSpend, Side

__all__ = ["Allowance", "Covered"]

Lines = tuple[int, int]


@dataclass
class Covered:
    """Lines read so far in the run, by file: a later question has them for nothing."""

    lines: dict[tuple[Side, str], set[int]] = field(default_factory=dict)

    def missing(self, side: Side, path: str, lines: Lines) -> set[int]:
        return set(range(lines[0], lines[1] + 1)) - self.lines.get((side, path), set())

    def add(self, side: Side, path: str, lines: set[int]) -> None:
        self.lines.setdefault((side, path), set()).update(lines)


@dataclass
class Allowance:
    """What one question may still do. Every ``take_…`` reserves first and says no when the budget is spent."""

    budgets: Budgets
    queries: int = 0
    candidates: set[str] = field(default_factory=set)
    read: dict[tuple[Side, str], int] = field(default_factory=dict)

    def take_query(self) -> bool:
        if self.queries >= self.budgets.queries:
            return False
        self.queries += 1
        return True

    def take_candidate(self, path: str) -> bool:
        """Whether a file may be parsed for its hits; both sides of one file count once."""
        if path not in self.candidates and len(self.candidates) >= self.budgets.candidate_files:
            return False
        self.candidates.add(path)
        return True

    def take_lines(self, side: Side, path: str, wanted: int) -> int:
        """How many of ``wanted`` new lines of a file may be read: all, fewer, or 0."""
        key = (side, path)
        if key not in self.read and len(self.read) >= self.budgets.files_read:
            return 0
        granted = min(wanted, self.budgets.lines_per_file - self.read.get(key, 0))
        if granted > 0:
            self.read[key] = self.read.get(key, 0) + granted
        return max(granted, 0)

    def spent(self) -> EvidenceSpend:
        return EvidenceSpend(
            queries=self.queries,
            candidate_files=len(self.candidates),
            files_read=len(self.read),
            lines_read=sum(self.read.values()),
        )

"""The options of ``review-agent decide``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from review_agent.vocabulary import Act

__all__ = [
    "Allow",
    "Atomic",
    "Batch",
    "Comment",
    "File",
    "Fingerprint",
    "Format",
    "FormatOf",
    "Job",
    "Log",
    "Reason",
    "Result",
    "ResultOf",
    "Reviewer",
    "Rule",
    "Run",
    "Seconds",
    "Seen",
    "Until",
    "Verb",
    "Version",
    "Words",
]


class Verb(StrEnum):
    """The acts a person can take, as typed."""

    ACCEPT = "accept"
    REJECT = "reject"
    NEEDS_PROOF = "needs-proof"
    ATTACH = "attach"
    UNDO = "undo"
    REVOKE = "revoke"
    DOWNGRADE = "downgrade"

    @property
    def act(self) -> Act:
        return Act.REOPEN if self is Verb.UNDO else Act(self.value.replace("-", "_"))

    @classmethod
    def of(cls, act: Act) -> Verb:
        return next(verb for verb in cls if verb.act is act)

    @property
    def typed(self) -> str:
        """The act with what it cannot be without."""
        needed = {Verb.REJECT: " --reason CODE", Verb.ATTACH: " --result pass|fail"}
        return f"{self.value}{needed.get(self, '')}"


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


class Result(StrEnum):
    PASS = "pass"  # noqa: S105 - how a job ends, no secret
    FAIL = "fail"


Words = Annotated[
    list[str] | None,
    typer.Argument(
        help=f"Cards by their ids or the first four characters of them or more, and one act: {', '.join(Verb)}.",
        metavar="CARD... ACT",
    ),
]
Reason = Annotated[
    str | None, typer.Option("--reason", help="Why you reject: a reason code of the policy.", metavar="CODE")
]
Comment = Annotated[str | None, typer.Option("--comment", help="In your own words.", metavar="TEXT")]
Until = Annotated[
    str | None,
    typer.Option("--until", help="The day the card is open again, for a reason that expires.", metavar="DATE"),
]
Rule = Annotated[str | None, typer.Option("--rule", help="All cards of a rule that take the act.", metavar="RULE")]
Fingerprint = Annotated[
    str | None, typer.Option("--fingerprint", help="All cards of one finding that take it.", metavar="START")
]
Batch = Annotated[str | None, typer.Option("--batch", help="All cards of an earlier act on several.", metavar="START")]
Job = Annotated[
    str | None, typer.Option("--job", help="A job of the catalogue, for needs-proof and attach.", metavar="ID")
]
ResultOf = Annotated[
    Result | None,
    typer.Option(
        "--result", help="How the job ended, for attach: pass: what the card claims does not show; fail: it does."
    ),
]
Log = Annotated[
    Path | None, typer.Option("--log", help="What the job printed, - for stdin; for attach.", metavar="FILE")
]
Run = Annotated[
    bool, typer.Option("--run", help="Run the job here, over the files of the reviewed head, and attach its result.")
]
Allow = Annotated[
    bool,
    typer.Option(
        "--allow-running-changed-code", help="Let the job run code of the change, where the policy allows it, too."
    ),
]
File = Annotated[
    Path | None,
    typer.Option("--from", help="Decisions to take, one JSON object a line, - for stdin.", metavar="FILE"),
]
Atomic = Annotated[bool, typer.Option("--atomic", help="With --from: take all of them, or none where one is refused.")]
Reviewer = Annotated[str | None, typer.Option("--reviewer", help="Who decides; git's user by default.", metavar="NAME")]
Version = Annotated[str | None, typer.Option("--card-version", help="Refuse where the card is no longer this version.")]
Seen = Annotated[
    str | None,
    typer.Option(
        "--decision-seen",
        help="Refuse where the card's latest decision is another than this one; `none`: where there is one.",
        metavar="ID",
    ),
]
Seconds = Annotated[
    float | None, typer.Option("--seconds", help="How long you looked at it, where you know.", metavar="N")
]
FormatOf = Annotated[Format, typer.Option("--format", help="text, or what was recorded as JSON.")]

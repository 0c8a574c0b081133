"""One file a change kind: its triggers (edits to questions) and its settling logic (bundle to drafts or no finding)."""

from __future__ import annotations

from review_agent.kinds.api_contract import ApiContract
from review_agent.kinds.base import Kind
from review_agent.kinds.config_default import ConfigDefault
from review_agent.kinds.error_handling import ErrorHandling
from review_agent.vocabulary import ChangeKind

__all__ = ["KINDS"]

KINDS: dict[ChangeKind, Kind] = {
    ChangeKind.API_CONTRACT: ApiContract(),
    ChangeKind.CONFIG_DEFAULT: ConfigDefault(),
    ChangeKind.ERROR_HANDLING: ErrorHandling(),
}

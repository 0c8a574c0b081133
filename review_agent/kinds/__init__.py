"""One file a change kind: its triggers (edits to questions) and its settling logic (bundle to drafts or no finding)."""

from __future__ import annotations

from review_agent.kinds.api_contract import ApiContract
from review_agent.kinds.auth import Auth
from review_agent.kinds.base import Kind
from review_agent.kinds.cache_key import CacheKey
from review_agent.kinds.concurrency_retry import ConcurrencyRetry
from review_agent.kinds.config_default import ConfigDefault
from review_agent.kinds.error_handling import ErrorHandling
from review_agent.kinds.incomplete_change import IncompleteChange
from review_agent.kinds.input import Input
from review_agent.kinds.persistence import Persistence
from review_agent.kinds.resource_release import ResourceRelease
from review_agent.kinds.serialization import Serialization
from review_agent.kinds.test_removal import TestRemoval
from review_agent.vocabulary import ChangeKind

__all__ = ["KINDS"]

KINDS: dict[ChangeKind, Kind] = {
    ChangeKind.API_CONTRACT: ApiContract(),
    ChangeKind.AUTH: Auth(),
    ChangeKind.CACHE_KEY: CacheKey(),
    ChangeKind.CONCURRENCY_RETRY: ConcurrencyRetry(),
    ChangeKind.CONFIG_DEFAULT: ConfigDefault(),
    ChangeKind.ERROR_HANDLING: ErrorHandling(),
    ChangeKind.INCOMPLETE_CHANGE: IncompleteChange(),
    ChangeKind.INPUT: Input(),
    ChangeKind.PERSISTENCE: Persistence(),
    ChangeKind.RESOURCE_RELEASE: ResourceRelease(),
    ChangeKind.SERIALIZATION: Serialization(),
    ChangeKind.TEST_REMOVAL: TestRemoval(),
}

"""What answered: version, engine and policy, and a digest of the product's own source."""

from __future__ import annotations

import hashlib
from pathlib import Path

from review_agent import __version__
from review_agent.policy.model import Policy
from review_agent.replay.records import Job
from review_agent.vocabulary import Engine, Record, digest

__all__ = ["Identity", "identify", "key", "source_digest"]

_PACKAGE = Path(__file__).resolve().parents[1]
_COMPILED = (".pyc", ".pyo", ".so")


class Identity(Record):
    """Everything besides the cases that decides what a replay says."""

    engine: str
    policy_hash: str
    policy_source: str
    product: str
    source: str


def identify(policy: Policy, engine: Engine) -> Identity:
    """The identity of a replay with this policy and engine."""
    return Identity(
        engine=engine.identity,
        policy_hash=policy.hash,
        policy_source=policy.source,
        product=__version__,
        source=source_digest(),
    )


def key(job: Job, identity: Identity) -> str:
    """What a kept result is found by: a changed case, policy, engine or detector has another key."""
    return digest([job.unit, job.content, identity.engine, identity.policy_hash, identity.product, identity.source])


def source_digest() -> str:
    """Of every file of the package, so that no result of an older detector is taken for one of this."""
    made = hashlib.sha256()
    shipped = _PACKAGE / "_shipped"
    for path in sorted(_PACKAGE.rglob("*")):
        if path.suffix not in _COMPILED and shipped not in path.parents and path.is_file():
            made.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return made.hexdigest()

"""The part of a policy that engines read: who answers, what that may cost, and what they are told."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from review_agent.vocabulary import Record, Severity

__all__ = ["EngineBudget", "EnginePolicy", "MaxTokens", "Price", "Prompts"]


class MaxTokens(Record):
    """The most tokens of one reply, by role."""

    compile: int = Field(ge=1)
    synthesize: int = Field(ge=1)
    refute: int = Field(ge=1)
    ablate: int = Field(ge=1)


class EngineBudget(Record):
    """What one run may cost. ``cost_usd`` counts where the model has a price."""

    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)
    cost_usd: float = Field(ge=0)
    seconds: int = Field(ge=1)


class EnginePolicy(Record):
    """engine.yml: who answers questions, and what that may cost. The file itself says what each entry is."""

    engine: Literal["rules", "openai", "batch", "recorded"] = "rules"
    model: str = ""
    base_url: str = ""
    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int | None = 7
    language: str = Field(default="en", pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    fallback_model: str = ""
    concurrency: int = Field(ge=1, le=64)
    retries: int = Field(ge=0, le=20)
    seconds_per_call: int = Field(ge=1, le=3600)
    max_tokens: MaxTokens
    budget: EngineBudget
    group_bytes: int = Field(ge=1000)
    context_bytes: int = Field(ge=0)
    groups_per_run: int = Field(default=8, ge=1)
    questions_per_group: int = Field(ge=0, le=50)
    questions_per_run: int = Field(ge=0)
    rule_questions_per_run: int = Field(ge=0)
    severities: tuple[Severity, ...] = (Severity.BLOCKING, Severity.IMPORTANT)
    amend: bool = True
    refuter: bool = True
    ablation_percent: int = Field(default=0, ge=0, le=100)


class Price(Record):
    """prices.yml: US dollars a million tokens of a model, from a UTC day on. ``cached``: of prompt tokens that the
    server had in its cache; null: as the others."""

    model: str = Field(min_length=1)
    from_: str = Field(alias="from", pattern=r"^\d{4}-\d{2}-\d{2}$")
    prompt: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    completion: float = Field(ge=0)


class Prompts(Record):
    """prompt-*.md: what every role is told and each for itself, in our words; the change is never part of them."""

    system: str
    compile: str
    synthesize: str
    refute: str

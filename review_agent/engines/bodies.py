"""The body of a chat completion request, by the form in which JSON is asked for."""

from __future__ import annotations

from typing import Any, Literal

from review_agent.engines.messages import Prompt
from review_agent.policy.model import EnginePolicy

__all__ = ["FORMS", "Form", "body"]

Form = Literal["schema", "json", "text"]
FORMS: tuple[Form, ...] = ("schema", "json", "text")
"""From the strictest on; a server that does not know one is asked by the next."""


def body(prompt: Prompt, policy: EnginePolicy, *, model: str, form: Form = "schema", again: int = 0) -> dict[str, Any]:
    """``again``: how often the model has answered badly; its seed differs then, so that it does not say the same."""
    whole: dict[str, Any] = {
        "model": model,
        "messages": prompt.messages(),
        "max_tokens": prompt.max_tokens,
        "temperature": policy.temperature,
    }
    if policy.seed is not None:
        whole["seed"] = policy.seed + again
    if form == "schema":
        schema = {"name": prompt.schema_name, "schema": prompt.schema, "strict": True}
        whole["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif form == "json":
        whole["response_format"] = {"type": "json_object"}
    return whole

"""The body of a chat completion request, by the form in which JSON is asked for."""

from __future__ import annotations

from typing import Any, Literal

from review_agent.engines.messages import Prompt
from review_agent.policy.model import Policy

__all__ = ["FORMS", "Form", "body", "messages"]

Form = Literal["schema", "json", "text"]
FORMS: tuple[Form, ...] = ("schema", "json", "text")
"""From the strictest on; a server that does not know one is asked by the next."""


def messages(prompt: Prompt, policy: Policy) -> list[dict[str, str]]:
    """The chat as it is sent. Texts are masked already where they entered; what names a file is not, as git has to find
    it by that name. Line by line, so that no fence is taken for a part of what stands before it."""
    mask = policy.masker()
    return [
        {**one, "content": "\n".join(map(mask, one["content"].split("\n")))} if one["role"] == "user" else one
        for one in prompt.messages()
    ]


def body(prompt: Prompt, policy: Policy, *, model: str, form: Form = "schema", again: int = 0) -> dict[str, Any]:
    """``again``: how often the model has answered badly; its seed differs then, so that it does not say the same."""
    engine = policy.engine
    whole: dict[str, Any] = {
        "model": model,
        "messages": messages(prompt, policy),
        "max_tokens": prompt.max_tokens,
        "temperature": engine.temperature,
    }
    if engine.seed is not None:
        whole["seed"] = engine.seed + again
    if form == "schema":
        schema = {"name": prompt.schema_name, "schema": prompt.schema, "strict": True}
        whole["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif form == "json":
        whole["response_format"] = {"type": "json_object"}
    return whole

"""``api_contract``: what others rely on changed its form, and they did not follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds import (
    api_contract_awaited,
    api_contract_containers,
    api_contract_dynamic,
    api_contract_members,
    api_contract_moves,
    api_contract_options,
    api_contract_order,
    api_contract_parameters,
    api_contract_props,
    api_contract_public,
    api_contract_references,
    api_contract_results,
    api_contract_shapes,
    api_contract_symbols,
)
from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.rulebook import book, raised, settled
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import Bundle, ChangeKind, Edit, Question

__all__ = ["ApiContract"]

_RULES = book(
    *api_contract_symbols.RULES,
    *api_contract_parameters.RULES,
    *api_contract_order.RULES,
    *api_contract_results.RULES,
    *api_contract_shapes.RULES,
    *api_contract_containers.RULES,
    *api_contract_dynamic.RULES,
    *api_contract_props.RULES,
    *api_contract_options.RULES,
    *api_contract_moves.RULES,
    *api_contract_awaited.RULES,
    *api_contract_members.RULES,
    *api_contract_references.RULES,
    *api_contract_public.RULES,
)


class ApiContract:
    """Signatures, names, results and interfaces against the callers, references and implementers at head."""

    kind = ChangeKind.API_CONTRACT

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(_RULES, [edit for edit in edits if not in_test(edit.path)])

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        return settled(_RULES, question, bundle)

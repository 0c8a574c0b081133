"""``api_contract``: what others rely on changed its form, and they did not follow."""

from __future__ import annotations

from review_agent.kinds.rulebook import Book, BookKind
from review_agent.vocabulary import ChangeKind

__all__ = ["ApiContract"]


class ApiContract(BookKind):
    """Signatures, names, results and interfaces against the callers, references and implementers at head."""

    kind = ChangeKind.API_CONTRACT
    in_tests = False
    rules = Book(
        "api_contract_symbols",
        "api_contract_parameters",
        "api_contract_order",
        "api_contract_results",
        "api_contract_shapes",
        "api_contract_containers",
        "api_contract_dynamic",
        "api_contract_props",
        "api_contract_options",
        "api_contract_moves",
        "api_contract_awaited",
        "api_contract_members",
        "api_contract_references",
        "api_contract_public",
    )

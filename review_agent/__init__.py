"""review-agent turns a diff into falsifiable questions and writes evidence cards only where the evidence holds.

The house, in reading order: ``vocabulary`` (every record), ``pipeline`` (the phases of a review), then the stages the
phases call: ``stages.snapshot``, ``stages.questions``, ``stages.evidence``, ``stages.synthesis``, ``stages.contract``,
``stages.verification``. Below them ``kinds`` (one file a change kind), ``syntax`` (tree-sitter), ``policy`` (the
protected control plane), ``sources`` and ``git`` (reading at a pinned commit) and ``diff``. Beside them ``engines``
(who answers) and ``ledger`` (DuckDB). Above them ``replay`` (cases with a known answer), ``commands`` and ``cli``.
"""

__version__ = "0.1.0"

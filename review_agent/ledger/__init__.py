"""The DuckDB ledger, derived from run logs and journal: all SQL is here."""

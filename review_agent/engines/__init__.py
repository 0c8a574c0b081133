"""Who answers requests: rules (built in, deterministic). Engines meet the pipeline through ``vocabulary.Engine``."""

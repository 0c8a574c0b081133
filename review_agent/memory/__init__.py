"""What is remembered of findings from push to push: verdicts, carried cards, the blind audit, reviewer minutes."""

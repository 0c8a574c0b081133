"""One file a command; each adds itself to the CLI with ``register(app)``."""

"""The protected control plane: a folder of files read, validated and hashed as one (model.py says what it may hold)."""

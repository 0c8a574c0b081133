"""tree-sitter behind plain records: an outline of a file (model.py), and the edits between two outlines."""

"""One file a change kind: its triggers (edits to questions) and its settling logic (bundle to drafts or no finding)."""

"""What a review looks like outside: one file an output format."""

"""The Chat Completions dialect."""

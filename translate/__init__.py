"""OpenAI to Cloud Code and back: pure data in, pure data out."""

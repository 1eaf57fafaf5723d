"""A loopback server that lets any OpenAI client use your own Google Antigravity subscription."""

__version__ = "0.1.0"

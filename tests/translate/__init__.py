"""Tests of the translation between OpenAI and Cloud Code."""

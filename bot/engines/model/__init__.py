"""Asks language models through pydantic-ai, and believes nothing that comes back."""

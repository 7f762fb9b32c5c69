"""A scripted OpenAI-compatible server over real HTTP, and the scenarios that drive it."""

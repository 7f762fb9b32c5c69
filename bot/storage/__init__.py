"""The record: SQL behind the ports of `rag` and the tables of the bot itself."""

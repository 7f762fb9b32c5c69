"""The reader that asks a language model: four prompts, and what code makes of each reply."""

"""The message while it is being worked on."""

from handlers.blocks import parts
from handlers.blocks.rendered import Rendered
from handlers.blocks.sentences import TEXTS
from handlers.blocks.texts import count, say

BLOCK_ID = "progress"
"""Carried by every unfinished message and by no finished one."""


def progress(stage: str, *, sources: int | None = None, language: str) -> Rendered:
    """What is happening, in words. ``stage`` is the pipeline's name of the stage entered."""
    key = f"stage_{stage}" if f"stage_{stage}" in TEXTS else "stage_report"
    told = say(key, language=language)
    if stage == "retrieve" and sources:
        told = count("stage_retrieve_n", sources, language=language)
    return Rendered(text=told, blocks=(parts.section(told) | {"block_id": BLOCK_ID},))

"""What is said to someone whose question was one too many."""

from handlers.blocks import parts
from handlers.blocks.rendered import Rendered
from handlers.blocks.texts import count, say

_MINUTE, _HOUR = 60, 3_600


def too_many(limit: str, *, seconds: int | None, language: str) -> Rendered:
    """Which ``limit`` (`bot.fair_use.Limit`) it was over, and when to ask again.

    ``seconds`` from now on there is room; None when that takes an answer.
    """
    again = say("again_answered", language=language)
    if seconds is not None:
        again = say("again_later", language=language, wait=_wait(seconds, language))
    told = say(f"over_{limit}", language=language, again=again)
    return Rendered(text=told, blocks=(parts.section(told),))


def _wait(seconds: int, language: str) -> str:
    """Rounded up: whoever asks when it is over is not turned away again."""
    if seconds < 2 * _MINUTE:
        return count("wait_seconds", seconds, language=language)
    if seconds < 2 * _HOUR:
        return count("wait_minutes", -(-seconds // _MINUTE), language=language)
    return count("wait_hours", -(-seconds // _HOUR), language=language)

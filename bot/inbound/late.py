"""Tells an asker whose question could only be laid by that the answer will come late."""

from collections.abc import Awaitable, Callable
from typing import Any

from bot.parts import Parts
from bot.slack.client import respond
from handlers.blocks import notes
from handlers.blocks.texts import language_of
from handlers.deps import Asked, Commanded, Pressed


async def say_late(parts: Parts, kind: str, value: Any) -> None:
    """Tell the asker alone; silent where nobody may be waiting for an answer of ours.

    It needs Slack only, for it is the database that is away. Raises `SlackUnavailable`.
    """
    say = _SAYING.get(kind)
    if say is not None and await parts.prove(value.sender) is not None:
        await say(parts, value)


async def _asked(parts: Parts, asked: Asked) -> None:
    await parts.poster.whisper(
        channel=asked.room.channel,
        user=asked.sender.user_id,
        rendered=notes.late(language=language_of(asked.question)),
        thread=asked.thread_ts,
    )


async def _commanded(parts: Parts, commanded: Commanded) -> None:
    told = notes.late(language=language_of(commanded.text))
    await respond(parts.client, commanded.response_url, told)


async def _pressed(parts: Parts, pressed: Pressed) -> None:
    await respond(parts.client, pressed.response_url, notes.late(language="en"))


_SAYING: dict[str, Callable[[Parts, Any], Awaitable[None]]] = {
    "ask": _asked,
    "ask_privately": _commanded,
    "ask_again_privately": _pressed,
    "ask_owners": _pressed,
    "choose": _pressed,
}

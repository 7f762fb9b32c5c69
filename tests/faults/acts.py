"""What people do in a run, with the kills planned for the right moment, and what must follow."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tests.faults.lane import Json, Lane

QUESTION = "<@footnote> 借用示例设备要登记什么？借用超过七天怎么办？"
QUOTE = "设备编号"
UNCLEAR = "<@footnote> 那个支持多少成员？"
SLOW = 1.3  # seconds of a selection: longer than the second after which progress shows
_PRESSES, _PRESS_SECONDS = 4, 8.0
GENERAL, PARTNERS, DM = "general", "partners", "dm"


@dataclass(frozen=True)
class Seen:
    """What the asker has at the end: answers that are missing, and messages too many."""

    lost: int = 0
    doubled: int = 0

    def __add__(self, other: "Seen") -> "Seen":
        return Seen(self.lost + other.lost, self.doubled + other.doubled)


Points = tuple[str, ...]
Act = Callable[[Lane, Points], Awaitable[Seen]]


def finished(message: Json) -> bool:
    """Whether a message shows its last word."""
    return all(block.get("block_id") != "progress" for block in message.get("blocks", []))


def buttons(value: Any) -> list[Json]:
    """Every button in a message."""
    if isinstance(value, dict):
        own = [value] if value.get("type") == "button" else []
        return own + [found for inner in value.values() for found in buttons(inner)]
    if isinstance(value, list):
        return [found for inner in value for found in buttons(inner)]
    return []


def counted(messages: list[Json], expected: int, *, holding: str = "") -> Seen:
    """How far what stands there is from ``expected`` messages, the last one ``holding`` that."""
    good = [message for message in messages if finished(message)]
    if good and holding not in str(good[-1]["blocks"]):
        good.pop()
    return Seen(max(0, expected - len(good)), max(0, len(messages) - expected))


async def _said(lane: Lane, text: str, *, channel: str = GENERAL, thread: str = "") -> str:
    more = {"thread_ts": thread} if thread else {}
    return str((await lane.post("say", user="alice", channel=channel, text=text, **more))["ts"])


async def _all_there(
    lane: Lane, channel: str, thread: str, count: int, *, since: str = ""
) -> list[Json]:
    """The bot's messages once ``count`` are finished and nobody has anything left to do."""

    async def there() -> bool:
        found = await _since(lane, channel, thread, since)
        return len(found) >= count and all(map(finished, found))

    await lane.dead()
    with contextlib.suppress(TimeoutError):  # what is missing is counted
        await lane.until(there)
    await lane.settled()
    return await _since(lane, channel, thread, since)


async def _since(lane: Lane, channel: str, thread: str, since: str) -> list[Json]:
    found = await lane.ours(channel, "alice", thread)
    return [message for message in found if str(message["ts"]) > since]


async def ask(lane: Lane, points: Points) -> Seen:
    """A mention, answered in its thread."""
    lane.arm(points)
    thread = await _said(lane, QUESTION)
    return counted(await _all_there(lane, GENERAL, thread, 1), 1, holding=QUOTE)


async def ask_slowly(lane: Lane, points: Points) -> Seen:
    """A mention whose answer takes so long that progress is shown."""
    lane.arm(points, pause=SLOW)
    thread = await _said(lane, QUESTION)
    return counted(await _all_there(lane, GENERAL, thread, 1), 1, holding=QUOTE)


async def clarify(lane: Lane, points: Points) -> Seen:
    """A question that is asked back; then the reply, undisturbed, and its answer."""
    lane.arm(points)
    thread = await _said(lane, UNCLEAR)
    asked_back = counted(await _all_there(lane, GENERAL, thread, 1), 1)
    await _said(lane, QUESTION.partition("> ")[2], thread=thread)
    return asked_back + counted(await _all_there(lane, GENERAL, thread, 2), 2, holding=QUOTE)


async def reply(lane: Lane, points: Points) -> Seen:
    """The reply to a question that was asked back."""
    lane.arm(())
    thread = await _said(lane, UNCLEAR)
    await _all_there(lane, GENERAL, thread, 1)
    lane.arm(points)
    await _said(lane, QUESTION.partition("> ")[2], thread=thread)
    return counted(await _all_there(lane, GENERAL, thread, 2), 2, holding=QUOTE)


async def ask_among_strangers(lane: Lane, points: Points) -> Seen:
    """In a channel shared with another organisation: a neutral word there, the answer by DM."""
    await lane.begin_anew()  # a process opens each person's direct messages once
    lane.arm(points)
    thread = await _said(lane, QUESTION, channel=PARTNERS)
    told = await _all_there(lane, DM, "", 1, since=thread)
    room = await lane.ours(PARTNERS, "alice", thread)
    return counted(told, 1, holding=QUOTE) + counted(room, 1)


async def ask_by_command(lane: Lane, points: Points) -> Seen:
    """`/ask`. Slack sends a command once, so where it was not taken Slack itself says so."""
    lane.arm(points)
    mark = await _said(lane, "-", channel=GENERAL)
    text = QUESTION.partition("> ")[2]
    await lane.post("command", user="alice", channel=GENERAL, command="ask", text=text)
    await lane.dead()
    await lane.settled()
    if await _refused_by_slack(lane, mark):
        # It may have been stored all the same, and is answered once then.
        found = await _since(lane, DM, "", mark)
        return counted(found, min(1, len(found)))
    return counted(await _all_there(lane, DM, "", 1, since=mark), 1, holding=QUOTE)


async def _refused_by_slack(lane: Lane, since: str) -> bool:
    query = {"channel": GENERAL, "as": "alice"}
    seen = (await lane.get("messages", **query))["messages"]
    return any(
        str(row["ts"]) > since and "failed with the error" in str(row.get("text")) for row in seen
    )


async def take_back(lane: Lane, points: Points) -> Seen:
    """A question deleted while it is worked on: nothing of ours stays."""
    lane.arm((), pause=SLOW)
    thread = await _said(lane, QUESTION)
    await lane.until(lambda: lane.ours(GENERAL, "alice", thread))
    lane.arm(points, pause=SLOW)
    await lane.post("delete", user="alice", channel=GENERAL, ts=thread)
    await lane.dead()
    await lane.settled()
    return counted(await lane.ours(GENERAL, "alice", thread), 0)


async def meddle(lane: Lane, points: Points) -> Seen:
    """Somebody else presses the asker's option and is told so; then the asker replies."""
    lane.arm(())
    thread = await _said(lane, UNCLEAR)
    asked_back = (await _all_there(lane, GENERAL, thread, 1))[0]
    lane.arm(points)
    await _click(lane, "bob", asked_back, buttons(asked_back)[0])
    await lane.dead()
    await lane.settled()
    await _said(lane, QUESTION.partition("> ")[2], thread=thread)
    return counted(await _all_there(lane, GENERAL, thread, 2), 2, holding=QUOTE)


async def look(lane: Lane, points: Points) -> Seen:
    """A quote opened in its context; who was cut off presses again."""
    lane.arm(())
    thread = await _said(lane, QUESTION)
    answer = (await _all_there(lane, GENERAL, thread, 1))[0]
    button = next(one for one in buttons(answer) if one["action_id"].startswith("open_context"))
    await lane.post("close", user="bob", all=True)
    lane.arm(points)
    while lane.plan.left():
        await _click(lane, "bob", answer, button)
        await lane.settled()
    await _open(lane, answer, button)
    return counted(await lane.ours(GENERAL, "alice", thread), 1, holding=QUOTE)


async def _open(lane: Lane, answer: Json, button: Json) -> None:
    """Press until the window shows the quote: a press that comes too late opens nothing."""

    async def opened() -> bool:
        view = (await lane.get("modal", **{"as": "bob"}))["view"]
        return QUOTE in str(view)

    for _ in range(_PRESSES):
        await _click(lane, "bob", answer, button)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PRESS_SECONDS):
                await lane.until(opened)
                return
    raise TimeoutError("the window does not open")


async def _click(lane: Lane, user: str, message: Json, button: Json) -> None:
    await lane.post(
        "click",
        user=user,
        channel=GENERAL,
        ts=message["ts"],
        action_id=button["action_id"],
        value=button.get("value"),
    )

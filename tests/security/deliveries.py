"""Slack's deliveries at a running bot behind its signed door, and what people see of them."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from bot.playground import Settings, start
from tests.bot.slack.conftest import Bot, Company, finished, http_bot, shown
from tests.bot.slack.scripted import QUOTE
from tests.bot.slack.signing import send
from tests.playground.conftest import Driver, Json, until

Delivery = Mapping[str, Any]
Act = Callable[[Driver], Awaitable[object]]

PLACES = {
    "T1": "T0PLAYGROUND",
    "A1": "A0FOOTNOTE1",
    "UBOT": "U0FOOTNOTE1",
    "U1": "U0ALICE0001",
    "U2": "U0CAROL0001",
    "C1": "C0GENERAL01",
}
"""What payloads name, and what it is called in the playground."""

_LENGTH = re.compile(r"(.)\.\.\.<(\d+)>")

ASKED = "1700000000.000100"
"""The message that payloads are about."""


@dataclass
class Scene:
    """A bot in a playground of its own, and what was delivered to it."""

    bot: Bot
    url: str
    driver: Driver
    asked: str
    statuses: list[int] = field(default_factory=list)

    async def deliver(self, *deliveries: Delivery, **signed: Any) -> None:
        """Send these one after another, signed as Slack does."""
        for delivery in deliveries:
            body = json.dumps(placed(delivery, asked=self.asked)).encode()
            self.statuses.append(await send(self.url, body, **signed))

    async def ours(self, channel: str = "general", person: str = "alice") -> list[Json]:
        """The bot's messages that a person sees in a channel, threads included."""
        found = await self.driver.messages(channel, person)
        roots = {str(message.get("thread_ts") or message["ts"]) for message in found}
        for root in roots:
            found += await self.driver.messages(channel, person, root)
        ours = {message["ts"]: message for message in found if message.get("bot_id")}
        return list(ours.values())

    async def begun(self) -> None:
        """Until the pipeline runs."""

        async def runs() -> bool:
            return bool(self.bot.pipeline.runs)

        await until(runs, seconds=20.0)

    async def answered(self, count: int) -> list[str]:
        """What is shown once there are ``count`` finished messages, and a while after."""

        async def there() -> bool:
            found = await self.ours()
            return len(found) >= count and all(map(finished, found))

        await until(there, seconds=20.0)
        await asyncio.sleep(0.5)
        return [shown(message) for message in await self.ours()]


def placed(delivery: Delivery, *, asked: str) -> Json:
    """The delivery as this playground's, about the message ``asked``."""
    text = at_length(json.dumps(delivery))
    for name, ours in PLACES.items():
        text = text.replace(f'"{name}"', f'"{ours}"').replace(f"<@{name}>", f"<@{ours}>")
    second, _, place = asked.partition(".")
    text = text.replace(ASKED, asked).replace("1700000000.000101", f"{second}.{int(place) + 1:06}")
    made: Json = json.loads(text.replace("17000000", second[:8]))
    return made


def at_length(text: str) -> str:
    """The text whose last letter stands as often as a mark like ``...<40000>`` says."""
    return _LENGTH.sub(lambda found: found[1] * int(found[2]), text)


@asynccontextmanager
async def scene(folder: Path, *, slow: bool = False) -> AsyncIterator[Scene]:
    """Everything opened below ``folder``; a ``slow`` reader takes a second or two."""
    playground = await start(Settings(data=folder / "playground", retry_scale=0.01))
    company = Company(folder / "data")
    await company.seed(team=playground.team_id)
    pause = (lambda _request: 1.5) if slow else (lambda _request: 0.0)
    async with (
        aiohttp.ClientSession() as session,
        http_bot(company, playground, pause=pause) as (bot, url),
    ):
        driver = Driver(playground, session)
        said = await driver.post("say", user="alice", channel="general", text="about loans")
        yield Scene(bot=bot, url=url, driver=driver, asked=str(said["ts"]))
    await company.database.close()
    await playground.close()


async def answers(stage: Scene, deliveries: Sequence[Delivery], *, count: int = 1) -> list[str]:
    """So many answers, each once."""
    await stage.deliver(*deliveries)
    told = await stage.answered(count)
    wrong = [] if len(told) == count else [f"{len(told)} messages"]
    wrong += [] if all(QUOTE in text for text in told) else [f"{told} instead of answers"]
    return wrong if len(stage.bot.pipeline.runs) == count else [*wrong, "run more than once"]


async def silence(stage: Scene, deliveries: Sequence[Delivery]) -> list[str]:
    """Nobody is told anything, and nothing is read."""
    await stage.deliver(*deliveries)
    await asyncio.sleep(1.0)
    told = [*await stage.ours(), *await stage.ours("dm")]
    wrong = [f"{len(told)} messages"] if told else []
    wrong += ["something was read"] if stage.bot.pipeline.runs else []
    return wrong + [f"status {status}" for status in stage.statuses if status >= 500]


async def note(stage: Scene, deliveries: Sequence[Delivery]) -> list[str]:
    """One friendly word, and nothing is read."""
    await stage.deliver(*deliveries)
    told = await stage.answered(1)
    wrong = [] if len(told) == 1 else [f"{len(told)} messages"]
    return [*wrong, "something was read"] if stage.bot.pipeline.runs else wrong


async def received(stage: Scene, deliveries: Sequence[Delivery]) -> list[str]:
    """Slack hears 200, and that is all."""
    wrong = await silence(stage, deliveries)
    return wrong + [f"status {status}" for status in stage.statuses if status != 200]


async def private(stage: Scene, deliveries: Sequence[Delivery]) -> list[str]:
    """The room gets the neutral word, the asker alone the answer."""
    await stage.deliver(*deliveries)
    told = await stage.answered(1)

    async def answered() -> bool:
        found = await stage.ours("dm")
        return any(QUOTE in shown(message) for message in found)

    await until(answered, seconds=20.0)
    return ["the room was told"] if any(QUOTE in text for text in told) else []


async def edited(stage: Scene, deliveries: Sequence[Delivery]) -> list[str]:
    """The new words are answered in place of the old ones."""
    await stage.deliver(deliveries[0])
    await stage.answered(1)
    await stage.deliver(*deliveries[1:])

    async def again() -> bool:
        return len(stage.bot.pipeline.runs) == 2

    await until(again, seconds=20.0)
    told = await stage.answered(1)
    return [] if len(told) == 1 else [f"{len(told)} competing messages"]


async def gone(stage: Scene, deliveries: Sequence[Delivery]) -> list[str]:
    """What was answered is taken away with its question."""
    await stage.deliver(deliveries[0])
    await stage.answered(1)
    await stage.deliver(*deliveries[1:])

    async def away() -> bool:
        return all(QUOTE not in shown(message) for message in await stage.ours())

    await until(away, seconds=20.0)
    return []


async def never(stage: Scene, deliveries: Sequence[Delivery]) -> list[str]:
    """The question goes while it is being worked on: no answer of it is ever shown."""
    await stage.deliver(deliveries[0])
    await stage.begun()
    await stage.deliver(*deliveries[1:])
    await asyncio.sleep(4.0)
    told = [shown(message) for message in await stage.ours()]
    return ["it was answered"] if any(QUOTE in text for text in told) else []


async def refused(stage: Scene, deliveries: Sequence[Delivery]) -> list[str]:
    """A secret that is not ours signed it: 401, whatever it holds."""
    await stage.deliver(*deliveries, secret="another-app")
    return [f"status {status}" for status in stage.statuses if status != 401]


def meanwhile(act: Act) -> Callable[[Scene, Sequence[Delivery]], Awaitable[list[str]]]:
    """The room changes while the question is worked on: no answer may stay in it."""

    async def judge(stage: Scene, deliveries: Sequence[Delivery]) -> list[str]:
        await stage.deliver(deliveries[0])
        await stage.begun()
        await act(stage.driver)
        await stage.deliver(*deliveries[1:])
        await asyncio.sleep(4.0)
        told = [shown(message) for message in await stage.ours(person="bob")]
        return ["the room was told"] if any(QUOTE in text for text in told) else []

    return judge

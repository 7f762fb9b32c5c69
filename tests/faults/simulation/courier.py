"""Slack's side of a request: its shape, its retries, and the ways it can go wrong."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from handlers import ACTIONS, COMMANDS, EVENTS
from handlers.deps import Deps
from handlers.payloads import Payload
from tests.faults.simulation.crew import Crew
from tests.faults.simulation.slack import BOT_USER, TEAM, Json
from tests.faults.simulation.weather import Weather

RETRIES = (0.2, 60.0, 300.0)
"""Seconds after which Slack sends an event again that was not acknowledged."""


@dataclass
class Courier:
    """Brings events to the bot as often as Slack would."""

    crew: Crew
    weather: Weather
    rng: random.Random
    numbers: int = 0

    def number(self) -> int:
        self.numbers += 1
        return self.numbers

    async def event(self, event: Json, ident: str = "") -> bool:
        """Deliver an event until it is acknowledged; whether it ever was."""
        body = {
            "event_id": ident or f"Ev{self.number():06}",
            "team_id": TEAM,
            "authorizations": [{"team_id": TEAM, "user_id": BOT_USER, "is_bot": True}],
            "event": event,
        }
        listener = EVENTS[event["type"]]
        for wait in (0.0, *RETRIES):
            await asyncio.sleep(wait)
            if await self._once(lambda deps: listener(deps, _payload(body))):
                if self.weather.strikes("event: delivered again"):
                    self._again(lambda deps: listener(deps, _payload(body)))
                return True
        return False

    async def press(self, body: Json) -> bool:
        """A pressed button is delivered once; people press again when nothing happens."""
        listener = ACTIONS[body["actions"][0]["action_id"]]
        for _ in range(4):
            if await self._once(lambda deps: listener(deps, _payload(body))):
                return True
            await asyncio.sleep(5.0 + self.rng.random() * 20.0)
        return False

    async def command(self, body: Json) -> bool:
        """A slash command is delivered once."""
        listener = COMMANDS[body["command"]]
        return await self._once(lambda deps: listener(deps, _payload(body)))

    async def _once(self, work: Callable[[Deps], Any]) -> bool:
        if self.weather.strikes("event: late"):
            await asyncio.sleep(self.rng.random() * 20.0)
        if self.weather.strikes("event: lost on the way"):
            await asyncio.sleep(3.0)
            return False
        await asyncio.sleep(self.rng.random() * 0.2)
        heard = await self.crew.received(work)
        return heard and not self.weather.strikes("event: acknowledgement lost")

    def _again(self, work: Callable[[Deps], Any]) -> None:
        for _ in range(self.rng.randint(1, 3)):
            asyncio.get_running_loop().create_task(self._later(work))

    async def _later(self, work: Callable[[Deps], Any]) -> None:
        await asyncio.sleep(self.rng.random() ** 3 * 90.0)
        await self._once(work)


def _payload(body: Json) -> Payload:
    return Payload(body=body, app_user_id=BOT_USER)

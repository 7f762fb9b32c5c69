"""A town's days under a witness: people ask three readers, and nothing may reach wrong eyes."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from rag.values import Request
from tests.faults.redis_server import free_port
from tests.security.changes import Changes
from tests.security.collector import collecting
from tests.security.days import Day
from tests.security.fake_readers import three
from tests.security.life import Life, living
from tests.security.rights import Rights
from tests.security.town import Town, built
from tests.security.witness import Witness, listening_to_logs

_READY = "honest"
_TAKEN_BACK_SECONDS = 60.0  # after a change of rights
_STILL_SECONDS = 1.0
_CACHED_SECONDS = 1  # for how long the bot may know who is in a room


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What was done, where canaries were looked for and seen, and what was wrong.

    ``standing``: messages that were still before wrong eyes a minute after a change of
    rights, by what it was that changed.
    """

    questions: int
    pressed: int
    canaries: int
    looked: Counter[str]
    seen: Counter[str]
    ends: Counter[str]
    changes: Counter[str]
    violations: list[str]
    standing: list[str]


async def canary_run(
    folder: Path,
    *,
    seed: int,
    rounds: Mapping[str, int],
    size: int,
    changing: bool = False,
    say: Callable[[str], None] = lambda line: None,
    **settings: Any,
) -> Outcome:
    """So many rounds of ``size`` questions with each reader by name; everything is looked at.

    ``changing``: rights change between two rounds. ``settings`` are the bot's.
    """
    town, readers = built(seed), three(seed)
    witnesses: list[Witness] = []

    def hear(request: Request, text: str) -> None:
        witnesses[0].prompt(request, text)

    own = {"metrics_port": free_port(), "membership_cache_seconds": _CACHED_SECONDS}
    settings = own | settings
    with collecting() as spans:
        settings["otel_exporter_otlp_endpoint"] = spans.url
        async with living(town, folder, make=readers[_READY], hear=hear, **settings) as life:
            witness = Witness(life.running, Rights(life.running.workspace, town.owner))
            witnesses.append(witness)
            with listening_to_logs(witness):
                run = _Run(life, witness, seed, changing=changing)
                for name, number in rounds.items():
                    life.make = readers[name]
                    for _ in range(number):
                        await run.round(size)
                        say(f"{name}: {run.day.asked} questions, {len(witness.violations)} wrong")
            await run.figures(settings["metrics_port"])
        witness.text("traces", spans.text)
    witness.files(life.home, life.temporary)
    return run.outcome(town)


class _Run:
    def __init__(self, life: Life, witness: Witness, seed: int, *, changing: bool) -> None:
        chance = random.Random(seed)  # noqa: S311 - repeatable, no secret
        self.day = Day(life, chance)
        self._life = life
        self._witness = witness
        self._changes = Changes(life, witness.rights, chance) if changing else None
        self._changed: Counter[str] = Counter()
        self._standing: list[str] = []

    async def round(self, size: int) -> None:
        if self._changes is not None:
            await self._change(self._changes)
        await self.day.round(size)
        self._witness.collect()
        client = Redis.from_url(self._life.redis_url, decode_responses=True)
        await self._witness.redis(client)
        await client.aclose()

    async def _change(self, changes: Changes) -> None:
        await self._life.quiet(_STILL_SECONDS)  # what is shown yet is shown on the old rights
        self._witness.collect()
        what = await changes.one()
        self._witness.changed = (what, time.time())
        self._changed[what] += 1
        until = time.monotonic() + _TAKEN_BACK_SECONDS
        await asyncio.sleep(_CACHED_SECONDS + 0.1)  # what was known before is not any more
        await self._life.quiet()
        while self._witness.standing() and time.monotonic() < until:
            await asyncio.sleep(0.5)
            await self._life.quiet()
        self._witness.collect()
        self._standing += [f"{where} after {what}" for where in self._witness.standing()]

    async def figures(self, port: int) -> None:
        """What the program shows of itself."""
        async with self._life.session.get(f"http://127.0.0.1:{port}/metrics") as answer:
            self._witness.text("metrics", await answer.text())

    def outcome(self, town: Town) -> Outcome:
        state = self._life.running.workspace.state
        texts = [
            row["text"]
            for channel in state.rows("channel")
            for row in self._life.bot_messages(channel)
        ]
        return Outcome(
            questions=self.day.asked,
            pressed=self.day.pressed,
            canaries=len(town.owner),
            looked=self._witness.looked,
            seen=self._witness.seen,
            ends=Counter(text[:45] for text in texts),
            changes=self._changed,
            violations=self._witness.violations,
            standing=self._standing,
        )

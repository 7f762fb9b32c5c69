"""`script/bench drift`: who reads along changes at any moment, and no answer stays before them.

The whole program with the demo company. Each round asks in a room of its own and changes who
reads after a random time, in turn from the question on, which is mostly between two stages,
and from when the answer is shown.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bot.evaluation.run import percentile
from bot.settings import load_settings
from bot.wiring import World, open_world
from tests.acceptance.slack_demo import Json, Workspace, environment, footnote, shown

QUESTION = "<@footnote> 借用示例设备要登记什么？借用超过七天怎么办？"
QUOTED = "设备编号"
SOURCE = "handbook"
_LATEST_SECONDS = 2.0
_SETTLED_SECONDS = 15.0
_QUIET_SECONDS = 1.5

Change = Callable[["Scene", str], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The workspace and, beside it, the record that the bot works on."""

    workspace: Workspace
    world: World

    async def readers(self, *names: str) -> None:
        await self.world.catalogue.set_readers(tenant="demo", source_id=SOURCE, readers=names)

    async def furnish(self, room: str) -> None:
        """A room with a member of its own, for whoever was a guest counts as one for a minute."""
        await self.workspace.post("users", {"name": f"member-of-{room}"})
        members = ["alice", "bob", f"member-of-{room}", "footnote"]
        await self.workspace.post("channels", {"name": room, "members": members})


async def _guest_joins(scene: Scene, room: str) -> None:
    await scene.workspace.post("members", {"channel": room, "user": "carol", "action": "join"})


async def _shared(scene: Scene, room: str) -> None:
    await scene.workspace.post("channels", {"name": room, "shared_with": ["T0NORTHWIND"]})


async def _becomes_a_guest(scene: Scene, room: str) -> None:
    await scene.workspace.post("users", {"name": f"member-of-{room}", "is_restricted": True})


async def _readers_shrink(scene: Scene, _room: str) -> None:
    await scene.readers("alice")


CHANGES: dict[str, Change] = {
    "a guest joins": _guest_joins,
    "the channel is shared": _shared,
    "a member becomes a guest": _becomes_a_guest,
    "the source loses readers": _readers_shrink,
}


@dataclass(frozen=True, kw_only=True)
class Round:
    """One change. ``seconds`` until nothing was shown; None where nothing was shown before."""

    what: str
    seconds: float | None
    leaked: bool


async def _shows(workspace: Workspace, room: str, thread: str) -> bool:
    seen = await workspace.seen("bob", room, thread=thread)
    return any(QUOTED in shown(message) for message in seen if message.get("bot_id"))


async def _until_hidden(workspace: Workspace, room: str, thread: str) -> bool:
    """Whether nothing is shown, and nothing comes for a while, before the time is up."""
    end, hidden = time.monotonic() + _SETTLED_SECONDS, 0.0
    while time.monotonic() < end:
        if await _shows(workspace, room, thread):
            hidden = 0.0
        elif not hidden:
            hidden = time.monotonic()
        elif time.monotonic() - hidden > _QUIET_SECONDS and await _ended(workspace, room, thread):
            return True
        await asyncio.sleep(0.02)
    return False


async def _ended(workspace: Workspace, room: str, thread: str) -> bool:
    seen = await workspace.seen("bob", room, thread=thread)
    return not any(_goes_on(message) for message in seen)


def _goes_on(message: Json) -> bool:
    return any(block.get("block_id") == "progress" for block in message.get("blocks", []))


async def _until_shown(workspace: Workspace, room: str, thread: str) -> None:
    end = time.monotonic() + 60.0
    while not await _shows(workspace, room, thread):
        assert time.monotonic() < end, "no answer came, so nothing can be withdrawn"
        await asyncio.sleep(0.02)


async def _round(scene: Scene, what: str, room: str, after: float, *, shown_first: bool) -> Round:
    workspace = scene.workspace
    await scene.furnish(room)
    thread = await workspace.say("alice", room, QUESTION)
    if shown_first:
        await _until_shown(workspace, room, thread)
    await asyncio.sleep(after)
    before = await _shows(workspace, room, thread)
    await CHANGES[what](scene, room)
    began = time.monotonic()
    while before and time.monotonic() - began < _SETTLED_SECONDS:
        if not await _shows(workspace, room, thread):
            break
        await asyncio.sleep(0.02)
    seconds = time.monotonic() - began if before else None
    leaked = not await _until_hidden(workspace, room, thread)
    await scene.readers("everyone")
    return Round(what=what, seconds=seconds, leaked=leaked)


@asynccontextmanager
async def _demo() -> AsyncIterator[Scene]:
    with tempfile.TemporaryDirectory(prefix="drift-") as folder:
        data = Path(folder)
        env = environment(data, FOOTNOTE_FAIR_USE__PERSON_MINUTE="10000")
        async with (
            footnote("demo", "--port", "0", "--no-browser", env=env) as (_, line),
            aiohttp.ClientSession() as session,
            open_world(load_settings(data=data)) as world,
        ):
            workspace = Workspace(line.removeprefix("ready: "), session)
            yield Scene(workspace=workspace, world=world)


async def measured(rounds: int, *, seed: int) -> list[Round]:
    """So many rounds of every change, in turn."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, no secret
    done = []
    async with _demo() as scene:
        for number in range(rounds):
            for index, what in enumerate(CHANGES):
                after = chance.uniform(0.0, _LATEST_SECONDS)
                room, late = f"room-{number}-{index}", number % 2 == 1
                done.append(await _round(scene, what, room, after, shown_first=late))
    return done


def told(rounds: Sequence[Round]) -> str:
    """A line for each change, and one for all."""
    lines = [_line(what, [one for one in rounds if one.what == what]) for what in CHANGES]
    return "\n".join([*lines, _line("all", rounds)])


def _line(name: str, rounds: Sequence[Round]) -> str:
    leaks = sum(one.leaked for one in rounds)
    seconds = [one.seconds for one in rounds if one.seconds is not None]
    text = f"{name}: n={len(rounds)}, left before wrong eyes {leaks}"
    if not seconds:
        return f"{text}, none was shown before the change"
    p50, p95 = percentile(seconds, 50), percentile(seconds, 95)
    took = f"withdrawn in p50 {p50:.2f} s, p95 {p95:.2f} s, longest {max(seconds):.2f} s"
    return f"{text}; {len(seconds)} shown before the change: {took}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="of each kind of change")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rounds = asyncio.run(measured(given.rounds, seed=given.seed))
    sys.stdout.write(told(rounds) + "\n")
    sys.exit(1 if any(one.leaked for one in rounds) else 0)


if __name__ == "__main__":
    main()

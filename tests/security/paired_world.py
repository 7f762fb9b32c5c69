"""One of two paired worlds as a process: takes steps as lines of JSON, says what was observed.

python -m tests.security.paired_world FOLDER SEED present|absent
"""

import asyncio
import json
import logging
import sys
import time
from pathlib import Path
from typing import Any

from rag.readers.extractive import ExtractiveReader
from rag.values import Request
from tests.security.days import buttons_in
from tests.security.life import Life, living
from tests.security.observing import Observer
from tests.security.paired_town import paired
from tests.security.town import user_id

Json = dict[str, Any]

_PRIVILEGED = "member0"


class Stage:
    """Plays steps, one at a time or a handful at once."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._observer = Observer(life.running)
        self._presses = 0

    async def play(self, steps: list[Json]) -> Json:
        """All of them at once; what was observed when all is quiet, and the seconds it took."""
        began = time.time()
        await asyncio.gather(*(self._one(step) for step in steps))
        await self._life.quiet()
        calls = self._life.running.workspace.state.rows("call").values()
        ended = max((row["at"] for row in calls if row["method"].startswith("chat.")), default=0.0)
        own = self._private_talk()
        return {"seconds": max(0.0, ended - began), "news": self._observer.news(but=own)}

    def _private_talk(self) -> str:
        """The direct messages of the one who may read the hidden documents."""
        rows = self._life.running.workspace.state.rows("channel").values()
        owner = user_id(_PRIVILEGED)
        return next((row["id"] for row in rows if row["is_im"] and row["user"] == owner), "")

    async def _one(self, step: Json) -> None:
        do, rest = step["do"], {key: step[key] for key in step if key != "do"}
        if do == "ask":
            mention = "" if step["channel"] == "dm" else "<@footnote> "
            await self._life.say(step["user"], step["channel"], mention + step["text"])
        elif do == "press":
            await self._press_all(step["user"], step["channel"])
        else:
            await self._life.post(do, **rest)

    async def _press_all(self, person: str, channel: str) -> None:
        """Each kind of button of the last answer there, one after another."""
        answers = self._life.bot_messages(self._life.channel_of(person, channel))
        pressed = set()
        for button in buttons_in(answers[-1].get("blocks") if answers else []):
            action = button["action_id"]
            if action not in pressed:
                pressed.add(action)
                where = {"user": person, "channel": channel, "ts": answers[-1]["ts"]}
                await self._life.post("click", **where, action_id=action, value=button.get("value"))
                await self._life.quiet()


async def main(folder: Path, seed: int, present: str) -> None:
    """Live until standard input ends."""
    town = paired(seed, hidden=present == "present")

    def hear(_request: Request, _text: str) -> None: ...

    async with living(
        town, folder, make=ExtractiveReader, hear=hear, membership_cache_seconds=60
    ) as life:
        stage = Stage(life)
        _say({"ready": True})
        while line := await asyncio.to_thread(sys.stdin.readline):
            _say(await stage.play(json.loads(line)))


def _say(what: Json) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    logging.basicConfig(level="ERROR")
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))

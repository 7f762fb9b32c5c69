"""`footnote work` with a reader that takes its time; its settings come on standard input."""

import asyncio
import sys
from dataclasses import replace

from bot import serve
from bot.settings import Settings
from bot.starting import slack_setup
from bot.wiring import open_world, working_context
from rag.ports import AnswerRequest, PlanRequest, Reader, SelectRequest, SupportRequest
from rag.values import Draft, Plan, Selection, Support


class Slow:
    """A reader that waits before each call, as for a model somewhere else."""

    def __init__(self, inner: Reader, seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def prompt_version(self) -> str:
        return self._inner.prompt_version

    async def plan(self, request: PlanRequest) -> Plan:
        await asyncio.sleep(self._seconds)
        return await self._inner.plan(request)

    async def select(self, request: SelectRequest) -> Selection:
        await asyncio.sleep(self._seconds)
        return await self._inner.select(request)

    async def answer(self, request: AnswerRequest) -> Draft:
        await asyncio.sleep(self._seconds)
        return await self._inner.answer(request)

    async def support(self, request: SupportRequest) -> Support:
        await asyncio.sleep(self._seconds)
        return await self._inner.support(request)


async def main(settings: Settings, seconds: float) -> None:
    """Work until told to stop, for every tenant of the record."""
    async with open_world(settings) as world, working_context(settings) as context:
        slow = replace(world, reader=Slow(world.reader, seconds))
        setup = slack_setup(slow, context)
        # Rights are the record's own: this Slack knows nobody.
        setup = replace(setup, build_catalogue=lambda _directory: world.catalogue)
        await serve.work(setup)


if __name__ == "__main__":
    asyncio.run(main(Settings.model_validate_json(sys.stdin.readline()), float(sys.argv[1])))

"""A process that is told to stop ends in time, whatever does not answer it."""

import asyncio
import signal

from bot.inbound.receiving import GRACE_SECONDS
from bot.playground import Running
from bot.queue.engine import system_url
from tests.bot.slack.conftest import Company, on_both
from tests.bot.slack.queue_rows import locked_queue
from tests.bot.slack.test_kills import begun, bot_process
from tests.playground.conftest import Driver, until

_ENDLESS = "<@footnote> What does a loan need? Be endless."
_STOP_SECONDS = 3.0


@on_both
async def test_a_queue_that_cannot_be_written_keeps_no_process(
    company: Company, running: Running, driver: Driver
) -> None:
    async def begins() -> bool:
        return await asyncio.to_thread(begun, company, "%.answer") is not None

    seconds = (str(GRACE_SECONDS), str(_STOP_SECONDS))
    async with bot_process(company, running, *seconds) as process:
        await driver.post("say", user="alice", channel="general", text=_ENDLESS)
        await until(begins, seconds=10.0)
        with locked_queue(system_url(company.url, company.folder)):
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), 3 * _STOP_SECONDS) == -signal.SIGKILL

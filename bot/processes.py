"""The bot as a process of its own, beside the local workspace."""

import asyncio
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Thread

from bot.errors import ProcessFailed
from bot.settings import Settings, child_environment

_READY_SECONDS = 60.0
_STOP_SECONDS = 20.0


@asynccontextmanager
async def bot_process(settings: Settings, *, api_url: str) -> AsyncIterator[Process]:
    """`footnote serve --work` against ``api_url``, ended with the block.

    Entered once the bot says that it is ready. The bot ends by itself when this
    process dies, however it dies. Raises `ProcessFailed` when the bot ends before
    it is ready, or says nothing for a minute.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "serve", "--work", "--until-stdin-closes"),
        stdin=PIPE,
        stdout=PIPE,
        env=_environment(settings, api_url),
    )
    try:
        await _until_ready(process)
        yield process
    finally:
        await _stop(process)


def end_with_parent(held: int) -> None:
    """Ask this process to end once the pipe ``held`` is at its end, and insist after 20 seconds.

    The writing end lies with the parent alone, so the kernel closes it even when
    the parent is killed and can tell nobody.
    """
    Thread(target=_end_after, args=(held,), daemon=True).start()


def _end_after(held: int) -> None:
    while os.read(held, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_STOP_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def _environment(settings: Settings, api_url: str) -> dict[str, str]:
    return child_environment(
        FOOTNOTE_DATA=str(settings.data),
        FOOTNOTE_SLACK_API_URL=api_url,
        FOOTNOTE_SLACK_MODE="socket",
        FOOTNOTE_TENANT="demo",
        SLACK_BOT_TOKEN="xoxb-playground",  # noqa: S106 - fixed and public
        SLACK_APP_TOKEN="xapp-playground",  # noqa: S106 - fixed and public
        SLACK_SIGNING_SECRET="playground-secret",  # noqa: S106 - fixed and public
    )


async def _until_ready(process: Process) -> None:
    assert process.stdout is not None  # noqa: S101 - tells the type checker: it is a pipe
    try:
        line = await asyncio.wait_for(process.stdout.readline(), _READY_SECONDS)
    except TimeoutError as error:
        raise ProcessFailed("the bot did not become ready within a minute") from error
    if not line.startswith(b"ready"):
        raise ProcessFailed("the bot ended before it was ready; its reason stands above")


async def _stop(process: Process) -> None:
    if process.returncode is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), _STOP_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()

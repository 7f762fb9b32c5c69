"""The bot as a process of its own, beside the local workspace."""

import asyncio
import logging
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

log = logging.getLogger(__name__)

_READY_SECONDS = 60.0
_STOP_SECONDS = 20.0
_INSIST_SECONDS = 18.0  # whoever asks a process to end waits for 20


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


def insist(seconds: float = _INSIST_SECONDS) -> None:
    """End this process after so many seconds, whatever keeps it.

    A thread that waits for a database which does not answer would, for as long as that takes.
    """
    Thread(target=_kill_after, args=(seconds,), daemon=True).start()


def _kill_after(seconds: float) -> None:
    time.sleep(seconds)
    log.error("what was to be stopped could not be within %.0f s; the process ends now", seconds)
    os.kill(os.getpid(), signal.SIGKILL)


def _end_after(held: int) -> None:
    while os.read(held, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    _kill_after(_STOP_SECONDS)


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

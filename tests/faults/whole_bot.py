"""The whole bot in the test's own process: the demo company, the real pipeline, a named Redis."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bot import serve
from bot.settings import Settings, load_settings
from bot.starting import slack_setup, traced
from bot.wiring import World, open_world, working_context


def settings_of(data: Path, *, api_url: str, redis_url: str, **more: Any) -> Settings:
    own: dict[str, Any] = {"membership_cache_seconds": 0, "post_gap_seconds": 0}
    return load_settings(
        data=data,
        tenant="demo",
        slack_api_url=api_url,
        slack_bot_token=SecretStr("xoxb-playground"),
        slack_app_token=SecretStr("xapp-playground"),
        redis_url=SecretStr(redis_url),
        **(own | more),
    )


@asynccontextmanager
async def whole_bot(
    settings: Settings,
    *,
    alter_world: Callable[[World], World] = lambda world: world,
    alter_setup: Callable[[serve.Setup], serve.Setup] = lambda setup: setup,
) -> AsyncIterator[World]:
    """A bot that listens and works, for the length of the block.

    Some of it is another's where ``alter_world`` or ``alter_setup`` puts that in its place.
    """
    ready = asyncio.Event()
    async with (
        traced(settings) as spans,
        open_world(settings) as opened,
        working_context(settings) as context,
    ):
        world = alter_world(opened)
        setup = alter_setup(slack_setup(world, context, watches=spans))
        serving = asyncio.create_task(serve.serve_socket(setup, work=True, ready=ready.set))
        try:
            async with asyncio.timeout(30):
                await ready.wait()
            yield world
        finally:
            serving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await serving

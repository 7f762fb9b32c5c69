"""A reply that has reached this machine is taken in, whoever gives up waiting for it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

LAST_SECONDS = 0.5
"""What a request still has once nobody waits for it: enough to read what has arrived."""


async def taken_in(asking: Coroutine[Any, Any, T]) -> T:
    """What a request brings. A caller who is cancelled is held until it has ended too.

    A deadline may fall between the arrival of a reply and our looking at it. It is then
    still read, and kept for the next try, before the cancellation goes on.
    """
    request = asyncio.ensure_future(asking)
    try:
        return await asyncio.shield(request)
    except asyncio.CancelledError:
        await _let_go(request)
        raise


async def _let_go(request: "asyncio.Task[Any]") -> None:
    ending = asyncio.get_running_loop().call_later(LAST_SECONDS, request.cancel)
    while not request.done():
        try:
            await asyncio.wait({request})
        except asyncio.CancelledError:
            continue  # once is enough: the caller goes on with the first one
    ending.cancel()
    if not request.cancelled():
        request.exception()

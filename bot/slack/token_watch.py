"""Whether Slack still takes our token; while it does not, the tenant's jobs are kept."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from bot.errors import SlackUnavailable

log = logging.getLogger(__name__)

_DEAD = frozenset(
    {
        "account_inactive",
        "invalid_auth",
        "not_authed",
        "org_login_required",
        "team_access_not_granted",
        "token_expired",
        "token_revoked",
    }
)
"""Slack's words for a token that is good for nothing."""

_NEEDED = frozenset({"chat.postMessage", "chat.update", "users.info"})
"""Without the scopes of these no question can be answered at all."""

_FIRST_SECONDS = 1.0
_LONGEST_SECONDS = 60.0
_QUIET_SECONDS = 120.0

Sleep = Callable[[float], Awaitable[None]]


def is_dead(method: str, code: str) -> bool:
    """Whether Slack's refusal concerns the token rather than what was asked."""
    return code in _DEAD or (code == "missing_scope" and method in _NEEDED)


class TokenWatch:
    """One for a token. ``reason`` is Slack's word while the token is refused, else empty."""

    def __init__(
        self,
        probe: Callable[[], Awaitable[object]],
        *,
        sleep: Sleep = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.reason = ""
        self._probe = probe
        self._sleep = sleep
        self._clock = clock
        self._pause = _FIRST_SECONDS
        self._restored_at = float("-inf")
        self._asking: asyncio.Task[None] | None = None
        self._taken = asyncio.Event()
        self._taken.set()

    def refused(self, code: str) -> None:
        """Slack refused the token: from now on it is asked, with growing pauses, until it does not.

        A token that is taken but lacks a scope counts as restored, fails again at the
        call that needs the scope, and is waited for longer each time.
        """
        known, self.reason = self.reason, code
        if known:
            return
        self._taken.clear()
        log.error("Slack refuses the bot token (%s): paused, questions are kept", code)
        if self._clock() - self._restored_at > _QUIET_SECONDS:
            self._pause = _FIRST_SECONDS
        self._asking = asyncio.create_task(self._ask_on())

    def hold(self, reason: str) -> None:
        """Take the token for refused until `release`, without asking Slack."""
        self.close()
        self.reason = reason
        self._taken.clear()

    def release(self) -> None:
        """There is another token: go on with that."""
        self.close()
        self.reason = ""
        self._taken.set()

    async def restored(self) -> None:
        """Return once Slack takes the token again."""
        await self._taken.wait()

    def close(self) -> None:
        """Ask no more."""
        if self._asking is not None:
            self._asking.cancel()

    async def _ask_on(self) -> None:
        while self.reason:
            await self._sleep(self._pause)
            self._pause = min(self._pause * 2, _LONGEST_SECONDS)
            await self._ask()

    async def _ask(self) -> None:
        try:
            await self._probe()
        except SlackUnavailable as error:
            log.info("the bot token is still refused: %s", error)
            return
        log.warning("Slack takes the bot token again: going on")
        self.reason = ""
        self._taken.set()
        self._restored_at = self._clock()

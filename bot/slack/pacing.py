"""When Slack may be called again: a method's own waiting time, and one post a second a channel."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from bot.errors import SlackRefused

RATE_LIMITED = "ratelimited"

POST = "chat.postMessage"
POST_GAP_SECONDS = 1.0  # Slack's own limit for one channel

_SLOW_SECONDS = 30.0
_SLOW_GAP_SECONDS = 1.0
_SHORTEST_SECONDS = 1.0
_LONGEST_SECONDS = 86_400.0

Sleep = Callable[[float], Awaitable[None]]
Clock = Callable[[], float]


class Pace:
    """One for a workspace in a process: whoever calls Slack passes here first.

    A method that Slack asked to wait is shut for everybody until then, and passes
    one call a second for a while after, so that those who waited do not storm in.
    """

    def __init__(
        self,
        *,
        post_gap: float = POST_GAP_SECONDS,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._post_gap = post_gap
        self._clock = clock
        self._sleep = sleep
        self._opens: dict[tuple[str, str], float] = {}
        self._slow_until: dict[str, float] = {}

    async def turn(self, method: str, channel: str, *, patience: float) -> None:
        """Return when this call may be made, at most ``patience`` seconds from now.

        Raises `SlackRefused` with `RATE_LIMITED` when it takes longer; nothing was sent.
        """
        ends = self._clock() + patience
        if self._opens.get((method, ""), 0.0) > ends:
            raise SlackRefused(method, RATE_LIMITED)
        if method == POST and channel:
            await self._pass((method, channel), method, ends=ends)
        await self._pass((method, ""), method, ends=ends)

    def limited(self, method: str, seconds: float) -> None:
        """Slack asked to wait so long before that method is called again."""
        opens = self._clock() + seconds
        self._opens[method, ""] = max(opens, self._opens.get((method, ""), 0.0))
        self._slow_until[method] = opens + _SLOW_SECONDS

    async def _pass(self, line: tuple[str, str], method: str, *, ends: float) -> None:
        while (opens := self._opens.get(line, 0.0)) > (now := self._clock()):
            if opens > ends:
                raise SlackRefused(method, RATE_LIMITED)
            await self._sleep(opens - now)
        gap = self._gap(line, method)
        if gap:
            self._opens[line] = self._clock() + gap
        else:
            self._opens.pop(line, None)

    def _gap(self, line: tuple[str, str], method: str) -> float:
        if line[1]:
            self._forget_idle()
            return self._post_gap
        return _SLOW_GAP_SECONDS if self._clock() < self._slow_until.get(method, 0.0) else 0.0

    def _forget_idle(self) -> None:
        """Channels nobody posts to any more take no room."""
        if len(self._opens) > 1_000:
            now = self._clock()
            self._opens = {line: opens for line, opens in self._opens.items() if opens > now}


def seconds_to_wait(header: str | None, *, now: Callable[[], datetime] | None = None) -> float:
    """The seconds a ``Retry-After`` header asks for: a number or a date, at most a day.

    Anything under a second, missing or senseless counts as one second.
    """
    seconds = _number(header or "")
    if seconds is None:
        seconds = _until_date(header or "", (now or (lambda: datetime.now(UTC)))())
    if not seconds >= _SHORTEST_SECONDS:  # also what is not a number at all
        return _SHORTEST_SECONDS
    return min(seconds, _LONGEST_SECONDS)


def _number(header: str) -> float | None:
    try:
        return float(header)
    except ValueError:
        return None


def _until_date(header: str, now: datetime) -> float:
    try:
        then = parsedate_to_datetime(header)
    except ValueError:
        return 0.0
    return (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp() - now.timestamp()

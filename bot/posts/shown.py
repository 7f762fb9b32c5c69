"""Which messages have shown their end: what says that work goes on comes too late there."""

from handlers.blocks.progress import BLOCK_ID
from handlers.blocks.rendered import Rendered

_REMEMBERED = 1_000


class Ends:
    """The newest messages, by channel and `ts`, of which this process has shown the end."""

    def __init__(self) -> None:
        self._ended: dict[tuple[str, str], None] = {}

    def note(self, channel: str, ts: str, rendered: Rendered) -> None:
        """``rendered`` is about to be shown there."""
        if goes_on(rendered):
            return
        self._ended[channel, ts] = None
        if len(self._ended) > _REMEMBERED:
            self._ended.pop(next(iter(self._ended)))

    def forget(self, channel: str, ts: str) -> None:
        """The message belongs to another task, which has not ended."""
        self._ended.pop((channel, ts), None)

    def is_late(self, channel: str, ts: str, rendered: Rendered) -> bool:
        """Whether ``rendered`` would take the place of an end."""
        return (channel, ts) in self._ended and goes_on(rendered)


def goes_on(rendered: Rendered) -> bool:
    """Whether this says that the work is not done yet."""
    return any(block.get("block_id") == BLOCK_ID for block in rendered.blocks)

"""Kept replies in Redis. What is lost, out of reach or damaged there is asked again."""

import logging

from pydantic import ValidationError
from redis.asyncio import Redis
from redis.exceptions import RedisError

from bot.models.remembering import Kept
from rag.values import Value

log = logging.getLogger(__name__)

_PREFIX = "footnote:reply:"


class _Stored(Value):
    """A reply beside its own key, so that an answer meant for another key shows itself."""

    key: str
    kept: Kept


class RedisReplies:
    """`bot.models.remembering.Replies`; each is kept for ``seconds``."""

    def __init__(self, client: Redis, *, seconds: int) -> None:
        self._client = client
        self._seconds = seconds

    async def get(self, key: str) -> Kept | None:
        """`Replies`."""
        try:
            found = await self._client.get(_PREFIX + key)
            stored = _Stored.model_validate_json(found) if found is not None else None
        except (RedisError, OSError, TimeoutError) as error:
            log.warning("kept replies cannot be read: %s", type(error).__name__)
            return None
        except (UnicodeDecodeError, ValidationError):
            return None
        return stored.kept if stored and stored.key == key else None

    async def put(self, key: str, kept: Kept) -> None:
        """`Replies`."""
        document = _Stored(key=key, kept=kept).model_dump_json()
        try:
            await self._client.set(_PREFIX + key, document, ex=self._seconds)
        except (RedisError, OSError, TimeoutError) as error:
            log.warning("a reply cannot be kept: %s", type(error).__name__)

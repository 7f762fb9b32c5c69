"""The working context of tasks in Redis: kept for a while, rebuilt from checkpoints when gone."""

from pydantic import ValidationError
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as ConnectionGone
from redis.exceptions import RedisError

from rag.errors import ContextUnavailable
from rag.values import ContextPack, Value

_SECONDS = 1.0
_PREFIX = "footnote:context:"


class _Kept(Value):
    """A pack beside its own key, so that an answer meant for another key shows itself."""

    key: str
    pack: ContextPack


def connect(url: str) -> Redis:
    """A client that never waits longer than a second; nothing is sent before the first call.

    A connection that broke is tried once more; a server that is silent is not asked twice.
    """
    return Redis.from_url(
        url,
        socket_timeout=_SECONDS,
        socket_connect_timeout=_SECONDS,
        retry=Retry(NoBackoff(), 1, supported_errors=(ConnectionGone,)),
        decode_responses=True,
    )


class RedisContext:
    """`rag.ports.WorkingContext`. Every failure to reach Redis is `ContextUnavailable`."""

    def __init__(self, client: Redis, *, ttl_seconds: int) -> None:
        self._client = client
        self._ttl = ttl_seconds

    async def load(self, task: str) -> ContextPack | None:
        """The task's pack, or None when it has expired or is not what was written."""
        key = _PREFIX + task
        try:
            found = await self._client.get(key)
        except (RedisError, OSError, TimeoutError) as error:
            raise ContextUnavailable("the working context cannot be read") from error
        except UnicodeDecodeError:
            return None
        if found is None:
            return None
        try:
            kept = _Kept.model_validate_json(found)
        except ValidationError:
            return None
        return kept.pack if kept.key == key and kept.pack.task == task else None

    async def update(self, pack: ContextPack) -> None:
        """Keep the pack for the time to live, counted from now."""
        key = _PREFIX + pack.task
        kept = _Kept(key=key, pack=pack).model_dump_json()
        try:
            await self._client.set(key, kept, ex=self._ttl)
        except (RedisError, OSError, TimeoutError) as error:
            raise ContextUnavailable("the working context cannot be written") from error

    async def forget(self, task: str) -> None:
        """Take the task's pack out."""
        try:
            await self._client.delete(_PREFIX + task)
        except (RedisError, OSError, TimeoutError) as error:
            raise ContextUnavailable("the working context cannot be written") from error

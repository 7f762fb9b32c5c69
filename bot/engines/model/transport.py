"""HTTP to a provider: our own headers alone go out, and only so many bytes come in.

The provider's own library reads headers from the environment and adds what it knows of
this machine. Here every header is dropped that is not named, whoever set it.
"""

from collections.abc import AsyncIterator, Mapping

import httpx2

REPLY_BYTES = 4 * 1024 * 1024
_ORDINARY = frozenset({"accept", "content-length", "content-type", "host", "transfer-encoding"})


class ReplyBroken(httpx2.ReadError):
    """A reply began and did not come to its end: it was cut, too long or not readable."""


class _Counted(httpx2.AsyncByteStream):
    """A body that breaks off in one way only, and is never longer than ``most`` bytes."""

    def __init__(self, inner: httpx2.AsyncByteStream, *, most: int) -> None:
        self._inner = inner
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        try:
            async for part in self._inner:
                seen += len(part)
                if seen > self._most:
                    raise ReplyBroken("the reply is too long")
                yield part
        except httpx2.TransportError as error:
            raise ReplyBroken("the reply broke off") from error

    async def aclose(self) -> None:
        await self._inner.aclose()


class GuardedTransport(httpx2.AsyncBaseTransport):
    """`httpx2` transport that sends ``headers``, the ordinary ones and those in ``keep``."""

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        *,
        headers: Mapping[str, str],
        keep: frozenset[str],
        most: int,
    ) -> None:
        self._inner = inner
        self._keep = _ORDINARY | keep
        self._headers = {"accept-encoding": "identity", "user-agent": "footnote", **headers}
        self._most = most

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises `httpx2.TransportError`; `ReplyBroken` once a reply has begun."""
        for name in set(request.headers) - self._keep:
            del request.headers[name]
        request.headers.update(self._headers)
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            # It was asked not to: a few bytes can unpack to more than there is memory.
            await response.aclose()
            raise ReplyBroken("the reply is compressed")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Counted(response.stream, most=self._most)
        return response

    async def aclose(self) -> None:
        """Close every connection."""
        await self._inner.aclose()


def guarded_client(
    *,
    headers: Mapping[str, str],
    keep: frozenset[str] = frozenset(),
    seconds: float,
    connect_seconds: float = 5.0,
) -> httpx2.AsyncClient:
    """A client for one provider: no proxy, netrc or certificate from the environment.

    It follows no redirect, so a key goes to the named server only.
    """
    inner = httpx2.AsyncHTTPTransport(trust_env=False)
    return httpx2.AsyncClient(
        transport=GuardedTransport(inner, headers=headers, keep=keep, most=REPLY_BYTES),
        timeout=httpx2.Timeout(seconds, connect=min(seconds, connect_seconds)),
        trust_env=False,
        follow_redirects=False,
    )

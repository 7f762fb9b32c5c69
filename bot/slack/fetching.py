"""A file that somebody gave to Slack, fetched with the bot's token and read."""

import logging
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

import aiohttp

from bot.errors import SlackRefused, SlackUnavailable
from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Loaded
from bot.loaders.registry import NAMED, PLAIN
from bot.loaders.unreadable import ParserWaited
from bot.slack.client import LOOPBACK, Slack, read
from rag.errors import FootnoteError, LimitExceeded
from rag.values import Limits, Reason, Value

log = logging.getLogger(__name__)

_HOST = "files.slack.com"
_SECONDS = 60.0
_PIECE = 64 * 1024
_MODES = ("hosted", "snippet")


class FileRefused(FootnoteError):
    """A file that is not taken. ``why`` is the key of the sentence that says so.

    ``said`` is what whoever read it says of it, in English words for the file's owner.
    """

    reason = Reason.SOURCE_UNREADABLE

    def __init__(self, why: str, said: str = "") -> None:
        super().__init__(f"a file is not taken: {why}")
        self.why = why
        self.said = said


class Files(Protocol):
    """Makes text of a file's content. Raises `FileUnreadable`, `LimitExceeded`."""

    async def load(self, data: bytes, *, name: str) -> Loaded: ...


class Fetched(Value):
    """A file's name as its owner gave it, and its content."""

    name: str
    data: bytes


async def fetch(client: Slack, file_id: str, *, by: str, limits: Limits) -> Fetched:
    """The file ``file_id`` that the person ``by`` has brought.

    Raises `FileRefused`, `SlackUnavailable`.
    """
    try:
        answer = await read(client, "files.info", file=file_id)
    except SlackRefused as refused:
        log.info("file %s is refused: %s", file_id, refused.code)
        raise FileRefused("why_file_gone") from refused
    row = answer.get("file") or {}
    name = _keepable(str(row.get("name") or ""))
    if row.get("user") != by or row.get("is_external") or row.get("mode") not in _MODES:
        raise FileRefused("why_file_gone")
    if not name.lower().endswith(NAMED):
        raise FileRefused("why_file_kind")
    return Fetched(name=name, data=await _download(client, row, most=limits.document_bytes))


async def read_fetched(file: Fetched, files: Files) -> Loaded:
    """What it says. Raises `FileRefused`."""
    try:
        return await files.load(file.data, name=file.name)
    except ParserWaited as error:
        raise FileRefused("why_file_waited") from error
    except LimitExceeded as error:
        raise FileRefused("why_file_large", str(error)) from error
    except FileUnreadable as error:
        log.info("a file is not taken: %s", error)
        plain = "why_file_text" if file.name.lower().endswith(PLAIN) else "why_file_unread"
        raise FileRefused(plain, str(error)) from error


def _keepable(name: str) -> str:
    """A name that every store can hold: no lone surrogate, no NUL."""
    return name.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")


def _address(client: Slack, row: Mapping[str, Any]) -> str:
    """Where the file lies; the token goes to no other host than Slack's own for files."""
    address = str(row.get("url_private_download") or row.get("url_private") or "")
    parsed, base = urlsplit(address), urlsplit(client.web.base_url)
    local = base.hostname in LOOPBACK and (parsed.scheme, parsed.netloc) == base[:2]
    if not local and (parsed.scheme, parsed.netloc) != ("https", _HOST):
        raise FileRefused("why_file_gone")
    return address


async def _download(client: Slack, row: Mapping[str, Any], *, most: int) -> bytes:
    session, address = client.web.session, _address(client, row)
    if session is None:
        raise SlackUnavailable("a file: no session")
    try:
        async with session.get(
            address,
            headers={"Authorization": f"Bearer {client.web.token}"},
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(total=_SECONDS),
        ) as response:
            return await _body(response, row, most=most)
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise SlackUnavailable(f"a file: {type(error).__name__}") from error


async def _body(response: aiohttp.ClientResponse, row: Mapping[str, Any], *, most: int) -> bytes:
    """What was sent, as long as it is the file. A page to sign in is none of ours."""
    page = response.content_type == "text/html"
    if response.status >= 500 or response.status == 429:
        raise SlackUnavailable(f"a file: HTTP {response.status}")
    if response.status != 200 or (page and row.get("mimetype") != "text/html"):
        raise FileRefused("why_file_gone")
    data = bytearray()
    async for piece in response.content.iter_chunked(_PIECE):
        data += piece
        if len(data) > most:
            raise FileRefused("why_file_large")
    if page and len(data) != row.get("size"):
        raise FileRefused("why_file_gone")
    return bytes(data)

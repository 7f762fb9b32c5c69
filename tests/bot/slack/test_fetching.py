"""Files come from Slack's own host alone, from whoever sent them, as text and within limits."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.errors import SlackUnavailable
from bot.loaders.loaded import Loaded
from bot.loaders.loading import Loading, NoParser
from bot.slack.client import Slack, open_client
from bot.slack.fetching import FileRefused, fetch, read_fetched
from rag.values import Limits

TEXT = "Bikes stand in the yard.\r\n"
LIMITS = Limits(document_bytes=1_000, document_characters=900)
_READ = Loading(NoParser(), limits=LIMITS)


class Files:
    """A workspace's files: what `files.info` says, and what lies where it points to."""

    def __init__(self) -> None:
        self.row: dict[str, Any] = {}
        self.body = TEXT.encode()
        self.status = 200
        self.content_type = "text/plain"
        self.asked: list[str] = []

    async def info(self, _request: web.Request) -> web.Response:
        return web.json_response({"ok": True, "file": self.row})

    async def file(self, request: web.Request) -> web.Response:
        self.asked.append(request.headers.get("Authorization", ""))
        headers = {"Location": "/elsewhere"} if self.status == 302 else {}
        kind = self.content_type
        return web.Response(body=self.body, status=self.status, content_type=kind, headers=headers)


@pytest.fixture
async def files() -> Files:
    return Files()


@pytest.fixture
async def client(files: Files) -> AsyncIterator[Slack]:
    app = web.Application()
    app.router.add_route("*", "/api/files.info", files.info)
    app.router.add_get("/{name:.*}", files.file)
    async with (
        TestServer(app, host="127.0.0.1") as server,
        open_client(token="xoxb-1", base_url=f"http://127.0.0.1:{server.port}/api/") as made,
    ):
        files.row = {
            "id": "F1",
            "name": "rules.md",
            "user": "U1",
            "mode": "hosted",
            "url_private": f"http://127.0.0.1:{server.port}/f/rules.md",
        }
        yield made


async def read(client: Slack) -> Loaded:
    return await read_fetched(await fetch(client, "F1", by="U1", limits=LIMITS), _READ)


async def test_a_file_is_its_text(client: Slack, files: Files) -> None:
    assert (await read(client)).text == "Bikes stand in the yard.\n"
    assert files.asked == ["Bearer xoxb-1"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"user": "U2"}, "why_file_gone"),
        ({"is_external": True}, "why_file_gone"),
        ({"mode": "external"}, "why_file_gone"),
        ({"name": "rules.exe"}, "why_file_kind"),
        ({"url_private": "https://evil.invalid/rules.md"}, "why_file_gone"),
        ({"url_private": "https://files.slack.com.evil.invalid/r"}, "why_file_gone"),
        ({"url_private": "https://files.slack.com@evil.invalid/r"}, "why_file_gone"),
        ({"url_private": "http://files.slack.com/r"}, "why_file_gone"),
        ({"url_private": "http://127.0.0.1:1/r"}, "why_file_gone"),
        ({"url_private": "file:///etc/passwd"}, "why_file_gone"),
        ({"url_private": ""}, "why_file_gone"),
    ],
)
async def test_no_other_file_is_asked_for(
    client: Slack, files: Files, changes: dict[str, Any], why: str
) -> None:
    files.row |= changes
    with pytest.raises(FileRefused) as caught:
        await read(client)
    assert (caught.value.why, files.asked) == (why, [])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"body": b"x" * 1_001}, "why_file_large"),
        ({"body": b"x" * 950}, "why_file_large"),
        ({"body": b"\xc3\x28\xff"}, "why_file_text"),
        ({"body": b"a\x00b"}, "why_file_text"),
        ({"content_type": "text/html"}, "why_file_gone"),
        ({"status": 302}, "why_file_gone"),
        ({"status": 404}, "why_file_gone"),
    ],
)
async def test_nothing_but_a_text_within_limits_is_taken(
    client: Slack, files: Files, changes: dict[str, Any], why: str
) -> None:
    for name, value in changes.items():
        setattr(files, name, value)
    with pytest.raises(FileRefused) as caught:
        await read(client)
    assert (caught.value.why, len(files.asked)) == (why, 1)


async def test_a_page_of_html_is_the_file_only_where_it_is_as_long(
    client: Slack, files: Files
) -> None:
    page = b"<!doctype html><p>Bikes"
    files.body, files.content_type = page, "text/html"
    files.row |= {"name": "rules.txt", "mimetype": "text/html", "size": len(page)}
    assert (await read(client)).text == page.decode()
    files.row["size"] = len(page) + 1
    with pytest.raises(FileRefused) as caught:
        await read(client)
    assert caught.value.why == "why_file_gone"


async def test_what_no_parser_can_read_is_said(client: Slack, files: Files) -> None:
    files.row |= {"name": "rules.csv"}
    files.body = b"%PDF-1.4 broken"
    with pytest.raises(FileRefused) as caught:
        await read(client)
    assert caught.value.why == "why_file_unread"
    assert caught.value.said


async def test_an_outage_is_no_refusal(client: Slack, files: Files) -> None:
    files.status = 503
    with pytest.raises(SlackUnavailable):
        await read(client)

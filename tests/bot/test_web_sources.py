"""A page is a source like a file: read when it changed, and its words are found again."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from bot.sources.catalogue_file import read_catalogue
from rag.errors import SourceUnreadable
from rag.values import Kind, Limits, Source
from tests.bot.reading import TENANT, reading
from tests.bot.web_server import Site, site


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Site]:
    async with site(tmp_path) as made:
        yield made


def _page(here: Site) -> Source:
    return Source(
        id="rule",
        tenant=TENANT,
        title="Rule",
        kind=Kind.DOCUMENT,
        ref=here.url("/rule"),
        readers=("everyone",),
    )


class _Rule:
    """A page that has a version, and can be away."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.status = 200
        self.sent = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        etag = f'"{hash(self.text)}"'
        if self.status != 200:
            return web.Response(status=self.status)
        if request.headers.get("If-None-Match") == etag:
            return web.Response(status=304)
        self.sent += 1
        body = f"<title>t</title><h1>借用</h1><p>{self.text}</p><p hidden>secret</p>"
        headers = {"ETag": etag, "Content-Type": "text/html; charset=gb18030"}
        return web.Response(body=body.encode("gb18030"), headers=headers)


async def test_a_page_is_read_once_and_again_when_it_changed(here: Site, tmp_path: Path) -> None:
    clock, rule = [0.0], _Rule("七天内归还")
    here.pages["/rule"] = rule.answer
    async with reading(tmp_path, pages=here.fetcher(), seconds=lambda: clock[0]) as parts:
        await parts.catalogue.put(_page(here))
        first = await parts.intake.pin(await parts.source("rule"))
        assert await parts.text("rule") == "借用\n\n七天内归还\n\n"
        (hit,) = (await parts.find("归还", "rule")).hits
        assert hit.chunk.heading_path == ("借用",)
        for seconds in (30.0, 100.0, 130.0):
            clock[0] = seconds
            assert await parts.intake.pin(await parts.source("rule")) == first
        assert (len(here.asked), rule.sent) == (2, 1)
        rule.text, clock[0] = "九天内归还", 300.0
        again = await parts.intake.pin(await parts.source("rule"))
        assert "九天" in await parts.text("rule")
        assert "七天" in await parts.snapshots.get(first.snapshot)
        assert again.snapshot != first.snapshot
        anew = (await parts.source("rule")).model_copy(update={"snapshot": None})
        assert (await parts.intake.pin(anew)).snapshot == again.snapshot


async def test_a_page_that_is_gone_stays_and_one_out_of_reach_is_said(
    here: Site, tmp_path: Path
) -> None:
    clock, rule = [0.0], _Rule("七天内归还")
    here.pages["/rule"] = rule.answer
    async with reading(tmp_path, pages=here.fetcher(), seconds=lambda: clock[0]) as parts:
        await parts.catalogue.put(_page(here))
        first = await parts.intake.pin(await parts.source("rule"))
        rule.status, clock[0] = 503, 100.0
        with pytest.raises(SourceUnreadable, match="503"):
            await parts.intake.pin(await parts.source("rule"))
        rule.status = 410
        assert (await parts.intake.pin(await parts.source("rule"))).snapshot == first.snapshot


async def test_without_an_allowed_host_no_page_is_fetched(here: Site, tmp_path: Path) -> None:
    async with reading(tmp_path) as parts:
        await parts.catalogue.put(_page(here))
        with pytest.raises(SourceUnreadable, match="FOOTNOTE_WEB_HOSTS"):
            await parts.intake.pin(await parts.source("rule"))
    assert not here.asked


def test_a_row_of_the_catalogue_file_may_be_a_page(tmp_path: Path) -> None:
    row = {"id": "r", "tenant": TENANT, "title": "R", "kind": "document"}
    path = tmp_path / "sources.json"
    path.write_text(json.dumps([row | {"ref": "https://good.test/rule"}]))
    (source,) = read_catalogue(path, limits=Limits())
    assert (source.ref, source.metadata) == ("https://good.test/rule", {})

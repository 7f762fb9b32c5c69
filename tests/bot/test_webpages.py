"""Pages come from allowed hosts on the public internet, and nothing else is ever connected to."""

import gzip
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from bot.loaders.unreadable import FileUnreadable
from bot.sources.web_addresses import AddressRefused, checked, hosts_of, is_public
from bot.sources.webpages import PageGone, Validators
from rag.errors import LimitExceeded
from rag.values import Limits
from tests.bot.web_server import PRIVATE, PUBLIC, Answer, Site, site

_HOSTS = hosts_of("good.test, docs.good.test:8443")


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Site]:
    async with site(tmp_path) as made:
        yield made


def _gives(body: bytes, **headers: str) -> Answer:
    async def answer(_: web.Request) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(body=body, headers=named)

    return answer


def _moves(to: str) -> Answer:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": to})

    return answer


@pytest.mark.parametrize(
    "url",
    [
        "https://good.test",
        "https://GOOD.test/a%20b?c=d&e=@f",
        "https://docs.good.test:8443/x",
        "https://good.test:443/",
    ],
)
def test_a_plain_address_of_an_allowed_host_is_taken(url: str) -> None:
    assert checked(f"{url}#part", hosts=_HOSTS) == url


@pytest.mark.parametrize(
    "url",
    [
        "http://good.test/",
        "//good.test",
        "https:///x",
        "https://other.test/",
        "https://good.test:22/",
        "https://docs.good.test/",
        "https://good.test./",
        "https://user@good.test/",
        "https://user:word@good.test/",
        "https://good.test@127.0.0.1/",
        "https://1.1.1.1&@good.test#@good.test/",
        "https://127.0.0.1\\@good.test/",
        "https://good.test/%0d%0aX:1",
        "https://good.test/%00",
        "https://good.test/a b",
        "https://good.test/\r\nHost:x",
        "https://gооd.test/",
        "https://①②⑦.⓪.⓪.⓪/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://localhost/",
        "https://redis:6379/",
        "file:///etc/passwd",
        "dict://good.test/",
        f"https://good.test/{'a' * 3_000}",
    ],
)
def test_any_other_address_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        checked(url, hosts=_HOSTS)


def test_no_number_can_be_allowed_as_a_host() -> None:
    assert hosts_of("") == frozenset()
    for wrong in ("127.0.0.1", "localhost", "https://good.test", "a b.test", "[::1]"):
        with pytest.raises(ValueError, match="host"):
            hosts_of(wrong)


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1"])
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",  # noqa: S104 - nothing is bound to it
        "10.0.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "233.252.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::8.8.8.8",
        "64:ff9b::7f00:1",
        "64:ff9b::808:808",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:808:808::",
        "fc00::1",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
        "localhost",
        "",
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


async def test_a_page_is_fetched_with_its_kind(here: Site) -> None:
    here.pages["/rule"] = _gives(b"<p>Seven days", Content_Type="text/html; charset=gbk")
    here.pages["/rule.md"] = _gives(b"# Rule", Content_Type="text/plain", ETag='"1"')
    page = await here.fetcher().fetch(here.url("/rule"))
    assert (page.data, page.name, page.charset) == (b"<p>Seven days", "rule.html", "gbk")
    page = await here.fetcher().fetch(here.url("/rule.md"))
    assert (page.name, page.validators.etag) == ("rule.md", '"1"')
    assert not any("Cookie" in headers or "Authorization" in headers for *_, headers in here.asked)


async def test_a_page_that_is_what_it_was_is_not_sent_again(here: Site) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        known = request.headers.get("If-None-Match") == '"1"'
        dated = request.headers.get("If-Modified-Since") == "Mon, 05 Jan 2026 00:00:00 GMT"
        return web.Response(status=304 if known and dated else 500)

    here.pages["/a"] = answer
    known = Validators(etag='"1"', modified="Mon, 05 Jan 2026 00:00:00 GMT")
    assert (await here.fetcher().fetch(here.url("/a"), unless=known)).data is None
    with pytest.raises(FileUnreadable, match="500"):
        await here.fetcher().fetch(here.url("/a"))


@pytest.mark.parametrize("address", [PRIVATE, "::1", "10.0.0.1", "169.254.169.254"])
async def test_a_name_that_leads_inside_is_not_connected_to(here: Site, address: str) -> None:
    here.names.answers["inside.test"] = [[address]]
    with pytest.raises(AddressRefused, match="public"):
        await here.fetcher().fetch(here.url(host="inside.test"))
    assert not here.asked


async def test_of_several_addresses_only_the_public_is_connected_to(here: Site) -> None:
    here.names.answers["both.test"] = [[PRIVATE, PUBLIC]]
    here.pages["/"] = _gives(b"seven days")
    page = await here.fetcher().fetch(here.url(host="both.test"))
    assert (page.data, here.heard(PRIVATE)) == (b"seven days", [])


async def test_a_name_that_changes_its_mind_is_looked_at_each_time(here: Site) -> None:
    here.names.answers["rebind.test"] = [[PUBLIC], [PRIVATE]]
    here.pages["/"] = _moves(here.url("/again", host="rebind.test"))
    here.pages["/again"] = _gives(b"secret")
    with pytest.raises(AddressRefused, match="public"):
        await here.fetcher().fetch(here.url(host="rebind.test"))
    assert (here.heard(PUBLIC), here.heard(PRIVATE)) == (["/"], [])


@pytest.mark.parametrize(
    "to",
    [
        "http://good.test/",
        "https://127.0.0.1/",
        "https://other.test/",
        "//169.254.169.254/latest",
        "file:///etc/passwd",
        "https://user@good.test/",
        "",
    ],
)
async def test_each_step_on_the_way_is_checked(here: Site, to: str) -> None:
    here.pages["/"] = _moves(to)
    with pytest.raises(AddressRefused):
        await here.fetcher().fetch(here.url())
    assert here.heard(PRIVATE) == []


async def test_a_step_to_what_is_no_address_is_refused(here: Site) -> None:
    here.pages["/"] = _moves("https://[::1")
    with pytest.raises(FileUnreadable):
        await here.fetcher().fetch(here.url())


async def test_three_steps_are_followed_and_no_more(here: Site) -> None:
    here.pages |= {f"/{at}": _moves(f"/{at + 1}") for at in range(4)}
    here.pages["/4"] = _gives(b"end")
    assert (await here.fetcher().fetch(here.url("/1"))).data == b"end"
    with pytest.raises(AddressRefused, match="3 times"):
        await here.fetcher().fetch(here.url("/0"))


async def test_what_is_too_large_is_not_taken_packed_or_not(here: Site) -> None:
    fetcher = here.fetcher(limits=Limits(document_bytes=100_000))
    here.pages["/plain"] = _gives(b"a" * 100_001)
    here.pages["/bomb"] = _gives(gzip.compress(b"a" * 50_000_000), Content_Encoding="gzip")
    here.pages["/packed"] = _gives(gzip.compress(b"a" * 100_000), Content_Encoding="gzip")
    here.pages["/other"] = _gives(b"a", Content_Encoding="br")
    tracemalloc.start()
    try:
        for path in ("/plain", "/bomb"):
            with pytest.raises(LimitExceeded):
                await fetcher.fetch(here.url(path))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000  # bytes at the most
    finally:
        tracemalloc.stop()
    assert (await fetcher.fetch(here.url("/packed"))).data == b"a" * 100_000
    with pytest.raises(FileUnreadable, match="packs"):
        await fetcher.fetch(here.url("/other"))


async def test_what_is_gone_or_cannot_be_reached_is_said_apart(here: Site) -> None:
    with pytest.raises(PageGone):
        await here.fetcher().fetch(here.url("/nothing"))
    here.names.answers["good.test"] = [["127.0.0.3"]]
    with pytest.raises(FileUnreadable) as told:
        await here.fetcher().fetch(here.url("/"))
    assert not isinstance(told.value, PageGone)


async def test_a_proxy_of_the_environment_is_not_used(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://{PRIVATE}:1")
    here.pages["/"] = _gives(b"direct")
    assert (await here.fetcher().fetch(here.url())).data == b"direct"

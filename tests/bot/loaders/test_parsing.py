"""A parse in a process of its own: what the parser does there stays there."""

import asyncio
import os
import platform
from pathlib import Path

import pytest

from bot.loaders.files import FileUnreadable
from bot.loaders.loaded import Loaded
from bot.loaders.parse import fewer
from bot.loaders.parsing import Parser
from rag.errors import LimitExceeded
from rag.values import Limits, Locator

_HERE = "tests.bot.loaders.parsers"
_LIMITS = Limits(parse_seconds=60, parse_cpu_seconds=1, parse_memory_bytes=400 * 1024 * 1024)


async def _does(what: str, limits: Limits = _LIMITS) -> Loaded:
    parser = Parser({"pdf": f"{_HERE}:misbehaving"}, limits=limits)
    return await parser.parse(f"%PDF-\n{what}".encode(), name="a.pdf")


async def test_a_parse_gives_text_and_where_it_stands() -> None:
    parser = Parser({"pdf": f"{_HERE}:pages"}, limits=_LIMITS)
    loaded = await parser.parse("%PDF-\n# 甲\none\n\ftwo\n".encode(), name="a.pdf")
    assert loaded.text == "# 甲\none\ntwo\n"
    assert [(one.start, one.end, one.page) for one in loaded.locators] == [(0, 8, 1), (8, 12, 2)]
    assert loaded.text[loaded.headings[0].start : loaded.headings[0].end] == "# 甲\n"


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("dies", "breaks what reads it"),
        ("breaks", "damaged"),
        ("lies", "damaged"),
        ("babbles", "damaged"),
        ("nests", "nested"),
        ("connects", "damaged"),
        ("runs", "damaged"),
        ("forks", "damaged"),
        ("writes", "damaged"),
    ],
)
async def test_what_goes_wrong_is_told_to_the_owner(what: str, words: str) -> None:
    with pytest.raises(FileUnreadable, match=words):
        await _does(what)
    assert not Path("/tmp/footnote-was-here").exists()


@pytest.mark.parametrize(
    ("what", "limit"),
    [
        ("burns", "parse_cpu_seconds"),
        ("eats", "parse_memory_bytes"),
        ("grows", "document_characters"),
    ],
)
async def test_what_is_too_much_names_its_limit(what: str, limit: str) -> None:
    with pytest.raises(LimitExceeded) as caught:
        await _does(what)
    assert caught.value.limit == limit


async def test_one_that_never_ends_is_ended() -> None:
    with pytest.raises(LimitExceeded) as caught:
        await _does("sleeps", _LIMITS.model_copy(update={"parse_seconds": 0.8}))
    assert caught.value.limit == "parse_seconds"
    assert _children() == []


async def test_an_answer_that_is_too_large_is_not_kept() -> None:
    small = _LIMITS.model_copy(update={"parsed_bytes": 50})
    with pytest.raises(LimitExceeded) as caught:
        await _does("looks", small)
    assert caught.value.limit == "parsed_bytes"


async def test_what_a_library_prints_is_no_answer() -> None:
    assert (await _does("prints")).text == "All is well.\n"


async def test_what_no_store_can_hold_is_replaced_at_its_place() -> None:
    assert (await _does("unstorable")).text == "a\ufffdb?c"


async def test_a_parser_has_an_empty_folder_and_nearly_no_environment() -> None:
    told = (await _does("looks")).text
    assert "'folder': []" in told
    assert "PATH" not in told
    assert "HOME" not in told


@pytest.mark.skipif(platform.machine() not in ("x86_64", "aarch64"), reason="no such filter")
async def test_the_system_itself_refuses_what_a_parser_does_not_need() -> None:
    assert (await _does("natively")).text == "got [], errno 1"
    assert not Path("/tmp/footnote-was-here").exists()


async def test_a_parse_that_is_not_wanted_any_more_ends_at_once() -> None:
    task = asyncio.create_task(_does("sleeps"))
    await asyncio.wait_for(_begun(), timeout=60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert _children() == []


async def test_a_failed_one_costs_the_next_nothing() -> None:
    parser = Parser({"pdf": f"{_HERE}:misbehaving"}, limits=_LIMITS, at_once=1)
    bad, good = (parser.parse(f"%PDF-\n{what}".encode(), name="a.pdf") for what in ("dies", "fine"))
    found = await asyncio.gather(bad, good, return_exceptions=True)
    assert isinstance(found[0], FileUnreadable)
    assert isinstance(found[1], Loaded)


async def _begun() -> None:
    while not _children():  # noqa: ASYNC110 - another process's beginning sets no event
        await asyncio.sleep(0.02)


def _children() -> list[int]:
    """Processes that run a parser of ours now."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if any(word.endswith(b"loaders/child.py") for word in words) and parent == os.getpid():
            found.append(int(entry.name))
    return found


def _row(number: int, sheet: str) -> Locator:
    start = 2 * number
    return Locator(start=start, end=start + 2, sheet=sheet, cells=f"A{number}:C{number}")


def test_very_many_rows_are_told_as_ranges_that_hold_each() -> None:
    rows = [_row(number, "one" if number < 55 else "two") for number in range(100)]
    assert fewer(rows, most=100) == tuple(rows)
    told = fewer(rows, most=30)
    assert len(told) <= 30
    assert {one.sheet for one in told} == {"one", "two"}
    assert (told[0].start, told[0].end, told[0].cells) == (0, 8, "A0:C3")
    assert [one.start for one in told[1:]] == [one.end for one in told[:-1]]
    with pytest.raises(LimitExceeded):
        fewer([_row(number, str(number)) for number in range(100)], most=10)

"""A worker that lost its name begins again, and one that cannot ends its process."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.engines.search_tantivy import TantivyIndex
from bot.errors import ProcessFailed
from bot.playground import Running
from bot.serve import work
from bot.slots.leased import Lease, Slots
from bot.speaking import Prepare
from tests.bot.slack.conftest import TENANT, Company, setup_of


class Brief:
    """A lease that is soon lost."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._looks = 3

    def held(self) -> bool:
        self._looks -= 1
        return self._looks > 0


class Scarce:
    """`Slots` that give brief leases, and then do what ``after`` says: fail with each in turn."""

    def __init__(self, slots: Slots, after: Iterable[Exception]) -> None:
        self._after = iter(after)
        self.given = 0
        self.abandoned = slots.abandoned
        self.alive = slots.alive

    @contextmanager
    def leased(self) -> Iterator[Lease]:
        self.given += 1
        if self.given > 1:
            raise next(self._after)
        yield Brief("brief")


async def test_a_worker_that_cannot_begin_again_for_no_known_reason_ends_its_process(
    company: Company, running: Running
) -> None:
    setup, _ = setup_of(company, running.api_url)
    slots = Scarce(company.slots, [ProcessFailed("all are taken"), KeyError("unheard of")])
    with pytest.raises(KeyError):
        await asyncio.wait_for(work(replace(setup, slots=slots)), 60)
    assert slots.given == 3  # the first lease, a try that may succeed later, and the end


async def test_a_worker_that_cannot_begin_at_all_says_why(
    company: Company, running: Running
) -> None:
    setup, _ = setup_of(company, running.api_url)
    slots = Scarce(company.slots, [ProcessFailed("all are taken")])
    slots.given = 1
    with pytest.raises(ProcessFailed):
        await asyncio.wait_for(work(replace(setup, slots=slots)), 60)


def _broken(folder: Path) -> Prepare:
    """Looks into an index whose folder is a file."""
    place = folder / "no-folder"
    place.write_text("", "ascii")

    async def prepare(tenant: str) -> None:
        await TantivyIndex(place).holds(tenant=tenant, source_id="a", snapshot="b")

    return prepare


def _silent(_folder: Path) -> Prepare:
    async def prepare(_tenant: str) -> None:
        await asyncio.Event().wait()

    return prepare


@pytest.mark.parametrize("index", [_broken, _silent])
async def test_a_worker_begins_though_its_search_cannot_be_made_ready(
    company: Company, running: Running, tmp_path: Path, index: Callable[[Path], Prepare]
) -> None:
    setup, _ = setup_of(company, running.api_url)
    slots = Scarce(company.slots, [ProcessFailed("all are taken")])
    slots.given = 1
    ready = index(tmp_path)
    asked: list[tuple[str, int]] = []

    async def prepare(tenant: str) -> None:
        asked.append((tenant, slots.given))
        await ready(tenant)

    setup = replace(setup, slots=slots, prepare=prepare, prepare_seconds=0.2)
    with pytest.raises(ProcessFailed):
        await asyncio.wait_for(work(setup), 30)
    assert asked == [(TENANT, 1)]  # once, before a slot was asked for
    assert slots.given == 2

"""What a worker may rely on about its name, wherever slots are kept."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from bot.errors import ProcessFailed
from bot.slots.file_slots import FileSlots
from bot.slots.leased import MOST, Slots
from bot.slots.session_slots import SessionSlots
from bot.storage.migrate import ensure
from rag.errors import StoreUnavailable
from tests.contract.slot_holder import LOST, slots_at
from tests.contract.stolen_slots import end_sessions, stolen
from tests.postgres import own_server

PATIENCE = 30.0


@pytest.fixture(params=["files", "sessions"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the slots are kept: a folder or an address."""
    if request.param == "files":
        return str(tmp_path / "workers")
    url: str = request.getfixturevalue("migrated_postgres_url")
    return url


@pytest.fixture
def slots(where: str) -> Slots:
    return slots_at(where)


@contextmanager
def holder(where: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Another process that holds a slot, and the slot's name."""
    command = [sys.executable, "-m", "tests.contract.slot_holder", where]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGCONT)
            process.kill()


def once(check: Callable[[], bool]) -> bool:
    """Whether it becomes true in time."""
    end = time.monotonic() + PATIENCE
    while not (met := check()) and time.monotonic() < end:
        time.sleep(0.1)
    return met


def abandoned(slots: Slots, *names: str) -> tuple[str, ...]:
    with slots.abandoned(names) as found:
        return found


def test_two_workers_never_share_a_slot(slots: Slots, where: str) -> None:
    with slots.leased() as first, slots_at(where).leased() as second, holder(where) as (_, third):
        assert len({first.name, second.name, third}) == 3
        assert first.held()
        assert second.held()
        assert set(slots.alive()) == {first.name, second.name, third}
    assert once(lambda: not slots.alive())


def test_a_slot_given_back_is_the_next_ones(slots: Slots) -> None:
    with slots.leased() as first:
        name = first.name
    with slots.leased() as again:
        assert again.name == name


def test_a_killed_workers_slot_is_found_by_survivors(slots: Slots, where: str) -> None:
    with slots.leased() as own, holder(where) as (process, name):
        assert abandoned(slots, own.name, name) == ()
        process.kill()
        process.wait()
        assert once(lambda: abandoned(slots, name) == (name,))
        assert abandoned(slots, own.name) == ()


def test_nobody_leases_a_slot_while_its_jobs_are_taken_over(slots: Slots, where: str) -> None:
    with slots.leased() as first:
        name = first.name
    assert once(lambda: abandoned(slots, name) == (name,))
    with slots.abandoned([name]) as found, slots_at(where).leased() as other:
        assert found == (name,)
        assert other.name != name


def test_only_slots_that_are_asked_for_are_found(slots: Slots) -> None:
    with slots.leased() as first:
        name = first.name
    assert once(lambda: abandoned(slots, name, "nobody", "shared.slot-x") == (name,))
    assert abandoned(slots) == ()
    assert abandoned(slots, "nobody") == ()


def test_a_slot_in_a_database_outlives_a_broken_session(migrated_postgres_url: str) -> None:
    here, there = SessionSlots(migrated_postgres_url), SessionSlots(migrated_postgres_url)
    with here.leased() as lease:
        for _ in range(2):
            end_sessions(migrated_postgres_url)
            assert once(lambda: len(there.alive()) == 1)
        assert lease.held()
        with there.leased() as other:
            assert other.name != lease.name


def test_a_lease_is_lost_when_another_got_the_slot(migrated_postgres_url: str) -> None:
    slots = SessionSlots(migrated_postgres_url)
    with slots.leased() as lease:
        with stolen(migrated_postgres_url):
            assert once(lambda: not lease.held())
        assert not lease.held()


def test_a_lease_is_lost_when_another_had_the_slot_meanwhile(migrated_postgres_url: str) -> None:
    slots = SessionSlots(migrated_postgres_url)
    with slots.leased() as lease:
        with stolen(migrated_postgres_url) as rival:
            rival.execute("UPDATE slots SET taken = taken + 1")
        assert once(lambda: not lease.held())


def test_a_frozen_workers_slot_is_taken_and_it_notices_when_woken(
    migrated_postgres_url: str,
) -> None:
    slots = SessionSlots(migrated_postgres_url)
    with holder(migrated_postgres_url) as (process, name):
        process.send_signal(signal.SIGSTOP)
        assert once(lambda: abandoned(slots, name) == (name,))
        process.send_signal(signal.SIGCONT)
        assert process.wait(PATIENCE) == LOST


def test_a_restart_of_the_server_costs_nobody_the_slot() -> None:
    with own_server(durable=True) as server:
        ensure(server.url)
        here, there = SessionSlots(server.url), SessionSlots(server.url)
        with here.leased() as first, there.leased() as second:
            server.restart()
            assert once(lambda: len(here.alive()) == 2)
            assert first.held()
            assert second.held()


def test_a_server_that_is_away_decides_nothing() -> None:
    with own_server(durable=True) as server:
        ensure(server.url)
        slots = SessionSlots(server.url)
        with slots.leased() as lease:
            server.stop(signal.SIGQUIT)
            time.sleep(3)
            assert lease.held()
            with pytest.raises(StoreUnavailable):
                slots.alive()
            with pytest.raises(StoreUnavailable), slots.abandoned([lease.name]):
                pass
            with pytest.raises(StoreUnavailable), slots.leased():
                pass
            server.start()
            assert once(lambda: len(slots.alive()) == 1)
            assert lease.held()


def test_slots_can_run_out(tmp_path: Path) -> None:
    slots = FileSlots(tmp_path)
    with ExitStack() as stack:
        names = {stack.enter_context(slots.leased()).name for _ in range(MOST)}
        assert len(names) == MOST
        with pytest.raises(ProcessFailed), slots.leased():
            pass


def test_two_hosts_with_folders_of_their_own_never_share_a_slot(tmp_path: Path) -> None:
    here, there = FileSlots(tmp_path / "one"), FileSlots(tmp_path / "two")
    with here.leased() as one, there.leased() as two:
        assert one.name != two.name
        assert abandoned(there, one.name) == ()

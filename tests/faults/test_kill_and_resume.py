"""Tasks killed with SIGKILL after a stage and resumed by another process, Redis emptied between."""

import shutil
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.engines.private_redis import private_redis
from tests.faults.killed import EVERY_ENTRY, STOPS, Desk, Ended


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("kills")
    done = Desk(data).run("demo", "--seed-only")
    assert done.code == 0, done.err
    return data


@pytest.fixture(scope="module")
def undisturbed(seeded: Path) -> Ended:
    desk = Desk(seeded)
    done = desk.run(*desk.asking("undisturbed"))
    assert done.status == "answered"
    return done


@pytest.fixture(scope="module")
def stopped(seeded: Path, undisturbed: Ended) -> Path:
    """The company with a task stopped after each stop, named like it."""
    for stop in STOPS:
        ended = Desk(seeded).run(*Desk(seeded).asking(stop), "--stop-after", stop)
        assert ended.code == 0, ended.err
    return seeded


@pytest.fixture
def desk(stopped: Path, tmp_path: Path) -> Desk:
    """A copy of the company whose record a test may damage."""
    shutil.copytree(stopped, tmp_path / "d", ignore=shutil.ignore_patterns("redis"))
    return Desk(tmp_path / "d")


@pytest.fixture
async def redis(desk: Desk) -> AsyncIterator[Redis]:
    """The private Redis, kept alive beside the killed processes so that it can be emptied."""
    async with private_redis(desk.home / "redis") as url:
        client = Redis.from_url(url)
        yield client
        await client.aclose()


@pytest.mark.parametrize("stop", STOPS)
async def test_killed_when_saved(stop: str, desk: Desk, redis: Redis, undisturbed: Ended) -> None:
    desk.kill_once_saved("t", STOPS[stop])
    before = desk.saved("t")
    await redis.flushall()
    resumed = desk.resume("t")
    assert resumed.code == 0, resumed.err
    assert resumed.told() == undisturbed.told()
    _nothing_repeated(desk, "t", before)


@pytest.mark.parametrize("stop", STOPS)
async def test_stopped_then_resumed(
    stop: str, desk: Desk, redis: Redis, undisturbed: Ended
) -> None:
    before = desk.saved(stop)
    assert STOPS[stop] in before
    await redis.flushall()
    resumed = desk.resume(stop)
    assert resumed.told() == undisturbed.told()
    _nothing_repeated(desk, stop, before)
    if stop != "report":
        stages = resumed.whole["trace"]["stages"]
        again = {stage["stage"] for stage in stages if stage["resumed"]}
        assert again == set(before) - EVERY_ENTRY


def _nothing_repeated(desk: Desk, task: str, before: dict[str, tuple[str, str]]) -> None:
    finished = {stage: how for stage, how in before.items() if stage not in EVERY_ENTRY}
    after = desk.saved(task)
    assert {stage: after[stage] for stage in finished} == finished


@pytest.mark.parametrize("stop", ["selected", "report"])
def test_a_snapshot_whose_byte_was_flipped_is_refused(stop: str, desk: Desk) -> None:
    name = desk.one("SELECT snapshot FROM sources WHERE id = 'handbook'")
    body = bytearray(desk.one("SELECT body FROM snapshots WHERE sha256 = ?", name))
    body[len(body) // 2] ^= 1
    desk.change("UPDATE snapshots SET body = ? WHERE sha256 = ?", bytes(body), name)
    resumed = desk.resume(stop)
    assert (resumed.status, resumed.reason) == ("refused", "snapshot_tampered")
    assert resumed.shows_nothing()


@pytest.mark.parametrize("stage", ["select", "report"])
def test_a_checkpoint_whose_byte_was_flipped_fails_visibly(stage: str, desk: Desk) -> None:
    task = "report" if stage == "report" else "selected"
    whose = (task, stage)
    document = desk.one("SELECT document FROM checkpoints WHERE task = ? AND stage = ?", *whose)
    middle = len(document) // 2
    flipped = document[:middle] + chr(ord(document[middle]) ^ 1) + document[middle + 1 :]
    desk.change("UPDATE checkpoints SET document = ? WHERE task = ? AND stage = ?", flipped, *whose)
    resumed = desk.resume(task)
    assert (resumed.code, resumed.status) == (1, "failed")
    assert resumed.shows_nothing()


CHANGES = {
    "right revoked": "DELETE FROM readers WHERE source = 'handbook'",
    "title": "UPDATE sources SET title = '别的制度' WHERE id = 'handbook'",
    "ref": "UPDATE sources SET ref = 'on-call.md' WHERE id = 'handbook'",
    "superseded": "UPDATE sources SET status = 'superseded' WHERE id = 'handbook'",
}


@pytest.mark.parametrize(
    ("stop", "change"),
    [*(("report", change) for change in CHANGES), ("selected", "right revoked")],
)
def test_a_source_that_changed_meanwhile_shows_nothing(stop: str, change: str, desk: Desk) -> None:
    desk.change(CHANGES[change])
    resumed = desk.resume(stop)
    assert (resumed.code, resumed.status) == (0, "refused"), resumed.err
    assert resumed.shows_nothing()


@contextmanager
def _listening(*, answering: bool) -> Iterator[str]:
    """A Redis address at which nobody listens, or somebody who never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        if answering:
            server.listen()
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


@pytest.mark.parametrize("answering", [False, True], ids=["closed", "silent"])
def test_without_redis_it_ends_at_once_and_can_be_resumed(
    answering: bool, desk: Desk, undisturbed: Ended
) -> None:
    with _listening(answering=answering) as url:
        began = time.monotonic()
        ended = desk.run(*desk.asking("t"), REDIS_URL=url)
        assert time.monotonic() - began < 30.0
    assert (ended.code, ended.status, ended.reason) == (1, "failed", "context_unavailable")
    assert ended.shows_nothing()
    assert desk.resume("t").told() == undisturbed.told()

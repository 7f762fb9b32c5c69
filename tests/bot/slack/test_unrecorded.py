"""A message whose sender died before noting where it stands is found before anything ends."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from bot.delivery import ANSWER
from bot.errors import JobGivenUp
from bot.parts import Parts
from bot.playground import Running
from bot.posts.looking import Spot
from bot.record import TaskState
from bot.watch.watchdog import Watchdog
from bot.work.jobs import GivenUp, end_failed
from handlers.blocks.progress import progress
from handlers.deps import Asked, Room, RoomKind, Sender
from rag.values import Place, Request
from tests.bot.slack.conftest import ALICE, TENANT, Company, finished, parts_of
from tests.playground.conftest import Driver, Json

LOOKING = "conversations.replies"


@dataclass
class Scene:
    """A question of alice's whose message is intended, and a watchdog to turn time for."""

    parts: Parts
    driver: Driver
    spot: Spot
    now: float = 0.0

    def __post_init__(self) -> None:
        self.watchdog = Watchdog(self.parts, clock=lambda: self.now)

    async def posted(self) -> None:
        """The message stands, and whoever sent it died over that."""
        placeholder = progress("authorize", language="en")
        await self.parts.poster.say_once(self.spot, placeholder, since=datetime.now(UTC))

    async def given_up(self) -> None:
        """The job that was to post the message ended its worker too often."""
        team = self.parts.installation.team_id
        asked = Asked(
            sender=Sender(user_id=ALICE, team_id=team, homes=(team,)),
            room=Room(channel=self.spot.channel, kind=RoomKind.CHANNEL),
            ts=self.spot.thread,
            question="A loan?",
            mentioned=True,
        )
        failed = GivenUp(job="t1", kind="ask", payload=asked.model_dump_json())
        await end_failed(self.parts, failed, JobGivenUp("t1"), at=datetime.now(UTC))

    async def after(self, seconds: float) -> None:
        """The watchdog has looked, and again that much later."""
        await self.watchdog.look()
        self.now += seconds
        await self.watchdog.look()

    async def messages(self) -> tuple[list[Json], list[Json]]:
        """Ours in the thread, and ours to alice alone."""
        dm = await self.parts.poster.dm(ALICE)
        thread = await self.driver.messages("general", "alice", self.spot.thread)
        alone = await self.driver.messages(dm, "alice")
        return _ours(thread), _ours(alone)

    async def state(self) -> TaskState:
        return (await self.parts.record.tasks.get(tenant=TENANT, task="t1")).state


def _ours(messages: list[Json]) -> list[Json]:
    return [message for message in messages if message.get("bot_id")]


@pytest.fixture
async def scene(company: Company, running: Running, driver: Driver) -> AsyncIterator[Scene]:
    async with parts_of(company, running) as made:
        parts = made.parts
        said = await driver.post("say", user="alice", channel="general", text="<@footnote> A loan?")
        request = Request(
            task="t1",
            tenant=TENANT,
            principal=f"slack:{parts.installation.team_id}:{ALICE}",
            question="A loan?",
            place=Place(channel=said["channel"]),
            asked_at=datetime.now(UTC),
        )
        await parts.record.tasks.enqueue(request)
        place = {"channel": said["channel"], "thread": said["ts"]}
        named = {"tenant": TENANT, "task": "t1", "kind": ANSWER}
        await parts.record.deliveries.intend(**named, **place)
        yield Scene(parts, driver, Spot(**named, **place))


async def test_it_shows_that_its_job_was_given_up(scene: Scene) -> None:
    await scene.posted()
    await scene.given_up()
    (message,), alone = await scene.messages()
    assert finished(message)
    assert alone == []
    assert await scene.state() is TaskState.FAILED


async def test_where_none_stands_the_asker_is_told_alone(scene: Scene) -> None:
    await scene.given_up()
    for _ in range(2):
        await scene.after(11)
    thread, alone = await scene.messages()
    assert (thread, len(alone)) == ([], 1)
    assert await scene.parts.record.deliveries.unfinished(tenant=TENANT) == ()


async def test_what_is_posted_after_the_asker_was_told_alone_is_taken_away(scene: Scene) -> None:
    await scene.given_up()
    await scene.posted()
    named = {"tenant": TENANT, "task": "t1", "kind": ANSWER}
    ((message,), _) = await scene.messages()
    await scene.parts.record.deliveries.placed(**named, ts=message["ts"])
    await scene.after(11)
    thread, alone = await scene.messages()
    assert (thread, len(alone)) == ([], 1)
    assert await scene.parts.record.deliveries.unfinished(tenant=TENANT) == ()


@pytest.mark.parametrize("stands", [True, False])
async def test_where_nobody_can_look_the_watchdog_does_later(scene: Scene, *, stands: bool) -> None:
    if stands:
        await scene.posted()
    await scene.driver.post("faults", method=LOOKING, kind="status", times=99)
    await scene.given_up()
    assert await scene.state() is TaskState.FAILED
    await scene.after(11)
    thread, alone = await scene.messages()
    assert (any(map(finished, thread)), alone) == (False, [])
    await scene.driver.post("faults/clear")
    await scene.after(11)
    thread, alone = await scene.messages()
    assert [finished(message) for message in thread] == ([True] if stands else [])
    assert len(alone) == (0 if stands else 1)
    assert await scene.parts.record.deliveries.unfinished(tenant=TENANT) == ()
    assert await scene.state() is TaskState.FAILED


async def test_what_somebody_is_about_to_post_is_left_to_them(scene: Scene) -> None:
    await scene.after(10 * scene.parts.limits.task_seconds)
    assert await scene.messages() == ([], [])
    assert await scene.state() is TaskState.QUEUED

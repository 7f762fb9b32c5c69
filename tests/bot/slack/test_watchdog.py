"""No message says "working" for ever, whoever is stuck and whatever the wall clock does."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from bot.delivery import ANSWER
from bot.inbound.hearing import on_ask
from bot.parts import Parts
from bot.playground import Running
from bot.posts.looking import Spot
from bot.posts.posting import Poster
from bot.questions.answering import fail, taken_up
from bot.questions.asking import Brief
from bot.queue.durable import again_id
from bot.record import Deliveries, Delivery, TaskState
from bot.watch.watchdog import Watchdog
from handlers.blocks.progress import progress
from handlers.blocks.rendered import Rendered
from handlers.deps import Asked, Room, RoomKind, Sender
from rag.errors import LeaseLost, StoreUnavailable
from rag.values import Limits, Place, Reason, Request, Status
from tests.bot.slack.conftest import ALICE, TENANT, Bot, Company, finished, parts_of, shown
from tests.bot.slack.queue_rows import execute
from tests.playground.conftest import Driver, Json

BUDGET = 10.0


class Scene:
    """One question of alice's whose message says "working", and a watchdog to turn time for."""

    def __init__(self, parts: Parts, driver: Driver, ts: str) -> None:
        self.parts = parts
        self.driver = driver
        self.ts = ts
        self.now = 0.0
        self.watchdog = Watchdog(parts, clock=lambda: self.now)

    async def after(self, seconds: float) -> Json:
        """The message once the watchdog has looked, and again that much later."""
        await self.watchdog.look()
        self.now += seconds
        await self.watchdog.look()
        (message,) = await self.driver.messages("general", "alice", self.ts)
        return message

    async def state(self) -> tuple[TaskState, Reason | None]:
        stored = await self.parts.record.tasks.get(tenant=TENANT, task="t1")
        return stored.state, stored.reason


async def staged(bot: Bot, driver: Driver, *, asked_at: datetime | None = None) -> Scene:
    parts = replace(bot.parts, limits=Limits(task_seconds=BUDGET))
    said = await driver.post("say", user="alice", channel="general", text="<@footnote> A loan?")
    request = Request(
        task="t1",
        tenant=TENANT,
        principal=f"slack:{parts.installation.team_id}:{ALICE}",
        question="A loan?",
        place=Place(channel=said["channel"]),
        asked_at=asked_at or datetime.now(UTC),
    )
    await parts.record.tasks.enqueue(request)
    spot = Spot(tenant=TENANT, task="t1", kind=ANSWER, channel=said["channel"], thread=said["ts"])
    ts = await parts.poster.ensure(spot, progress("plan", language="en"))
    return Scene(parts, driver, ts)


def _hasty(parts: Parts) -> Parts:
    """The same, whose poster makes no pauses."""

    async def sleep(_seconds: float) -> None:
        return

    poster = Poster(parts.client, parts.installation, parts.record.deliveries, sleep=sleep)
    return replace(parts, poster=poster)


@pytest.fixture
async def bot(company: Company, running: Running) -> AsyncIterator[Bot]:
    async with parts_of(company, running) as made:
        yield made


async def test_at_the_deadline_the_message_says_that_it_takes_longer(
    bot: Bot, driver: Driver
) -> None:
    scene = await staged(bot, driver)
    assert "longer" not in shown(await scene.after(BUDGET - 1))
    assert "longer" in shown(await scene.after(2))
    assert await scene.state() == (TaskState.QUEUED, None)


async def test_a_run_that_is_stuck_is_ended_and_fenced_off(bot: Bot, driver: Driver) -> None:
    scene = await staged(bot, driver)
    stuck = await taken_up(scene.parts, Brief(tenant=TENANT, task="t1"))
    assert stuck is not None
    message = await scene.after(2 * BUDGET + 11)
    assert finished(message)
    assert await scene.state() == (TaskState.FAILED, Reason.BUDGET_EXCEEDED)
    with pytest.raises(LeaseLost):
        await scene.parts.record.checkpoints.save(stuck.held, "answer", "{}")
    with pytest.raises(LeaseLost):
        await scene.parts.record.tasks.finish(
            tenant=TENANT, lease=stuck.held, status=Status.ANSWERED
        )


async def test_a_clock_set_back_ten_minutes_keeps_nothing_alive(bot: Bot, driver: Driver) -> None:
    scene = await staged(bot, driver)
    scene.parts = replace(scene.parts, now=lambda: datetime.now(UTC) - timedelta(minutes=10))
    scene.watchdog = Watchdog(scene.parts, clock=lambda: scene.now)
    assert await taken_up(scene.parts, Brief(tenant=TENANT, task="t1")) is not None
    assert finished(await scene.after(2 * BUDGET + 11))


async def test_who_takes_a_task_up_anew_has_the_whole_time_again(bot: Bot, driver: Driver) -> None:
    scene = await staged(bot, driver)
    brief = Brief(tenant=TENANT, task="t1")
    await taken_up(scene.parts, brief)
    await scene.after(2 * BUDGET)
    await taken_up(scene.parts, brief)
    assert not finished(await scene.after(2 * BUDGET))
    assert (await scene.state())[0] is TaskState.RUNNING


async def test_what_nobody_began_for_too_long_is_answered_no_more(bot: Bot, driver: Driver) -> None:
    scene = await staged(bot, driver, asked_at=datetime.now(UTC) - timedelta(days=2))
    message = await scene.after(0)
    assert finished(message)
    assert "ask it again" in shown(message)
    assert await scene.state() == (TaskState.FAILED, Reason.EXPIRED)


async def test_a_worker_answers_no_question_of_long_ago(bot: Bot, driver: Driver) -> None:
    scene = await staged(bot, driver, asked_at=datetime.now(UTC) - timedelta(days=2))
    assert await taken_up(scene.parts, Brief(tenant=TENANT, task="t1")) is None
    assert await scene.state() == (TaskState.FAILED, Reason.EXPIRED)


async def test_an_end_that_could_not_be_shown_is_shown_later(bot: Bot, driver: Driver) -> None:
    scene = await staged(bot, driver)
    stored = await taken_up(scene.parts, Brief(tenant=TENANT, task="t1"))
    assert stored is not None
    await scene.parts.record.tasks.finish(
        tenant=TENANT, lease=stored.held, status=Status.FAILED, reason=Reason.READER_UNAVAILABLE
    )
    assert not finished(await scene.after(9))
    assert finished(await scene.after(11))
    assert await scene.parts.record.deliveries.unfinished(tenant=TENANT) == ()


async def test_a_failure_that_could_not_take_the_place_of_another_end_does_so_later(
    bot: Bot, driver: Driver
) -> None:
    scene = await staged(bot, driver)
    record, named = scene.parts.record, {"tenant": TENANT, "task": "t1", "kind": ANSWER}
    stored = await taken_up(scene.parts, Brief(tenant=TENANT, task="t1"))
    assert stored is not None
    # Its worker showed an answer, noted so, and died before it could record the end.
    answer = Rendered(text="An answer", blocks=({"type": "divider"},))
    placed = await record.deliveries.get(**named)
    assert placed is not None
    await scene.parts.poster.update(channel=placed.channel, ts=scene.ts, rendered=answer)
    await record.deliveries.updated(tenant=TENANT, task="t1", kind=ANSWER, lease=stored.held)
    await driver.post("faults", method="chat.update", kind="status", times=99)
    await fail(_hasty(scene.parts), stored, None)
    assert (await scene.state())[0] is TaskState.FAILED
    await driver.post("faults/clear")
    assert "could not finish" in shown(await scene.after(11))
    assert await record.deliveries.unfinished(tenant=TENANT) == ()


async def test_an_end_that_has_no_place_any_more_is_told_to_the_asker_once(
    bot: Bot, driver: Driver
) -> None:
    scene = await staged(bot, driver)
    stored = await taken_up(scene.parts, Brief(tenant=TENANT, task="t1"))
    assert stored is not None
    refusing = {"method": "chat.update", "kind": "error", "error": "is_archived"}
    await driver.post("faults", **refusing, times=99)
    await fail(scene.parts, stored, Reason.READER_UNAVAILABLE)
    for _ in range(3):
        await scene.after(11)
    tried = (await driver.get("calls", method="chat.update"))["calls"]
    alone = await driver.messages(await scene.parts.poster.dm(ALICE), "alice")
    assert (len(tried), len([said for said in alone if said.get("bot_id")])) == (1, 1)
    assert await scene.parts.record.deliveries.unfinished(tenant=TENANT) == ()


async def test_while_the_token_is_refused_no_time_passes(bot: Bot, driver: Driver) -> None:
    scene = await staged(bot, driver)
    held = await taken_up(scene.parts, Brief(tenant=TENANT, task="t1"))
    assert held is not None
    await scene.after(BUDGET)
    await driver.post("faults", method="auth.test", kind="error", error="token_revoked", times=99)
    watch = scene.parts.client.watch
    assert watch is not None
    watch.refused("token_revoked")
    assert not finished(await scene.after(10 * BUDGET))
    stored = await scene.parts.record.tasks.get(tenant=TENANT, task="t1")
    assert stored.lease == held.lease
    await driver.post("faults/clear")
    await watch.restored()
    assert not finished(await scene.after(1))
    assert (await scene.state())[0] is TaskState.RUNNING
    assert finished(await scene.after(2 * BUDGET + 11))


class Leaving:
    """Deliveries of a record that is away now and then."""

    def __init__(self, kept: Deliveries) -> None:
        self._kept = kept
        self.away = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    async def unfinished(self, *, tenant: str) -> tuple[Delivery, ...]:
        if self.away:
            raise StoreUnavailable(f"nothing is known of {tenant}")
        return await self._kept.unfinished(tenant=tenant)


async def test_while_the_record_is_away_no_time_passes(bot: Bot, driver: Driver) -> None:
    scene = await staged(bot, driver)
    record = scene.parts.record
    leaving = Leaving(record.deliveries)
    kept = replace(record, deliveries=cast("Deliveries", leaving))
    scene.watchdog = Watchdog(replace(scene.parts, record=kept), clock=lambda: scene.now)
    held = await taken_up(scene.parts, Brief(tenant=TENANT, task="t1"))
    assert held is not None
    await scene.after(BUDGET)
    leaving.away = True
    with pytest.raises(StoreUnavailable):
        await scene.after(0)
    scene.now += 60 * BUDGET
    leaving.away = False
    assert not finished(await scene.after(1))
    assert (await scene.state())[0] is TaskState.RUNNING
    assert finished(await scene.after(2 * BUDGET + 11))


async def test_a_message_of_two_days_ago_gets_one_note_and_no_answer(
    company: Company, running: Running, driver: Driver
) -> None:
    later = datetime.now(UTC) + timedelta(days=2)
    async with parts_of(company, running) as made:
        parts = replace(made.parts, now=lambda: later)
        said = await driver.post("say", user="alice", channel="general", text="<@footnote> A loan?")
        team = parts.installation.team_id
        sender = Sender(user_id=ALICE, team_id=team, homes=(team,))
        asked = Asked(
            sender=sender,
            room=Room(channel=said["channel"], kind=RoomKind.CHANNEL),
            ts=said["ts"],
            event_id="Ev1",
            question="A loan?",
            mentioned=True,
        )
        for _ in range(2):  # done again after a death, it is still said once
            await on_ask(parts, "t1", asked)
        found = await driver.messages("general", "alice", said["ts"])
        (note,) = [message for message in found if message.get("bot_id")]
        assert "ask it again" in shown(note)
        assert made.pipeline.runs == []


async def test_a_question_whose_words_changed_says_nothing_more(bot: Bot, driver: Driver) -> None:
    scene = await staged(bot, driver)
    parts, brief = scene.parts, Brief(tenant=TENANT, task="t1")
    stuck = await taken_up(parts, brief)
    assert stuck is not None
    await parts.record.tasks.cancel(tenant=TENANT, task="t1")
    again = stuck.request.model_copy(update={"task": again_id("t1", "A bond?")})
    await parts.record.tasks.enqueue(again)
    (message,) = await driver.messages("general", "alice", scene.ts)
    place = {"channel": str(again.place.channel), "thread": message["thread_ts"]}
    spot = Spot(tenant=TENANT, task=again.task, kind=ANSWER, **place)
    await parts.poster.take_over(spot, scene.ts, progress("plan", language="en"))
    with pytest.raises(LeaseLost):
        await taken_up(parts, brief)
    with pytest.raises(LeaseLost):
        await fail(parts, stuck, Reason.READER_UNAVAILABLE)
    assert not finished(await scene.after(0.0))


async def test_a_task_that_cannot_be_read_leaves_the_others_looked_after(
    company: Company, bot: Bot, driver: Driver
) -> None:
    scene = await staged(bot, driver)
    request = (await bot.parts.record.tasks.get(tenant=TENANT, task="t1")).request
    await bot.parts.record.tasks.enqueue(request.model_copy(update={"task": "t0"}))
    spot = Spot(tenant=TENANT, task="t0", kind=ANSWER, channel=request.place.channel or "")
    await bot.parts.poster.ensure(spot, progress("plan", language="en"))
    execute(company.url, "UPDATE tasks SET sha256 = 'x' WHERE id = 't0'")
    assert "longer" in shown(await scene.after(BUDGET + 1))

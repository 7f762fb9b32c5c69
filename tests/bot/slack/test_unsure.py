"""Whether a message stands is unknown: it is looked for, and never guessed."""

import itertools
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from bot.delivery import Progress
from bot.errors import SlackRefused, SlackUnavailable
from bot.playground import Running
from bot.posts.looking import Spot
from bot.posts.posting import Poster
from bot.record import Deliveries
from bot.slack.client import Slack, open_client, whoami
from bot.slack.pacing import Pace
from bot.storage.deliveries import SqlDeliveries
from handlers.blocks import notes
from handlers.blocks.progress import progress
from handlers.blocks.rendered import Rendered
from rag.errors import LeaseLost
from rag.values import Place, Request
from tests.bot.slack.conftest import Company
from tests.playground.conftest import GENERAL, Driver, Json

RENDERED = progress("authorize", language="en")
NOTE = Spot(tenant="demo", task="t9", kind="note", channel=GENERAL)
SPOT = Spot(tenant="demo", task="t1", kind="answer", channel=GENERAL)
LOOKING = ["conversations.history", "conversations.replies"]
LOST = ["cut", "cut_before", "status"]


class Desk:
    """A poster whose pauses take no time, and how long they would have taken."""

    def __init__(self, client: Slack, poster: Poster, slept: list[float]) -> None:
        self.client = client
        self.poster = poster
        self.slept = slept


@pytest.fixture
async def desk(company: Company, running: Running) -> AsyncIterator[Desk]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    request = Request(
        task="t1",
        tenant="demo",
        principal="slack:T0PLAYGROUND:U0ALICE0001",
        question="What?",
        place=Place(channel=GENERAL),
        asked_at=datetime.now(UTC),
    )
    await company.record.tasks.enqueue(request)
    url = running.api_url
    async with open_client(token="xoxb-playground", base_url=url, post_gap=0.0) as client:
        installation = await whoami(client)
        poster = Poster(client, installation, company.record.deliveries, sleep=sleep)
        yield Desk(client, poster, slept)


async def fault(driver: Driver, method: str, kind: str, times: int = 1, error: str = "") -> None:
    await driver.post("faults", method=method, kind=kind, times=times, error=error)


async def standing(driver: Driver) -> list[Json]:
    found = await driver.messages("general", "alice")
    return [message for message in found if message.get("bot_id")]


async def asked(driver: Driver, method: str) -> int:
    return len((await driver.get("calls", method=method))["calls"])


async def test_a_first_post_is_not_looked_for(desk: Desk, driver: Driver) -> None:
    await desk.poster.ensure(SPOT, RENDERED)
    assert [await asked(driver, method) for method in LOOKING] == [0, 0]
    assert await desk.poster.ensure(SPOT, RENDERED) == (await standing(driver))[0]["ts"]
    assert len(await standing(driver)) == 1


@pytest.mark.parametrize("kind", LOST)
async def test_a_post_of_unknown_outcome_is_looked_for(
    desk: Desk, driver: Driver, kind: str
) -> None:
    await fault(driver, "chat.postMessage", kind)
    ts = await desk.poster.ensure(SPOT, RENDERED)
    assert [message["ts"] for message in await standing(driver)] == [ts]


@pytest.mark.parametrize("kind", LOST)
@pytest.mark.parametrize("stands", [True, False])
async def test_an_intent_found_after_a_death_is_looked_for(
    desk: Desk, company: Company, driver: Driver, *, stands: bool, kind: str
) -> None:
    if stands:
        await desk.poster.say_once(SPOT, RENDERED, since=datetime.now(UTC))
    await company.record.deliveries.intend(tenant="demo", task="t1", kind="answer", channel=GENERAL)
    await fault(driver, "conversations.history", kind, times=3)
    ts = await desk.poster.ensure(SPOT, RENDERED)
    assert [message["ts"] for message in await standing(driver)] == [ts]


@pytest.mark.parametrize("error", ["missing_scope", "fatal_error"])
@pytest.mark.parametrize("kind", ["cut_before", "status"])
async def test_where_nobody_can_look_it_is_posted_again_once_after_a_minute(
    desk: Desk, driver: Driver, kind: str, error: str
) -> None:
    await fault(driver, "chat.postMessage", kind)
    await fault(driver, "conversations.history", "error", times=99, error=error)
    await desk.poster.ensure(SPOT, RENDERED)
    assert len(await standing(driver)) == 1
    assert await asked(driver, "chat.postMessage") == 2
    assert sum(desk.slept) >= 60.0


async def test_a_second_doubt_where_nobody_can_look_posts_no_third_time(
    desk: Desk, driver: Driver
) -> None:
    await fault(driver, "chat.postMessage", "cut_before", times=2)
    await fault(driver, "conversations.history", "error", times=999, error="missing_scope")
    for _try in range(3):
        with pytest.raises(SlackUnavailable):
            await desk.poster.ensure(SPOT, RENDERED)
    assert await asked(driver, "chat.postMessage") == 2
    await driver.post("faults/clear")
    await desk.poster.ensure(SPOT, RENDERED)
    assert len(await standing(driver)) == 1


async def test_a_closed_place_is_not_looked_into_again(desk: Desk, driver: Driver) -> None:
    await fault(driver, "chat.postMessage", "cut_before")
    await fault(driver, "conversations.history", "error", times=99, error="not_in_channel")
    with pytest.raises(SlackRefused):
        await desk.poster.ensure(SPOT, RENDERED)
    assert await asked(driver, "conversations.history") == 1


async def test_a_message_is_found_behind_many_others(
    desk: Desk, company: Company, driver: Driver
) -> None:
    ts = await desk.poster.say_once(SPOT, RENDERED, since=datetime.now(UTC))
    for number in range(130):
        await driver.post("say", user="alice", channel="general", text=f"word {number}")
    await company.record.deliveries.intend(tenant="demo", task="t1", kind="answer", channel=GENERAL)
    assert await desk.poster.ensure(SPOT, RENDERED) == ts


@pytest.mark.parametrize("minutes", [-10, 10])
async def test_a_message_is_found_though_our_clock_is_wrong(
    desk: Desk, company: Company, driver: Driver, minutes: int
) -> None:
    ts = await desk.poster.say_once(SPOT, RENDERED, since=datetime.now(UTC))
    wrong = SqlDeliveries(
        company.database, clock=lambda: datetime.now(UTC) + timedelta(minutes=minutes)
    )
    await wrong.intend(tenant="demo", task="t1", kind="answer", channel=GENERAL)
    assert await desk.poster.ensure(SPOT, RENDERED) == ts
    assert len(await standing(driver)) == 1


@pytest.mark.parametrize("kind", LOST)
async def test_an_update_is_repeated_until_it_is_known_to_be_done(
    desk: Desk, driver: Driver, kind: str
) -> None:
    ts = await desk.poster.ensure(SPOT, RENDERED)
    await fault(driver, "chat.update", kind, times=3)
    await desk.poster.update(channel=GENERAL, ts=ts, rendered=Rendered(text="done", blocks=()))
    assert [message["text"] for message in await standing(driver)] == ["done"]


@pytest.mark.parametrize("kind", LOST)
async def test_a_delete_is_repeated_until_it_is_known_to_be_done(
    desk: Desk, driver: Driver, kind: str
) -> None:
    ts = await desk.poster.ensure(SPOT, RENDERED)
    await fault(driver, "chat.delete", kind, times=2)
    await desk.poster.delete(channel=GENERAL, ts=ts)
    await desk.poster.delete(channel=GENERAL, ts=ts)
    assert await standing(driver) == []


async def test_progress_never_takes_the_place_of_an_end(desk: Desk, driver: Driver) -> None:
    ts = await desk.poster.ensure(SPOT, RENDERED)
    end = Rendered(text="the end", blocks=({"type": "divider"},))
    await desk.poster.update(channel=GENERAL, ts=ts, rendered=end)
    await desk.poster.update(channel=GENERAL, ts=ts, rendered=RENDERED)
    await desk.poster.hint(channel=GENERAL, ts=ts, rendered=RENDERED)
    assert [message["text"] for message in await standing(driver)] == ["the end"]


async def test_a_change_tried_again_asks_first_whether_the_task_is_still_ours(
    desk: Desk, company: Company, driver: Driver
) -> None:
    ts = await desk.poster.ensure(SPOT, RENDERED)
    request = (await company.record.tasks.get(tenant="demo", task="t1")).request
    held = await company.record.checkpoints.open(request)
    note = notes.refused(language="en")

    async def hold() -> None:
        await company.record.tasks.hold(tenant="demo", lease=held)
        await company.record.checkpoints.open(request)  # another takes it up right after

    await fault(driver, "chat.update", "cut_before")
    with pytest.raises(LeaseLost):
        await desk.poster.update(channel=GENERAL, ts=ts, rendered=note, hold=hold)
    assert note.text not in str(await standing(driver))
    assert await asked(driver, "chat.update") == 1


async def test_a_change_whose_turn_comes_late_asks_then(desk: Desk, driver: Driver) -> None:
    ts = await desk.poster.ensure(SPOT, RENDERED)
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def hold() -> None:
        if slept:
            raise LeaseLost("another took it up meanwhile")

    pace = Pace(clock=lambda: sum(slept), sleep=sleep)
    pace.limited("chat.update", 5.0)
    client = replace(desk.client, pace=pace)
    late = Poster(client, await whoami(client), cast("Deliveries", None))
    with pytest.raises(LeaseLost):
        await late.update(channel=GENERAL, ts=ts, rendered=RENDERED, hold=hold)
    assert (slept, await asked(driver, "chat.update")) == ([5.0], 0)


async def test_progress_asks_as_late_as_can_be_whether_the_task_is_still_ours(
    desk: Desk, company: Company, driver: Driver
) -> None:
    await desk.poster.ensure(SPOT, RENDERED)
    record, now = company.record, [0.0]
    request = (await record.tasks.get(tenant="demo", task="t1")).request
    shown = Progress(
        desk.poster,
        await record.checkpoints.open(request),
        deliveries=record.deliveries,
        tasks=record.tasks,
        checkpoints=record.checkpoints,
        clock=lambda: now[0],
    )
    now[0] = 0.95
    await shown.entering(request, "plan", 1)
    await record.checkpoints.open(request)  # by another, while we stand still
    now[0] = 1.05
    with pytest.raises(LeaseLost):
        await shown.entering(request, "index", 1)
    assert await asked(driver, "chat.update") == 0


class Overtaken:
    """Deliveries in which another has placed the message before we have."""

    def __init__(self, kept: Deliveries, ts: str) -> None:
        self._kept = kept
        self._ts = ts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    async def placed(self, *, tenant: str, task: str, kind: str, ts: str) -> str:
        await self._kept.placed(tenant=tenant, task=task, kind=kind, ts=self._ts)
        return await self._kept.placed(tenant=tenant, task=task, kind=kind, ts=ts)


async def test_a_message_that_was_posted_too_late_is_taken_away(
    desk: Desk, company: Company, driver: Driver
) -> None:
    other = SPOT.model_copy(update={"kind": "other"})
    first = await desk.poster.say_once(other, RENDERED, since=datetime.now(UTC))
    deliveries = cast("Deliveries", Overtaken(company.record.deliveries, first))
    late = Poster(desk.client, await whoami(desk.client), deliveries)
    assert await late.ensure(SPOT, RENDERED) == first
    assert [message["ts"] for message in await standing(driver)] == [first]


async def test_who_stood_still_before_posting_takes_the_second_away(
    desk: Desk, driver: Driver, company: Company
) -> None:
    said = await driver.post("say", user="alice", channel="general", text="<@footnote> What?")
    spot = SPOT.model_copy(update={"thread": said["ts"]})
    other = await desk.poster.say_once(spot, RENDERED, since=datetime.now(UTC))
    ticks = itertools.count(step=60)
    installation = await whoami(desk.client)
    record = company.record.deliveries
    late = Poster(desk.client, installation, record, clock=lambda: float(next(ticks)))
    assert await late.ensure(spot, RENDERED) == other
    found = await driver.messages("general", "alice", said["ts"])
    assert [message["ts"] for message in found if message.get("bot_id")] == [other]


async def test_who_stood_still_while_it_waited_for_its_turn_sends_nothing_beside_anothers(
    desk: Desk, driver: Driver, company: Company
) -> None:
    """It would be killed before it could take its own away again."""
    now, sent = [0.0], []

    async def sleep(seconds: float) -> None:
        now[0] += seconds
        sent.append(await desk.poster.say_once(NOTE, RENDERED, since=asked_at))

    asked_at = datetime.now(UTC)
    pace = Pace(clock=lambda: now[0], sleep=sleep)
    pace.limited("chat.postMessage", 10.0)
    client = replace(desk.client, pace=pace)
    record = company.record.deliveries
    late = Poster(client, await whoami(client), record, clock=lambda: now[0])
    assert await late.say_once(NOTE, RENDERED, since=asked_at) == sent[0]
    assert await asked(driver, "chat.postMessage") == 1

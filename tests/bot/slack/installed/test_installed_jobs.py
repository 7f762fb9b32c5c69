"""Jobs of installations that are paused, gone, or changed meanwhile."""

import asyncio
from datetime import UTC, datetime

from bot.installations import Everyone
from bot.owners import lent
from bot.playground import Running
from bot.questions.asking import Brief, answer_job
from bot.queue.engine import system_url
from bot.queue.lines import ANSWERING
from bot.socket import connected
from bot.speaking import opened_all
from bot.storage.installations import SqlInstallations
from bot.watch.watchdog import Watchdog
from bot.worker import working
from handlers.deps import Address
from rag.values import Place, Request, Status
from tests.bot.slack.conftest import ALICE, TENANT, Company, replies, setup_of, shown
from tests.bot.slack.installed.conftest import (
    ASKED,
    ATLAS,
    HERE,
    OTHER,
    THERE,
    asked,
    everyones_bot,
    hearing,
    installation,
)
from tests.bot.slack.queue_rows import execute
from tests.bot.slack.test_mentions import ours, settled
from tests.playground.conftest import Driver, until


async def paused(everyone: Everyone, reason: str) -> None:
    async def check() -> bool:
        held = {parts.tenant: parts.client.paused for parts in everyone.all()}
        return held == {TENANT: "", "acme": reason}

    await until(check)


async def test_a_paused_workspace_keeps_its_questions_until_it_installs_again(
    company: Company, running: Running, driver: Driver, there: Driver, kept: SqlInstallations
) -> None:
    async with everyones_bot(company, running, kept) as everyone:
        before = await kept.get(team_id=OTHER)
        assert before is not None
        await kept.pause(home=OTHER, reason="app_uninstalled", revision=before.revision)
        await paused(everyone, "app_uninstalled")
        said = await there.post("say", user="alice", channel="general", text=ASKED)
        assert HERE in shown(await asked(driver))
        await settled(there, seconds=0.3)
        assert await ours(there, "general", "alice", said["ts"]) == []
        assert (await there.get("calls"))["calls"] == []
        await kept.put(installation(OTHER), bot_token=f"xoxb-playground-{OTHER}")
        answers = await replies(there, "general", "alice", said["ts"])
    assert [THERE in shown(answer) for answer in answers] == [True]


async def test_what_one_process_left_another_does_once_the_workspace_is_there(
    company: Company, running: Running, there: Driver, kept: SqlInstallations
) -> None:
    async with (
        hearing(company, running, kept) as (_, app),
        connected(app, app_token="xapp-playground"),
    ):
        said = await there.post("say", user="alice", channel="general", text=ASKED)
        await settled(there)
    await company.tenants.unbind(team=OTHER)
    async with everyones_bot(company, running, kept) as everyone:
        assert [parts.tenant for parts in everyone.all()] == [TENANT]
        await company.tenants.bind(tenant="acme", team=OTHER)
        await kept.put(installation(OTHER), bot_token=f"xoxb-playground-{OTHER}")
        answers = await replies(there, "general", "alice", said["ts"])
    assert [THERE in shown(answer) for answer in answers] == [True]


async def test_a_new_token_is_used_by_what_runs_already(
    company: Company, running: Running, driver: Driver, kept: SqlInstallations
) -> None:
    await kept.put(installation(ATLAS), bot_token="xoxb-stale")
    async with everyones_bot(company, running, kept) as everyone:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        (before,) = [parts for parts in everyone.all() if parts.tenant == TENANT]

        async def refused() -> bool:
            return before.client.paused == "invalid_auth"

        await until(refused)
        await kept.put(installation(ATLAS), bot_token="xoxb-playground")
        assert len(await replies(driver, "general", "alice", said["ts"])) == 1
        assert before in everyone.all()
        other = installation(ATLAS).model_copy(update={"enterprise_id": "E0GRID"})
        await kept.put(other, bot_token="xoxb-playground")
        await everyone.refresh()
        assert before not in everyone.all()


async def test_an_installation_that_went_and_came_back_releases_what_waits(
    company: Company, running: Running, kept: SqlInstallations
) -> None:
    async with hearing(company, running, kept) as (everyone, _):
        parts = await everyone.at(Address(team_id=OTHER))
        assert parts is not None
        await company.tenants.unbind(team=OTHER)
        await everyone.refresh()
        assert parts.client.paused
        assert await everyone.at(Address(team_id=OTHER)) is None
        waits = asyncio.create_task(parts.client.restored())
        await company.tenants.bind(tenant="acme", team=OTHER)
        await kept.put(installation(OTHER), bot_token="xoxb-anew")
        assert await everyone.at(Address(team_id=OTHER)) is parts
        await asyncio.wait_for(waits, 5.0)
        assert parts.client.web.token == "xoxb-anew"


async def test_paused_tenants_jobs_leave_room_for_the_others(
    company: Company, running: Running, kept: SqlInstallations
) -> None:
    names = [f"paused{number}" for number in range(5)]
    for name in names:
        await company.tenants.create(name)
        await company.tenants.bind(tenant=name, team=name)
        made = await kept.put(installation(name), bot_token="xoxb-dead")
        await kept.pause(home=name, reason="app_uninstalled", revision=made.revision)
    setup, pipelines = setup_of(company, running.api_url)
    url = system_url(company.url, company.folder)
    async with opened_all(setup, kept) as everyone:
        for name in names:
            await _stored(everyone, name, team=name)
        async with working(everyone, url=url, slots=company.slots, concurrency=1):

            async def held() -> bool:
                counted = "SELECT count(*) FROM workflow_status WHERE status = 'PENDING'"
                return bool(execute(url, counted) >= [(4,)])

            await until(held)
            await _stored(everyone, TENANT, team=ATLAS)

            async def read() -> bool:
                return any(run.tenant == TENANT for made in pipelines for run in made.runs)

            await until(read)


async def _stored(everyone: Everyone, tenant: str, *, team: str) -> None:
    """A question that waits to be answered."""
    now = datetime.now(UTC)
    asked = Request(
        task=f"task-{tenant}",
        tenant=tenant,
        principal=f"slack:{team}:{ALICE}",
        question="What does a loan need?",
        place=Place(),
        asked_at=now,
    )
    await everyone.record.tasks.enqueue(asked)
    brief = Brief(tenant=tenant, task=asked.task, address=Address(team_id=team))
    await everyone.queue.put(answer_job(brief, at=now), queue=ANSWERING)


async def test_of_a_tenants_two_installations_each_ends_its_own_messages(
    company: Company, running: Running, driver: Driver, there: Driver, kept: SqlInstallations
) -> None:
    await company.tenants.unbind(team=OTHER)
    await company.tenants.bind(tenant=TENANT, team=OTHER)
    await kept.put(installation(OTHER), bot_token=f"xoxb-playground-{OTHER}")
    async with hearing(company, running, kept) as (everyone, _):
        await _failed(everyone, f"slack:{ATLAS}:{ALICE}")
        seconds = [0.0]
        watchdogs = [Watchdog(parts, clock=lambda: seconds[-1]) for parts in everyone.all()]
        for then in (0.0, 60.0):
            seconds.append(then)
            for watchdog in watchdogs:
                await watchdog.look()
    assert (await there.get("calls"))["calls"] == []  # though it looked first
    assert (await driver.get("calls", method="chat.update"))["calls"] != []


async def test_of_a_tenants_two_installations_each_looks_after_its_own_owners(
    company: Company, running: Running, there: Driver, kept: SqlInstallations
) -> None:
    """The other's token reaches nobody here: what it took back would stand on, and be forgotten."""
    await company.tenants.unbind(team=OTHER)
    await company.tenants.bind(tenant=TENANT, team=OTHER)
    await kept.put(installation(OTHER), bot_token=f"xoxb-playground-{OTHER}")
    owner = f"slack:{ATLAS}:{ALICE}"
    named = {"tenant": TENANT, "task": "task-1"}
    async with hearing(company, running, kept) as (everyone, _):
        await _failed(everyone, owner)
        handoffs = everyone.record.handoffs
        await handoffs.ask(**named, owners={owner: ""}, asker=owner)
        await handoffs.quote(**named, owner=owner, sources=["handbook"])
        other = await everyone.at(Address(team_id=OTHER))
        own = await everyone.at(Address(team_id=ATLAS))
        assert own is not None and other is not None  # noqa: PT018 - for the types
        await company.sources.remove(tenant=TENANT, source_id="handbook")
        assert await lent.review(other, patient=False)
        assert [one.quoted for one in await handoffs.quoting(tenant=TENANT)] == [("handbook",)]
        assert await lent.review(own, patient=False)
        assert await handoffs.quoting(tenant=TENANT) == ()
    assert (await there.get("calls"))["calls"] == []


async def _failed(everyone: Everyone, principal: str) -> None:
    """A question whose end its message does not show."""
    record, of = everyone.record, {"tenant": TENANT, "task": "task-1", "kind": "answer"}
    asked = Request(
        task="task-1",
        tenant=TENANT,
        principal=principal,
        question="What does a loan need?",
        place=Place(channel="C0GENERAL01"),
        asked_at=datetime.now(UTC),
    )
    await record.tasks.enqueue(asked)
    await record.deliveries.intend(**of, channel="C0GENERAL01")
    await record.deliveries.placed(**of, ts="1796000000.000100")
    lease = await record.checkpoints.open(asked)
    await record.tasks.finish(tenant=TENANT, lease=lease, status=Status.FAILED)

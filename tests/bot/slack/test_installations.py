"""Several installations in one process: each payload and each job is its own one's."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from cryptography.fernet import Fernet
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.web.async_client import AsyncWebClient

from bot import app as bolt
from bot import listening
from bot.asking import Brief, answer_job
from bot.background import Background
from bot.installations import Everyone
from bot.installed import Installation
from bot.lines import ANSWERING
from bot.playground import Running, Settings, start
from bot.playground.settings import DEFAULT_DESCRIPTION
from bot.queue_engine import system_url
from bot.receiving import Receiving
from bot.socket import connected
from bot.speaking import opened_all
from bot.spool import Spool
from bot.storage.installations import SqlInstallations
from bot.storage.sealing import Seal
from bot.watchdog import Watchdog, watching
from bot.worker import working
from handlers.deps import Address
from rag.values import Place, Request, Status
from tests.bot.slack.conftest import ALICE, TENANT, Company, on_both, replies, setup_of, shown
from tests.bot.slack.queue_rows import execute
from tests.bot.slack.signing import mention
from tests.bot.slack.test_mentions import ours, settled
from tests.bot.slack.test_windows import every_button, press, window
from tests.playground.conftest import Driver, Json, until

ATLAS, OTHER = "T0PLAYGROUND", "T0OTHER0001"
ASKED = "<@footnote> What does a loan need?"
HERE, THERE = "A loan needs the device number.", "A loan needs a blue canary."


class Neighbour(Driver):
    """The JSON API of the other workspace."""

    async def post(self, name: str, /, **body: Any) -> Json:
        url = f"{self.running.url}/team/{OTHER}/playground/{name}"
        async with self.session.post(url, json=body) as answer:
            return dict(await answer.json())

    async def get(self, name: str, /, **query: str) -> Json:
        url = f"{self.running.url}/team/{OTHER}/playground/{name}"
        async with self.session.get(url, params=query) as answer:
            return dict(await answer.json())


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Running]:
    """Two workspaces that differ in nothing but the team's id."""
    described = tmp_path / "other.json"
    described.write_text(DEFAULT_DESCRIPTION.read_text("utf-8").replace(ATLAS, OTHER), "utf-8")
    playground = await start(Settings(data=tmp_path / "playground", neighbours=(described,)))
    yield playground
    await playground.close()


@pytest.fixture
async def there(running: Running) -> AsyncIterator[Driver]:
    async with aiohttp.ClientSession() as session:
        yield Neighbour(running, session)


@pytest.fixture
async def kept(company: Company) -> SqlInstallations:
    """Both installed; the other's tenant has a source of the same id and title."""
    await company.tenants.create("acme")
    await company.tenants.bind(tenant="acme", team=OTHER)
    text = f"Borrowing a device\n\n{THERE}\nIt ends after seven days.\n"
    await company.put("handbook", readers=("everyone",), text=text, tenant="acme")
    made = SqlInstallations(company.database, Seal([Fernet.generate_key().decode()]))
    await made.put(_installation(ATLAS), bot_token="xoxb-playground")
    await made.put(_installation(OTHER), bot_token=f"xoxb-playground-{OTHER}")
    return made


def _installation(team: str) -> Installation:
    return Installation(team_id=team, bot_user_id="U0FOOTNOTE1", bot_id="B0FOOTNOTE1")


@asynccontextmanager
async def hearing(
    company: Company, running: Running, kept: SqlInstallations
) -> AsyncIterator[tuple[Everyone, AsyncApp]]:
    """A process that hears for all installations and works nothing yet."""
    setup, _ = setup_of(company, running.api_url)
    async with opened_all(setup, kept) as everyone:
        receiving = Receiving(everyone.queue, Spool(company.folder / "spool"))
        async with receiving.draining():
            background = Background()
            client = AsyncWebClient("of-nobody", base_url=running.api_url, retry_handlers=[])
            hear = listening.hearing(everyone, background, receiving)
            yield everyone, bolt.build(client=client, hear=hear)
            await background.drain(2.0)


@asynccontextmanager
async def everyones_bot(
    company: Company, running: Running, kept: SqlInstallations
) -> AsyncIterator[Everyone]:
    """A whole bot of all installations over one socket."""
    url = system_url(company.url, company.folder)
    async with (
        hearing(company, running, kept) as (everyone, app),
        working(everyone, url=url, slots=company.slots, concurrency=2),
        watching(everyone),
        connected(app, app_token="xapp-playground"),
    ):
        yield everyone


async def asked(driver: Driver, **said: str) -> Json:
    """A question's answer, once it is there."""
    saying = {"user": "alice", "channel": "general", "text": ASKED} | said
    put = await driver.post("say", **saying)
    return (await replies(driver, "general", "alice", put["ts"]))[0]


@on_both
async def test_each_workspace_is_answered_from_its_own_sources(
    company: Company, running: Running, driver: Driver, there: Driver, kept: SqlInstallations
) -> None:
    async with everyones_bot(company, running, kept):
        ours, theirs = await asked(driver), await asked(there)
    assert HERE in shown(ours)
    assert THERE in shown(theirs)
    for calls, other in ((driver, THERE), (there, HERE)):
        assert other not in str(await calls.get("calls"))
    for tenant in (TENANT, "acme"):
        assert len(await company.record.tasks.list(tenant=tenant)) == 1


async def test_a_button_of_one_workspace_means_nothing_in_another(
    company: Company, running: Running, driver: Driver, there: Driver, kept: SqlInstallations
) -> None:
    async with everyones_bot(company, running, kept) as everyone:
        theirs = await asked(there)
        values = [button["value"] for button in every_button((await asked(driver))["blocks"])]
        for value in values:
            found = {
                parts.tenant: await parts.record.deliveries.handle(
                    tenant=parts.tenant, handle_id=value
                )
                for parts in everyone.all()
            }
            assert found["acme"] is None
            assert found[TENANT] is not None
        await press(there, theirs, "open_context", "bob")
        assert THERE in shown(await window(there, "bob", holding=THERE))


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
        await kept.put(_installation(OTHER), bot_token=f"xoxb-playground-{OTHER}")
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
        await kept.put(_installation(OTHER), bot_token=f"xoxb-playground-{OTHER}")
        answers = await replies(there, "general", "alice", said["ts"])
    assert [THERE in shown(answer) for answer in answers] == [True]


async def test_a_new_token_is_used_by_what_runs_already(
    company: Company, running: Running, driver: Driver, kept: SqlInstallations
) -> None:
    await kept.put(_installation(ATLAS), bot_token="xoxb-stale")
    async with everyones_bot(company, running, kept) as everyone:
        said = await driver.post("say", user="alice", channel="general", text=ASKED)
        (before,) = [parts for parts in everyone.all() if parts.tenant == TENANT]

        async def refused() -> bool:
            return before.client.paused == "invalid_auth"

        await until(refused)
        await kept.put(_installation(ATLAS), bot_token="xoxb-playground")
        assert len(await replies(driver, "general", "alice", said["ts"])) == 1
        assert before in everyone.all()
        other = _installation(ATLAS).model_copy(update={"enterprise_id": "E0GRID"})
        await kept.put(other, bot_token="xoxb-playground")
        await everyone.refresh()
        assert before not in everyone.all()


@pytest.mark.parametrize(
    "authorizations", [[{"team_id": "T0NOBODY"}], [], [{"team_id": None, "enterprise_id": "E1"}]]
)
async def test_what_is_for_nobody_here_is_acknowledged_and_dropped(
    company: Company,
    running: Running,
    kept: SqlInstallations,
    authorizations: list[Json],
    caplog: pytest.LogCaptureFixture,
) -> None:
    body = json.loads(mention("What does a zanzibar need?"))
    body |= {"authorizations": authorizations, "team_id": ATLAS, "event_id": "Ev0DROPPED"}
    async with hearing(company, running, kept) as (everyone, app):
        answer = await app.async_dispatch(AsyncBoltRequest(body=body, mode="socket_mode"))
        assert answer.status == 200
        assert not await everyone.queue.jobs_of("1796000000")
    told = [record.getMessage() for record in caplog.records if record.name == "bot.app"]
    assert ["Ev0DROPPED" in line and "zanzibar" not in line for line in told] == [True]


async def test_where_the_record_is_away_slack_is_asked_to_come_again(
    company: Company, running: Running, kept: SqlInstallations
) -> None:
    async with hearing(company, running, kept) as (_, app):
        await company.database.close()
        body = json.loads(mention("What does it need?"))
        body["authorizations"] = [{"team_id": "T0NEW"}]
        answer = await app.async_dispatch(AsyncBoltRequest(body=body, mode="socket_mode"))
        assert answer.status == 503


GRID = Installation(team_id="", enterprise_id="E0GRID", bot_user_id="W0FOOTNOTE1")


async def test_a_whole_grid_and_a_workspace_that_joined_one_are_found(
    company: Company, running: Running, kept: SqlInstallations
) -> None:
    await company.tenants.create("grid")
    await company.tenants.bind(tenant="grid", team="E0GRID", enterprise=True)
    async with hearing(company, running, kept) as (everyone, _):
        assert await everyone.at(Address(enterprise_id="E0GRID")) is None
        await kept.put(GRID, bot_token="xoxb-playground")
        whole = await everyone.at(Address(enterprise_id="E0GRID"))
        assert whole is not None
        assert (whole.tenant, whole.address) == ("grid", Address(enterprise_id="E0GRID"))
        assert await everyone.at(Address(team_id="T0ANY", enterprise_id="E0GRID")) is whole
        joined = await everyone.at(Address(team_id=OTHER, enterprise_id="E0GRID"))
        assert joined is not None
        assert joined.tenant == "acme"
        own = await kept.get(team_id=OTHER)
        assert own is not None
        await kept.pause(home=OTHER, reason="app_uninstalled", revision=own.revision)
        await everyone.refresh()
        assert await everyone.at(Address(team_id=OTHER, enterprise_id="E0GRID")) is whole
        assert await everyone.at(Address(team_id=OTHER)) is joined


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
        await kept.put(_installation(OTHER), bot_token="xoxb-anew")
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
        made = await kept.put(_installation(name), bot_token="xoxb-dead")
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
    await kept.put(_installation(OTHER), bot_token=f"xoxb-playground-{OTHER}")
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

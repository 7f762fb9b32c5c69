"""Several installations in one process: each payload and each job is its own one's."""

import json

import pytest
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.playground import Running
from bot.slack.installed import Installation
from bot.storage.installations import SqlInstallations
from handlers.deps import Address
from tests.bot.slack.conftest import TENANT, Company, on_both, shown
from tests.bot.slack.installed.conftest import (
    ATLAS,
    HERE,
    OTHER,
    THERE,
    asked,
    everyones_bot,
    hearing,
)
from tests.bot.slack.signing import mention
from tests.bot.slack.test_windows import every_button, press, window
from tests.playground.conftest import Driver, Json


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

"""Installations and tokens: found, replaced, paused, unreadable to whoever has the disk."""

from datetime import UTC, datetime, timedelta

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select, update

from bot.errors import WorkspaceUnexpected
from bot.slack.installed import UNREADABLE, Installation
from bot.storage.audit import OURSELVES, SqlAudit
from bot.storage.database import Database
from bot.storage.installations import SqlInstallations
from bot.storage.oauth_states import LIFE, SqlOAuthStates
from bot.storage.sealing import Seal
from bot.storage.tables import installations, oauth_states
from bot.storage.tenants import SqlTenants

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()
T1 = Installation(
    team_id="T1", bot_user_id="U1", bot_id="B1", team_name="One", url="https://one.example/"
)
T2 = Installation(team_id="T2", enterprise_id="E1", bot_user_id="U2")
GRID = Installation(team_id="", enterprise_id="E1", bot_user_id="W1", team_name="The Grid")


@pytest.fixture
async def kept(database: Database) -> SqlInstallations:
    tenants = SqlTenants(database)
    await tenants.bind(tenant="demo", team="T1")
    await tenants.bind(tenant="acme", team="T2")
    await tenants.bind(tenant="acme", team="E1", enterprise=True)
    return SqlInstallations(database, Seal([OLD]))


async def test_what_was_put_is_found_with_its_token_and_tenant(kept: SqlInstallations) -> None:
    put = await kept.put(T1, bot_token="xoxb-one")
    assert await kept.get(team_id="T1") == put
    assert (put.tenant, put.installation, put.paused) == ("demo", T1, "")
    assert put.bot_token.get_secret_value() == "xoxb-one"
    assert "xoxb" not in repr(put)
    assert await kept.get(team_id="T3") is None
    assert await kept.get(team_id="") is None


async def test_nothing_is_kept_for_a_workspace_that_belongs_to_nobody(
    kept: SqlInstallations,
) -> None:
    stranger = T1.model_copy(update={"team_id": "T9"})
    with pytest.raises(WorkspaceUnexpected):
        await kept.put(stranger, bot_token="xoxb-nine")
    assert await kept.all() == ()


async def test_a_new_workspace_brings_its_own_tenant_where_it_may(
    kept: SqlInstallations, database: Database
) -> None:
    new = T1.model_copy(update={"team_id": "T9"})
    assert (await kept.put(new, bot_token="x", tenant_if_unbound="T9")).tenant == "T9"
    assert (await kept.put(new, bot_token="y", tenant_if_unbound="T9")).tenant == "T9"
    assert await SqlTenants(database).list() == ("T9", "acme", "demo")


async def test_a_tenant_that_is_there_is_not_taken_by_whoever_comes(
    kept: SqlInstallations, database: Database
) -> None:
    await SqlTenants(database).create("T9")
    new = T1.model_copy(update={"team_id": "T9"})
    with pytest.raises(WorkspaceUnexpected):
        await kept.put(new, bot_token="x", tenant_if_unbound="T9")
    assert await SqlTenants(database).of(team="T9") is None


async def test_a_workspace_of_a_grid_belongs_to_the_grids_tenant(
    kept: SqlInstallations, database: Database
) -> None:
    of_grid = T2.model_copy(update={"team_id": "T9"})
    assert (await kept.put(of_grid, bot_token="x")).tenant == "acme"
    assert await SqlTenants(database).of(team="T9") == "acme"


async def test_a_workspace_that_joined_a_grid_later_is_found(kept: SqlInstallations) -> None:
    await kept.put(T1, bot_token="xoxb-one")
    found = await kept.get(team_id="T1", enterprise_id="E7")
    assert found is not None
    assert found.tenant == "demo"


async def test_a_grids_own_installation_serves_its_workspaces(kept: SqlInstallations) -> None:
    grid = await kept.put(GRID, bot_token="xoxb-grid")
    assert await kept.get(team_id="", enterprise_id="E1") == grid
    assert await kept.get(team_id="T5", enterprise_id="E1") == grid
    own = await kept.put(T2, bot_token="xoxb-two")
    assert await kept.get(team_id="T2", enterprise_id="E1") == own
    await kept.pause(home="T2", reason="app_uninstalled", revision=own.revision)
    assert await kept.get(team_id="T2", enterprise_id="E1") == grid
    assert [one.installation.home for one in await kept.all()] == ["E1", "T2"]


async def test_a_pause_lasts_until_it_is_put_again(kept: SqlInstallations) -> None:
    first = await kept.put(T1, bot_token="xoxb-one")
    assert await kept.pause(home="T1", reason="app_uninstalled", revision=first.revision)
    paused = await kept.get(team_id="T1")
    assert paused is not None
    assert (paused.paused, paused.revision) == ("app_uninstalled", first.revision + 1)
    again = await kept.put(T1, bot_token="xoxb-two")
    assert (again.paused, again.revision) == ("", first.revision + 2)
    assert again.bot_token.get_secret_value() == "xoxb-two"
    assert await kept.all() == (again,)


async def test_who_installed_and_what_ended_is_written_down(
    kept: SqlInstallations, database: Database
) -> None:
    first = await kept.put(T1, bot_token="xoxb-one", who="slack:T1:U9")
    await kept.pause(home="T1", reason="app_uninstalled", revision=first.revision)
    await kept.pause(home="T1", reason="tokens_revoked", revision=first.revision)
    noted = await SqlAudit(database).list(tenant="demo")
    assert sorted((one.what, one.who, one.about) for one in noted) == [
        ("workspace-installed", "slack:T1:U9", ("T1",)),
        ("workspace-paused", OURSELVES, ("T1",)),
    ]


async def test_a_pause_meant_for_an_earlier_installation_does_nothing(
    kept: SqlInstallations,
) -> None:
    first = await kept.put(T1, bot_token="xoxb-one")
    again = await kept.put(T1, bot_token="xoxb-two")
    assert not await kept.pause(home="T1", reason="tokens_revoked", revision=first.revision)
    assert await kept.get(team_id="T1") == again


async def test_the_token_is_not_on_the_disk_and_may_be_long(
    kept: SqlInstallations, database: Database
) -> None:
    token = "xoxb-" + "9" * 600
    await kept.put(T1, bot_token=token)
    row = await database.read(lambda connection: connection.execute(select(installations)).one())
    assert not any("xoxb" in str(value) or "999" in str(value) for value in row)
    found = await kept.get(team_id="T1")
    assert found is not None
    assert found.bot_token.get_secret_value() == token


async def test_a_token_moved_to_another_workspace_serves_nobody(
    kept: SqlInstallations, database: Database
) -> None:
    await kept.put(T1, bot_token="xoxb-one")
    await kept.put(T2, bot_token="xoxb-two")
    one = select(installations.c.sealed_token).where(installations.c.home == "T1")
    moved = update(installations).where(installations.c.home == "T2")
    await database.write(
        lambda connection: (
            connection.execute(
                moved.values(sealed_token=connection.execute(one).scalar_one())
            ).rowcount
        )
    )
    found = await kept.get(team_id="T2")
    assert found is not None
    assert (found.paused, found.bot_token.get_secret_value()) == (UNREADABLE, "")


async def test_keys_are_exchanged_without_a_gap(
    kept: SqlInstallations, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    await kept.put(T1, bot_token="xoxb-one")
    both = SqlInstallations(database, Seal([NEW, OLD]))
    assert await both.renew() == (1, 0)
    only_new = SqlInstallations(database, Seal([NEW]))
    (found,) = await only_new.all()
    assert found.bot_token.get_secret_value() == "xoxb-one"
    assert found.revision == 1
    (lost,) = await kept.all()
    assert lost.paused == UNREADABLE
    assert await kept.all() == (lost,)
    assert [record.getMessage().count("T1") for record in caplog.records] == [1]  # said once
    assert await kept.renew() == (0, 1)


async def test_unbinding_a_workspace_forgets_its_token(
    kept: SqlInstallations, database: Database
) -> None:
    await kept.put(T1, bot_token="xoxb-one")
    await SqlTenants(database).unbind(team="T1")
    assert await kept.all() == ()


async def test_a_state_is_good_once_in_its_own_browser(database: Database) -> None:
    states = SqlOAuthStates(database)
    for name in ("s1", "s2"):
        assert await states.begin(state=name, browser="b1")
    assert await states.finish(state="s1", browser="b1")
    assert not await states.finish(state="s1", browser="b1")
    assert not await states.finish(state="s2", browser="b2")
    assert not await states.finish(state="s2", browser="b1")
    assert not await states.finish(state="never", browser="b1")


async def test_a_state_ends_after_ten_minutes(database: Database) -> None:
    now = datetime.now(UTC)
    begun = SqlOAuthStates(database, clock=lambda: now)
    for name in ("s1", "s2"):
        await begun.begin(state=name, browser="b")
    almost = SqlOAuthStates(database, clock=lambda: now + LIFE - timedelta(seconds=1))
    assert await almost.finish(state="s1", browser="b")
    over = SqlOAuthStates(database, clock=lambda: now + LIFE)
    assert not await over.finish(state="s2", browser="b")


async def test_states_are_kept_as_hashes_and_not_for_ever(database: Database) -> None:
    now = datetime.now(UTC)
    await SqlOAuthStates(database, clock=lambda: now).begin(state="s1", browser="b1")
    later = SqlOAuthStates(database, clock=lambda: now + LIFE)
    await later.begin(state="s2", browser="b2")
    rows = await database.read(lambda connection: connection.execute(select(oauth_states)).all())
    assert len(rows) == 1
    assert not {"s1", "s2", "b1", "b2"} & {str(value) for row in rows for value in row}

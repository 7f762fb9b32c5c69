"""Tenants, and the Slack teams that belong to each."""

from collections.abc import Mapping
from functools import partial

from sqlalchemy import Connection, delete, select, update

from bot.queue.lines import SHARED
from bot.storage.database import Database
from bot.storage.deletions import Deletions
from bot.storage.errors import TeamTaken, UnknownTenant
from bot.storage.rows import insert_new, stamp, utc_now
from bot.storage.tables import installations, tenants, workspaces
from rag.ports import Clock


class SqlTenants:
    """One customer each; a Slack team or a whole Enterprise Grid belongs to exactly one."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def create(self, tenant: str, *, name: str = "") -> bool:
        """Add a tenant; False when it was there."""
        row = {"tenant": tenant, "name": name or tenant, "created_at": stamp(self._clock())}
        return await self._database.write(
            partial(new_tenant, row=row, noted=self._database.deletions)
        )

    async def exists(self, tenant: str) -> bool:
        """Whether there is such a tenant."""
        return await self._database.read(partial(_exists, tenant=tenant))

    async def list(self) -> tuple[str, ...]:
        """Every tenant in the order of their names."""
        statement = select(tenants.c.tenant).order_by(tenants.c.tenant)
        return await self._database.read(
            lambda connection: tuple(connection.execute(statement).scalars())
        )

    async def bind(self, *, tenant: str, team: str, enterprise: bool = False) -> None:
        """Give a Slack team (or an Enterprise Grid) to a tenant; giving it again does nothing.

        Raises UnknownTenant, TeamTaken when it belongs to another tenant.
        """
        row = binding(tenant=tenant, team=team, enterprise=enterprise, at=stamp(self._clock()))
        await self._database.write(partial(_bind, row=row))

    async def unbind(self, *, team: str) -> bool:
        """Take a team from its tenant; False when it had none."""
        statement = delete(workspaces).where(workspaces.c.team == team)
        return await self._database.write(
            lambda connection: connection.execute(statement).rowcount > 0
        )

    async def of(self, *, team: str, enterprise: str | None = None) -> str | None:
        """The tenant of an event: by its Enterprise Grid when that is bound, else by its team."""
        return await self._database.read(partial(_of, team=team, enterprise=enterprise))

    async def teams(self, *, tenant: str) -> tuple[str, ...]:
        """The teams and Enterprise Grids of a tenant."""
        statement = select(workspaces.c.team).where(workspaces.c.tenant == tenant)
        return await self._database.read(
            lambda connection: tuple(
                connection.execute(statement.order_by(workspaces.c.team)).scalars()
            )
        )

    async def workspace(self, *, tenant: str) -> str:
        """After whom the lines are named in which the tenant's jobs wait (`bot.queue.lines`).

        The team that alone is the tenant's, all installations where it is one of them;
        empty where it has several teams, none or a grid.
        """
        return await self._database.read(partial(_workspace, tenant=tenant))

    async def mention_only(self, *, team: str) -> bool:
        """Whether the workspace wants answers to mentions alone; False when it is unknown."""
        statement = select(workspaces.c.mention_only).where(workspaces.c.team == team)
        return await self._database.read(
            lambda connection: bool(connection.execute(statement).scalar_one_or_none())
        )

    async def set_mention_only(self, *, team: str, on: bool) -> None:
        """Answer mentions alone in a workspace, or every question to the bot again."""
        statement = update(workspaces).where(workspaces.c.team == team).values(mention_only=on)
        await self._database.write(lambda connection: connection.execute(statement).rowcount)


def _workspace(connection: Connection, *, tenant: str) -> str:
    statement = (
        select(workspaces.c.team, workspaces.c.enterprise, installations.c.home)
        .outerjoin(installations, installations.c.home == workspaces.c.team)
        .where(workspaces.c.tenant == tenant)
    )
    found = connection.execute(statement).all()
    if any(row.home for row in found):
        return SHARED
    return str(found[0].team) if len(found) == 1 and not found[0].enterprise else ""


def new_tenant(connection: Connection, *, row: Mapping[str, str], noted: Deletions) -> bool:
    """Add a tenant; False when it was there."""
    if not insert_new(connection, tenants, row):
        return False
    # So that the log can be told from another record's, or from one that lost lines.
    noted.note(connection, tenant=row["tenant"], kind="begun", ids=[row["tenant"]])
    return True


def binding(*, tenant: str, team: str, enterprise: bool, at: str) -> dict[str, object]:
    """The row that gives a Slack team to a tenant."""
    return {
        "team": team,
        "tenant": tenant,
        "enterprise": enterprise,
        "mention_only": False,
        "bound_at": at,
    }


def _exists(connection: Connection, tenant: str) -> bool:
    statement = select(tenants.c.tenant).where(tenants.c.tenant == tenant)
    return connection.execute(statement).first() is not None


def _bind(connection: Connection, *, row: Mapping[str, object]) -> None:
    tenant = str(row["tenant"])
    if not _exists(connection, tenant):
        raise UnknownTenant(f"there is no tenant {tenant!r}")
    if insert_new(connection, workspaces, row):
        return
    if tenant_of(connection, str(row["team"])) != tenant:
        raise TeamTaken(f"the team {row['team']!r} belongs to another tenant")


def _of(connection: Connection, *, team: str, enterprise: str | None) -> str | None:
    by_grid = tenant_of(connection, enterprise) if enterprise else None
    return by_grid or tenant_of(connection, team)


def tenant_of(connection: Connection, team: str) -> str | None:
    """The tenant that a team or an Enterprise Grid is bound to."""
    statement = select(workspaces.c.tenant).where(workspaces.c.team == team)
    return connection.execute(statement).scalar_one_or_none()

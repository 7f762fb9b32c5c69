"""Installations, their tokens encrypted."""

import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic import SecretStr
from sqlalchemy import Connection, Row, Select, select, update

from bot.errors import WorkspaceUnexpected
from bot.slack.installed import UNREADABLE, Installation, Installed
from bot.storage.audit import OURSELVES, Noted, add_entry
from bot.storage.database import Database
from bot.storage.deletions import Deletions, random_id
from bot.storage.rows import insert_new, stamp, upsert, utc_now
from bot.storage.sealing import Seal
from bot.storage.tables import installations, workspaces
from bot.storage.tenants import binding, new_tenant, tenant_of
from rag.ports import Clock

log = logging.getLogger(__name__)


class SqlInstallations:
    """One row for each workspace, or each whole Enterprise Grid, that installed us.

    Its tenant is the one the workspace is bound to, and the row goes with that binding.
    """

    def __init__(self, database: Database, seal: Seal, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._seal = seal
        self._clock = clock
        self._unopened: set[tuple[str, int]] = set()

    async def put(
        self,
        installation: Installation,
        *,
        bot_token: str,
        tenant_if_unbound: str = "",
        who: str = OURSELVES,
    ) -> Installed:
        """Keep it, in place of an earlier one of the same workspace; it is not paused.

        A workspace that is bound to no tenant goes to its Grid's, or else to the new
        tenant ``tenant_if_unbound``. Raises `WorkspaceUnexpected` when that is empty, or is
        there already and so may be somebody else's. ``who`` has installed us.
        """
        home = installation.home
        row = {
            **installation.model_dump(),
            "home": home,
            "sealed_token": self._seal.close(bot_token, home=home),
            "paused": "",
            "changed_at": stamp(self._clock()),
        }

        def work(connection: Connection) -> Row[Any]:
            _ensure_bound(connection, row, tenant_if_unbound, noted=self._database.deletions)
            kept = _put(connection, row=row)
            self._note(connection, kept, who=who, what="workspace-installed")
            return kept

        return self._opened(await self._database.write(work))

    async def pause(self, *, home: str, reason: str, revision: int) -> bool:
        """Send nothing with its token any more; False when it has changed since ``revision``."""
        statement = (
            update(installations)
            .where(installations.c.home == home, installations.c.revision == revision)
            .values(paused=reason, revision=revision + 1, changed_at=stamp(self._clock()))
        )

        def work(connection: Connection) -> bool:
            if not connection.execute(statement).rowcount:
                return False
            kept = connection.execute(_every().where(installations.c.home == home)).one()
            self._note(connection, kept, who=OURSELVES, what="workspace-paused")
            return True

        return await self._database.amend(work)

    def _note(self, connection: Connection, kept: Row[Any], *, who: str, what: str) -> None:
        noted = Noted(id=random_id(), at=self._clock(), who=who, what=what, about=(kept.home,))
        add_entry(connection, tenant=kept.tenant, noted=noted)

    async def all(self) -> tuple[Installed, ...]:
        """Every installation, paused ones too, in the order of their ids."""
        statement = _every().order_by(installations.c.home)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return tuple(self._opened(row) for row in rows)

    async def get(self, *, team_id: str, enterprise_id: str = "") -> Installed | None:
        """The workspace's own installation or else its Grid's, one that runs before a paused."""
        homes = [home for home in (team_id, enterprise_id) if home]
        statement = _every().where(installations.c.home.in_(homes))
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        found = sorted(
            (self._opened(row) for row in rows),
            key=lambda one: (bool(one.paused), homes.index(one.installation.home)),
        )
        return found[0] if found else None

    async def renew(self) -> tuple[int, int]:
        """Encrypt every token with the first key: how many are, and how many could not be."""
        return await self._database.write(partial(_renew, seal=self._seal))

    def _opened(self, row: Row[Any]) -> Installed:
        token = self._seal.open(row.sealed_token, home=row.home)
        if token is None and (row.home, row.revision) not in self._unopened:
            self._unopened.add((row.home, row.revision))  # it is looked up every other second
            log.error("no key of FOOTNOTE_TOKEN_KEYS opens the token of %s: paused", row.home)
        return Installed(
            tenant=row.tenant,
            installation=Installation(
                team_id=row.team_id,
                enterprise_id=row.enterprise_id,
                bot_user_id=row.bot_user_id,
                bot_id=row.bot_id,
                team_name=row.team_name,
                url=row.url,
            ),
            bot_token=SecretStr(token or ""),
            paused=UNREADABLE if token is None else row.paused,
            revision=row.revision,
        )


def _every() -> Select[Any]:
    return select(installations, workspaces.c.tenant).join(
        workspaces, workspaces.c.team == installations.c.home
    )


def _ensure_bound(
    connection: Connection, row: Mapping[str, Any], tenant: str, *, noted: Deletions
) -> None:
    home, at = row["home"], row["changed_at"]
    if tenant_of(connection, home) is not None:
        return
    grids = tenant_of(connection, row["enterprise_id"])
    named = row["team_name"] or tenant
    fresh = {"tenant": tenant, "name": named, "created_at": at}
    if grids is None and not (tenant and new_tenant(connection, row=fresh, noted=noted)):
        raise WorkspaceUnexpected(f"the workspace {home!r} belongs to no tenant")
    bound = binding(tenant=grids or tenant, team=home, enterprise=not row["team_id"], at=at)
    insert_new(connection, workspaces, bound)


def _put(connection: Connection, *, row: Mapping[str, Any]) -> Row[Any]:
    home = row["home"]
    known = select(installations.c.revision).where(installations.c.home == home)
    revision = (connection.execute(known).scalar_one_or_none() or 0) + 1
    upsert(connection, installations, {**row, "revision": revision})
    return connection.execute(_every().where(installations.c.home == home)).one()


def _renew(connection: Connection, *, seal: Seal) -> tuple[int, int]:
    statement = select(installations.c.home, installations.c.sealed_token)
    lost = renewed = 0
    for row in connection.execute(statement).all():
        sealed = seal.renew(row.sealed_token)
        if sealed is None:
            lost += 1
            continue
        renewed += 1
        change = update(installations).where(installations.c.home == row.home)
        connection.execute(change.values(sealed_token=sealed))
    return renewed, lost

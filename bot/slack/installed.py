"""Which workspaces have installed us, and with what we speak in each."""

from typing import Protocol

from pydantic import SecretStr

from rag.values import Value


class Installation(Value):
    """The workspace a bot token belongs to, as `auth.test` states it.

    ``team_id`` is empty where a whole Enterprise Grid has installed us at once. ``url`` is
    where its people open it, with a slash at the end; empty where that is not known.
    """

    team_id: str
    enterprise_id: str = ""
    bot_user_id: str
    bot_id: str = ""
    team_name: str = ""
    url: str = ""

    @property
    def homes(self) -> frozenset[str]:
        """The ids that name this installation's own people."""
        return frozenset({self.team_id, self.enterprise_id} - {""})

    @property
    def home(self) -> str:
        """What the installation is kept under: its team or, for a whole Grid, its enterprise."""
        return self.team_id or self.enterprise_id


class Installed(Value):
    """An installation as it is kept. ``revision`` grows with every change of it.

    ``paused`` says why nothing is to be sent with its token, and is empty while all is
    well. The token of one paused with `UNREADABLE` is empty.
    """

    tenant: str
    installation: Installation
    bot_token: SecretStr
    paused: str = ""
    revision: int


UNREADABLE = "token_unreadable"
"""The token was encrypted with a key we no longer have: the right key ends this pause."""


class Installations(Protocol):
    """The installations there are. Each method may raise `StoreUnavailable`."""

    async def all(self) -> tuple[Installed, ...]:
        """Every installation, paused ones too, in the order of their ids."""
        ...

    async def get(self, *, team_id: str, enterprise_id: str = "") -> Installed | None:
        """Whose payload it is that names this team and this Enterprise Grid.

        The workspace's own installation or else its Grid's, one that runs before one
        that is paused.
        """
        ...

    async def pause(self, *, home: str, reason: str, revision: int) -> bool:
        """Send nothing with its token any more; False when it has changed since ``revision``."""
        ...

"""Who may read a document just now, worked out from the workspace and the readers alone."""

from collections.abc import Iterable

from bot.audience import CHANNEL, EVERYONE, GROUP
from bot.playground.workspace import Workspace
from rag.values import Source
from tests.security.town import TEAM, TENANT, principal_of


class Rights:
    """The second opinion. ``sources`` maps a canary to the source it stands in."""

    def __init__(self, workspace: Workspace, sources: dict[str, Source]) -> None:
        self._state = workspace.state
        self._bot = workspace.bot_user
        self.sources = sources

    def audience(self, channel: str) -> frozenset[str]:
        """Everybody in a channel but the bot itself; their user ids."""
        row = self._state.get("channel", channel) or {"members": []}
        return frozenset(row["members"]) - {self._bot}

    def may_read(self, user: str, canary: str) -> bool:
        """Whether this person may read the document that a canary stands in."""
        source, person = self.sources[canary], self._state.get("user", user)
        if source.tenant != TENANT or person is None:
            return False
        if person["deleted"] or person["is_bot"] or person["team_id"] != TEAM:
            return False
        guest = person["is_restricted"] or person["is_ultra_restricted"]
        return any(self._is_reader(user, name, guest=guest) for name in source.readers)

    def _is_reader(self, user: str, name: str, *, guest: bool) -> bool:
        if name == EVERYONE:
            return not guest
        if name.startswith(CHANNEL):
            return user in self.audience(name.removeprefix(CHANNEL))
        if name.startswith(GROUP):
            row = self._state.get("usergroup", name.removeprefix(GROUP)) or {"users": []}
            return user in row["users"]
        return name == principal_of(user)

    def forbidden(self, canaries: Iterable[str], users: Iterable[str]) -> list[str]:
        """The canaries that somebody among ``users`` may not read; all, for nobody at all."""
        readers = tuple(users)
        return sorted(
            canary
            for canary in canaries
            if not readers or not all(self.may_read(user, canary) for user in readers)
        )

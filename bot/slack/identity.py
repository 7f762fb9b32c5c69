"""Who is asking: tenant and principal from what Slack signed, proved by `users.info`.

Nothing a person typed, and no display name or address, ever takes part.
"""

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

from bot.audience import Standing
from bot.errors import SlackRefused
from bot.slack.client import Installation, Slack, read
from handlers.deps import Sender
from rag.values import Value

_PREFIX = "slack"
_SLACKBOT = "USLACKBOT"  # says reminders for people, and `users.info` calls it no bot


class Proved(Value):
    """A sender whose standing Slack has confirmed."""

    tenant: str
    principal: str
    user_id: str
    standing: Standing
    is_admin: bool = False
    locale: str = ""


class Profile(Value):
    """What `users.info` proves about one person; ``name`` is what they call themselves."""

    user_id: str
    home: str = ""
    standing: Standing = Standing.OUTSIDER
    is_bot: bool = False
    is_admin: bool = False
    locale: str = ""
    name: str = ""


def principal_id(home: str, user_id: str) -> str:
    """A principal's id: home team or enterprise, then user id."""
    return f"{_PREFIX}:{home}:{user_id}"


def user_of(principal: str) -> tuple[str, str] | None:
    """(home, user id) of a Slack principal, None for a name without Slack."""
    parts = principal.split(":")
    if len(parts) != 3 or parts[0] != _PREFIX or not all(parts):
        return None
    return parts[1], parts[2]


def profile_of(user: Mapping[str, Any], installation: Installation) -> Profile:
    """Read one `user` object of Slack's. Anything missing counts against the person."""
    enterprise = str((user.get("enterprise_user") or {}).get("enterprise_id") or "")
    team = str(user.get("team_id") or "")
    ours = bool({team, enterprise} & installation.homes)
    return Profile(
        user_id=str(user.get("id") or ""),
        home=enterprise if enterprise and enterprise == installation.enterprise_id else team,
        standing=_standing(user) if ours else Standing.OUTSIDER,
        is_bot=_is_bot(user),
        is_admin=bool(user.get("is_admin") or user.get("is_owner")),
        locale=str(user.get("locale") or ""),
        name=str(user.get("real_name") or user.get("name") or ""),
    )


def _is_bot(user: Mapping[str, Any]) -> bool:
    flagged = user.get("is_bot") or user.get("is_workflow_bot")
    return bool(flagged) or user.get("id") == _SLACKBOT


def _standing(user: Mapping[str, Any]) -> Standing:
    if _is_bot(user) or user.get("deleted") or user.get("is_stranger"):
        return Standing.OUTSIDER
    if user.get("is_restricted") or user.get("is_ultra_restricted"):
        return Standing.GUEST
    return Standing.FULL


class Profiles:
    """`users.info`, kept for a while. Raises `SlackUnavailable` when Slack is silent."""

    def __init__(
        self,
        client: Slack,
        installation: Installation,
        *,
        keep_seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._installation = installation
        self.keep_seconds = keep_seconds
        self._clock = clock
        self._known: dict[str, tuple[float, Profile]] = {}
        self._forgotten: dict[str, float] = {}

    async def get(self, user_id: str) -> Profile:
        """The person's profile; somebody Slack does not know is an outsider."""
        known = self._known.get(user_id)
        if known and self._clock() - known[0] < self.keep_seconds:
            return known[1]
        return await self.renew(user_id)

    async def renew(self, user_id: str) -> Profile:
        """As `get`, asked anew."""
        began = self._clock()  # we may stand still over the answer
        profile = await self._ask(user_id)
        if began >= self._forgotten.get(user_id, -math.inf):
            self._known[user_id] = (began, profile)
        return profile

    def forget(self, user_id: str) -> None:
        """Ask anew from here on; what was asked before and is answered later is not kept."""
        self._known.pop(user_id, None)
        self._forgotten[user_id] = self._clock()

    async def _ask(self, user_id: str) -> Profile:
        try:
            answer = await read(self._client, "users.info", user=user_id, include_locale="true")
        except SlackRefused as refused:
            if refused.code in ("user_not_found", "user_not_visible"):
                return Profile(user_id=user_id)
            raise
        return profile_of(answer.get("user") or {}, self._installation)

    def learn(self, profile: Profile) -> None:
        """Take a profile that came with a list of all people."""
        self._known[profile.user_id] = (self._clock(), profile)


def looks_outside(sender: Sender, installation: Installation) -> bool:
    """Whether the payload itself names another organisation than ours, or none at all."""
    if not (sender.team_id or sender.enterprise_id):
        return True
    if not sender.user_id or sender.user_id == installation.bot_user_id:
        return True
    if not installation.team_id:  # of a whole Grid: only `users.info` knows all its workspaces
        return sender.enterprise_id != installation.enterprise_id
    if sender.team_id and sender.team_id != installation.team_id:
        return True
    if _joined_later(sender, installation):
        return any(home not in (sender.team_id, sender.enterprise_id) for home in sender.homes)
    if sender.enterprise_id and sender.enterprise_id != installation.enterprise_id:
        return True
    return any(home not in installation.homes for home in sender.homes)


def _joined_later(sender: Sender, installation: Installation) -> bool:
    """Whether the payload names a Grid for our team, which had none when it installed us.

    Nothing is proved by that: `users.info` must name the team.
    """
    unknown = sender.enterprise_id and not installation.enterprise_id
    return bool(unknown) and sender.team_id == installation.team_id


async def prove(
    sender: Sender,
    *,
    tenant: str,
    installation: Installation,
    profiles: Profiles,
) -> Proved | None:
    """The proved sender; None for whoever is to get no reply at all.

    Raises `SlackUnavailable` when Slack cannot say.
    """
    if looks_outside(sender, installation):
        return None
    profile = await profiles.get(sender.user_id)
    if profile.standing is Standing.OUTSIDER:
        return None
    return Proved(
        tenant=tenant,
        principal=principal_id(profile.home, profile.user_id),
        user_id=profile.user_id,
        standing=profile.standing,
        is_admin=profile.is_admin,
        locale=profile.locale,
    )

"""One running workspace: who and what is in it, and how names resolve."""

import asyncio
import base64
import hashlib
import secrets
import time
from dataclasses import dataclass, field

from .errors import SlackError
from .settings import Description, Group, Person, Place, Settings
from .state import Json, State

DM_NAMES = {"dm"}
SLACKBOT = "USLACKBOT"
_COLOURS = ("4b2e63", "3d5a99", "2f6f4f", "a04a3c", "87641a", "7a4a78")


@dataclass
class Workspace:
    """What every part of the playground works on.

    ``base`` is the address of the running server, ``woken`` asks the delivery
    loop to look again, ``waiting`` holds a future for each delivery whose
    acknowledgement somebody awaits.
    """

    settings: Settings
    description: Description
    state: State
    base: str = ""
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: dict[str, "asyncio.Future[Json]"] = field(default_factory=dict)
    triggers: dict[str, Json] = field(default_factory=dict)

    @property
    def team_id(self) -> str:
        return self.description.team.id

    @property
    def bot_user(self) -> str:
        return self.description.app.bot_user_id


def make_id(prefix: str, *parts: str) -> str:
    """A Slack-like id that is the same each time for the same parts."""
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    return prefix + base64.b32encode(digest).decode().replace("=", "")[:10]


def token(length: int = 16) -> str:
    return secrets.token_hex(length // 2)


def seed(workspace: Workspace) -> None:
    """Puts the description's people and places; existing rows stay as they are."""
    app = workspace.description.app
    known = workspace.state.rows("user")
    bot = Person(name=app.bot_user, id=app.bot_user_id, real_name=app.name, is_bot=True)
    for person in (bot, *workspace.description.users):
        if (person.id or make_id("U", workspace.team_id, person.name)) not in known:
            put_user(workspace, person)
    for place in workspace.description.channels:
        if (place.id or make_id("C", workspace.team_id, place.name)) not in (
            workspace.state.rows("channel")
        ):
            put_channel(workspace, place)
    for group in workspace.description.usergroups:
        put_group(workspace, group)


def put_user(workspace: Workspace, person: Person) -> Json:
    """Writes a person in the shape of ``users.info``."""
    home = person.team or workspace.team_id
    ident = person.id or make_id("U", workspace.team_id, person.name)
    earlier = workspace.state.get("user", ident)
    colour = earlier["color"] if earlier else _COLOURS[len(workspace.state.rows("user")) % 6]
    real = person.real_name or person.name.title()
    profile: Json = {
        "real_name": real,
        "display_name": real if person.is_bot else person.name,
        "title": person.title,
        "team": home,
    }
    if person.email:
        profile["email"] = person.email
    if person.is_bot:
        profile |= {"api_app_id": workspace.description.app.id, "always_active": True}
    row: Json = {
        "id": ident,
        "team_id": home,
        "name": person.name,
        "deleted": person.deleted,
        "color": colour,
        "real_name": real,
        "tz": "Etc/UTC",
        "tz_offset": 0,
        "locale": person.locale,
        "profile": profile,
        "is_admin": person.is_admin,
        "is_owner": person.is_admin,
        "is_restricted": person.is_restricted,
        "is_ultra_restricted": person.is_ultra_restricted,
        "is_bot": person.is_bot,
        "is_app_user": False,
        "updated": int(time.time()),
    }
    if home != workspace.team_id:
        row["is_stranger"] = True
    return workspace.state.put("user", ident, row)


def put_channel(workspace: Workspace, place: Place) -> Json:
    """Writes a channel in the shape of ``conversations.info`` plus ``members``."""
    ident = place.id or make_id("C", workspace.team_id, place.name)
    shared = bool(place.shared_with)
    row: Json = {
        "id": ident,
        "name": place.name,
        "name_normalized": place.name,
        "is_channel": True,
        "is_group": place.is_private,
        "is_im": False,
        "is_mpim": False,
        "is_private": place.is_private,
        "is_archived": place.is_archived,
        "is_general": place.name == "general",
        "is_shared": shared,
        "is_ext_shared": shared,
        "is_org_shared": False,
        "pending_shared": [],
        "context_team_id": workspace.team_id,
        "shared_team_ids": [workspace.team_id, *place.shared_with],
        "connected_team_ids": list(place.shared_with),
        "created": int(time.time()),
        "creator": workspace.description.users[0].id or "",
        "topic": {"value": place.topic, "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
        "members": [find_user(workspace, name)["id"] for name in place.members],
    }
    return workspace.state.put("channel", ident, row)


def put_group(workspace: Workspace, group: Group) -> Json:
    ident = group.id or make_id("S", workspace.team_id, group.handle)
    members = [find_user(workspace, name)["id"] for name in group.members]
    row: Json = {
        "id": ident,
        "team_id": workspace.team_id,
        "is_usergroup": True,
        "handle": group.handle,
        "name": group.name,
        "description": "",
        "is_external": False,
        "date_delete": 0,
        "user_count": len(members),
        "users": members,
    }
    return workspace.state.put("usergroup", ident, row)


def open_dm(workspace: Workspace, user: str) -> Json:
    """The direct-message channel of a user and the bot, made when new."""
    ident = make_id("D", workspace.team_id, user)
    row: Json = workspace.state.get("channel", ident) or {
        "id": ident,
        "created": int(time.time()),
        "is_im": True,
        "is_channel": False,
        "is_group": False,
        "is_mpim": False,
        "is_private": True,
        "is_archived": False,
        "is_ext_shared": workspace.state.rows("user")[user]["team_id"] != workspace.team_id,
        "is_org_shared": False,
        "user": user,
        "context_team_id": workspace.team_id,
        "members": [user, workspace.bot_user],
    }
    if workspace.state.get("channel", ident) is None:
        workspace.state.put("channel", ident, row)
    return row


def find_user(workspace: Workspace, name: object) -> Json:
    """A user by id, by name or by ``@name``. Raises user_not_found."""
    text = str(name or "").strip().removeprefix("@")
    users = workspace.state.rows("user")
    if text in users:
        return users[text]
    for user in users.values():
        if user["name"].lower() == text.lower():
            return user
    raise SlackError("user_not_found")


def find_channel(workspace: Workspace, name: object, *, user: str | None = None) -> Json:
    """A channel by id, ``name`` or ``#name``; ``dm`` or ``@app`` is the person's own.

    Raises channel_not_found.
    """
    text = str(name or "").strip()
    channels = workspace.state.rows("channel")
    if text in channels:
        return channels[text]
    if user and _names_dm(workspace, text):
        return open_dm(workspace, user)
    for channel in channels.values():
        if channel.get("name") == text.removeprefix("#").lower():
            return channel
    raise SlackError("channel_not_found")


def _names_dm(workspace: Workspace, text: str) -> bool:
    app = workspace.description.app
    bots = {f"@{app.bot_user}".lower(), f"@{app.name}".lower(), app.bot_user_id.lower()}
    return text.lower() in DM_NAMES | bots


def visible_channels(workspace: Workspace, user: str) -> list[Json]:
    """The channels a person sees in the side bar, public ones first."""
    rows = [row for row in workspace.state.rows("channel").values() if user in row["members"]]
    return sorted(rows, key=lambda row: (row["is_im"], row.get("name", "")))


def check_member(channel: Json, user: str) -> None:
    """Raises what Slack says to somebody outside a channel."""
    if user not in channel["members"]:
        raise SlackError("channel_not_found" if channel["is_private"] else "not_in_channel")

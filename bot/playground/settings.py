"""Settings and the description of a playground workspace."""

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from .errors import PlaygroundError

DEFAULT_DESCRIPTION = Path(__file__).parent / "workspace.json"
NEIGHBOUR = Path(__file__).parent / "neighbour.json"
"""A second company, for `Settings.neighbours`."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Settings(_Frozen):
    """How one playground runs.

    ``data`` is the folder for its state. ``port`` 0 takes a free one.
    ``app_name`` overrides the installed app's display name and ``commands``
    its slash commands. Seconds are wall-clock; ``retry_scale`` shortens the
    one-minute and five-minute waits before the second and third retry.
    ``neighbours`` are descriptions of further workspaces of the same app, each with
    a team id of its own and the bot token ``xoxb-playground-<team id>``.
    ``redirect_urls`` are where an installation may send the browser back to.
    The three addresses switch a kind of delivery from Socket Mode to signed
    HTTP; they can also be changed while running.
    """

    data: Path
    port: int = 0
    host: str = "127.0.0.1"
    description: Path = DEFAULT_DESCRIPTION
    app_name: str | None = None
    commands: tuple["Command", ...] | None = None
    bot_token: str = "xoxb-playground"  # noqa: S105 - fixed and public
    app_token: str = "xapp-playground"  # noqa: S105 - fixed and public
    client_id: str = "playground.client"
    client_secret: str = "playground-client-secret"  # noqa: S105 - fixed and public
    redirect_urls: tuple[str, ...] = ()
    neighbours: tuple[Path, ...] = ()
    signing_secret: str = "playground-secret"  # noqa: S105 - fixed and public
    ack_seconds: float = 3.0
    retry_scale: float = 1.0
    trigger_seconds: float = 3.0
    response_url_seconds: float = 1800.0
    events_url: str | None = None
    commands_url: str | None = None
    interactivity_url: str | None = None


class Command(_Frozen):
    """One slash command: ``command`` with its slash."""

    command: str
    description: str = ""
    usage_hint: str = ""


class Team(_Frozen):
    id: str
    name: str
    domain: str


class App(_Frozen):
    """The one installed app and its bot user."""

    id: str
    name: str
    bot_id: str
    bot_user: str
    bot_user_id: str
    about: str = ""
    commands: tuple[Command, ...] = ()


class Person(_Frozen):
    """A user; ``team`` is the id of a foreign team, absent for members."""

    name: str
    id: str | None = None
    real_name: str = ""
    email: str | None = None
    team: str | None = None
    title: str = ""
    locale: str = "en-US"
    is_admin: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_bot: bool = False
    deleted: bool = False


class Place(_Frozen):
    """A channel; ``members`` are names of people, the bot user among them."""

    name: str
    id: str | None = None
    topic: str = ""
    is_private: bool = False
    is_archived: bool = False
    shared_with: tuple[str, ...] = ()
    members: tuple[str, ...] = ()


class Group(_Frozen):
    """A user group."""

    handle: str
    name: str
    id: str | None = None
    members: tuple[str, ...] = ()


class Suggestion(_Frozen):
    """A sample message the page offers in an empty channel."""

    label: str
    text: str


class Description(_Frozen):
    """Everything a workspace starts with."""

    team: Team
    other_teams: tuple[Team, ...] = ()
    app: App
    users: tuple[Person, ...]
    channels: tuple[Place, ...]
    usergroups: tuple[Group, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()


def read_description(settings: Settings) -> Description:
    """The workspace description with the settings' overrides applied.

    Raises PlaygroundError when the file is missing or malformed.
    """
    try:
        raw = json.loads(settings.description.read_text(encoding="utf-8"))
        description = Description.model_validate(raw)
    except (OSError, ValueError, ValidationError) as error:
        raise PlaygroundError(f"workspace description unusable: {error}") from error
    changes: dict[str, object] = {}
    if settings.app_name:
        changes["name"] = settings.app_name
    if settings.commands is not None:
        changes["commands"] = settings.commands
    app = description.app.model_copy(update=changes)
    return description.model_copy(update={"app": app})

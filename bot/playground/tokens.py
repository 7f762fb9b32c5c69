"""Which tokens are good: the workspace's own, and those that installations were given."""

from .errors import SlackError
from .state import Json
from .workspace import Workspace, token

_APP_LEVEL = "apps.connections.open"
KIND = "grant"


def new_bot_token(workspace: Workspace, *, scopes: str) -> str:
    """A bot token for one more installation; the earlier ones stay good."""
    made = f"xoxb-{workspace.team_id}-{token(24)}"
    workspace.state.put(KIND, made, {"scopes": scopes, "refused": ""})
    return made


def knows(workspace: Workspace, sent: str) -> bool:
    """Whether the token is, or was, one of this workspace's."""
    return sent == workspace.settings.bot_token or workspace.state.get(KIND, sent) is not None


def check_token(workspace: Workspace, method: str, sent: str) -> None:
    """Raises what Slack says to a token that is missing, unknown, revoked or of another type."""
    settings = workspace.settings
    if not sent:
        raise SlackError("not_authed")
    if sent != settings.app_token and not knows(workspace, sent):
        raise SlackError("invalid_auth")
    if (sent == settings.app_token) != (method == _APP_LEVEL):
        raise SlackError("not_allowed_token_type")
    if refused := (workspace.state.get(KIND, sent) or {}).get("refused"):
        raise SlackError(refused)


def revoke(workspace: Workspace, sent: str, why: str) -> None:
    """The token is good no more; ``why`` is what Slack says from now on."""
    row: Json = workspace.state.get(KIND, sent) or {"scopes": ""}
    workspace.state.put(KIND, sent, row | {"refused": why})


def revoke_all(workspace: Workspace, why: str) -> None:
    """As `revoke`, for every token of the workspace."""
    for sent in (workspace.settings.bot_token, *workspace.state.rows(KIND)):
        revoke(workspace, sent, why)

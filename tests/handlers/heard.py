"""A real Bolt app with our listeners, whose every act is written down."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult

from handlers import register
from handlers.deps import Deps, ViewRef
from rag.errors import StoreUnavailable
from rag.values import Limits

BOT = "U0BOT"
TEAM = "T0HOME"
ASKED = f"<@{BOT}> How long?"


@dataclass
class Heard:
    """The app and the calls its listeners made, in order."""

    app: AsyncApp
    calls: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.calls]

    def only(self, name: str) -> Any:
        """The first argument of the one call there was."""
        assert self.names == [name]
        return self.calls[0][1][0]

    async def send(self, body: Mapping[str, Any]) -> int:
        """Deliver ``body`` as Socket Mode would; returns the status Slack sees."""
        request = AsyncBoltRequest(body=dict(body), mode="socket_mode")
        return (await self.app.async_dispatch(request)).status


async def _authorize() -> AuthorizeResult:
    return AuthorizeResult(
        enterprise_id=None,
        team_id=TEAM,
        bot_token="xoxb-test",
        bot_id="B0BOT",
        bot_user_id=BOT,
    )


def listening(*, broken: bool = False) -> Heard:
    """An app whose world records; ``broken`` makes every act fail as a lost database does."""
    app = AsyncApp(
        signing_secret="secret",
        authorize=_authorize,
        process_before_response=True,
        request_verification_enabled=False,
    )
    heard = Heard(app=app)

    def acting(name: str) -> Callable[..., Awaitable[Any]]:
        async def act(*args: Any) -> Any:
            heard.calls.append((name, args))
            if broken:
                raise StoreUnavailable("the database is away")
            return ViewRef(id="V1", hash="h1") if name == "open_view" else None

        return act

    acts: dict[str, Any] = {f.name: acting(f.name) for f in fields(Deps) if f.name != "limits"}
    deps = Deps(**acts, limits=Limits())
    register(app, lambda _context: deps)
    return heard


def message(text: str = "How long?", **changes: Any) -> dict[str, Any]:
    """A person's message in a public channel, as the inner event."""
    event = {
        "type": "message",
        "user": "U1",
        "text": text,
        "ts": "1700000000.000100",
        "team": TEAM,
        "channel": "C1",
        "channel_type": "channel",
        "client_msg_id": "d1a3c6f0-0000-4000-8000-000000000000",
        "event_ts": "1700000000.000100",
    }
    return {key: value for key, value in (event | changes).items() if value is not ...}


def mention(text: str = f"<@{BOT}> How long?", **changes: Any) -> dict[str, Any]:
    """The mention event of the same message."""
    return message(text, **({"type": "app_mention", "channel_type": ...} | changes))


def envelope(event: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """The event as Slack wraps it."""
    return {
        "token": "t",
        "team_id": TEAM,
        "context_team_id": TEAM,
        "api_app_id": "A1",
        "event": dict(event),
        "type": "event_callback",
        "event_id": "Ev1",
        "event_time": 1_700_000_000,
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": TEAM,
                "user_id": BOT,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": "4-x",
    } | changes


def command(name: str, text: str = "", **changes: Any) -> dict[str, Any]:
    """A slash command's form, decoded."""
    return {
        "token": "t",
        "team_id": TEAM,
        "team_domain": "home",
        "channel_id": "C1",
        "channel_name": "general",
        "user_id": "U1",
        "user_name": "alice",
        "command": name,
        "text": text,
        "api_app_id": "A1",
        "is_enterprise_install": "false",
        "response_url": "https://hooks.slack.test/commands/1",
        "trigger_id": "13345224609.738474920.8088930838d88f008e0",
    } | changes


def press(action: str, value: str = "opaque", **changes: Any) -> dict[str, Any]:
    """A button pressed in a message."""
    return {
        "type": "block_actions",
        "team": {"id": TEAM, "domain": "home"},
        "user": {"id": "U2", "username": "bob", "name": "bob", "team_id": TEAM},
        "api_app_id": "A1",
        "token": "t",
        "container": {
            "type": "message",
            "message_ts": "1700000001.000200",
            "channel_id": "C1",
            "is_ephemeral": False,
            "thread_ts": "1700000000.000100",
        },
        "trigger_id": "trigger-1",
        "channel": {"id": "C1", "name": "general"},
        "message": {"type": "message", "text": "Answered, with 2 quotes."},
        "enterprise": None,
        "is_enterprise_install": False,
        "state": {"values": {}},
        "response_url": "https://hooks.slack.test/actions/1",
        "actions": [
            {
                "type": "button",
                "action_id": action,
                "block_id": "b1",
                "value": value,
                "action_ts": "1700000002.5",
            }
        ],
    } | changes


async def hear(event: Mapping[str, Any], **changes: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """What one received event led to."""
    heard = listening()
    assert await heard.send(envelope(event, **changes)) == 200
    return heard.calls

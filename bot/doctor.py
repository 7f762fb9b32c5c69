"""Looks at everything Footnote needs and says, for each thing that is wrong, how to mend it."""

import asyncio
import re
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from urllib.parse import urlsplit

import aiohttp
from redis.asyncio import Redis
from redis.exceptions import RedisError
from slack_sdk.errors import SlackApiError

from bot.errors import BotError
from bot.settings import Settings
from bot.slack.client import Slack, open_client, write
from bot.storage import migrate
from rag.errors import StoreUnavailable
from rag.values import Value

SCOPES = frozenset(
    {
        "app_mentions:read",
        "assistant:write",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "files:read",
        "groups:history",
        "groups:read",
        "im:history",
        "im:read",
        "im:write",
        "mpim:history",
        "mpim:read",
        "usergroups:read",
        "users:read",
    }
)
"""What the bot token must be granted; `manifest.yml` asks for the same."""

_SQLITE_FOR_NEW_PYTHON = (3, 42)
_KEY = re.compile(r"[A-Za-z0-9_-]{43}=")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Finding(Value):
    """One thing looked at; ``mend`` says what to do when it is not well."""

    about: str
    well: bool
    seen: str
    mend: str = ""


Look = Callable[[Settings], Awaitable[tuple[Finding, ...]]]


async def examine(settings: Settings, *, reader: Look) -> tuple[Finding, ...]:
    """Every finding, in the order in which a person would mend them; ``reader`` looks at that."""
    local = (_python(), _data_folder(settings), await _record(settings), await _redis(settings))
    shown = (_deletion_log(settings), _metrics(settings), _tracing(settings))
    return (*local, *await reader(settings), *shown, *await _slack(settings))


def _deletion_log(settings: Settings) -> Finding:
    about, path = "Deletion log", settings.deletions_path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        probe = path if path.exists() else path.with_name(f".{path.name}.doctor")
        with probe.open("ab"):
            pass
        if probe != path:
            probe.unlink()  # an empty log would look like one that lost its lines
    except OSError as error:
        mend = "Name a file that may be written in FOOTNOTE_DELETION_LOG: nothing is deleted else"
        return Finding(about=about, well=False, seen=f"{path}: {error.strerror}", mend=mend)
    seen = f"{path}" if settings.deletion_log else f"{path}, on the same disk as the data folder"
    return Finding(about=about, well=True, seen=seen)


def _metrics(settings: Settings) -> Finding:
    about, host, port = "Metrics", settings.metrics_host, settings.metrics_port
    if not port:
        return Finding(about=about, well=True, seen="on no port of their own")
    seen = f"{host}, port {port}"
    if host in _LOOPBACK or settings.metrics_token.get_secret_value():
        return Finding(about=about, well=True, seen=seen)
    mend = "Set FOOTNOTE_METRICS_TOKEN: without it nobody on another machine is answered"
    return Finding(about=about, well=False, seen=seen, mend=mend)


def _tracing(settings: Settings) -> Finding:
    about, endpoint = "Tracing", settings.otel_exporter_otlp_endpoint
    if not endpoint:
        return Finding(about=about, well=True, seen="off")
    well = find_spec("opentelemetry") is not None
    mend = "" if well else "Install it: pip install 'footnote[tracing]'"
    return Finding(about=about, well=well, seen=endpoint, mend=mend)


def _python() -> Finding:
    seen = f"Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}"
    old = sqlite3.sqlite_version_info < _SQLITE_FOR_NEW_PYTHON
    if sys.version_info >= (3, 12) and old:
        mend = "Python 3.12 and newer need SQLite 3.42 or newer; use Python 3.11 here"
        return Finding(about="Python", well=False, seen=seen, mend=mend)
    return Finding(about="Python", well=True, seen=seen)


def _data_folder(settings: Settings) -> Finding:
    home = settings.home
    try:
        home.mkdir(parents=True, exist_ok=True)
        probe = home / ".doctor"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        mend = "Name a folder you may write to in FOOTNOTE_DATA"
        seen = f"{home}: {error.strerror}"
        return Finding(about="Data folder", well=False, seen=seen, mend=mend)
    return Finding(about="Data folder", well=True, seen=str(home))


async def _record(settings: Settings) -> Finding:
    def look() -> tuple[str | None, str]:
        return migrate.current(settings.record_url), migrate.newest()

    try:
        current, newest = await asyncio.to_thread(look)
    except StoreUnavailable as error:
        mend = "Start the database, or correct DATABASE_URL"
        return Finding(about="Database", well=False, seen=str(error), mend=mend)
    if current is not None and not migrate.does(current, needed=newest):
        seen = f"schema {current}, this version needs {newest}"
        return Finding(about="Database", well=False, seen=seen, mend="Run: footnote migrate")
    seen = f"schema {current}" if current else "empty; the first command fills it"
    return Finding(about="Database", well=True, seen=seen)


async def _redis(settings: Settings) -> Finding:
    url = settings.redis_url.get_secret_value()
    if not url:
        return Finding(about="Redis", well=True, seen="a private one, started when needed")
    client = Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)
    try:
        await client.ping()
    except (RedisError, OSError) as error:
        mend = "Start it, correct REDIS_URL, or leave REDIS_URL out to use a private one"
        seen = type(error).__name__
        return Finding(about="Redis", well=False, seen=seen, mend=mend)
    finally:
        await client.aclose()
    return Finding(about="Redis", well=True, seen="answers")


async def _slack(settings: Settings) -> tuple[Finding, ...]:
    if settings.oauth:
        return (_installs(settings), _token_keys(settings), await _transport(settings))
    token = settings.slack_bot_token.get_secret_value()
    if not token:
        mend = "Set SLACK_BOT_TOKEN (xoxb-…, from Install App in your app's settings)"
        if settings.oauth_client_id:
            mend = "Set FOOTNOTE_OAUTH_CLIENT_SECRET too, or SLACK_BOT_TOKEN for one workspace"
        return (Finding(about="Slack bot token", well=False, seen="not set", mend=mend),)
    async with open_client(token=token, base_url=settings.slack_api_url) as client:
        bot = await _bot_token(client)
        return (*bot, await _transport(settings))


def _installs(settings: Settings) -> Finding:
    about, url = "Installing by OAuth", settings.public_url
    at_home = urlsplit(url).hostname in _LOOPBACK
    if not url:
        mend = "Set FOOTNOTE_PUBLIC_URL, such as https://footnote.example.com"
        return Finding(about=about, well=False, seen="no address for browsers", mend=mend)
    if not url.startswith("https://") and not at_home:
        mend = (
            "Browsers keep what an installation needs over https alone: change FOOTNOTE_PUBLIC_URL"
        )
        return Finding(about=about, well=False, seen=url, mend=mend)
    who = "any workspace" if settings.oauth_tenants == "open" else "workspaces bound beforehand"
    return Finding(about=about, well=True, seen=f"{url}/slack/install, for {who}")


def _token_keys(settings: Settings) -> Finding:
    about, keys = "Token keys", settings.fernet_keys
    if not keys:
        mend = "Set FOOTNOTE_TOKEN_KEYS to what `footnote tenants new-key` prints, and keep a copy"
        return Finding(about=about, well=False, seen="not set", mend=mend)
    wrong = sum(_KEY.fullmatch(key) is None for key in keys)
    if wrong:
        mend = "Each is what `footnote tenants new-key` prints; separate them by commas"
        return Finding(
            about=about, well=False, seen=f"{wrong} of {len(keys)} are no keys", mend=mend
        )
    return Finding(about=about, well=True, seen=f"{len(keys)}")


async def _bot_token(client: Slack) -> tuple[Finding, ...]:
    about = "Slack bot token"
    try:
        answer = await client.web.auth_test()
    except SlackApiError as error:
        mend = "Copy the bot token (xoxb-…) from Install App in your app's settings again"
        seen = str(error.response.get("error", "refused"))
        return (Finding(about=about, well=False, seen=seen, mend=mend),)
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        mend = "Check the network and FOOTNOTE_SLACK_API_URL"
        return (Finding(about=about, well=False, seen=type(error).__name__, mend=mend),)
    granted = set(str(answer.headers.get("x-oauth-scopes", "")).replace(" ", "").split(","))
    seen = f"{answer.get('team')} as {answer.get('user')}"
    return (Finding(about=about, well=True, seen=seen), _scopes(granted - {""}))


def _scopes(granted: set[str]) -> Finding:
    missing = sorted(SCOPES - granted) if granted else []
    if missing:
        mend = "Add them under OAuth & Permissions, then install the app again"
        return Finding(
            about="Slack scopes", well=False, seen=f"missing {', '.join(missing)}", mend=mend
        )
    seen = f"{len(granted)} granted" if granted else "Slack did not say which are granted"
    return Finding(about="Slack scopes", well=True, seen=seen)


async def _transport(settings: Settings) -> Finding:
    if settings.slack_mode == "http":
        well = bool(settings.slack_signing_secret.get_secret_value())
        mend = "" if well else "Set SLACK_SIGNING_SECRET (Basic Information)"
        seen = "set" if well else "not set"
        return Finding(about="Slack signing secret", well=well, seen=seen, mend=mend)
    about, token = "Slack app token", settings.slack_app_token.get_secret_value()
    mend = "Set SLACK_APP_TOKEN (xapp-…, App-Level Tokens with connections:write)"
    if not token:
        return Finding(about=about, well=False, seen="not set", mend=mend)
    async with open_client(token=token, base_url=settings.slack_api_url) as client:
        try:
            await write(client, "apps.connections.open")
        except BotError as error:
            return Finding(about=about, well=False, seen=str(error), mend=mend)
    return Finding(about=about, well=True, seen="may open a socket")

"""A process's way to the workspace: what `AsyncWebClient` does, with the network's faults."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, cast

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from tests.faults.history import Wrote, texts_of
from tests.faults.simulation.process import Process
from tests.faults.simulation.slack import Json, Refused, Workspace
from tests.faults.simulation.weather import Weather

_FAMILY = {
    "chat.postMessage": "post",
    "chat.postEphemeral": "post",
    "chat.update": "update",
    "chat.delete": "update",
    "conversations.replies": "search",
    "conversations.history": "search",
}
_NETWORK_SECONDS = 0.08
_PATIENCE_SECONDS = 10.0  # as bot.slack.client waits for an answer


class Client:
    """The methods of the SDK's client that the bot uses."""

    token = "xoxb-simulated"

    def __init__(self, process: Process, workspace: Workspace, weather: Weather) -> None:
        self._process = process
        self._workspace = workspace
        self._weather = weather
        self.session = _Session(process, workspace)

    async def api_call(
        self, method: str, *, params: Json | None = None, json: Json | None = None
    ) -> AsyncSlackResponse:
        """Raises what the SDK's client raises."""
        args = json or params or {}
        await self._process.step()
        await asyncio.sleep(self._process.rng.random() * _NETWORK_SECONDS)
        try:
            return await self._through(method, args)
        finally:
            self._process.done()

    async def _through(self, method: str, args: Json) -> AsyncSlackResponse:
        family, weather = _FAMILY.get(method, "look-up"), self._weather
        accepted = weather.rng.random() < 0.5
        if weather.lasts("slack: down"):
            raise aiohttp.ClientConnectionError
        for fault, breaking in _BREAKING.items():
            name = f"slack {family}: {fault}"
            if name in weather.kinds and weather.strikes(name, method):
                return await breaking(self, method, args, accepted)
        return self._answer(method, args)

    def _answer(self, method: str, args: Json) -> AsyncSlackResponse:
        try:
            body = self._workspace.call(method, args)
        except Refused as refused:
            body = {"ok": False, "error": refused.code}
        return _response(method, body)

    def accept(self, method: str, args: Json, accepted: bool) -> None:
        """Slack does it, or not, and nobody hears of it."""
        if accepted:
            try:
                self._workspace.call(method, args)
            except Refused:
                return


@dataclass(frozen=True)
class _Page:
    """An answer that is no JSON, as the SDK hands it on."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)


def _page(why: str, status: int) -> SlackApiError:
    return SlackApiError(why, _Page(status))  # type: ignore[no-untyped-call] # untyped in slack_sdk


def _response(
    method: str, body: Json, status: int = 200, headers: dict[str, str] | None = None
) -> AsyncSlackResponse:
    made = AsyncSlackResponse(
        client=cast("AsyncWebClient", None),
        http_verb="POST",
        api_url=method,
        req_args={},
        data=body,
        headers=headers or {},
        status_code=status,
    )
    validated: AsyncSlackResponse = made.validate()  # type: ignore[no-untyped-call] # untyped in slack_sdk
    return validated


async def _limited(client: Client, method: str, _args: Json, _done: bool) -> AsyncSlackResponse:
    seconds = client._weather.rng.randint(1, 8)
    body = {"ok": False, "error": "ratelimited"}
    return _response(method, body, 429, {"Retry-After": str(seconds)})


async def _broken(client: Client, method: str, args: Json, done: bool) -> AsyncSlackResponse:
    client.accept(method, args, done)
    raise _page("HTTP 500", 500)


async def _silent(client: Client, method: str, args: Json, done: bool) -> AsyncSlackResponse:
    client.accept(method, args, done)
    await asyncio.sleep(_PATIENCE_SECONDS)
    raise TimeoutError


async def _cut(client: Client, method: str, args: Json, _done: bool) -> AsyncSlackResponse:
    client.accept(method, args, accepted=True)
    raise aiohttp.ServerDisconnectedError


async def _slow(client: Client, method: str, args: Json, _done: bool) -> AsyncSlackResponse:
    await asyncio.sleep(2.0 + client._weather.rng.random() * 6.0)
    return client._answer(method, args)


async def _html(_client: Client, _method: str, _args: Json, _done: bool) -> AsyncSlackResponse:
    raise _page("no JSON", 200)


async def _fatal(client: Client, method: str, args: Json, done: bool) -> AsyncSlackResponse:
    client.accept(method, args, done)
    return _response(method, {"ok": False, "error": "fatal_error"})


_BREAKING = {
    "429": _limited,
    "500": _broken,
    "timeout": _silent,
    "cut after accept": _cut,
    "slow": _slow,
    "html": _html,
    "fatal_error": _fatal,
}


class _Session:
    """What a response_url is answered through; the address names channel and person."""

    closed = False

    def __init__(self, process: Process, workspace: Workspace) -> None:
        self._process = process
        self._workspace = workspace

    def request(self, _verb: str, url: str, **sent: Any) -> "_Exchange":
        return _Exchange(self._process, self._workspace, url, sent)


class _Exchange:
    status = 200
    headers: Mapping[str, str] = MappingProxyType({})

    def __init__(self, process: Process, workspace: Workspace, url: str, sent: Json) -> None:
        self._process = process
        self._workspace = workspace
        self._url = url
        self._sent = sent

    async def __aenter__(self) -> "_Exchange":
        await self._process.step()
        channel, user = self._url.split("/")[-2:]
        self._workspace.history.append(
            Wrote(
                at=self._workspace.at(),
                method="whisper",
                channel=channel,
                ts=self._workspace.next_ts(),
                audience=(user,),
                texts=texts_of(str(self._sent.get("data", "")), ()),
            )
        )
        self._process.done()
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    async def text(self) -> str:
        return "ok"

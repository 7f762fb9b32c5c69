"""The Bolt app: our own choice of the installation, nothing from the environment."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slack_bolt.async_app import AsyncApp, AsyncBoltContext
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

import handlers
from bot.background import place, told
from bot.errors import JobRefused
from bot.front_door import UNREADABLE
from bot.slack.client import Installation
from handlers.addresses import address_of
from handlers.deps import Address, Deps

log = logging.getLogger(__name__)

# Bolt falls back to the environment when the secret is None or the token is empty, so both
# are always given. Requests reach Bolt only after our front door has checked them.
_CHECKED_BEFORE = "checked-by-the-front-door"

_HEARD = "footnote_heard"
_WHY = "it names no installation of ours"
_ID_CHARACTERS = 40


@dataclass(frozen=True, kw_only=True)
class Heard:
    """Whom a request was sent to: the installation, its token, and what its listeners may do."""

    installation: Installation
    token: str
    deps: Deps


Hear = Callable[[Address], Awaitable[Heard | None]]
"""Whom an address names; None where it is none of ours. Raises `StoreUnavailable`."""


def build(*, client: AsyncWebClient, hear: Hear) -> AsyncApp:
    """An app whose listeners finish before Slack hears 200.

    ``process_before_response``: the listener's last act is the durable insert, and
    a listener that fails answers 503, so that Slack sends the event again. A payload
    for no installation of ours, or that does not say for which, is acknowledged and
    dropped. ``client`` is the way to Slack; each installation brings its own token.
    """

    async def choose(
        body: dict[str, Any], context: AsyncBoltContext, next_: Callable[[], Awaitable[None]]
    ) -> BoltResponse | None:
        address = address_of(body)
        heard = await hear(address) if address else None
        if heard is None:
            log.warning("a payload of %s is dropped: %s", _sent_to(body, address), _WHY)
            return BoltResponse(status=200, body="")
        context[_HEARD] = heard
        await next_()
        return None

    async def authorize(context: AsyncBoltContext) -> AuthorizeResult:
        heard: Heard = context[_HEARD]
        installation = heard.installation
        return AuthorizeResult(
            enterprise_id=installation.enterprise_id or None,
            team_id=installation.team_id or None,
            bot_user_id=installation.bot_user_id,
            bot_id=installation.bot_id or None,
            bot_token=heard.token,
        )

    app = AsyncApp(
        name="footnote",
        logger=_quiet_logger(),
        client=client,
        before_authorize=choose,
        authorize=authorize,
        signing_secret=_CHECKED_BEFORE,
        process_before_response=True,
        request_verification_enabled=False,
        ssl_check_enabled=False,
        attaching_conversation_kwargs_enabled=False,
    )
    app.error(_say_so)
    handlers.register(app, lambda context: context[_HEARD].deps)
    return app


def _sent_to(body: Mapping[str, Any], address: Address | None) -> str:
    """Ids alone, and no longer than ids are."""
    event = str(body.get("event_id", ""))[:_ID_CHARACTERS]
    home = address.home[:_ID_CHARACTERS] if address else "nobody"
    return f"{home!r} ({event!r})"


def _quiet_logger() -> logging.Logger:
    """Bolt logs whole bodies with unhandled or refused requests; only its errors may pass."""
    logger = logging.getLogger("slack_bolt.footnote")
    logger.setLevel(logging.ERROR)
    return logger


async def _say_so(error: Exception) -> BoltResponse:
    """Say that it did not work, in the log without any content, and to Slack.

    Never with ``X-Slack-No-Retry``: whatever was refused may come again.
    """
    if isinstance(error, (JobRefused, *UNREADABLE)):
        log.error("an event could not be read: %s at %s", told(error), place(error))
        return BoltResponse(status=400, body="")
    log.error("a listener failed: %s", told(error))
    return BoltResponse(status=503, body="")

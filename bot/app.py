"""The Bolt app: our token, our client, our own authorisation, nothing from the environment."""

import logging

from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

import handlers
from bot.background import place, told
from bot.errors import JobRefused
from bot.front_door import UNREADABLE
from bot.slack_client import Installation
from handlers.deps import Deps

log = logging.getLogger(__name__)

# Bolt falls back to the environment when the secret is None or the token is empty, so both
# are always given. Requests reach Bolt only after our front door has checked them.
_CHECKED_BEFORE = "checked-by-the-front-door"


def build(*, client: AsyncWebClient, installation: Installation, deps: Deps) -> AsyncApp:
    """An app whose listeners finish before Slack hears 200.

    ``process_before_response``: the listener's last act is the durable insert, and
    a listener that fails answers 503, so that Slack sends the event again.
    """

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=installation.enterprise_id or None,
            team_id=installation.team_id,
            bot_user_id=installation.bot_user_id,
            bot_id=installation.bot_id or None,
            bot_token=client.token,
        )

    app = AsyncApp(
        name="footnote",
        logger=_quiet_logger(),
        client=client,
        authorize=authorize,
        signing_secret=_CHECKED_BEFORE,
        process_before_response=True,
        request_verification_enabled=False,
        ssl_check_enabled=False,
        attaching_conversation_kwargs_enabled=False,
    )
    app.error(_say_so)
    handlers.register(app, deps)
    return app


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

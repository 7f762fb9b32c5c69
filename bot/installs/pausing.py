"""The end of an installation: its tenant is paused, and its questions are kept.

Slack says so in two events that come in any order, again, and perhaps only after the
workspace has installed us anew. So the token is asked whether it is good: one that is
belongs to an installation that goes on.
"""

import logging

from bot.errors import SlackRefused, TenantPaused
from bot.slack.client import Slack, open_client, whoami
from bot.slack.installed import Installations
from bot.slack.token_watch import is_dead

log = logging.getLogger(__name__)


async def pause_if_ended(
    kept: Installations, *, home: str, reason: str, slack_api_url: str
) -> bool:
    """Pause that installation, unless Slack still takes its token; whether it was paused now.

    Raises `StoreUnavailable`, `SlackUnavailable`: then the event must come again.
    """
    one = await kept.get(team_id=home)
    if one is None or one.paused:
        return False
    token = one.bot_token.get_secret_value()
    async with open_client(token=token, base_url=slack_api_url) as client:
        try:
            await whoami(client)
        except SlackRefused as refused:
            if not is_dead("auth.test", refused.code):
                raise
            paused = await kept.pause(home=home, reason=reason, revision=one.revision)
            if paused:
                log.warning("the installation of %s has ended (%s): paused", home, reason)
            return paused
    log.info("the installation of %s is said to have ended (%s), but goes on", home, reason)
    return False


async def notice(client: Slack, reason: str) -> None:
    """Let a client whose token is watched see whether it is still good.

    Raises `SlackUnavailable`: then the event must come again.
    """
    try:
        await whoami(client)
    except TenantPaused as paused:
        log.info("the installation has ended (%s): %s", reason, paused)

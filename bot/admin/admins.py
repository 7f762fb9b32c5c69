"""Who may change sources: the workspace's admins and owners, and those the settings name."""

from bot.audience import Standing
from bot.parts import Parts
from bot.slack.identity import Proved
from handlers.deps import Sender


def is_admin(parts: Parts, proved: Proved) -> bool:
    """Whether this person is one, as far as they are proved.

    A short name among the settings' admins makes nobody one: people choose it in Slack.
    """
    listed = proved.principal in parts.admins
    return proved.standing is Standing.FULL and (proved.is_admin or listed)


async def prove_admin(parts: Parts, sender: Sender) -> Proved | None:
    """The sender, asked of Slack anew; None where they are no admin now.

    Raises `SlackUnavailable` where Slack cannot say.
    """
    await parts.profiles.renew(sender.user_id)
    proved = await parts.prove(sender)
    return proved if proved is not None and is_admin(parts, proved) else None

"""What Slack says about our installation in a workspace."""

from handlers.deps import Deps
from handlers.payloads import Payload, event_of

UNINSTALLED, REVOKED = "app_uninstalled", "tokens_revoked"


async def on_uninstalled(deps: Deps, _payload: Payload) -> None:
    """An admin has removed us."""
    await deps.ended(UNINSTALLED)


async def on_tokens_revoked(deps: Deps, payload: Payload) -> None:
    """Tokens are good no more. Those of persons are none of ours: the bot goes on."""
    tokens = event_of(payload).get("tokens")
    if isinstance(tokens, dict) and tokens.get("bot"):
        await deps.ended(REVOKED)

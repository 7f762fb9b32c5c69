"""Puts each payload through to the listeners of the installation that it is for."""

from bot.app import Hear, Heard
from bot.background import Background
from bot.inbound.listening import Intake, build
from bot.parts import Parts, Workspaces
from handlers.deps import Address, Deps


def hearing(workspaces: Workspaces, background: Background, intake: Intake) -> Hear:
    """Whom each payload is for, and what its listeners may do."""
    built: dict[str, tuple[Parts, Deps]] = {}

    async def hear(address: Address) -> Heard | None:
        parts = await workspaces.at(address)
        if parts is None:
            return None
        home = parts.installation.home
        if home not in built or built[home][0] is not parts:
            built[home] = parts, build(parts, background, intake)
        token = parts.client.web.token or ""
        return Heard(installation=parts.installation, token=token, deps=built[home][1])

    return hear

"""Which installation of ours a payload was sent to, as Slack signed it."""

from collections.abc import Mapping
from typing import Any

from handlers.deps import Address, Sender

_LIFE = ("app_uninstalled", "tokens_revoked")
"""Events about the installation itself, which may come without an authorization."""


def address_of(body: Mapping[str, Any]) -> Address | None:
    """Where a payload belongs; None where it does not say so without doubt.

    An event names it in ``authorizations[0]`` alone: the outer ``team_id`` may be another
    organisation's. A window names the team it was opened for, a button its message's team,
    a command its workspace. The person's own team is never asked.
    """
    if body.get("type") == "event_callback":
        return _of_event(body)
    if "command" in body:
        whole = str(body.get("is_enterprise_install")).lower() == "true"
        return _address(body.get("team_id"), body.get("enterprise_id"), whole=whole)
    team, enterprise = _map(body.get("team")), _map(body.get("enterprise"))
    installed = _map(body.get("view")).get("app_installed_team_id") or team.get("id")
    whole = body.get("is_enterprise_install") is True
    named = enterprise.get("id") or team.get("enterprise_id")
    return _address(installed, named, whole=whole)


def address_for(sender: Sender) -> Address:
    """The address that the sender's payload had."""
    team = "" if sender.enterprise_install else sender.team_id
    return Address(team_id=team, enterprise_id=sender.enterprise_id)


def _of_event(body: Mapping[str, Any]) -> Address | None:
    listed = body.get("authorizations")
    if isinstance(listed, list) and listed:
        named = _map(listed[0])
        whole = named.get("is_enterprise_install") is True
        return _address(named.get("team_id"), named.get("enterprise_id"), whole=whole)
    if _map(body.get("event")).get("type") not in _LIFE:
        return None
    whole = body.get("is_enterprise_install") is True
    return _address(body.get("team_id"), body.get("enterprise_id"), whole=whole)


def _address(team: object, enterprise: object, *, whole: bool) -> Address | None:
    """``whole``: of the whole Grid, whichever of its workspaces is named beside."""
    if not all(isinstance(named, str) for named in (team, enterprise) if named is not None):
        return None
    found = Address(team_id=str(team or ""), enterprise_id=str(enterprise or ""))
    if whole:
        found = Address(enterprise_id=found.enterprise_id)
    return found if found.team_id or (whole and found.home) else None


def _map(found: object) -> Mapping[str, Any]:
    return found if isinstance(found, Mapping) else {}

"""Which installation a payload names, and when that is in doubt."""

from typing import Any

import pytest

from handlers.addresses import address_for, address_of
from handlers.deps import Address, Sender

T1 = Address(team_id="T1")
BOTH = Address(team_id="T1", enterprise_id="E1")
GRID = Address(enterprise_id="E1")


def event(*authorizations: object, **outer: Any) -> dict[str, Any]:
    inner = {"type": "app_mention", "team": "T8"}
    body = {"type": "event_callback", "team_id": "T9", "context_team_id": "T7", "event": inner}
    return body | {"authorizations": list(authorizations)} | outer


def granted(team: object = "T1", enterprise: object = None, *, whole: object = False) -> object:
    return {"team_id": team, "enterprise_id": enterprise, "is_enterprise_install": whole}


WINDOW = {"app_installed_team_id": "T1"}


@pytest.mark.parametrize(
    ("body", "address"),
    [
        (event(granted()), T1),
        (event(granted("T1", "E1")), BOTH),
        (event(granted(None, "E1", whole=True)), GRID),
        (event(granted("T5", "E1", whole=True)), GRID),
        (event(granted(), granted("T2")), T1),
        ({"command": "/ask", "team_id": "T1", "is_enterprise_install": "false"}, T1),
        ({"command": "/ask", "team_id": "T1", "enterprise_id": "E1"}, BOTH),
        (
            {"command": "/ask", "team_id": "T5", "enterprise_id": "E1"}
            | {"is_enterprise_install": "true"},
            GRID,
        ),
        ({"type": "block_actions", "team": {"id": "T1"}, "user": {"team_id": "T2"}}, T1),
        ({"type": "block_actions", "team": {"id": "T1", "enterprise_id": "E1"}}, BOTH),
        ({"type": "view_submission", "team": {"id": "T2"}, "view": WINDOW}, T1),
        (
            {"type": "block_actions", "team": None, "enterprise": {"id": "E1"}}
            | {"is_enterprise_install": True},
            GRID,
        ),
    ],
)
def test_where_a_payload_belongs(body: dict[str, Any], address: Address) -> None:
    assert address_of(body) == address


@pytest.mark.parametrize(
    "body",
    [
        {},
        event(),
        event(granted(None)),
        event(granted("")),
        event(granted(None, "E1")),
        event(granted("T1", None, whole=True)),
        event(granted(["T1"])),
        event(granted("T1", {"id": "E1"})),
        event("T1"),
        event(authorizations={"team_id": "T1"}),
        {"type": "block_actions", "user": {"id": "U1", "team_id": "T1"}},
        {"type": "block_actions", "team": "T1"},
        {"type": "view_submission", "view": {"app_installed_team_id": 1}},
        {"command": "/ask", "team_id": "", "enterprise_id": "E1"},
    ],
)
def test_what_does_not_say_so_without_doubt_belongs_nowhere(body: dict[str, Any]) -> None:
    assert address_of(body) is None


@pytest.mark.parametrize("kind", ["app_uninstalled", "tokens_revoked"])
def test_the_end_of_an_installation_needs_no_authorization(kind: str) -> None:
    ended = {"type": "event_callback", "team_id": "T1", "event": {"type": kind}}
    assert address_of(ended) == T1
    assert address_of(ended | {"authorizations": []}) == T1
    whole = {"team_id": None, "enterprise_id": "E1", "is_enterprise_install": True}
    assert address_of(ended | whole) == GRID


def test_a_stored_sender_names_the_same() -> None:
    assert address_for(Sender(team_id="T1", enterprise_id="E1")) == BOTH
    assert address_for(Sender(team_id="T5", enterprise_id="E1", enterprise_install=True)) == GRID

"""Which events say that who reads along has changed, through a real Bolt app."""

from typing import Any

import pytest

from handlers.deps import Changed, What
from tests.handlers.heard import TEAM, hear

FULL = {"id": "U1", "team_id": TEAM, "deleted": False, "is_restricted": False}


def _event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "event_ts": "1700000000.000100", **fields}


@pytest.mark.parametrize(
    ("event", "what", "about"),
    [
        (_event("member_joined_channel", user="U2", channel="C1"), What.ROOM, "C1"),
        (_event("member_left_channel", user="U2", channel="G1"), What.ROOM, "G1"),
        (_event("channel_shared", connected_team_id="T2", channel="C1"), What.ROOM, "C1"),
        (_event("channel_unshared", channel="C1"), What.ROOM, "C1"),
        (
            _event("message", subtype="channel_convert_to_public", channel="C1", ts="1.1"),
            What.ROOM,
            "C1",
        ),
        (_event("subteam_members_changed", subteam_id="S1"), What.GROUP, "S1"),
        (_event("subteam_updated", subteam={"id": "S1", "date_delete": 5}), What.GROUP, "S1"),
        (_event("user_change", user=FULL | {"is_restricted": True}), What.PERSON, "U1"),
        (_event("user_change", user=FULL | {"is_ultra_restricted": True}), What.PERSON, "U1"),
        (_event("user_change", user=FULL | {"deleted": True}), What.PERSON, "U1"),
        (_event("user_change", user=FULL | {"team_id": "T0ELSEWHERE"}), What.PERSON, "U1"),
        (_event("user_change", user={"id": "U1"}), What.PERSON, "U1"),
    ],
)
async def test_a_change_of_readers_is_heard(event: dict[str, Any], what: What, about: str) -> None:
    ((name, (changed,)),) = await hear(event)
    assert name == "changed"
    assert isinstance(changed, Changed)
    assert (changed.what, changed.about, changed.team_id) == (what, about, TEAM)
    assert (changed.at, changed.event_id) == ("1700000000.000100", "Ev1")


async def test_a_channel_that_has_another_id_is_told_with_the_one_it_had() -> None:
    event = _event("channel_id_changed", old_channel_id="G1", new_channel_id="C1")
    ((name, (changed,)),) = await hear(event)
    assert (name, changed.what, changed.about, changed.was) == ("changed", What.ROOM, "C1", "G1")


@pytest.mark.parametrize(
    "event",
    [
        _event("channel_id_changed", new_channel_id="C1"),
        _event("channel_id_changed", old_channel_id="G1"),
        _event("user_change", user=FULL | {"profile": {"status_text": "away"}}),
        _event("user_change", user="U1"),
        _event("user_change", user=FULL | {"deleted": True, "id": None}),
        _event("member_joined_channel", user="U2"),
        _event("member_joined_channel", user="U2", channel={"id": "C1"}),
        _event("subteam_updated", subteam="S1"),
        _event("channel_shared", channel=""),
    ],
)
async def test_what_takes_no_right_away_or_names_nothing_is_passed_over(
    event: dict[str, Any],
) -> None:
    assert await hear(event) == []

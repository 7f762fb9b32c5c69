"""Who counts as whom: every missing or foreign sign counts against the sender."""

from typing import Any

import pytest

from bot.audience import Standing
from bot.slack.client import Installation
from bot.slack.identity import looks_outside, principal_id, profile_of, user_of
from handlers.deps import Sender

OURS = Installation(team_id="T1", bot_user_id="UBOT", bot_id="B1")
GRID = Installation(team_id="T1", enterprise_id="E1", bot_user_id="UBOT", bot_id="B1")
PERSON: dict[str, Any] = {"id": "U1", "team_id": "T1"}


@pytest.mark.parametrize(
    ("flags", "standing"),
    [
        ({}, Standing.FULL),
        ({"is_restricted": True}, Standing.GUEST),
        ({"is_ultra_restricted": True}, Standing.GUEST),
        ({"deleted": True}, Standing.OUTSIDER),
        ({"is_bot": True}, Standing.OUTSIDER),
        ({"is_workflow_bot": True}, Standing.OUTSIDER),
        ({"is_stranger": True}, Standing.OUTSIDER),
        ({"id": "USLACKBOT"}, Standing.OUTSIDER),
        ({"team_id": "T2"}, Standing.OUTSIDER),
        ({"team_id": ""}, Standing.OUTSIDER),
        ({"team_id": None}, Standing.OUTSIDER),
        ({"is_restricted": True, "deleted": True}, Standing.OUTSIDER),
        ({"team_id": "T2", "enterprise_user": {"enterprise_id": "E1"}}, Standing.OUTSIDER),
    ],
)
def test_standing(flags: dict[str, Any], standing: Standing) -> None:
    assert profile_of(PERSON | flags, OURS).standing is standing


def test_a_grid_knows_its_people_by_the_enterprise() -> None:
    person = {"id": "W1", "team_id": "T9", "enterprise_user": {"enterprise_id": "E1"}}
    profile = profile_of(person, GRID)
    assert (profile.standing, profile.home) == (Standing.FULL, "E1")
    other = profile_of(person | {"enterprise_user": {"enterprise_id": "E2"}}, GRID)
    assert other.standing is Standing.OUTSIDER


def test_nothing_known_is_an_outsider() -> None:
    assert profile_of({}, OURS).standing is Standing.OUTSIDER
    assert profile_of({}, Installation(team_id="", bot_user_id="")).standing is Standing.OUTSIDER


def test_principals() -> None:
    assert user_of(principal_id("T1", "U1")) == ("T1", "U1")
    for name in ("alice", "slack:T1", "slack::U1", "slack:T1:", "other:T1:U1", "slack:T1:U1:x"):
        assert user_of(name) is None


@pytest.mark.parametrize(
    ("sender", "outside"),
    [
        (Sender(team_id="T1", user_id="U1", homes=("T1",)), False),
        (Sender(team_id="T1", user_id="U1"), False),
        (Sender(team_id="T1", user_id="U1", homes=("T1", "T2")), True),
        (Sender(team_id="T1", user_id="U1", homes=("E2",)), True),
        (Sender(team_id="T2", user_id="U1", homes=("T2",)), True),
        (Sender(team_id="T1", enterprise_id="E2", user_id="U1", homes=("T2",)), True),
        (Sender(team_id="T2", enterprise_id="E2", user_id="U1"), True),
        (Sender(enterprise_id="E2", user_id="U1"), True),
        (Sender(team_id="T1"), True),
        (Sender(user_id="U1", homes=("T1",)), True),
        (Sender(team_id="T1", user_id="UBOT"), True),
    ],
)
def test_what_the_payload_itself_gives_away(sender: Sender, outside: bool) -> None:
    assert looks_outside(sender, OURS) is outside


def test_a_grid_accepts_its_team_and_its_enterprise() -> None:
    sender = Sender(team_id="T1", enterprise_id="E1", user_id="W1", homes=("T1", "E1"))
    assert not looks_outside(sender, GRID)
    assert looks_outside(sender.model_copy(update={"homes": ("E2",)}), GRID)


def test_a_whole_grids_people_are_not_known_by_their_team() -> None:
    whole = Installation(team_id="", enterprise_id="E1", bot_user_id="UBOT")
    ours = Sender(team_id="T5", enterprise_id="E1", user_id="W1", homes=("T5",))
    assert not looks_outside(ours, whole)
    assert looks_outside(ours.model_copy(update={"enterprise_id": "E2"}), whole)
    assert looks_outside(ours.model_copy(update={"enterprise_id": ""}), whole)
    assert looks_outside(ours.model_copy(update={"user_id": "UBOT"}), whole)


def test_a_workspace_that_joined_a_grid_later_still_knows_its_people() -> None:
    """Slack names the Grid from then on, and what we keep does not until we are installed anew."""
    sender = Sender(team_id="T1", enterprise_id="E1", user_id="U1", homes=("T1", "E1"))
    assert not looks_outside(sender, OURS)
    assert looks_outside(sender.model_copy(update={"homes": ("T1", "E2")}), OURS)
    assert looks_outside(sender.model_copy(update={"homes": ("T2",)}), OURS)
    assert looks_outside(sender.model_copy(update={"enterprise_id": "E2"}), GRID)
    of_grid = {"enterprise_user": {"enterprise_id": "E1"}}
    profile = profile_of(PERSON | of_grid, OURS)
    assert (profile.standing, profile.home) == (Standing.FULL, "T1")

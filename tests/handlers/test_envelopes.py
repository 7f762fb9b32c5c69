"""Edits, deletions, and which installation and home an event names."""

from typing import Any

import pytest

from tests.handlers.heard import (
    ASKED,
    BOT,
    TEAM,
    envelope,
    hear,
    listening,
    mention,
    message,
)


def changed(text: str, before: str, **changes: Any) -> dict[str, Any]:
    inner = {"type": "message", "user": "U1", "ts": "1700000000.000100", "team": TEAM}
    return {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": "C1",
        "channel_type": "channel",
        "ts": "1700000009.000100",
        "message": inner | {"text": text, "edited": {"user": "U1", "ts": "1"}} | changes,
        "previous_message": inner | {"text": before},
    }


async def test_an_edit_with_other_words_is_passed_on() -> None:
    ((name, (edited,)),) = await hear(changed(f"<@{BOT}> How wide?", ASKED))
    assert name == "edit"
    assert edited.asked.question == "How wide?"
    assert edited.previous_question == "How long?"
    assert edited.asked.key == (TEAM, "C1", "1700000000.000100")


async def test_unfurls_and_bots_edits_are_not_edits() -> None:
    assert await hear(changed(ASKED, ASKED, attachments=[{"id": 1}])) == []
    assert await hear(changed("b", "a", bot_id="B1")) == []
    assert await hear(changed("b", "a", user=BOT)) == []


def removed(**changes: Any) -> dict[str, Any]:
    previous = {"type": "message", "user": "U1", "ts": "1700000000.000100", "text": ASKED}
    return {
        "type": "message",
        "subtype": "message_deleted",
        "hidden": True,
        "channel": "C1",
        "channel_type": "channel",
        "ts": "1700000009.000100",
        "deleted_ts": "1700000000.000100",
        "previous_message": previous | changes,
    }


async def test_a_deleted_question_is_withdrawn() -> None:
    ((name, (deleted,)),) = await hear(removed())
    assert (name, deleted.ts, deleted.sender.user_id) == ("withdraw", "1700000000.000100", "U1")
    assert await hear(removed(bot_id="B1")) == []
    assert await hear(removed(user=BOT)) == []


AUTHORIZED = [{"enterprise_id": "E1", "team_id": "T03", "user_id": BOT, "is_bot": True}]


@pytest.mark.parametrize(
    ("outer", "event", "homes"),
    [
        ({"team_id": "T0ACTOR"}, message(ASKED, team="T0ACTOR"), ("T0ACTOR",)),
        ({"team_id": "T03"}, mention(team="T03", user_team="E0ACTOR"), ("E0ACTOR", "T03")),
        (
            {"team_id": "T014"},
            mention(team="T014", user_team="T03", source_team="T03"),
            ("T03", "T014"),
        ),
        ({"team_id": "T03"}, mention(team=...), ()),
    ],
)
async def test_shared_channels_name_the_installation_and_every_claimed_home(
    outer: dict[str, Any], event: dict[str, Any], homes: tuple[str, ...]
) -> None:
    heard = listening()
    body = envelope(
        event,
        **outer,
        context_team_id="T014",
        authorizations=AUTHORIZED,
        is_ext_shared_channel=True,
    )
    assert await heard.send(body) == 200
    asked = heard.only("ask")
    assert asked.sender.team_id == "T03"
    assert asked.sender.enterprise_id == "E1"
    assert asked.sender.homes == homes
    assert asked.room.shared


async def test_without_authorizations_no_installation_is_guessed() -> None:
    heard = listening()
    await heard.send(envelope(mention(), authorizations=[]))
    assert heard.only("ask").sender.team_id == ""


async def test_our_own_id_is_the_mentioned_installations() -> None:
    heard = listening()
    other = [{"team_id": "T2", "enterprise_id": None, "user_id": "U0SECOND", "is_bot": True}]
    await heard.send(envelope(mention(), authorizations=other))
    await heard.send(envelope(mention("<@U0SECOND> How long?"), authorizations=other))
    assert heard.only("ask").sender.app_user_id == "U0SECOND"

"""Commands, buttons, windows and tabs, through a real Bolt app."""

from typing import Any

import pytest

from handlers import ACTIONS, COMMANDS, EVENTS
from handlers.blocks import actions
from handlers.deps import RoomKind
from tests.handlers.heard import (
    TEAM,
    command,
    envelope,
    hear,
    listening,
    mention,
    press,
)


@pytest.mark.parametrize(
    ("text", "expected"), [("payload schema", "payload schema"), ("a &amp; b", "a & b")]
)
async def test_ask_is_private(text: str, expected: str) -> None:
    heard = listening()
    assert await heard.send(command("/ask", text)) == 200
    asked = heard.only("ask_privately")
    assert asked.text == expected
    assert asked.sender.team_id == TEAM
    assert asked.room.channel == "C1"
    assert asked.trigger_id.startswith("13345224609")
    assert asked.response_url


@pytest.mark.parametrize("text", ["", "help", "x" * 4_001])
async def test_ask_explains_itself_to_its_caller_alone(text: str) -> None:
    heard = listening()
    await heard.send(command("/ask", text))
    assert heard.only("reply_ephemeral").text == text


@pytest.mark.parametrize(
    ("name", "channel", "kind"),
    [
        ("directmessage", "D1", RoomKind.IM),
        ("directmessage", "C1", None),
        ("privategroup", "C1", RoomKind.GROUP),
        ("mpdm-a--b-1", "G1", RoomKind.MPIM),
        ("general", "C1", None),
    ],
)
async def test_sources_are_listed_for_the_caller(
    name: str, channel: str, kind: RoomKind | None
) -> None:
    heard = listening()
    asked_in = {"channel_name": name, "channel_id": channel}
    await heard.send(command("/sources", "payload device", **asked_in))
    asked = heard.only("list_sources")
    assert (asked.text, asked.room.kind, asked.sender.user_id) == ("payload device", kind, "U1")


async def test_forgetting_is_confirmed_first() -> None:
    heard = listening()
    await heard.send(command("/forget"))
    _, (_, rendered) = heard.calls[0]
    assert heard.names == ["reply_ephemeral"]
    button = rendered.blocks[-1]["elements"][0]
    assert button["action_id"] == actions.FORGET
    assert button["confirm"]["style"] == "danger"
    await heard.send(press(actions.FORGET, "mine"))
    assert heard.names == ["reply_ephemeral", "forget"]


PRESSES = {
    actions.OPTIONS[0]: "choose",
    actions.OPTIONS[4]: "choose",
    actions.ASK_PRIVATELY: "ask_again_privately",
    actions.ASK_OWNERS: "ask_owners",
    actions.DISPUTE: "dispute",
    actions.SOURCES_NEXT: "turn_sources_page",
    actions.SOURCES_PREVIOUS: "turn_sources_page",
}


@pytest.mark.parametrize("action", PRESSES)
async def test_a_press_is_passed_on_as_the_pressers(action: str) -> None:
    heard = listening()
    assert await heard.send(press(action, "x-1")) == 200
    pressed = heard.only(PRESSES[action])
    assert pressed.value == "x-1"
    assert pressed.sender.user_id == "U2"
    assert pressed.sender.team_id == TEAM
    assert pressed.room.channel == "C1"
    assert pressed.message_ts == "1700000001.000200"
    assert pressed.thread_ts == "1700000000.000100"
    assert pressed.action_ts == "1700000002.5"
    assert pressed.view is None


@pytest.mark.parametrize(("action", "good"), [(actions.GOOD, True), (actions.BAD, False)])
async def test_thumbs_are_told_apart(action: str, good: bool) -> None:
    heard = listening()
    await heard.send(press(action, "a-1"))
    rated = heard.only("rate")
    assert (rated.good, rated.pressed.value) == (good, "a-1")


@pytest.mark.parametrize(
    ("action", "approved"), [(actions.APPROVE, True), (actions.TURN_DOWN, False)]
)
async def test_decisions_are_told_apart(action: str, approved: bool) -> None:
    heard = listening()
    await heard.send(press(action, "p-1"))
    decided = heard.only("decide")
    assert (decided.approved, decided.pressed.value) == (approved, "p-1")


@pytest.mark.parametrize(
    ("action", "filled"),
    [(actions.OPEN_CONTEXT, "show_context"), (actions.SHOW_ALL, "show_all")],
)
async def test_a_window_opens_before_anything_is_decided(action: str, filled: str) -> None:
    heard = listening()
    await heard.send(press(action, "c-1"))
    assert heard.names == ["open_view", filled]
    loading = heard.calls[0][1][1]
    other = listening()
    await other.send(press(action, "another"))
    assert other.calls[0][1][1] == loading
    assert heard.calls[1][1][1].id == "V1"


WINDOW = {"id": "V7", "hash": "h7", "app_installed_team_id": "T0INSTALLED", "type": "modal"}


@pytest.mark.parametrize(
    ("action", "filled"),
    [
        (actions.EARLIER, "show_context"),
        (actions.LATER, "show_context"),
        (actions.ALL_NEXT, "show_all"),
        (actions.ALL_PREVIOUS, "show_all"),
    ],
)
async def test_a_window_is_turned_in_place(action: str, filled: str) -> None:
    heard = listening()
    body = press(action, "tok", view=WINDOW, container={"type": "view", "view_id": "V7"})
    del body["channel"], body["message"]
    await heard.send(body)
    assert heard.names == [filled]
    pressed, view = heard.calls[0][1]
    assert (view.id, view.hash, pressed.value) == ("V7", "h7", "tok")
    assert pressed.sender.team_id == "T0INSTALLED"


async def test_an_outsiders_press_keeps_their_home() -> None:
    heard = listening()
    user = {"id": "U9", "team_id": "T0OTHER"}
    await heard.send(press(actions.GOOD, user=user))
    assert heard.only("rate").pressed.sender.homes == ("T0OTHER",)


async def test_our_tabs() -> None:
    opened = {"type": "app_home_opened", "user": "U1", "channel": "D1"}
    ((name, (seen,)),) = await hear(opened | {"tab": "home"})
    assert (name, seen.sender.user_id, seen.channel) == ("publish_home", "U1", "D1")
    assert [name for name, _ in await hear(opened | {"tab": "messages"})] == ["greet"]


@pytest.mark.parametrize("kind", ["reaction_added", "channel_rename", "brand_new"])
async def test_any_other_event_is_received(kind: str) -> None:
    assert await hear({"type": kind, "user": "U1"}) == []


@pytest.mark.parametrize(
    "event",
    [
        {"type": "message"},
        {"type": "app_mention", "text": None, "user": {}, "ts": 5},
        {"type": "message", "subtype": "message_changed", "message": None},
        {"type": "message", "subtype": "message_deleted"},
        {"type": "app_home_opened"},
    ],
)
async def test_a_payload_with_holes_is_received_and_dropped(event: dict[str, Any]) -> None:
    assert await hear(event) == []


async def test_an_unknown_button_is_acknowledged() -> None:
    heard = listening()
    assert await heard.send(press("from_an_older_version")) == 200
    assert heard.calls == []


async def test_what_could_not_be_stored_is_not_acknowledged() -> None:
    for body in (envelope(mention()), command("/ask", "x"), press(actions.GOOD)):
        heard = listening(broken=True)
        assert await heard.send(body) == 500
        assert len(heard.calls) == 1


def test_every_button_we_make_has_a_listener() -> None:
    made = {
        value
        for name, found in vars(actions).items()
        if name.isupper()
        for value in ((found,) if isinstance(found, str) else found)
    }
    assert made == set(ACTIONS)
    assert set(EVENTS) >= {"app_home_opened", "app_mention", "message"}
    assert set(COMMANDS) == {"/ask", "/forget", "/sources"}

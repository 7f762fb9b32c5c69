"""What each payload leads to, through a real Bolt app."""

from typing import Any

import pytest

from handlers import ACTIONS, COMMANDS, EVENTS
from handlers.blocks import actions
from handlers.deps import Asked, Note, RoomKind
from tests.handlers.heard import (
    BOT,
    TEAM,
    command,
    envelope,
    listening,
    mention,
    message,
    press,
)

ASKED = f"<@{BOT}> How long?"


async def hear(event: dict[str, Any], **changes: Any) -> list[tuple[str, tuple[Any, ...]]]:
    heard = listening()
    assert await heard.send(envelope(event, **changes)) == 200
    return heard.calls


async def test_a_mention_is_asked_without_our_name() -> None:
    ((name, (asked,)),) = await hear(mention())
    assert name == "ask"
    assert asked.question == "How long?"
    assert asked.mentioned
    assert asked.sender.team_id == TEAM
    assert asked.sender.user_id == "U1"
    assert asked.sender.app_user_id == BOT
    assert asked.room.channel == "C1"
    assert asked.thread_ts is None
    assert asked.event_id == "Ev1"


async def test_a_mention_and_its_twin_have_one_key_in_either_order() -> None:
    heard = listening()
    await heard.send(envelope(message(ASKED), event_id="Ev2"))
    await heard.send(envelope(mention(), event_id="Ev1"))
    assert heard.names == ["ask", "ask"]
    first, second = (args[0] for _, args in heard.calls)
    assert first.key == second.key == (TEAM, "C1", "1700000000.000100")
    assert first.question == second.question


async def test_a_mention_event_of_another_bot_user_is_not_ours() -> None:
    assert await hear(mention("<@U0OTHER> How long?")) == []


@pytest.mark.parametrize(
    ("kind", "channel"), [(RoomKind.IM, "D1"), (RoomKind.MPIM, "G1"), (RoomKind.GROUP, "C2")]
)
async def test_only_a_direct_message_needs_no_mention(kind: RoomKind, channel: str) -> None:
    calls = await hear(message(channel=channel, channel_type=kind.value))
    assert [name for name, _ in calls] == (["ask"] if kind is RoomKind.IM else [])


async def test_talk_in_a_channel_is_not_for_us() -> None:
    assert await hear(message()) == []


async def test_a_thread_reply_may_answer_a_question_of_ours() -> None:
    event = message("The enterprise one", thread_ts="1699999999.000100", ts="1700000000.000200")
    ((name, (asked,)),) = await hear(event)
    assert name == "reply"
    assert asked.thread_ts == "1699999999.000100"


async def test_a_thread_reply_to_someone_else_is_theirs() -> None:
    event = message("<@U2> can you look?", thread_ts="1699999999.000100")
    assert await hear(event) == []


async def test_a_follow_up_mention_in_a_thread_is_asked_there() -> None:
    ((name, (asked,)),) = await hear(mention(thread_ts="1699999999.000100"))
    assert (name, asked.thread_ts) == ("ask", "1699999999.000100")


async def test_the_parent_of_a_thread_is_not_a_reply_to_itself() -> None:
    ((_, (asked,)),) = await hear(mention(thread_ts="1700000000.000100"))
    assert asked.thread_ts is None


@pytest.mark.parametrize("subtype", ["thread_broadcast", "file_share", "me_message"])
async def test_a_person_can_ask_in_other_ways(subtype: str) -> None:
    calls = await hear(message(ASKED, subtype=subtype, files=[{"id": "F1"}]))
    assert [name for name, _ in calls] == ["ask"]


NOT_PEOPLE = {
    "ourselves": message(ASKED, user=BOT),
    "a bot": message(ASKED, bot_id="B9"),
    "a bot's profile": message(ASKED, bot_profile={"id": "B9"}),
    "bot_message": message(ASKED, subtype="bot_message", user=None, bot_id="B9"),
    "nobody": message(ASKED, user=None),
    "no author": message(ASKED, user=...),
    "join": message(f"<@{BOT}> has joined the channel", subtype="channel_join"),
    "topic": message(ASKED, subtype="channel_topic"),
    "hidden": message(ASKED, hidden=True),
    "no time": message(ASKED, ts=...),
    "no channel": message(ASKED, channel=...),
}


@pytest.mark.parametrize("name", NOT_PEOPLE)
async def test_what_no_person_wrote_is_no_question(name: str) -> None:
    assert await hear(NOT_PEOPLE[name]) == []


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("", Note.BARE),
        ("help", Note.HELP),
        ("帮助", Note.HELP),
        ("Help!", Note.HELP),
        ("?", Note.HELP),
        ("what can you do?", Note.HELP),
        ("x" * 4_001, Note.TOO_LONG),
    ],
)
async def test_fixed_replies(text: str, note: Note) -> None:
    ((name, (asked, told)),) = await hear(mention(f"<@{BOT}> {text}"))
    assert (name, told) == ("tell", note)
    assert isinstance(asked, Asked)


async def test_a_question_of_just_the_longest_length_is_asked() -> None:
    ((name, _),) = await hear(mention(f"<@{BOT}> " + "x" * 4_000))
    assert name == "ask"


async def test_a_file_alone_is_no_question_and_a_file_beside_one_is_counted() -> None:
    ((name, (_, note)),) = await hear(mention(f"<@{BOT}>", files=[{"id": "F1"}]))
    assert (name, note) == ("tell", Note.ATTACHMENT)
    ((name, (asked,)),) = await hear(mention(files=[{"id": "F1"}, {"id": "F2"}]))
    assert (name, asked.files) == ("ask", 2)


@pytest.mark.parametrize("text", ["never mind", "Nevermind.", "算了", "取消。"])
async def test_a_question_can_be_taken_back(text: str) -> None:
    for event in (
        mention(f"<@{BOT}> {text}"),
        message(text, channel_type="im", channel="D1"),
        message(text, thread_ts="1699999999.000100"),
    ):
        assert [name for name, _ in await hear(event)] == ["cancel"]


async def test_asking_how_to_cancel_is_a_question() -> None:
    calls = await hear(mention(f"<@{BOT}> How do I cancel a contract?"))
    assert [name for name, _ in calls] == ["ask"]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (f"<@{BOT}> a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        (f"<@{BOT}> &amp;lt;", "&lt;"),
        (f"请问<@{BOT}>：借用多久？", "请问 ：借用多久？"),
        (f"<@{BOT}|footnote> see <#C9|general> and <@U2|bob>", "see #general and @bob"),
        (
            f"<@{BOT}> <https://a.example/x|a.example/x> <!here> <!subteam^S1|@ops>",
            "a.example/x @here @ops",
        ),
        (f"<@{BOT}> <!date^1^{{date}}|May 1>", "May 1"),
        (f"hello <@{BOT}>", "hello"),
        (f"<@{BOT}> nul\x00 \ud800", "nul\ufffd ?"),
    ],
)
async def test_what_slack_encoded_is_read_as_it_was_typed(text: str, question: str) -> None:
    calls = await hear(message(text, channel_type="im", channel="D1"))
    (args,) = [args for _, args in calls]
    assert args[0].question == question


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
    ("name", "kind"),
    [
        ("directmessage", RoomKind.IM),
        ("privategroup", RoomKind.GROUP),
        ("mpdm-a--b-1", RoomKind.MPIM),
        ("general", None),
    ],
)
async def test_sources_are_listed_for_the_caller(name: str, kind: RoomKind | None) -> None:
    heard = listening()
    await heard.send(command("/sources", "payload device", channel_name=name))
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
    assert set(EVENTS) == {"app_home_opened", "app_mention", "message"}
    assert set(COMMANDS) == {"/ask", "/forget", "/sources"}
